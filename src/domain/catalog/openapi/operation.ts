import { mediaOf, mediaTypes, parameterOf, swaggerMedia, type IndexedMedia, type IndexedParameter } from './content.js';
import { arrayOf, isObject, objectOf, readString, type JsonObject, type Lookup } from './lookup.js';
import { requirementsOf, type Requirement } from './security.js';
import { serversOf, type IndexedServer } from './servers.js';

const LONGEST = 20_000;
const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

/**
 * An operation as the reference shows it: OpenAPI 2 and 3 alike, lists instead of maps, only schemas keep references.
 */
export interface IndexedOperation {
  readonly id: string;
  readonly description: string;
  readonly servers: readonly IndexedServer[];
  /** null: inherits the document's. */
  readonly security: readonly Requirement[] | null;
  readonly parameters: readonly IndexedParameter[];
  readonly body: {
    readonly description: string;
    readonly required: boolean;
    readonly content: readonly IndexedMedia[];
  } | null;
  readonly responses: readonly {
    readonly status: string;
    readonly description: string;
    readonly headers: readonly { readonly name: string; readonly description: string; readonly schema: unknown }[];
    readonly content: readonly IndexedMedia[];
  }[];
  readonly callbacks: readonly string[];
  readonly externalDocs: { readonly url: string; readonly description: string } | null;
}

/** @param item the enclosing path item, whose parameters and servers also apply */
export function indexOperation(
  operation: JsonObject,
  item: JsonObject,
  document: JsonObject,
  lookup: Lookup,
): IndexedOperation {
  const declared = parametersOf(operation, item, lookup);
  const isSwagger = document.swagger !== undefined;
  const documentation = objectOf(operation.externalDocs);
  return {
    id: readString(operation.operationId),
    description: readString(operation.description, LONGEST),
    servers: serversOf(operation.servers ?? item.servers),
    security: operation.security === undefined ? null : requirementsOf(operation.security),
    parameters: declared.filter((one) => !isBody(one)).map((one) => parameterOf(one, lookup)),
    body: isSwagger ? swaggerBody(declared.filter(isBody), operation, document) : bodyOf(operation.requestBody, lookup),
    responses: responsesOf(operation, document, lookup),
    callbacks: Object.keys(objectOf(operation.callbacks)).map((name) => readString(name)),
    externalDocs:
      typeof documentation.url === 'string'
        ? { url: readString(documentation.url, 2_000), description: readString(documentation.description) }
        : null,
  };
}

// Parameters of the operation override those of the path with the same name and location.
function parametersOf(operation: JsonObject, item: JsonObject, lookup: Lookup): JsonObject[] {
  const all = new Map<string, JsonObject>();
  for (const value of [...arrayOf(item.parameters), ...arrayOf(operation.parameters)]) {
    const parameter = lookup.object(value);
    if (typeof parameter.name === 'string') all.set(`${readString(parameter.in)} ${parameter.name}`, parameter);
  }
  return [...all.values()];
}

const isBody = ({ in: place }: JsonObject): boolean => place === 'body' || place === 'formData';

function bodyOf(value: unknown, lookup: Lookup): IndexedOperation['body'] {
  if (!isObject(value)) return null;
  const { description, required, content } = lookup.object(value);
  return {
    description: readString(description, LONGEST),
    required: required === true,
    content: mediaOf(content, lookup),
  };
}

function swaggerBody(
  parameters: readonly JsonObject[],
  { consumes }: JsonObject,
  document: JsonObject,
): IndexedOperation['body'] {
  const [first] = parameters;
  if (!first) return null;
  const types = mediaTypes(consumes, document.consumes);
  const whole = parameters.find(({ in: place }) => place === 'body');
  if (whole) {
    const { description, required, schema } = whole;
    const content = types.map((type) => ({ type, schema: schema ?? null, examples: [] }));
    return { description: readString(description, LONGEST), required: required === true, content };
  }
  const fields = parameters.map(({ name, in: _, required: __, ...schema }) => [readString(name), schema] as const);
  const required = parameters.filter((one) => one.required === true).map(({ name }) => readString(name));
  const schema = { type: 'object', properties: Object.fromEntries(fields), required };
  const forms = types.filter((type) => type === FORM || type === MULTIPART);
  const usual = parameters.some(({ type }) => type === 'file') ? MULTIPART : FORM;
  const content = (forms.length > 0 ? forms : [usual]).map((type) => ({ type, schema, examples: [] }));
  return { description: '', required: required.length > 0, content };
}

function responsesOf(operation: JsonObject, document: JsonObject, lookup: Lookup): IndexedOperation['responses'] {
  const types = document.swagger === undefined ? null : mediaTypes(operation.produces, document.produces);
  return Object.entries(objectOf(operation.responses))
    .filter(([status]) => !status.startsWith('x-'))
    .map(([status, value]) => {
      const response = lookup.object(value);
      return {
        status: readString(status),
        description: readString(response.description, LONGEST),
        headers: Object.entries(objectOf(response.headers)).map(([name, header]) => {
          const { description, schema, ...own } = lookup.object(header);
          return { name: readString(name), description: readString(description), schema: schema ?? own };
        }),
        content:
          types === null ? mediaOf(response.content, lookup) : swaggerMedia(response.schema, response.examples, types),
      };
    });
}
