import { arrayOf, isObject, objectOf, readString, type JsonObject, type Lookup } from '../lookup.js';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];
/** Keywords of a schema that Swagger 2.0 writes into the parameter itself. */
const NOT_OF_SCHEMA = new Set(['name', 'in', 'required', 'description', 'deprecated', 'collectionFormat']);

export interface ApiParameter {
  readonly name: string;
  readonly in: string;
  readonly isRequired: boolean;
  readonly schema: unknown;
  readonly raw: JsonObject;
  /** Said for all operations of the path. */
  readonly isOfPath: boolean;
}

export interface ApiBody {
  readonly isRequired: boolean;
  /** By media type without its parameters. */
  readonly content: ReadonlyMap<string, JsonObject>;
}

export interface ApiResponse {
  readonly content: ReadonlyMap<string, JsonObject>;
  readonly headers: ReadonlyMap<string, { readonly isRequired: boolean; readonly schema: unknown }>;
}

/** An operation as Swagger 2.0 and OpenAPI 3 both have it. */
export interface ApiOperation {
  readonly method: string;
  readonly path: string;
  /** JSON pointer. */
  readonly pointer: string;
  readonly raw: JsonObject;
  /** By place and name; those of a path by their position in it, because their names are not sent. */
  readonly parameters: ReadonlyMap<string, ApiParameter>;
  readonly body: ApiBody | null;
  readonly responses: ReadonlyMap<string, ApiResponse>;
}

export interface ApiPath {
  readonly path: string;
  readonly operations: ReadonlyMap<string, () => ApiOperation>;
}

/** The paths of a document (or its webhooks), by what they are without the names of their variables. */
export function readPaths(
  document: JsonObject,
  lookup: Lookup,
  section: 'paths' | 'webhooks' | 'x-webhooks',
): Map<string, ApiPath> {
  const isSwagger = document.swagger !== undefined;
  const found = new Map<string, ApiPath>();
  for (const [path, value] of Object.entries(objectOf(document[section]))) {
    if (path.startsWith('x-')) continue;
    const item = lookup.pathItem(value);
    const operations = new Map<string, () => ApiOperation>();
    const others = objectOf(item.additionalOperations);
    for (const [name, raw] of [
      ...METHODS.map((method) => [method, item[method]] as const),
      ...Object.entries(others),
    ]) {
      if (!isObject(raw)) continue;
      const pointer = `/${section}/${escapeStep(path)}/${name}`;
      const place = { method: name.toUpperCase(), path, pointer };
      operations.set(name.toLowerCase(), () => readOperation(document, lookup, item, raw, place, isSwagger));
    }
    found.set(path.replaceAll(/\{[^{}]*\}/g, '{}'), { path, operations });
  }
  return found;
}

/** OpenAPI 3.0 has them as an extension. */
export function readWebhooks(document: JsonObject, lookup: Lookup): Map<string, ApiPath> {
  return new Map([...readPaths(document, lookup, 'x-webhooks'), ...readPaths(document, lookup, 'webhooks')]);
}

export function escapeStep(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}

function readOperation(
  document: JsonObject,
  lookup: Lookup,
  item: JsonObject,
  raw: JsonObject,
  place: Pick<ApiOperation, 'method' | 'path' | 'pointer'>,
  isSwagger: boolean,
): ApiOperation {
  const parameters = new Map<string, ApiParameter>();
  const form: ApiParameter[] = [];
  let body: ApiBody | null = null;
  const variables = [...place.path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name);
  const types = (key: 'consumes' | 'produces') => {
    const listed = arrayOf(raw[key] ?? document[key]).map((type) => readString(type));
    return listed.length > 0 ? listed : ['application/json'];
  };
  for (const [list, isOfPath] of [
    [item.parameters, true],
    [raw.parameters, false],
  ] as const) {
    for (const value of arrayOf(list)) {
      const found = lookup.object(value);
      const [name, where] = [readString(found.name), readString(found.in)];
      const isRequired = found.required === true || where === 'path';
      const parameter = { name, in: where, isRequired, schema: schemaOf(found, isSwagger), raw: found, isOfPath };
      if (where === 'body') {
        const content = new Map(types('consumes').map((type) => [stripParameters(type), { schema: found.schema }]));
        body = { isRequired: found.required === true, content };
      } else if (where === 'formData') form.push(parameter);
      else {
        const index = where === 'path' ? variables.indexOf(name) : -1;
        parameters.set(`${where}\n${index < 0 ? (where === 'header' ? name.toLowerCase() : name) : index}`, parameter);
      }
    }
  }
  if (form.length > 0) body = formBody(form, types('consumes'));
  if (!isSwagger && raw.requestBody !== undefined) {
    const found = lookup.object(raw.requestBody);
    body = { isRequired: found.required === true, content: contentOf(found.content) };
  }
  const responses = new Map<string, ApiResponse>();
  for (const [status, value] of Object.entries(objectOf(raw.responses))) {
    if (status.startsWith('x-')) continue;
    const found = lookup.object(value);
    const headers = Object.entries(objectOf(found.headers)).map(([name, header]) => {
      const described = lookup.object(header);
      const isRequired = described.required === true;
      return [name.toLowerCase(), { isRequired, schema: schemaOf(described, isSwagger) }] as const;
    });
    const content =
      isSwagger && found.schema !== undefined
        ? new Map(types('produces').map((type) => [stripParameters(type), { schema: found.schema }]))
        : contentOf(found.content);
    responses.set(status.toUpperCase(), { content, headers: new Map(headers) });
  }
  return { ...place, raw, parameters, body, responses };
}

function schemaOf(parameter: JsonObject, isSwagger: boolean): unknown {
  if (!isSwagger) {
    const [content] = Object.values(objectOf(parameter.content));
    return parameter.schema ?? objectOf(content).schema;
  }
  return Object.fromEntries(Object.entries(parameter).filter(([key]) => !NOT_OF_SCHEMA.has(key)));
}

function formBody(form: readonly ApiParameter[], types: readonly string[]): ApiBody {
  const schema = {
    type: 'object',
    properties: Object.fromEntries(form.map(({ name, schema: own }) => [name, own])),
    required: form.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  };
  const kinds = types.filter((type) => /form/.test(type));
  const names = kinds.length > 0 ? kinds : ['application/x-www-form-urlencoded'];
  return {
    isRequired: schema.required.length > 0,
    content: new Map(names.map((type) => [stripParameters(type), { schema }])),
  };
}

function contentOf(content: unknown): Map<string, JsonObject> {
  return new Map(Object.entries(objectOf(content)).map(([type, value]) => [stripParameters(type), objectOf(value)]));
}

const stripParameters = (type: string) => (type.split(';')[0] ?? '').trim().toLowerCase();

/** `x-sunset` of an operation or a parameter; null for none. */
export function sunsetOf(raw: JsonObject): string | null {
  return readString(raw['x-sunset']) || null;
}

export function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text));
}

/** From what may change at any time to what stays. */
const STABILITY = ['draft', 'alpha', 'beta', 'stable'];
type TellStability = (what: string, values: { readonly old: string; readonly new: string }) => void;

/** `x-stability-level` of an operation or a field; what says none is stable. */
export function tellStability(old: JsonObject, present: JsonObject, tell: TellStability): void {
  const [was, is] = [old, present].map((raw) => readString(raw['x-stability-level']) || 'stable') as [string, string];
  if (was === is) return;
  const values = { old: was, new: is };
  const unknown = [is, was].find((level) => !STABILITY.includes(level));
  if (unknown !== undefined) return tell('stability-unknown', { old: was, new: unknown });
  tell(STABILITY.indexOf(is) < STABILITY.indexOf(was) ? 'stability-decreased' : 'stability-increased', values);
}
