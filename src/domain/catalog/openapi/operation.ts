import { mediaOf, mediaTypes, parameterOf, type IndexedMedia, type IndexedParameter } from './content.js';
import { responsesOf, type IndexedResponse } from './responses.js';
import { arrayOf, isObject, LONGEST_TEXT, objectOf, readString, type JsonObject, type Lookup } from './lookup.js';
import { requirementsOf, type Requirement } from './security.js';
import { swaggerEncodings } from './style.js';
import { serversOf, type IndexedServer } from './servers.js';

const MOST_SAMPLES = 30;
const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';
/** Callbacks of callbacks are not shown: they may go in a circle. */
const MOST_CALLBACKS_DEEP = 1;

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace', 'query'];
/** What a method of `additionalOperations` may be called. */
const METHOD = /^[\w!#$%&'*+.^`|~-]{1,40}$/;

/** The operations of a path, by method. */
export function operationsIn(item: JsonObject): [method: string, operation: JsonObject][] {
  const more = Object.entries(objectOf(item.additionalOperations)).filter(([method]) => METHOD.test(method));
  return [...METHODS.map((method) => [method, item[method]] as const), ...more].flatMap(([method, operation]) =>
    isObject(operation) ? [[method, operation]] : [],
  );
}

/**
 * An operation as the reference shows it: OpenAPI 2 and 3 alike, lists instead of maps, only schemas keep references.
 */
export interface IndexedOperation {
  readonly id: string;
  /** Whole; lists cut it. */
  readonly summary: string;
  readonly description: string;
  /** What is said of all operations at this path. */
  readonly pathSummary: string;
  readonly pathDescription: string;
  readonly servers: readonly IndexedServer[];
  /** null: inherits the document's. */
  readonly security: readonly Requirement[] | null;
  readonly parameters: readonly IndexedParameter[];
  readonly body: {
    readonly description: string;
    readonly required: boolean;
    readonly content: readonly IndexedMedia[];
  } | null;
  readonly responses: readonly IndexedResponse[];
  readonly callbacks: readonly IndexedCallback[];
  /** Those that the document brings: `x-codeSamples`. */
  readonly codeSamples: readonly { readonly lang: string; readonly label: string; readonly source: string }[];
  readonly externalDocs: { readonly url: string; readonly description: string } | null;
  /** Of GraphQL: what is sent at first. */
  readonly query?: { readonly text: string; readonly variables: JsonObject };
}

/** A request that the API sends to its caller. */
export interface IndexedCallback {
  readonly name: string;
  /** Where it is sent, such as `{$request.body#/callbackUrl}`. */
  readonly address: string;
  readonly method: string;
  readonly summary: string;
  readonly deprecated: boolean;
  readonly operation: IndexedOperation;
}

/**
 * @param item the enclosing path item, whose parameters and servers also apply
 * @param depth of callbacks around this operation
 */
export function indexOperation(
  operation: JsonObject,
  item: JsonObject,
  document: JsonObject,
  lookup: Lookup,
  depth = 0,
): IndexedOperation {
  const declared = parametersOf(operation, item, lookup);
  const isSwagger = document.swagger !== undefined;
  const documentation = objectOf(operation.externalDocs);
  return {
    id: readString(operation.operationId),
    summary: readString(operation.summary),
    description: readString(operation.description, LONGEST_TEXT),
    pathSummary: readString(item.summary),
    pathDescription: readString(item.description, LONGEST_TEXT),
    servers: serversOf(operation.servers ?? item.servers),
    security: operation.security === undefined ? null : requirementsOf(operation.security),
    parameters: declared.filter((one) => !isBody(one)).map((one) => parameterOf(one, lookup)),
    body: isSwagger ? swaggerBody(declared.filter(isBody), operation, document) : bodyOf(operation.requestBody, lookup),
    responses: responsesOf(operation, document, lookup),
    callbacks: depth < MOST_CALLBACKS_DEEP ? callbacksOf(operation, document, lookup, depth) : [],
    codeSamples: codeSamplesOf(operation['x-codeSamples'] ?? operation['x-code-samples']),
    externalDocs:
      typeof documentation.url === 'string'
        ? { url: readString(documentation.url), description: readString(documentation.description, LONGEST_TEXT) }
        : null,
  };
}

function codeSamplesOf(samples: unknown): IndexedOperation['codeSamples'] {
  return arrayOf(samples)
    .filter(isObject)
    .filter(({ source }) => typeof source === 'string')
    .slice(0, MOST_SAMPLES)
    .map(({ lang, label, source }) => {
      return { lang: readString(lang, 40), label: readString(label, 80), source: readString(source, LONGEST_TEXT) };
    });
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
    description: readString(description, LONGEST_TEXT),
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
    const content = types.map((type) => ({ type, schema: schema ?? null, examples: [], encoding: {} }));
    return { description: readString(description, LONGEST_TEXT), required: required === true, content };
  }
  const fields = parameters.map(({ name, in: _, required: __, ...schema }) => [readString(name), schema] as const);
  const required = parameters.filter((one) => one.required === true).map(({ name }) => readString(name));
  const schema = { type: 'object', properties: Object.fromEntries(fields), required };
  const encoding = swaggerEncodings(parameters);
  const forms = types.filter((type) => type === FORM || type === MULTIPART);
  const usual = parameters.some(({ type }) => type === 'file') ? MULTIPART : FORM;
  const content = (forms.length > 0 ? forms : [usual]).map((type) => ({ type, schema, examples: [], encoding }));
  return { description: '', required: required.length > 0, content };
}

function callbacksOf(
  { callbacks }: JsonObject,
  document: JsonObject,
  lookup: Lookup,
  depth: number,
): readonly IndexedCallback[] {
  return Object.entries(objectOf(callbacks)).flatMap(([name, value]) =>
    Object.entries(lookup.object(value)).flatMap(([address, declared]) => {
      const item = address.startsWith('x-') ? {} : lookup.pathItem(declared);
      return operationsIn(item).map(([method, operation]) => ({
        ...{ name: readString(name), address: readString(address), method },
        ...{ summary: readString(operation.summary), deprecated: operation.deprecated === true },
        operation: indexOperation(operation, item, document, lookup, depth + 1),
      }));
    }),
  );
}
