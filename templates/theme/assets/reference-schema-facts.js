import { el, firstOf } from './reference-dom.js';
import { isObject, listOf } from './reference-schema.js';

// What a schema says in single values: marks, limits, the values that are taken, examples.

const MOST_VALUES = 40;
/** A longer value stands on lines of its own. */
const LONGEST_INLINE = 120;
const LIMITS = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'pattern'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minContains', 'maxContains', 'minProperties', 'maxProperties'],
  ...['contentMediaType', 'contentEncoding', 'collectionFormat', 'default', 'const'],
];
/** Where documents say what each value of `enum` means: a list in the same order, or an object by value. */
const MEANINGS = ['x-enumDescriptions', 'x-enum-descriptions', 'x-enumNames', 'x-enum-varnames'];

export function marks(schema, { say }) {
  const words = [];
  if (schema.deprecated === true) words.push('deprecated');
  if (schema.readOnly === true) words.push('read-only');
  if (schema.writeOnly === true) words.push('write-only');
  return words.map((word) => el('span', { class: 'tag' }, say(word)));
}

export function limits(schema, { say }) {
  const facts = LIMITS.filter((key) => schema[key] !== undefined).map((key) => [key, schema[key]]);
  // Of lists and objects the format is not part of how they are called.
  if (typeof schema.format === 'string' && /array|object/.test(String(schema.type))) facts.push(['format', schema.format]);
  if (isObject(schema.xml)) facts.push(...Object.entries(schema.xml).map(([key, value]) => [`xml ${key}`, value]));
  const values = listOf(schema.enum);
  if (facts.length === 0 && values.length === 0) return null;
  const meanings = meaningsOf(schema);
  return el(
    'div',
    { class: 'reference-limits' },
    values.length > 0 ? [say('values'), ' '] : [],
    firstOf(values, MOST_VALUES, (value, place) => valueView(value, meanings?.(value, place)), say, 'span'),
    facts.map(([key, value]) => el('span', { dir: 'ltr' }, `${key}: `, code(value), ' ')),
  );
}

function valueView(value, meaning) {
  const shown = code(value);
  return meaning ? el('div', {}, shown, ' ', el('bdi', {}, String(meaning))) : el('span', {}, shown, ' ');
}

function meaningsOf(schema) {
  const found = MEANINGS.map((key) => schema[key]).find((said) => typeof said === 'object' && said !== null);
  if (!found) return null;
  return Array.isArray(found) ? (_value, place) => found[place] : (value) => (Object.hasOwn(found, String(value)) ? found[String(value)] : '');
}

/** The examples of a schema, each as one value. */
export function exampleList({ example, examples }, { say }) {
  const all = [...(example === undefined ? [] : [example]), ...listOf(examples)];
  if (all.length === 0) return null;
  return el(
    'div',
    { class: 'reference-limits' },
    all.length > 1 ? say('examples') : say('example'),
    ': ',
    firstOf(all, MOST_VALUES, (value) => el('span', {}, code(value), ' '), say, 'span'),
  );
}

/** A value as it would be written. */
export function code(value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text.length <= LONGEST_INLINE && !text.includes('\n')) return el('code', { dir: 'ltr' }, text);
  return el('pre', { class: 'code', tabindex: 0 }, typeof value === 'string' ? text : JSON.stringify(value, null, 2));
}
