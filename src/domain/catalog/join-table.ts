import {
  changeJoinRows,
  findByReference,
  findJoinedNames,
  type Database,
  type JoinRows,
  type NamedRow,
  type NamedTable,
  type Transaction,
} from '../../database/index.js';
import { ValidationError } from '../../core/index.js';

/** How inputs refer to a related record: by name, slug or address, or by numeric id. */
export type RecordReference = string | number;

/** Old and new value; the two differ. */
export type ValueChange = readonly [before: unknown, after: unknown];

/** A join table, seen from its owning record. */
export interface JoinTable extends JoinRows {
  readonly target: NamedTable;
  readonly what: string;
  /** The stored form of a name; null if it is invalid. */
  readonly canonical?: (name: string) => string | null;
}

export interface JoinTableChange {
  readonly names: ValueChange;
  readonly added: readonly number[];
  readonly removed: readonly number[];
}

/**
 * Replaces the records of a set.
 * @param field of the input, for its faults
 * @returns null when nothing changed
 * @throws ValidationError on `field`, naming everything that does not exist
 */
export async function replaceJoinRows(
  database: Database,
  table: JoinTable,
  field: string,
  ownerId: number,
  references: readonly RecordReference[],
  transaction: Transaction,
): Promise<JoinTableChange | null> {
  const before = await findJoinedNames(database, table, table.target, ownerId, transaction);
  const after = await findTargets(database, table, field, references, transaction);
  const added = findMissing(before, after);
  const removed = findMissing(after, before);
  if (added.length === 0 && removed.length === 0) return null;
  await changeJoinRows(database, table, ownerId, { added, removed }, transaction);
  return { names: [namesOf(before), namesOf(after)], added, removed };
}

async function findTargets(
  database: Database,
  { target, what, canonical = (text) => text }: JoinTable,
  field: string,
  references: readonly RecordReference[],
  transaction: Transaction,
): Promise<NamedRow[]> {
  const toStoredForm = (reference: RecordReference) =>
    typeof reference === 'number' ? reference : canonical(reference);
  const wanted = references.map(toStoredForm).filter((reference) => reference !== null);
  const rows = await findByReference(database, target, wanted, transaction);
  const missing = [...new Set(references)].filter((reference) => {
    const stored = toStoredForm(reference);
    return stored === null || !isAmong(rows, stored);
  });
  if (missing.length === 0) return rows;
  throw new ValidationError({
    [field]: missing.map((requested) => `There is no ${what} ${JSON.stringify(requested)}.`),
  });
}

// Audience names are free text, which the database compares case-insensitively.
export function isAmong(rows: readonly NamedRow[], reference: RecordReference): boolean {
  return rows.some(({ id, name }) =>
    typeof reference === 'number' ? id === reference : name.toLowerCase() === reference.toLowerCase(),
  );
}

/** Ids of `wanted` that are not in `present`. */
function findMissing(present: readonly NamedRow[], wanted: readonly NamedRow[]): number[] {
  const ids = new Set(present.map(({ id }) => id));
  return wanted.map(({ id }) => id).filter((id) => !ids.has(id));
}

function namesOf(targets: readonly NamedRow[]): string[] {
  return targets.map(({ name }) => name).sort();
}
