import { MAX_DEPTH, parseText, refuseDepth } from './parse-text.js';
import { placeBelow, takesReferences, type FragmentPlace } from './places.js';
import { SpecRefusal } from './refusal.js';
import { looksLikeSdl } from './sdl.js';
import { toStoredSpec, type StoredSpec } from './stored-spec.js';

type JsonObject = Record<string, unknown>;

/**
 * Reads an OpenAPI, Swagger or AsyncAPI document from JSON or YAML text, or a GraphQL schema. Runs in a worker (S48).
 * @param maxBytes of the resulting JSON; YAML aliases can make it longer than the input
 * @throws SpecRefusal
 */
export async function readSpec(text: string, maxBytes: number): Promise<StoredSpec> {
  if (!looksLikeSdl(text)) return readDocument(parseText(text), maxBytes);
  const { readSchema } = await import('./graphql/parse-schema.js');
  return readSchema(text, maxBytes);
}

/** The same from a parsed document. @throws SpecRefusal */
export async function readDocument(parsed: unknown, maxBytes: number): Promise<StoredSpec> {
  const document = cleanDocument(parsed);
  if (isIntrospection(document)) {
    const { readIntrospection } = await import('./graphql/parse-schema.js');
    return readIntrospection(document, maxBytes);
  }
  if (document.asyncapi === undefined) requireOpenApi(document);
  else requireAsyncApi(document);
  const json = stringify(document);
  if (Buffer.byteLength(json) > maxBytes) {
    throw new SpecRefusal(`The document is larger than ${maxBytes} bytes once its YAML aliases are written out.`);
  }
  return toStoredSpec(json);
}

/** A document without anything that could harm its readers. @throws SpecRefusal if it is not an object, too deep, or refers to other files */
export function cleanDocument(parsed: unknown): JsonObject {
  const document = clean(parsed, [], 'keywords');
  if (isObject(document)) return document;
  throw new SpecRefusal('The document is not an object.');
}

/**
 * A copy without keys that could pollute a prototype (S51).
 * @param path of the value in the document, for refusals
 * @throws SpecRefusal for excessive depth and external references
 */
function clean(value: unknown, path: (string | number)[], place: FragmentPlace): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (path.length >= MAX_DEPTH) throw refuseDepth();
  const below = (item: unknown, key: string | number, itsPlace: FragmentPlace): unknown => {
    path.push(key);
    const cleaned = clean(item, path, itsPlace);
    path.pop();
    return cleaned;
  };
  if (Array.isArray(value)) return value.map((item, index) => below(item, index, place));
  const parent = path.findLast((key) => typeof key === 'string');
  const copy: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    // A schema may well have a property named `constructor`; only its path to the prototype is cut.
    if (key === '__proto__' || (key === 'prototype' && parent === 'constructor')) continue;
    const isReference = key === '$ref' || key === '$dynamicRef';
    if (isReference && typeof item === 'string' && takesReferences(place)) refuseElsewhere(item, path);
    copy[key] = below(item, key, placeBelow(place, key, item));
  }
  return copy;
}

function refuseElsewhere(reference: string, path: readonly (string | number)[]): void {
  if (reference.startsWith('#')) return;
  const place = path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  throw new SpecRefusal(
    `The document refers to "${reference.slice(0, 100)}" at #${place.slice(0, 300)}. Put everything into one file; only references that begin with # are taken.`,
  );
}

/** The result of an introspection query, with or without what GraphQL wraps around every result. */
function isIntrospection({ data, __schema: schema }: JsonObject): boolean {
  return isObject(schema) || (isObject(data) && isObject(data.__schema));
}

function requireOpenApi(document: JsonObject): void {
  // `swagger: 2.0` without quotes is a number in YAML, and common.
  if (document.swagger === 2) document.swagger = '2.0';
  const isSwagger = document.swagger === '2.0';
  const version = typeof document.openapi === 'string' ? document.openapi : '';
  if (!isSwagger && !/^3\.[012]\.\d+$/.test(version)) {
    throw new SpecRefusal(
      'The document is not OpenAPI 3.0, 3.1, 3.2 or Swagger 2.0: "openapi" must say 3.0.x, 3.1.x or 3.2.x.',
    );
  }
  const { info, paths, components, webhooks } = document;
  requireInfo(info);
  const described = !isSwagger && !version.startsWith('3.0') ? [paths, components, webhooks] : [paths];
  if (!described.some(isObject)) throw new SpecRefusal('The document has no "paths".');
}

function requireAsyncApi({ asyncapi, info, channels, operations, components }: JsonObject): void {
  if (typeof asyncapi !== 'string' || !/^[23]\.\d+\.\d+$/.test(asyncapi)) {
    throw new SpecRefusal('The document is not AsyncAPI 2 or 3: "asyncapi" must say 2.x.x or 3.x.x.');
  }
  requireInfo(info);
  const described = asyncapi.startsWith('2.') ? [channels] : [channels, operations, components];
  if (!described.some(isObject)) throw new SpecRefusal('The document has no "channels".');
}

function requireInfo(info: unknown): void {
  if (!isObject(info) || typeof info.title !== 'string' || info.version === undefined) {
    throw new SpecRefusal('The document has no "info" with a title and a version.');
  }
}

function isObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function stringify(document: JsonObject): string {
  try {
    return JSON.stringify(document);
  } catch {
    // Exceeds V8's maximum string length.
    throw new SpecRefusal('The document is too large once its YAML aliases are written out.');
  }
}
