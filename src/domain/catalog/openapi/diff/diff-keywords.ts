import { arrayOf, isObject, objectOf, readString } from '../lookup.js';
import { BOUNDS, PRESENCES, SCHEMA_MAPS } from './effects.js';
import type { FlatSchema } from './flat-schema.js';

/** Reports a difference: the end of its rule's name, the old value and the new one. */
export type Add = (what: string, before: unknown, after: unknown, keyword?: string) => void;

export function compareTypes(old: FlatSchema, present: FlatSchema, add: Add): void {
  // A type said for the first time, or no longer, is not told from a choice of schemas; those have rules of their own.
  const isSaid = old.types.size > 0 && present.types.size > 0;
  const [before, after] = [spell(old), spell(present)];
  const [was, is] = [readString(old.keywords.format), readString(present.keywords.format)];
  if (isSaid && (was !== is || !isSame(old.types, present.types))) {
    const isWider = [...old.types].every((type) => takes(present.types, type)) && isWiderFormat(was, is);
    const isNarrower = [...present.types].every((type) => takes(old.types, type)) && isWiderFormat(is, was);
    const isList = old.isTypeList || present.isTypeList;
    if (isWider) add(isList ? 'list-of-types-widened' : 'type-generalized', before, after);
    else if (isNarrower) add(isList ? 'list-of-types-narrowed' : 'type-specialized', before, after);
    else add('type-changed', before, after);
  } else if (!isSaid && old.types.size > 0 && !hasChoices(present)) add('type-generalized', before, after);
  else if (!isSaid && present.types.size > 0 && !hasChoices(old)) add('type-specialized', before, after);
  if (isSaid && old.isNullable !== present.isNullable) {
    add(present.isNullable ? 'became-nullable' : 'became-not-nullable', null, null);
  }
}

const isWiderFormat = (was: string, is: string) => was === is || is === '' || WIDER[was] === is;
const WIDER: Readonly<Record<string, string>> = { int32: 'int64', float: 'double' };
const takes = (types: ReadonlySet<string>, type: string) =>
  types.has(type) || (type === 'integer' && types.has('number'));
const isSame = (one: ReadonlySet<string>, two: ReadonlySet<string>) =>
  one.size === two.size && [...one].every((value) => two.has(value));
const hasChoices = ({ keywords }: FlatSchema) =>
  ['oneOf', 'anyOf', 'enum', 'const', 'properties', '$dynamicRef'].some((keyword) => keywords[keyword] !== undefined);

function spell({ types, keywords }: FlatSchema): string {
  const format = readString(keywords.format);
  return `${[...types].sort().join(' | ') || 'any'}${format && ` (${format})`}`;
}

export function compareValues(old: FlatSchema, present: FlatSchema, add: Add): void {
  if (old.enum && present.enum) {
    for (const value of old.enum) if (!present.enum.has(value)) add('enum-value-removed', showPlainly(value), null);
    for (const value of present.enum) if (!old.enum.has(value)) add('enum-value-added', null, showPlainly(value));
  } else if (present.enum) add('became-enum', null, [...present.enum].map(showPlainly).join(', '));
  else if (old.enum && !isListedElsewhere(present))
    add('enum-removed', [...old.enum].map(showPlainly).join(', '), null);
  const [before, after] = [old.keywords, present.keywords];
  for (const value of listRemoved(before['x-extensible-enum'], after['x-extensible-enum'])) {
    add('x-extensible-enum-value-removed', value, null);
  }
  compareOne('const', 'const', before.const, after.const, add);
  compareOne('default', 'default-value', before.default, after.default, add);
  const [was, is] = [readString(before.pattern), readString(after.pattern)];
  if (was !== is) {
    const what = was === '' ? 'added' : is === '' ? 'removed' : ['.*', '^.*$'].includes(is) ? 'generalized' : 'changed';
    add(`pattern-${what}`, was || null, is || null, 'pattern');
  }
}

/** Values may be listed by `const` or by the forms of a choice just as well. */
const isListedElsewhere = ({ keywords }: FlatSchema) =>
  ['const', 'oneOf', 'anyOf'].some((keyword) => keywords[keyword] !== undefined);

const showPlainly = (json: string) => readString(JSON.parse(json)) || json;
const listRemoved = (before: unknown, after: unknown): unknown[] => {
  const left = new Set(arrayOf(after).map((value) => JSON.stringify(value)));
  return Array.isArray(after) ? arrayOf(before).filter((value) => !left.has(JSON.stringify(value))) : [];
};

function compareOne(keyword: string, name: string, before: unknown, after: unknown, add: Add): void {
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  add(
    `${name}-${before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'}`,
    before,
    after,
    keyword,
  );
}

export function compareBounds(old: FlatSchema, present: FlatSchema, add: Add): void {
  for (const [keyword, name] of Object.entries(BOUNDS)) {
    const [before, after] = [boundOf(old, keyword), boundOf(present, keyword)];
    if (before === after) continue;
    if (before === undefined) add(`${name}-set`, before, after, keyword);
    else if (after === undefined) add(`${name}-unset`, before, after, keyword);
    else add(`${name}-${after > before ? 'increased' : 'decreased'}`, before, after, keyword);
  }
  const [before, after] = [old.keywords.multipleOf, present.keywords.multipleOf];
  if (before !== after) {
    const [was, is] = [Number(before), Number(after)];
    const change = was % is === 0 ? 'generalized' : is % was === 0 ? 'specialized' : 'changed';
    add(
      `multiple-of-${before === undefined ? 'set' : after === undefined ? 'unset' : change}`,
      before,
      after,
      'multipleOf',
    );
  }
  const [were, are] = [old.keywords.uniqueItems === true, present.keywords.uniqueItems === true];
  if (were !== are) add(`unique-items-${are ? 'set' : 'unset'}`, were, are, 'uniqueItems');
}

/** A bound that says something: no list is shorter than 0. OpenAPI 3.0 says of `maximum` whether it is exclusive. */
function boundOf({ keywords }: FlatSchema, keyword: string): number | undefined {
  const exclusive = { maximum: 'exclusiveMaximum', minimum: 'exclusiveMinimum' }[keyword];
  if (exclusive !== undefined && keywords[exclusive] === true) return undefined;
  const plainly = { exclusiveMaximum: 'maximum', exclusiveMinimum: 'minimum' }[keyword];
  const value = plainly !== undefined && keywords[keyword] === true ? keywords[plainly] : keywords[keyword];
  if (typeof value !== 'number') return undefined;
  return value === 0 && /^min[A-Z]/.test(keyword) ? undefined : value;
}

export function compareKeywords(old: FlatSchema, present: FlatSchema, add: Add): void {
  const [before, after] = [old.keywords, present.keywords];
  for (const [keyword, name] of Object.entries(PRESENCES)) {
    const [was, is] = [before[keyword] !== undefined, after[keyword] !== undefined];
    if (was !== is) add(`${name}-${is ? 'added' : 'removed'}`, null, null, keyword);
  }
  const [wasClosed, isClosed] = [before.additionalProperties === false, after.additionalProperties === false];
  if (wasClosed !== isClosed) {
    add(`additional-properties-${isClosed ? 'forbidden' : 'allowed'}`, null, null, 'additionalProperties');
  }
  for (const [keyword, name] of Object.entries(SCHEMA_MAPS)) {
    compareKeys(before[keyword], after[keyword], (key, action) => add(`${name}-${action}`, key, key, keyword));
  }
  for (const [keyword, name] of [
    ['contentMediaType', 'content-media-type'],
    ['contentEncoding', 'content-encoding'],
  ] as const) {
    if (before[keyword] !== after[keyword]) add(`${name}-changed`, before[keyword], after[keyword], keyword);
  }
  const [oldNeeds, newNeeds] = [objectOf(before.dependentRequired), objectOf(after.dependentRequired)];
  for (const key of new Set([...Object.keys(oldNeeds), ...Object.keys(newNeeds)])) {
    compareOne('dependentRequired', 'dependent-required', oldNeeds[key], newNeeds[key], add);
  }
  const places = [arrayOf(before.prefixItems).length, arrayOf(after.prefixItems).length] as const;
  if (places[0] !== places[1]) {
    add(`prefix-items-${places[1] > places[0] ? 'added' : 'removed'}`, ...places, 'prefixItems');
  }
  compareDiscriminators(before.discriminator, after.discriminator, add);
}

function compareDiscriminators(before: unknown, after: unknown, add: Add): void {
  // Swagger 2.0 names the property alone.
  const [old, present] = [before, after].map((value) => (typeof value === 'string' ? { propertyName: value } : value));
  if (!isObject(old) || !isObject(present)) {
    if (isObject(old) || isObject(present)) {
      add(
        `discriminator-${isObject(present) ? 'added' : 'removed'}`,
        objectOf(old).propertyName,
        objectOf(present).propertyName,
      );
    }
    return;
  }
  if (old.propertyName !== present.propertyName) {
    add('discriminator-property-name-changed', old.propertyName, present.propertyName);
  }
  const [oldNames, newNames] = [objectOf(old.mapping), objectOf(present.mapping)];
  compareKeys(oldNames, newNames, (key, action) =>
    add(`discriminator-mapping-${action === 'removed' ? 'deleted' : action}`, key, key),
  );
  for (const [key, value] of Object.entries(oldNames)) {
    if (Object.hasOwn(newNames, key) && newNames[key] !== value)
      add('discriminator-mapping-changed', value, newNames[key]);
  }
}

function compareKeys(before: unknown, after: unknown, tell: (key: string, action: 'added' | 'removed') => void): void {
  const [old, present] = [objectOf(before), objectOf(after)];
  for (const key of Object.keys(old)) if (!Object.hasOwn(present, key)) tell(key, 'removed');
  for (const key of Object.keys(present)) if (!Object.hasOwn(old, key)) tell(key, 'added');
}
