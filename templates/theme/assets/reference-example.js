import { isObject, resolve } from './reference-schema.js';

// A value that a schema allows, for the first look: from its examples where it has them, made up where it has not.

const DEEPEST = 8;
const MOST_NODES = 400;
const BY_FORMAT = {
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  time: '12:00:00Z',
  email: 'ada@example.com',
  uuid: '7f0c2a7e-3d0e-4b5e-9a55-0d3f6f1c2b1a',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  byte: 'aGVsbG8=',
  binary: '',
  password: '••••••••',
};

/** @param isRequest leaves out what only answers hold */
export function exampleOf(schema, store, isRequest = true) {
  return valueOf(schema, { store, isRequest, nodes: 0, around: new Set() }, 0);
}

function valueOf(value, state, depth) {
  state.nodes += 1;
  const { schema } = resolve(value, state.store);
  // A schema inside of itself ends there.
  if (!schema || depth > DEEPEST || state.nodes > MOST_NODES || state.around.has(schema)) return null;
  const given = givenValue(schema);
  if (given !== undefined) return given;
  state.around.add(schema);
  const made = madeUp(schema, state, depth);
  state.around.delete(schema);
  return made;
}

function madeUp(schema, state, depth) {
  if (Array.isArray(schema.allOf)) return merged(schema, state, depth);
  for (const key of ['oneOf', 'anyOf']) {
    if (Array.isArray(schema[key]) && schema[key].length > 0 && !isObject(schema.properties)) {
      return valueOf(schema[key][0], state, depth + 1);
    }
  }
  const type = [schema.type].flat().find((name) => name !== 'null');
  if (type === 'array' || (type === undefined && isObject(schema.items))) {
    const item = isObject(schema.items) ? valueOf(schema.items, state, depth + 1) : null;
    return item === null ? [] : [item];
  }
  if (type === 'object' || isObject(schema.properties) || isObject(schema.additionalProperties)) {
    return objectOf(schema, state, depth);
  }
  return plainValue(type, schema);
}

function givenValue(schema) {
  if (schema.example !== undefined) return schema.example;
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  return Array.isArray(schema.enum) && schema.enum.length > 0 ? schema.enum[0] : undefined;
}

function objectOf(schema, state, depth) {
  const pairs = [];
  for (const [name, property] of isObject(schema.properties) ? Object.entries(schema.properties) : []) {
    const { schema: found } = resolve(property, state.store);
    if (state.isRequest ? found?.readOnly === true : found?.writeOnly === true) continue;
    pairs.push([name, valueOf(property, state, depth + 1)]);
  }
  return Object.fromEntries(pairs);
}

function merged(schema, state, depth) {
  const { allOf, ...rest } = schema;
  const parts = [...allOf.slice(0, 20).map((part) => valueOf(part, state, depth + 1)), objectOf(rest, state, depth)];
  const objects = parts.filter(isObject);
  return Object.fromEntries(objects.flatMap((part) => Object.entries(part)));
}

function plainValue(type, { format, minimum }) {
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' ? minimum : 1;
  if (type === 'boolean') return true;
  if (type === 'string' || type === undefined) {
    return typeof format === 'string' && Object.hasOwn(BY_FORMAT, format) ? BY_FORMAT[format] : 'string';
  }
  return null;
}
