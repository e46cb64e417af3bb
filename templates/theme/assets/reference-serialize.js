import { isObject, resolve } from './reference-schema.js';

// Values as the styles of OpenAPI write them into an address, a header, a cookie or a form: the tables of "Style Examples" in
// OpenAPI 3.1.1, which follow RFC 6570, and the collection formats of Swagger 2.0.

/** Between the items of what is not exploded. */
const SEPARATORS = { spaceDelimited: '%20', pipeDelimited: '%7C', tabDelimited: '%09' };
const MOST_DEPTH = 4;

/** Everything but the unreserved characters of RFC 3986 as `%XX`. */
export function percent(value) {
  const text = wordOf(value).replace(/\p{Surrogate}/gu, '\ufffd');
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The same with `allowReserved`: what would end the value, or mean something else in a query, is still encoded. */
function reserved(value) {
  return wordOf(value)
    .split(/(%[0-9A-Fa-f]{2}|[:/?@!$'()*,;=])/)
    .map((part, number) => (number % 2 === 1 ? part : percent(part)))
    .join('');
}

const wordOf = (value) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value));
const plain = (value) => wordOf(value).replace(/[\r\n]+/g, ' ');
const isNothing = (value) => value === null || value === undefined;

/** @returns pairs of name and value, both encoded, for a query, a form or cookies */
export function queryPairs({ name, style, explode, allowReserved }, value) {
  const encode = style === 'cookie' ? plain : allowReserved ? reserved : percent;
  const named = style === 'cookie' ? plain(name) : percent(name);
  if (style === 'deepObject') return deepPairs(named, value, encode);
  if (!Array.isArray(value) && !isObject(value)) return [[named, encode(value)]];
  const entries = Object.entries(value).filter(([, item]) => !isNothing(item));
  if (entries.length === 0) return [];
  if (explode) return entries.map(([key, item]) => [Array.isArray(value) ? named : encode(key), encode(item)]);
  return [[named, listed(value, entries, encode, SEPARATORS[style] ?? ',')]];
}

// `a[b]=1` is what OpenAPI says; how lists and what lies deeper are written is the custom of PHP, Rails, qs and Stripe.
function deepPairs(name, value, encode) {
  if (Array.isArray(value)) {
    const isFlat = value.every((item) => typeof item !== 'object');
    return value.flatMap((item, number) => deepPairs(`${name}%5B${isFlat ? '' : number}%5D`, item, encode));
  }
  if (!isObject(value)) return isNothing(value) ? [] : [[name, encode(value)]];
  return Object.entries(value).flatMap(([key, item]) => deepPairs(`${name}%5B${percent(key)}%5D`, item, encode));
}

const listed = (value, entries, encode, separator) =>
  (Array.isArray(value) ? entries.map(([, item]) => encode(item)) : entries.flat().map(encode)).join(separator);

/** What stands in a path in place of `{name}`. */
export function pathText({ name, style, explode }, value) {
  if (style === 'matrix') return matrixText({ name, explode }, value);
  const start = style === 'label' ? '.' : '';
  const separator = style === 'label' && explode ? '.' : (SEPARATORS[style] ?? ',');
  return start + joined(value, { explode, separator, encode: percent });
}

function matrixText({ name, explode }, value) {
  if (value === '') return `;${percent(name)}`;
  if (!explode || typeof value !== 'object' || value === null) {
    return `;${percent(name)}=${joined(value, { explode: false, separator: ',', encode: percent })}`;
  }
  return queryPairs({ name, style: 'form', explode }, value)
    .map(([key, item]) => `;${key}=${item}`)
    .join('');
}

/** The value of a header: never encoded, and never more than one line. */
export function headerText({ explode }, value) {
  return joined(value, { explode, separator: ',', encode: plain });
}

function joined(value, { explode, separator, encode }) {
  if (!Array.isArray(value) && !isObject(value)) return encode(value);
  const entries = Object.entries(value).filter(([, item]) => !isNothing(item));
  if (explode && isObject(value)) return entries.map(([key, item]) => `${encode(key)}=${encode(item)}`).join(separator);
  return listed(value, entries, encode, separator);
}

/**
 * What somebody typed as the value that the schema describes: lists as `a,b` or as JSON, objects as JSON.
 * @param isDeep whether objects are taken although the schema does not tell of any
 */
export function readValue(text, schema, store, isDeep = false) {
  const shapes = shapesOf(schema, store);
  const parsed = /^\s*[[{]/.test(text) ? parse(text) : undefined;
  if (Array.isArray(parsed) && (shapes.has('array') || isDeep)) return parsed;
  if (isObject(parsed) && (shapes.has('object') || isDeep)) return parsed;
  const isList = shapes.has('array') && shapes.size === 1;
  return isList && text !== '' ? text.split(',').map((item) => item.trim()) : text;
}

/** The reverse: how a value of an example stands in a field. */
export function writeValue(value) {
  if (isNothing(value)) return '';
  const isPlain = (item) => typeof item !== 'object' && !/^\s*[[{]|,|^$|^\s|\s$/.test(String(item));
  return Array.isArray(value) && value.length > 0 && value.every(isPlain) ? value.join(',') : wordOf(value);
}

/** `array`, `object`, `scalar`: what a schema allows. */
export function shapesOf(value, store, depth = 0) {
  const { schema } = resolve(value, store);
  const found = new Set();
  if (!schema || depth > MOST_DEPTH) return found;
  for (const type of [schema.type].flat()) {
    if (type === 'array' || type === 'object') found.add(type);
    else if (typeof type === 'string' && type !== 'null') found.add('scalar');
  }
  if (found.size === 0 && schema.items !== undefined) found.add('array');
  if (found.size === 0 && (isObject(schema.properties) || isObject(schema.additionalProperties))) found.add('object');
  if (found.size === 0 && (Array.isArray(schema.enum) || schema.const !== undefined)) found.add('scalar');
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : []));
  for (const part of parts) for (const shape of shapesOf(part, store, depth + 1)) found.add(shape);
  return found;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
