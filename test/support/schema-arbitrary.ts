import fc from 'fast-check';
import type { OpenApiDocument } from '../../src/openapi/index.js';

type Schema = Readonly<Record<string, unknown>>;
type Schemas = OpenApiDocument['components']['schemas'];

const DEEPEST = 4;
/** Long texts and lists are tried by the tests of limits. */
const LONGEST = 24;
const MOST_ITEMS = 3;
const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'date-time': fc
    .date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  uri: fc.webUrl(),
  email: fc.emailAddress(),
  uuid: fc.uuid(),
};

/** Values that a schema of the document describes. */
export function arbitraryOf(schema: Schema, schemas: Schemas, depth = 0): fc.Arbitrary<unknown> {
  const name = /^#\/components\/schemas\/(.+)$/.exec(String(schema.$ref))?.[1];
  if (name !== undefined) return arbitraryOf(schemas[name] ?? {}, schemas, depth + 1);
  if ('const' in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
  if (depth > DEEPEST) return fc.constant(null);
  if (Array.isArray(schema.anyOf)) {
    return fc.oneof(...(schema.anyOf as Schema[]).map((one) => arbitraryOf(one, schemas, depth + 1)));
  }
  if (Array.isArray(schema.type)) {
    return fc.oneof(...(schema.type as string[]).map((type) => arbitraryOf({ ...schema, type }, schemas, depth)));
  }
  return ofType(schema, schemas, depth);
}

function ofType(schema: Schema, schemas: Schemas, depth: number): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return integer(schema);
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'string':
      return text(schema);
    case 'array':
      return list(schema, schemas, depth);
    case 'object':
      return object(schema, schemas, depth);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function integer({
  minimum = Number.MIN_SAFE_INTEGER,
  maximum = Number.MAX_SAFE_INTEGER,
}: Schema): fc.Arbitrary<number> {
  return fc.integer({ min: Number(minimum), max: Number(maximum) });
}

function text({ format, pattern, minLength = 0, maxLength = LONGEST }: Schema): fc.Arbitrary<string> {
  const formatted = FORMATS[String(format)];
  if (formatted) return formatted;
  if (typeof pattern === 'string' && !pattern.includes('\\p')) return fc.stringMatching(new RegExp(pattern));
  const min = Number(minLength);
  return fc.string({
    minLength: min,
    maxLength: Math.max(min, Math.min(Number(maxLength), LONGEST)),
    unit: 'grapheme',
  });
}

function list(schema: Schema, schemas: Schemas, depth: number): fc.Arbitrary<unknown[]> {
  const {
    items = {},
    minItems = 0,
    maxItems = MOST_ITEMS,
  } = schema as { items?: Schema; minItems?: number; maxItems?: number };
  const size = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, MOST_ITEMS)) };
  const item = arbitraryOf(items, schemas, depth + 1);
  return schema.uniqueItems === true ? fc.uniqueArray(item, size) : fc.array(item, size);
}

function object(schema: Schema, schemas: Schemas, depth: number): fc.Arbitrary<object> {
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = schema as {
    properties?: Record<string, Schema>;
    required?: string[];
    additionalProperties?: Schema | boolean;
  };
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, arbitraryOf(field, schemas, depth + 1)]),
  );
  const record = fc.record(fields, { requiredKeys: required });
  if (additionalProperties === undefined || additionalProperties === false) return record;
  const other = additionalProperties === true ? {} : additionalProperties;
  const rest = fc.dictionary(fc.string({ maxLength: 12 }), arbitraryOf(other, schemas, depth + 1), { maxKeys: 3 });
  return fc.tuple(rest, record).map(([more, known]) => ({ ...more, ...known }));
}
