import type { JsonSchema } from './json-schema.js';

type Schemas = Readonly<Record<string, JsonSchema>>;

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-06-01T12:00:00.000Z',
  uri: 'https://example.com',
  email: 'ada@example.com',
  uuid: '4f1c0a52-7d7e-4f3a-9b2e-0d1e2f3a4b5c',
};

/**
 * A deterministic value for a schema, built from its examples. Undefined if that is impossible: an invalid example
 * would be worse than none.
 */
export function sample(schema: JsonSchema, schemas: Schemas, within: readonly string[] = []): unknown {
  const name = /^#\/components\/schemas\/(.+)$/.exec(String(schema.$ref))?.[1];
  if (name !== undefined) {
    if (within.includes(name)) return undefined;
    return sample(schemas[name] ?? {}, schemas, [...within, name]);
  }
  const [example] = (schema.examples ?? []) as unknown[];
  if (example !== undefined) return example;
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (Array.isArray(schema.anyOf)) return sample((schema.anyOf as JsonSchema[])[0] ?? {}, schemas, within);
  const type = Array.isArray(schema.type) ? (schema.type as unknown[])[0] : schema.type;
  if (type === 'object') return sampleObject(schema, schemas, within);
  if (type === 'array') return sampleArray(schema, schemas, within);
  return sampleScalar(type, schema);
}

function sampleObject(schema: JsonSchema, schemas: Schemas, within: readonly string[]): unknown {
  const required = (schema.required ?? []) as readonly string[];
  const value: Record<string, unknown> = {};
  const excluded = alternatives(schema);
  for (const [name, field] of Object.entries((schema.properties ?? {}) as Schemas)) {
    if (excluded.has(name) || field.readOnly === true) continue;
    const one = sample(field, schemas, within);
    if (one !== undefined) value[name] = one;
    else if (required.includes(name)) return undefined;
  }
  return value;
}

/** Only the first of several mutually exclusive fields is shown. */
function alternatives({ oneOf }: JsonSchema): Set<string> {
  const [, ...others] = (oneOf ?? []) as { required?: readonly string[] }[];
  return new Set(others.flatMap(({ required = [] }) => required));
}

function sampleArray(schema: JsonSchema, schemas: Schemas, within: readonly string[]): unknown {
  const { items = {}, minItems = 0 } = schema as { items?: JsonSchema; minItems?: number };
  const item = sample(items, schemas, within);
  if (item !== undefined && minItems <= 1) return [item];
  if (minItems === 0) return [];
  return item === undefined ? undefined : Array.from({ length: minItems }, () => item);
}

function sampleScalar(type: unknown, { format, pattern, minLength = 0, minimum = 1 }: JsonSchema): unknown {
  if (type === 'null') return null;
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return minimum;
  if (type !== 'string' || pattern !== undefined) return undefined;
  if (typeof format === 'string') return FORMATS[format];
  return 'text'.padEnd(Number(minLength), '.');
}
