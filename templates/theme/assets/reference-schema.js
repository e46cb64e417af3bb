import { cut, el } from './reference-dom.js';
import { markdown } from './reference-markdown.js';

// Schemas as trees that grow where somebody unfolds them, so that neither depth nor circles matter.

const MOST_PROPERTIES = 300;
const MOST_VALUES = 40;
const MOST_HOPS = 16;
const LIMITS = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'pattern'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'default', 'const'],
];

export const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value) => (Array.isArray(value) ? value : []);

/** The schema behind a chain of references, as far as it has been loaded. `pointer` names the first one to load. */
export function resolve(schema, store) {
  let present = schema;
  let name = '';
  for (let hop = 0; hop < MOST_HOPS && isObject(present) && typeof present.$ref === 'string'; hop += 1) {
    const pointer = present.$ref;
    name ||= nameOf(pointer);
    if (!store.schemas.has(pointer)) return { schema: null, name, pointer };
    present = store.schemas.get(pointer);
  }
  const isCircle = isObject(present) && typeof present.$ref === 'string';
  return { schema: isObject(present) && !isCircle ? present : null, name, pointer: null };
}

function nameOf(pointer) {
  const last = pointer.split('/').at(-1) ?? '';
  try {
    return cut(decodeURIComponent(last), 80);
  } catch {
    return cut(last, 80);
  }
}

/** The same with everything loaded that it needs to be shown. */
async function load(schema, store) {
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
  const { schema, name } = resolve(value, store);
  if (!schema) return name || say('any');
  const types = [schema.type].flat().filter((type) => typeof type === 'string');
  if (types.includes('array') || (types.length === 0 && isObject(schema.items))) {
    const of = depth < 3 && schema.items !== undefined ? typeLabel(schema.items, { store, say }, depth + 1) : say('any');
    return say('array-of', { type: of }) + (types.includes('null') ? ` | null` : '');
  }
  const format = typeof schema.format === 'string' ? ` (${cut(schema.format, 40)})` : '';
  const plain = types.map((type) => cut(type, 40)).join(' | ') || guessed(schema, say);
  const isNullable = schema.nullable === true && !types.includes('null');
  return (name !== '' && plain === 'object' ? name : plain + format) + (isNullable ? ' | null' : '');
}

function guessed(schema, say) {
  if (isObject(schema.properties) || isObject(schema.additionalProperties)) return 'object';
  for (const key of ['oneOf', 'anyOf']) if (Array.isArray(schema[key])) return say('one-of', { count: schema[key].length });
  if (Array.isArray(schema.allOf)) return 'object';
  return Array.isArray(schema.enum) ? 'enum' : say('any');
}

/** The schema with its parts; what lies deeper opens when it is asked for. */
export function schemaView(value, context) {
  const box = el('div', { class: 'reference-schema' });
  void load(value, context.store).then(
    (found) => box.append(...describe(found, context)),
    () => box.append(el('p', { class: 'error' }, context.say('not-loaded'))),
  );
  return box;
}

function describe({ schema, name, isElsewhere }, context) {
  const { say } = context;
  if (!schema) {
    return [el('p', { class: 'soft' }, say(isElsewhere ? 'elsewhere' : 'no-schema', { name: name || '–' }))];
  }
  const parts = [];
  if (typeof schema.description === 'string' && schema.description !== '') parts.push(markdown(schema.description));
  const facts = limits(schema, context);
  if (facts) parts.push(facts);
  const { properties, required } = members(schema, context.store);
  if (properties.length > 0) parts.push(propertyList(properties, required, context));
  for (const [key, item] of inner(schema)) parts.push(unfold(say(key, { type: typeLabel(item, context) }), item, context));
  for (const key of ['oneOf', 'anyOf', 'allOf']) {
    if (key === 'allOf' && properties.length > 0) continue;
    for (const [number, option] of listOf(schema[key]).slice(0, MOST_VALUES).entries()) {
      parts.push(unfold([`${say(key)} ${number + 1}: `, el('bdi', {}, typeLabel(option, context))], option, context));
    }
  }
  return parts.length > 0 ? parts : [el('p', { class: 'soft' }, typeLabel(schema, context))];
}

function inner(schema) {
  const found = [];
  if (isObject(schema.items)) found.push(['items', schema.items]);
  if (isObject(schema.additionalProperties)) found.push(['other-properties', schema.additionalProperties]);
  return found;
}

/** Properties of the schema and of what `allOf` adds to it, as far as that is loaded. */
function members(schema, store, depth = 0) {
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const required = new Set(listOf(schema.required));
  if (depth > 6) return { properties, required };
  for (const part of listOf(schema.allOf).slice(0, MOST_VALUES)) {
    const { schema: added } = resolve(part, store);
    if (!added) continue;
    const more = members(added, store, depth + 1);
    properties.push(...more.properties);
    for (const name of more.required) required.add(name);
  }
  return { properties: [...new Map(properties)], required };
}

function propertyList(properties, required, context) {
  const { say } = context;
  const items = properties.slice(0, MOST_PROPERTIES).map(([name, value]) => {
    const { schema } = resolve(value, context.store);
    const facts = [
      el('code', { class: 'reference-name', dir: 'ltr' }, cut(name, 200)),
      el('span', { class: 'reference-type', dir: 'ltr' }, typeLabel(value, context)),
      required.has(name) ? el('span', { class: 'reference-required' }, say('required')) : null,
      schema?.deprecated === true ? el('span', { class: 'tag' }, say('deprecated')) : null,
      schema?.readOnly === true ? el('span', { class: 'tag' }, say('read-only')) : null,
      schema?.writeOnly === true ? el('span', { class: 'tag' }, say('write-only')) : null,
    ];
    const item = el('li', {}, el('div', { class: 'reference-facts' }, facts));
    if (isDeep(value, context)) item.append(unfold(say('more'), value, context));
    else if (schema) {
      if (typeof schema.description === 'string') item.append(markdown(schema.description));
      const more = limits(schema, context);
      if (more) item.append(more);
    }
    return item;
  });
  const rest = properties.length - items.length;
  if (rest > 0) items.push(el('li', { class: 'soft' }, say('and-more', { count: rest })));
  return el('ul', { class: 'reference-properties' }, items);
}

function isDeep(value, { store }) {
  const { schema, pointer } = resolve(value, store);
  if (pointer !== null) return true;
  if (!schema) return false;
  const item = resolve(schema.items, store);
  if (item.pointer !== null || (item.schema && (item.schema.properties || item.schema.allOf))) return true;
  return ['properties', 'oneOf', 'anyOf', 'allOf'].some((key) => schema[key]) || isObject(schema.additionalProperties);
}

/** A fold whose inside is built when it is first opened. */
function unfold(title, value, context) {
  const details = el('details', { class: 'reference-fold' }, el('summary', {}, title));
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1) details.append(schemaView(skipArrays(value, context), context));
  });
  return details;
}

// `array of Pet` opens as Pet: the list itself has nothing to tell.
function skipArrays(value, { store }) {
  const { schema } = resolve(value, store);
  const isPlainList = schema && isObject(schema.items) && !schema.description && !schema.properties;
  return isPlainList ? schema.items : value;
}

function limits(schema, { say }) {
  const facts = LIMITS.filter((key) => schema[key] !== undefined).map((key) => [key, shown(schema[key])]);
  const values = listOf(schema.enum).slice(0, MOST_VALUES).map(shown);
  const rest = listOf(schema.enum).length - values.length;
  if (facts.length === 0 && values.length === 0) return null;
  return el(
    'p',
    { class: 'reference-limits' },
    values.length > 0 ? [say('values'), ' ', ...values.flatMap((value) => [el('code', {}, value), ' '])] : [],
    rest > 0 ? say('and-more', { count: rest }) : null,
    facts.flatMap(([key, value]) => [el('span', { dir: 'ltr' }, `${key}: `, el('code', {}, value)), ' ']),
  );
}

const shown = (value) => cut(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), 200);
