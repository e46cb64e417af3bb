// What a schema is behind its references, and what it is called. How it looks is the matter of reference-schema-view.js.

const MOST_HOPS = 16;
/**
 * In OpenAPI 3.1 everything beside a `$ref` holds. Before, nothing does; but what people write there about the place that the
 * schema stands in is meant to be read.
 */
const SAID_OF_A_PLACE = new Set(
  ['title', 'description', 'default', 'example', 'deprecated', 'nullable', 'readOnly', 'writeOnly', 'externalDocs'],
);
/** Keywords of which both hold, where a schema and the place that refers to it have them. */
const COMBINED = ['allOf', 'oneOf', 'anyOf', 'not', 'if', 'then', 'else', 'enum', 'pattern', 'items', 'prefixItems'];

export const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
export const listOf = (value) => (Array.isArray(value) ? value : []);

/**
 * The schema behind a chain of references with what stands beside them, as far as it has been loaded. `pointer` names the
 * first one to load.
 */
export function resolve(schema, store) {
  let present = schema;
  let name = '';
  const passed = [];
  for (let hop = 0; hop < MOST_HOPS && isObject(present) && typeof present.$ref === 'string'; hop += 1) {
    const pointer = present.$ref;
    name ||= nameOf(pointer);
    if (!store.schemas.has(pointer)) return { schema: null, name, pointer };
    passed.push(present);
    present = store.schemas.get(pointer);
  }
  const isCircle = isObject(present) && typeof present.$ref === 'string';
  if (!isObject(present) || isCircle) return { schema: null, name, pointer: null };
  const whole = passed.reduceRight((under, reference) => withBeside(reference, under, store), present);
  return { schema: whole, name, pointer: null };
}

/** A reference → the schema with what stands beside the reference. The same each time, so that circles are noticed. */
const joined = new WeakMap();

function withBeside(reference, schema, { takesSiblings }) {
  const known = joined.get(reference);
  if (known) return known;
  const beside = Object.entries(reference).filter(([key]) => (takesSiblings ? key !== '$ref' : SAID_OF_A_PLACE.has(key)));
  if (beside.length === 0) return schema;
  const both = join(schema, Object.fromEntries(beside));
  joined.set(reference, both);
  return both;
}

/** What `own` says counts; what holds beside it stays. */
function join(schema, own) {
  const both = { ...schema, ...own };
  if (isObject(schema.properties) && isObject(own.properties)) both.properties = { ...schema.properties, ...own.properties };
  if (Array.isArray(schema.required) && Array.isArray(own.required)) both.required = [...new Set([...schema.required, ...own.required])];
  const held = COMBINED.filter((key) => schema[key] !== undefined && own[key] !== undefined);
  if (held.length > 0) {
    both.allOf = [...listOf(own.allOf), Object.fromEntries(held.map((key) => [key, schema[key]]))];
  }
  return both;
}

function nameOf(pointer) {
  const last = pointer.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return last;
  }
}

/** The same with everything loaded that it needs to be shown. */
export async function load(schema, store) {
  for (let hop = 0; hop < MOST_HOPS; hop += 1) {
    const found = resolve(schema, store);
    if (found.pointer === null) return found;
    if (!found.pointer.startsWith('#')) return { ...found, isElsewhere: true };
    await store.schema(found.pointer);
  }
  return { schema: null, name: '', pointer: null };
}

/** What a schema is in a few words: `array of Pet`, `string (date)`, `string or null`. */
export function typeLabel(value, { store, say }, depth = 0) {
  // The words of GraphQL, which tell more than those of JSON Schema.
  if (typeof value?.['x-graphql-type'] === 'string') return value['x-graphql-type'];
  const { schema, name } = resolve(value, store);
  if (!schema) return name || say(value === false ? 'nothing' : 'any');
  const [sole, ...others] = listOf(schema.allOf);
  // The usual way to say something of a place before OpenAPI 3.1.
  if (name === '' && sole !== undefined && others.length === 0 && !isObject(schema.properties) && depth < 3) {
    return typeLabel(sole, { store, say }, depth + 1) + (schema.nullable === true ? ' | null' : '');
  }
  const types = [schema.type].flat().filter((type) => typeof type === 'string');
  if (types.includes('array') || (types.length === 0 && isObject(schema.items))) {
    const of = depth < 3 && schema.items !== undefined ? typeLabel(schema.items, { store, say }, depth + 1) : say('any');
    return say('array-of', { type: of }) + (types.includes('null') || schema.nullable === true ? ` | null` : '');
  }
  const format = typeof schema.format === 'string' ? ` (${schema.format})` : '';
  const plain = types.join(' | ') || guessed(schema, say);
  const isNullable = schema.nullable === true && !types.includes('null');
  return (name !== '' && plain === 'object' ? name : plain + format) + (isNullable ? ' | null' : '');
}

function guessed(schema, say) {
  if (isObject(schema.properties) || isObject(schema.additionalProperties)) return 'object';
  for (const key of ['oneOf', 'anyOf']) if (Array.isArray(schema[key])) return say('one-of', { count: schema[key].length });
  if (Array.isArray(schema.allOf)) return 'object';
  if (schema.const !== undefined) return typeof schema.const;
  return Array.isArray(schema.enum) ? 'enum' : say('any');
}
