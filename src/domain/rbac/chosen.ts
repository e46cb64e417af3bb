import { ValidationError } from '../../core/index.js';

interface Named {
  readonly id: number;
  readonly name: string;
}

/** Names or ids, as clients give them. */
export type References = readonly (string | number)[];

/**
 * Resolves references to records, without duplicates and sorted by name.
 * @param what the kind of record, in a sentence
 * @throws ValidationError on `field` for every unknown one
 */
export function chooseKnown<T extends Named>(
  field: string,
  what: string,
  wanted: References,
  known: readonly T[],
): T[] {
  const faults: string[] = [];
  const records = new Set<T>();
  for (const key of wanted) {
    const record = known.find(({ id, name }) => (typeof key === 'number' ? id === key : name === key));
    if (record) records.add(record);
    else faults.push(`There is no ${what} ${key}.`);
  }
  if (faults.length > 0) throw new ValidationError({ [field]: faults });
  return [...records].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Names that only `after` has, and that only `before` has. */
export function difference<T extends Named>(before: readonly T[], after: readonly T[]): { added: T[]; removed: T[] } {
  const lacks = (records: readonly T[]) => (record: T) => !records.some(({ id }) => id === record.id);
  return { added: after.filter(lacks(before)), removed: before.filter(lacks(after)) };
}

export function names(records: readonly Named[]): string[] {
  return records.map(({ name }) => name).sort();
}
