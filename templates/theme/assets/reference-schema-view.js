import { el, firstOf, fold, link } from './reference-dom.js';
import { markdown } from './reference-markdown.js';
import { isObject, listOf, load, resolve, typeLabel } from './reference-schema.js';
import { exampleList, limits, marks } from './reference-schema-facts.js';

// Schemas as trees that grow where somebody unfolds them, so that neither depth nor circles matter.

const MOST_PROPERTIES = 300;
const MOST_PARTS = 40;
/** So many nested fields of the first level are open at once; where there are more, all begin closed. */
const MOST_OPEN = 8;
/** Keywords with one schema below, in the order in which they are shown, and what each is called. */
const SINGLE = [
  ...[['contains', 'contains'], ['additionalItems', 'other-items'], ['unevaluatedItems', 'other-items']],
  ...[['additionalProperties', 'other-properties'], ['unevaluatedProperties', 'other-properties']],
  ...[['propertyNames', 'property-names'], ['contentSchema', 'content-schema'], ['not', 'not'], ['if', 'if']],
  ...[['then', 'then'], ['else', 'else']],
];
/** What needs no fold of its own: the properties of a part of `allOf` are listed with the others. */
const LISTED = new Set(['type', 'properties', 'required', 'allOf']);

/**
 * The schema with its parts; what lies deeper opens when it is asked for.
 * @param isFirst whether its fields show theirs at once, as long as they are few
 */
export function schemaView(value, context, isFirst = false) {
  const box = el('div', { class: 'reference-schema' });
  void load(value, context.store).then(
    (found) => box.append(...whole(value, found, context, isFirst)),
    () => box.append(el('p', { class: 'error' }, context.say('not-loaded'))),
  );
  return box;
}

function whole(value, { schema, name, isElsewhere }, context, isFirst) {
  const { say } = context;
  if (!schema) {
    if (value === true) return [el('p', { class: 'soft' }, say('any'))];
    return [el('p', { class: 'soft' }, say(isElsewhere ? 'elsewhere' : 'no-schema', { name: name || '–' }))];
  }
  const parts = [...head(schema, context), ...inside(schema, context, isFirst)];
  const own = marks(schema, context);
  if (own.length > 0) parts.unshift(el('div', { class: 'reference-facts' }, own));
  return parts.length > 0 ? parts : [el('p', { class: 'soft' }, typeLabel(value, context))];
}

/** What is said of the schema itself. */
function head(schema, context) {
  const { title, description, externalDocs } = schema;
  return [
    typeof title === 'string' && title !== '' ? el('p', { class: 'reference-title', dir: 'auto' }, title) : null,
    typeof description === 'string' && description !== '' ? markdown(description) : null,
    limits(schema, context),
    exampleList(schema, context),
    isObject(externalDocs) ? el('p', { class: 'small' }, link(externalDocs.url, externalDocs.description || externalDocs.url)) : null,
  ].filter(Boolean);
}

/** What it is made of. */
function inside(schema, context, isFirst = false) {
  const { say } = context;
  const { properties, required } = members(schema, context.store);
  const parts = properties.length > 0 ? [propertyList(properties, required, context, isFirst)] : [];
  const undeclared = [...required].filter((name) => !properties.some(([known]) => known === name));
  if (undeclared.length > 0) parts.push(names(say('required'), undeclared));
  parts.push(...itemsOf(schema, context, isFirst), ...singles(schema, context), ...dependents(schema, context));
  if (schema.additionalProperties === false || schema.unevaluatedProperties === false) {
    parts.push(el('p', { class: 'small soft' }, say('no-other-properties')));
  }
  const mapping = mappingOf(schema);
  for (const key of ['oneOf', 'anyOf', 'allOf']) {
    const shown = listOf(schema[key]).map((option, number) => [option, number]).filter(([option]) => key !== 'allOf' || !isListed(option, schema, context));
    parts.push(...firstOf(shown, MOST_PARTS, ([option, number]) => alternative(key, option, number, mapping, context), say));
  }
  if (mapping) parts.push(...discriminator(schema, mapping, context));
  return parts;
}

const names = (title, all) =>
  el('p', { class: 'reference-limits' }, `${title}: `, all.flatMap((name) => [el('code', { dir: 'ltr' }, name), ' ']));

function alternative(key, option, number, mapping, context) {
  const { schema } = resolve(option, context.store);
  const label = typeLabel(option, context);
  const title = typeof schema?.title === 'string' && schema.title !== label ? `${schema.title} · ` : '';
  const values = mapping?.filter(([, target]) => target === option?.$ref).map(([value]) => value) ?? [];
  const said = values.length > 0 ? [' ', values.flatMap((value) => [el('code', { dir: 'ltr' }, value), ' '])] : [];
  return unfold([`${context.say(key)} ${number + 1}: `, el('bdi', {}, title + label), said].flat(2), option, context);
}

function isListed(option, schema, { store }) {
  const part = resolve(option, store).schema;
  if (!part) return false;
  if (isObject(option) && typeof option.$ref === 'string') return false;
  return Object.keys(part).every((key) => LISTED.has(key)) && listOf(part.allOf).length === 0;
}

/** `[value, reference]` of a discriminator; null without one. */
function mappingOf({ discriminator: declared }) {
  if (!isObject(declared)) return typeof declared === 'string' ? [] : null;
  const pairs = isObject(declared.mapping) ? Object.entries(declared.mapping) : [];
  return pairs.map(([value, target]) => [value, referenceTo(target)]);
}

// A mapping may name a schema instead of referring to it.
function referenceTo(target) {
  const text = String(target);
  return text.includes('/') || text.startsWith('#') ? text : `#/components/schemas/${text}`;
}

function discriminator({ discriminator: declared, oneOf, anyOf }, mapping, context) {
  const name = isObject(declared) ? declared.propertyName : declared;
  const known = new Set([...listOf(oneOf), ...listOf(anyOf)].map((option) => option?.$ref));
  const usual = isObject(declared) && typeof declared.defaultMapping === 'string' ? [['', referenceTo(declared.defaultMapping)]] : [];
  const others = [...mapping, ...usual].filter(([, target]) => !known.has(target));
  return [
    el('p', { class: 'reference-limits' }, context.say('discriminator'), ' ', el('code', { dir: 'ltr' }, String(name))),
    ...firstOf(others, MOST_PARTS, ([value, $ref]) => {
      const label = el('bdi', {}, typeLabel({ $ref }, context));
      return unfold(value === '' ? [context.say('usually'), ' ', label] : [el('code', { dir: 'ltr' }, value), ': ', label], { $ref }, context);
    }, context.say),
  ];
}

function itemsOf(schema, context, isFirst) {
  const { say } = context;
  const first = [...listOf(schema.prefixItems), ...listOf(schema.items)];
  const parts = firstOf(
    first.map((item, number) => [item, number]),
    MOST_PARTS,
    ([item, number]) => unfold([say('item', { number: number + 1 }), ' ', el('bdi', {}, typeLabel(item, context))], item, context),
    say,
  );
  if (schema.items === false || schema.unevaluatedItems === false) parts.push(el('p', { class: 'small soft' }, say('no-other-items')));
  if (!isObject(schema.items)) return parts;
  if (first.length === 0 && !isList(schema.items, context)) return isPlain(schema.items, context) ? [] : [itemView(schema.items, context, isFirst)];
  return [...parts, unfold(say(first.length > 0 ? 'other-items' : 'items', { type: typeLabel(schema.items, context) }), schema.items, context)];
}

/** `list of Pet` shows Pet: the list itself has nothing to tell. */
function itemView(items, context, isFirst) {
  const label = el('p', { class: 'small soft' }, context.say('items', { type: typeLabel(items, context) }));
  return el('div', { class: 'reference-items' }, label, schemaView(items, context, isFirst));
}

function isList(value, { store }) {
  const { schema } = resolve(value, store);
  return schema !== null && (isObject(schema.items) || [schema.type].flat().includes('array'));
}

/** Whether its name says all that is known of it. */
function isPlain(value, context) {
  const { schema, pointer } = resolve(value, context.store);
  if (pointer !== null) return false;
  return !schema || (marks(schema, context).length === 0 && head(schema, context).length === 0 && !isDeep(schema, context));
}

function singles(schema, context) {
  return SINGLE.filter(([key]) => isObject(schema[key]) && Object.keys(schema[key]).length > 0).map(([key, word]) =>
    unfold(context.say(word, { type: typeLabel(schema[key], context) }), schema[key], context),
  );
}

function dependents({ dependentSchemas, dependentRequired, dependencies }, context) {
  const { say } = context;
  const all = [dependentSchemas, dependentRequired, dependencies].filter(isObject).flatMap(Object.entries);
  return all.map(([name, needed]) =>
    Array.isArray(needed)
      ? names(say('dependent-required', { name }), needed.map(String))
      : unfold(say('dependent', { name, type: typeLabel(needed, context) }), needed, context),
  );
}

/** Properties of the schema and of what `allOf` adds to it, as far as that is loaded. */
function members(schema, store, depth = 0) {
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const patterns = isObject(schema.patternProperties) ? Object.entries(schema.patternProperties) : [];
  for (const [pattern, value] of patterns) properties.push([`/${pattern}/`, value]);
  const required = new Set(listOf(schema.required).map(String));
  if (depth > 6) return { properties, required };
  const own = new Map(properties);
  for (const part of listOf(schema.allOf)) {
    const { schema: added } = resolve(part, store);
    if (!added) continue;
    const more = members(added, store, depth + 1);
    for (const [name, value] of more.properties) if (!own.has(name)) own.set(name, value);
    for (const name of more.required) required.add(name);
  }
  return { properties: [...own], required };
}

function propertyList(properties, required, context, isFirst) {
  const isOpen = isFirst && properties.filter(([, value]) => isNested(value, context)).length <= MOST_OPEN;
  const write = ([name, value]) => {
    const { schema } = resolve(value, context.store);
    const facts = [
      el('code', { class: 'reference-name', dir: 'ltr' }, name),
      el('span', { class: 'reference-type', dir: 'ltr' }, typeLabel(value, context)),
      required.has(name) ? el('span', { class: 'reference-required' }, context.say('required')) : null,
      schema ? marks(schema, context) : null,
    ];
    return el('li', {}, el('div', { class: 'reference-facts' }, facts), placeView(value, context, isOpen));
  };
  return el('ul', { class: 'reference-properties' }, firstOf(properties, MOST_PROPERTIES, write, context.say, 'li'));
}

function isNested(value, context) {
  const { schema, pointer } = resolve(value, context.store);
  return pointer !== null || (schema !== null && isDeep(schema, context));
}

/** What is said of a property or a parameter at once, and a fold for what it is made of. */
export function placeView(value, context, isOpen = false) {
  const { schema, pointer } = resolve(value, context.store);
  if (pointer !== null) return [unfold(context.say('more'), value, context, isOpen)];
  if (!schema) return [];
  const parts = head(schema, context);
  if (isDeep(schema, context)) {
    const build = () => el('div', { class: 'reference-schema' }, inside(schema, context));
    parts.push(fold(context.say('more'), build, isOpen, pointerOf(value)));
  }
  return parts;
}

/** Whether `inside` has something to show; nothing of it is made for the answer. */
function isDeep(schema, context) {
  const keys = ['properties', 'patternProperties', 'prefixItems', 'oneOf', 'anyOf', 'allOf', 'discriminator', 'dependencies'];
  if ([...keys, 'dependentSchemas', 'dependentRequired'].some((key) => schema[key])) return true;
  if (['items', 'unevaluatedItems', 'additionalProperties', 'unevaluatedProperties'].some((key) => schema[key] === false)) return true;
  if (isObject(schema.items) && isList(schema.items, context)) return true;
  if (listOf(schema.required).length > 0 || SINGLE.some(([key]) => isObject(schema[key]) && Object.keys(schema[key]).length > 0)) return true;
  return Array.isArray(schema.items) || (isObject(schema.items) && !isPlain(schema.items, context));
}

/** A fold whose inside is built when it is first opened. */
function unfold(title, value, context, isOpen = false) {
  return fold(title, () => schemaView(value, context), isOpen, pointerOf(value));
}

/** The named schema that a place leads to, also through a list or the sole part of `allOf`. */
function pointerOf(value) {
  if (!isObject(value)) return null;
  if (typeof value.$ref === 'string') return value.$ref;
  const [sole, ...others] = listOf(value.allOf);
  return pointerOf(isObject(value.items) ? value.items : others.length === 0 ? sole : null);
}
