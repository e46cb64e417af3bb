import { arrayOf, isObject, objectOf, readString } from '../lookup.js';
import { isDate, sunsetOf, tellStability } from './api-operations.js';
import type { Effort, FlatSchema, FlatSchemas } from './flat-schema.js';
import { BOUNDS, PRESENCES, SCHEMA_MAPS } from './rules.js';

/** A difference within a schema, said from its root. */
export interface SchemaDifference {
  /** The end of the rule's name: what came after `request-property-`. */
  readonly what: string;
  /** Names of properties from the root; empty for the root itself. */
  readonly path: readonly string[];
  readonly old: string | null;
  readonly new: string | null;
  /** The keyword that changed, for rules that many keywords share. */
  readonly keyword?: string;
  readonly isReadOnly: boolean;
  readonly isWriteOnly: boolean;
}

/** Deepest place in a schema. */
const DEEPEST = 48;
/** Differences kept of one schema, wherever it is used. */
const MOST = 500;
const LONGEST_VALUE = 200;

/** Compares schemas of two documents; what a schema is found to be is kept, because most are used in many places. */
export class SchemaDiffer {
  private readonly known = new WeakMap<object, Map<unknown, readonly SchemaDifference[]>>();

  constructor(
    private readonly old: FlatSchemas,
    private readonly present: FlatSchemas,
    private readonly effort: Effort,
  ) {}

  compare(old: unknown, present: unknown, depth = 0): readonly SchemaDifference[] {
    if (!isObject(old) || !isObject(present) || depth > DEEPEST || !this.effort.spend(1)) return [];
    const [one, two] = [this.old.flatten(old), this.present.flatten(present)];
    const pairs = this.known.get(one) ?? new Map<unknown, readonly SchemaDifference[]>();
    this.known.set(one, pairs);
    const known = pairs.get(two);
    if (known) return known;
    pairs.set(two, []);
    const found = this.differences(one, two, depth).slice(0, MOST);
    pairs.set(two, found);
    return found;
  }

  private differences(old: FlatSchema, present: FlatSchema, depth: number): SchemaDifference[] {
    const found: SchemaDifference[] = [];
    const isReadOnly = present.keywords.readOnly === true;
    const isWriteOnly = present.keywords.writeOnly === true;
    const add = (what: string, before: unknown, after: unknown, keyword?: string) =>
      found.push({
        what,
        path: [],
        old: text(before),
        new: text(after),
        ...(keyword === undefined ? {} : { keyword }),
        isReadOnly,
        isWriteOnly,
      });
    compareTypes(old, present, add);
    compareValues(old, present, add);
    compareBounds(old, present, add);
    compareKeywords(old, present, add);
    this.compareChoices(old, present, depth, found, add);
    this.compareProperties(old, present, depth, found);
    const [before, after] = [old.keywords, present.keywords];
    for (const keyword of ['items', 'additionalProperties', 'not'] as const) {
      found.push(...below(keyword, this.compare(before[keyword], after[keyword], depth + 1)));
    }
    const [oldPlaces, newPlaces] = [arrayOf(before.prefixItems), arrayOf(after.prefixItems)];
    for (const [index, schema] of oldPlaces.entries()) {
      found.push(...below(`[${index}]`, this.compare(schema, newPlaces[index], depth + 1)));
    }
    return found;
  }

  private compareProperties(old: FlatSchema, present: FlatSchema, depth: number, found: SchemaDifference[]): void {
    const names = new Set([...old.properties.keys(), ...present.properties.keys()]);
    for (const name of names) {
      if (!this.effort.spend(1)) return;
      const [before, after] = [old.properties.get(name), present.properties.get(name)];
      const keywords = (after === undefined ? this.old.flatten(before) : this.present.flatten(after)).keywords;
      const wasRequired = old.required.has(name);
      const isRequired = present.required.has(name);
      const add = (what: string, was?: unknown, is?: unknown) =>
        found.push({
          what,
          path: [name],
          old: text(was ?? (before === undefined ? null : readString(keywords.title))),
          new: text(is),
          isReadOnly: keywords.readOnly === true,
          isWriteOnly: keywords.writeOnly === true,
        });
      const withDefault = keywords.default === undefined ? '' : '-with-default';
      if (before === undefined) add(isRequired ? `added-required${withDefault}` : 'added-optional');
      else if (after === undefined) add(wasRequired ? 'removed-required' : 'removed-optional');
      else {
        if (isRequired && !wasRequired) add(`became-required${withDefault}`);
        if (!isRequired && wasRequired) add('became-optional');
        const earlier = this.old.flatten(before).keywords;
        const sunset = sunsetOf(keywords);
        for (const [keyword, word] of [
          ['readOnly', 'read-only'],
          ['writeOnly', 'write-only'],
        ] as const) {
          const [was, is] = [earlier[keyword] === true, keywords[keyword] === true];
          if (was !== is) add(`${isRequired ? 'required' : 'optional'}-property-became-${is ? '' : 'not-'}${word}`);
        }
        const [was, is] = [earlier.deprecated === true, keywords.deprecated === true];
        const what = is ? `deprecated${sunset === null ? '' : '-with-sunset'}` : 'reactivated';
        if (was !== is) add(what, null, sunset);
        const isOther = sunset !== null && sunset !== sunsetOf(earlier);
        if (is && isOther && !isDate(sunset)) add('deprecated-invalid', null, sunset);
        tellStability(earlier, keywords, (what, values) => add(what, values.old, values.new));
        found.push(...below(name, this.compare(before, after, depth + 1)));
      }
      if (found.length > MOST) return;
    }
  }

  /** `oneOf` and `anyOf`: what they name is held against what has the same name, the rest against what is the same. */
  private compareChoices(
    old: FlatSchema,
    present: FlatSchema,
    depth: number,
    found: SchemaDifference[],
    add: (what: string, before: unknown, after: unknown) => void,
  ): void {
    for (const [keyword, word] of [
      ['oneOf', 'one-of'],
      ['anyOf', 'any-of'],
    ] as const) {
      const [before, after] = [arrayOf(old.keywords[keyword]), arrayOf(present.keywords[keyword])];
      if (before.length === 0 && after.length > 0 && old.properties.size > 0) {
        if (keyword === 'oneOf') add('wrapped-in-one-of', null, nameOf(after[0]));
        continue;
      }
      if (!this.effort.spend(before.length + after.length)) return;
      const left = new Map(after.map((schema) => [nameOf(schema), schema]));
      const gone: unknown[] = [];
      for (const schema of before) {
        const name = nameOf(schema);
        if (!left.has(name)) gone.push(schema);
        else found.push(...this.compare(schema, left.get(name), depth + 1));
        left.delete(name);
      }
      for (const schema of gone) add(`${word}-removed`, nameOf(schema), null);
      for (const name of left.keys()) add(`${word}-added`, null, name);
    }
  }
}

type Add = (what: string, before: unknown, after: unknown, keyword?: string) => void;

function compareTypes(old: FlatSchema, present: FlatSchema, add: Add): void {
  // A type said for the first time, or no longer, is not told from a choice of schemas; those have rules of their own.
  const isSaid = old.types.size > 0 && present.types.size > 0;
  const [before, after] = [spell(old), spell(present)];
  if (isSaid && !isSame(old.types, present.types)) {
    const isWider = [...old.types].every((type) => takes(present.types, type));
    const isNarrower = [...present.types].every((type) => takes(old.types, type));
    const isList = old.types.size > 1 || present.types.size > 1;
    if (isWider) add(isList ? 'list-of-types-widened' : 'type-generalized', before, after);
    else if (isNarrower) add(isList ? 'list-of-types-narrowed' : 'type-specialized', before, after);
    else add('type-changed', before, after);
  } else if (isSaid) {
    const [was, is] = [readString(old.keywords.format), readString(present.keywords.format)];
    if (was !== is) {
      const isWider = is === '' || WIDER[was] === is;
      const isNarrower = was === '' || WIDER[is] === was;
      add(isWider ? 'type-generalized' : isNarrower ? 'type-specialized' : 'type-changed', before, after);
    }
  } else if (old.types.size > 0 && !hasChoices(present)) add('type-generalized', before, after);
  else if (present.types.size > 0 && !hasChoices(old)) add('type-specialized', before, after);
  if (isSaid && old.isNullable !== present.isNullable) {
    add(present.isNullable ? 'became-nullable' : 'became-not-nullable', null, null);
  }
}

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

function compareValues(old: FlatSchema, present: FlatSchema, add: Add): void {
  if (old.enum && present.enum) {
    for (const value of old.enum) if (!present.enum.has(value)) add('enum-value-removed', plain(value), null);
    for (const value of present.enum) if (!old.enum.has(value)) add('enum-value-added', null, plain(value));
  } else if (present.enum) add('became-enum', null, [...present.enum].map(plain).join(', '));
  else if (old.enum && !isListedElsewhere(present)) add('enum-removed', [...old.enum].map(plain).join(', '), null);
  const [before, after] = [old.keywords, present.keywords];
  for (const value of removedFrom(before['x-extensible-enum'], after['x-extensible-enum'])) {
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

const plain = (json: string) => readString(JSON.parse(json)) || json;
const removedFrom = (before: unknown, after: unknown): unknown[] => {
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

function compareBounds(old: FlatSchema, present: FlatSchema, add: Add): void {
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

function compareKeywords(old: FlatSchema, present: FlatSchema, add: Add): void {
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

/** What a choice goes by: the name it is referred to, its title, or what it says. */
function nameOf(schema: unknown): string {
  const { $ref, title } = objectOf(schema);
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1);
  return readString(title) || readString(JSON.stringify(schema), 500);
}

function below(name: string, differences: readonly SchemaDifference[]): SchemaDifference[] {
  return differences.map((difference) => ({ ...difference, path: [name, ...difference.path] }));
}

/** A value as a person reads it, in one line, cut to length; null for none. */
export function text(value: unknown, longest = LONGEST_VALUE): string | null {
  if (value === undefined || value === null || value === '') return null;
  const plain = typeof value === 'string' ? value : JSON.stringify(value);
  // Control characters could act on a terminal, and turn the direction of what stands around them.
  return readString(plain.slice(0, longest * 2).replaceAll(/[\p{Cc}\p{Cf}]/gu, ' '), longest);
}
