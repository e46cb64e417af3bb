import { arrayOf, isObject, objectOf, readString } from '../lookup.js';
import { tellStability } from './api-operations.js';
import { compareBounds, compareKeywords, compareTypes, compareValues, type Add } from './diff-keywords.js';
import { tellLifecycle, type SunsetPolicy } from './diff-lifecycle.js';
import { BOUNDS } from './effects.js';
import { nameOf, type Effort, type FlatSchema, type FlatSchemas } from './flat-schema.js';

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
const DEEPEST = 96;
/** Differences of a kind that are kept of one schema, wherever it is used. Of a kind, so that many small ones hide no other. */
const MOST = 500;
/** Differences that can be told once more of a schema above in the time of a step. */
const COPIES_A_STEP = 20;
const LONGEST_VALUE = 200;

/** Compares schemas of two documents; what a schema is found to be is kept, because most are used in many places. */
export class SchemaDiffer {
  private readonly known = new WeakMap<object, Map<unknown, readonly SchemaDifference[]>>();
  private isCut = false;

  constructor(
    private readonly old: FlatSchemas,
    private readonly present: FlatSchemas,
    private readonly effort: Effort,
    private readonly policy: SunsetPolicy,
  ) {}

  /** Whether all differences were kept, down to the last place of each schema. */
  get isComplete(): boolean {
    return !this.isCut;
  }

  compare(old: unknown, present: unknown, depth = 0): readonly SchemaDifference[] {
    if (!isObject(old) || !isObject(present) || !this.effort.spend(1)) return [];
    if (depth > DEEPEST) this.isCut = true;
    if (depth > DEEPEST) return [];
    return this.compareFlat(this.old.flatten(old), this.present.flatten(present), depth);
  }

  private compareFlat(one: FlatSchema, two: FlatSchema, depth: number): readonly SchemaDifference[] {
    const pairs = this.known.get(one) ?? new Map<unknown, readonly SchemaDifference[]>();
    this.known.set(one, pairs);
    const known = pairs.get(two);
    if (known) return known;
    pairs.set(two, []);
    const found = this.keep(this.differences(asForms(one, two), asForms(two, one), depth));
    pairs.set(two, found);
    return found;
  }

  private keep(found: readonly SchemaDifference[]): readonly SchemaDifference[] {
    if (found.length <= MOST) return found;
    const counts = new Map<string, number>();
    const kept = found.filter(({ what, path, isReadOnly, isWriteOnly }) => {
      const kind = `${what} ${path.length > 0} ${isReadOnly} ${isWriteOnly}`;
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      return count <= MOST;
    });
    if (kept.length < found.length) this.isCut = true;
    return kept;
  }

  /** What a schema below adds to the differences of one above it. */
  private addBelow(found: SchemaDifference[], name: string, differences: readonly SchemaDifference[]): void {
    // A schema may stand in thousands of places.
    if (!this.effort.spend(differences.length / COPIES_A_STEP)) return;
    for (const difference of differences) found.push({ ...difference, path: [name, ...difference.path] });
  }

  /** Whether a list takes each value that was taken alone. In a query all of them are sent as text. */
  isListOf(old: unknown, present: unknown): boolean {
    const [one, two] = [this.old.flatten(old), this.present.flatten(present)];
    if (!two.types.has('array') || two.types.size > 1 || one.types.size === 0 || one.types.has('array')) return false;
    const items = two.keywords.items;
    const flat = this.present.flatten(items);
    const isText = flat.types.size === 1 && flat.types.has('string') && flat.keywords.format === undefined;
    const changes = this.compare(old, items).filter(({ what }) => !/nullable$/.test(what));
    return changes.every(({ what }) =>
      isText ? /^(?:type|list-of-types)-/.test(what) : /generalized$|widened$|^enum-value-added$/.test(what),
    );
  }

  private differences(old: FlatSchema, present: FlatSchema, depth: number): SchemaDifference[] {
    const found: SchemaDifference[] = [];
    const isReadOnly = present.keywords.readOnly === true;
    const isWriteOnly = present.keywords.writeOnly === true;
    const add = (what: string, before: unknown, after: unknown, keyword?: string) =>
      found.push({
        what,
        path: [],
        old: showValue(before),
        new: showValue(after),
        ...(keyword === undefined ? {} : { keyword }),
        isReadOnly,
        isWriteOnly,
      });
    const wrapped = this.findWrapper(old, present, depth);
    if (wrapped !== null) {
      add(wrapped, null, nameOf(arrayOf(present.keywords.oneOf)[0]));
      return found;
    }
    compareTypes(old, present, add);
    compareValues(old, present, add);
    compareBounds(old, present, add);
    compareKeywords(old, present, add);
    this.compareChoices(old, present, depth, found, add);
    compareParts(old, present, add);
    this.compareProperties(old, present, depth, found);
    const [before, after] = [old.keywords, present.keywords];
    for (const keyword of ['items', 'additionalProperties', 'not'] as const) {
      this.addBelow(found, keyword, this.compare(before[keyword], after[keyword], depth + 1));
    }
    const [oldPlaces, newPlaces] = [arrayOf(before.prefixItems), arrayOf(after.prefixItems)];
    for (const [index, schema] of oldPlaces.entries()) {
      this.addBelow(found, `[${index}]`, this.compare(schema, newPlaces[index], depth + 1));
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
          old: showValue(was ?? (before === undefined ? null : readString(keywords.title))),
          new: showValue(is),
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
        for (const [keyword, word] of [
          ['readOnly', 'read-only'],
          ['writeOnly', 'write-only'],
        ] as const) {
          const [was, is] = [earlier[keyword] === true, keywords[keyword] === true];
          if (was !== is) add(`${isRequired ? 'required' : 'optional'}-property-became-${is ? '' : 'not-'}${word}`);
        }
        tellLifecycle(earlier, keywords, this.policy, (change, values) => {
          const what = FIELD_LIFECYCLE[change];
          if (what) add(what, values.old, values.new);
        });
        tellStability(earlier, keywords, (what, values) => add(what, values.old, values.new));
        this.addBelow(found, name, this.compare(before, after, depth + 1));
      }
    }
  }

  /** A form that is only written elsewhere now is the same, and one that was written out for another changed. */
  private compareMoved(gone: unknown[], left: Map<string, unknown>, depth: number, found: SchemaDifference[]): void {
    const isNamed = (form: unknown) => ['$ref', 'title'].some((key) => objectOf(form)[key] !== undefined);
    for (const [index, before] of [...gone.entries()].toReversed()) {
      if (!this.effort.spend(left.size)) return;
      const moved = [...left].find(([, after]) => {
        if ((objectOf(before).$ref === undefined) === (objectOf(after).$ref === undefined)) return false;
        return this.compare(before, after, depth + 1).length === 0;
      });
      if (!moved) continue;
      left.delete(moved[0]);
      gone.splice(index, 1);
    }
    const [name, after] = [...left][0] ?? [];
    if (gone.length !== 1 || left.size !== 1 || name === undefined || isNamed(gone[0]) || isNamed(after)) return;
    for (const difference of this.compare(gone[0], after, depth + 1)) found.push(difference);
    left.delete(name);
    gone.pop();
  }

  /** Whether fields stand in forms to choose from now, and whether one of the forms is what stood there. */
  private findWrapper(old: FlatSchema, present: FlatSchema, depth: number): string | null {
    const forms = arrayOf(present.keywords.oneOf);
    if (old.keywords.oneOf !== undefined || forms.length === 0 || old.properties.size === 0) return null;
    if (present.properties.size > 0 || depth > DEEPEST || !this.effort.spend(forms.length)) return null;
    const isKept = forms.some((form) => this.compareFlat(old, this.present.flatten(form), depth + 1).length === 0);
    return `wrapped-in-one-of${isKept ? '-original-preserved' : ''}`;
  }

  /** `oneOf` and `anyOf`: named schemas are compared by name; the others match only if they are equal. */
  private compareChoices(
    old: FlatSchema,
    present: FlatSchema,
    depth: number,
    found: SchemaDifference[],
    add: Add,
  ): void {
    for (const [keyword, word] of [
      ['oneOf', 'one-of'],
      ['anyOf', 'any-of'],
    ] as const) {
      const [before, after] = [arrayOf(old.keywords[keyword]), arrayOf(present.keywords[keyword])];
      if (before.length === 0 && after.length > 0 && old.properties.size > 0) continue;
      if (!this.effort.spend(before.length + after.length)) return;
      const left = new Map(after.map((schema) => [nameOf(schema), schema]));
      const gone: unknown[] = [];
      for (const schema of before) {
        const name = nameOf(schema);
        if (!left.has(name)) gone.push(schema);
        else for (const difference of this.compare(schema, left.get(name), depth + 1)) found.push(difference);
        left.delete(name);
      }
      this.compareMoved(gone, left, depth, found);
      for (const schema of gone) add(`${word}-removed`, nameOf(schema), null);
      for (const name of left.keys()) add(`${word}-added`, null, name);
    }
  }
}

/** Read as forms to choose from, where the other has such. */
function asForms(schema: FlatSchema, { keywords, written }: FlatSchema): FlatSchema {
  const isOfForms = written === null && (keywords.oneOf !== undefined || keywords.anyOf !== undefined);
  return isOfForms ? (schema.written ?? schema) : schema;
}

/** How changes of `deprecated` and `x-sunset` of a field are called; what else changes of a sunset has no rule. */
const FIELD_LIFECYCLE: Readonly<Partial<Record<string, string>>> = {
  reactivated: 'reactivated',
  deprecated: 'deprecated',
  'deprecated-with-sunset': 'deprecated-with-sunset',
  'sunset-missing': 'deprecated-sunset-missing',
  'sunset-too-soon': 'sunset-date-too-small',
  'sunset-invalid': 'deprecated-invalid',
  'sunset-unreadable': 'deprecated-invalid',
};

/** Annotations for people and tools, which do not restrict values. */
const ANNOTATIONS = new Set(
  ['title', 'description', 'default', 'example', 'examples', 'externalDocs', '$comment', 'deprecated'].concat('xml'),
);

/** Parts of `allOf` that came or went. What they say counts as part of the whole; they are told where merging lost it. */
function compareParts(old: FlatSchema, present: FlatSchema, add: Add): void {
  for (const [one, two, action] of [
    [present, old, 'added'],
    [old, present, 'removed'],
  ] as const) {
    for (const [name, part] of one.parts) {
      if (name === '' || two.parts.has(name)) continue;
      const said = Object.keys(part.keywords);
      const [before, after] = action === 'added' ? [null, name] : [name, null];
      if (said.every((keyword) => ANNOTATIONS.has(keyword) || keyword.startsWith('x-'))) {
        add(`all-of-${action}-annotation-only`, before, after);
      } else if (isLost(part, one)) add(`all-of-${action}`, before, after);
    }
  }
}

const MERGED = new Set(['type', 'nullable', 'properties', 'required', 'enum', 'allOf', ...ANNOTATIONS]);

/** Whether a part says something that another part of the same schema says otherwise, so that both count. */
function isLost(part: FlatSchema, { parts }: FlatSchema): boolean {
  const others = [...parts.values()].filter((other) => other !== part);
  const isOther = (one: unknown, two: unknown) =>
    one !== undefined && two !== undefined && JSON.stringify(one) !== JSON.stringify(two);
  const keywords = Object.keys(part.keywords).filter((keyword) => !MERGED.has(keyword) && !(keyword in BOUNDS));
  return others.some(
    (other) =>
      keywords.some((keyword) => isOther(part.keywords[keyword], other.keywords[keyword])) ||
      [...part.properties].some(([name, schema]) => isOther(schema, other.properties.get(name))),
  );
}

/** A value as a person reads it, in one line, cut to length; null for none. */
export function showValue(value: unknown, longest = LONGEST_VALUE): string | null {
  if (value === undefined || value === null || value === '') return null;
  const plain = typeof value === 'string' ? value : JSON.stringify(value);
  // Control characters could act on a terminal, and turn the direction of what stands around them.
  return readString(plain.slice(0, longest * 2).replaceAll(/[\p{Cc}\p{Cf}]/gu, ' '), longest);
}
