import { changeLinks, placeholders, type Database, type LinkRows, type Transaction } from '../../database/index.js';
import { nextVersion, ValidationError } from '../../core/index.js';

/** How inputs refer to a related record: by name, slug or address, or by numeric id. */
export type RecordReference = string | number;

/** Old and new value; the two differ. */
export type ValueChange = readonly [before: unknown, after: unknown];

/** A join table, seen from its owning record. */
export interface JoinTable extends LinkRows {
  readonly target: string;
  /** Column of the target that inputs refer to. */
  readonly name: string;
  readonly what: string;
  /** The stored form of a name; null if it is invalid. */
  readonly canonical?: (name: string) => string | null;
}

export interface JoinTableChange {
  readonly names: ValueChange;
  readonly added: readonly number[];
  readonly removed: readonly number[];
}

interface Target {
  readonly id: number;
  readonly name: string;
}

/**
 * Replaces the records of a set.
 * @param field of the input, for its faults
 * @returns null when nothing changed
 * @throws ValidationError on `field`, naming everything that does not exist
 */
export async function replaceLinks(
  database: Database,
  links: JoinTable,
  field: string,
  ownerId: number,
  references: readonly RecordReference[],
  transaction: Transaction,
): Promise<JoinTableChange | null> {
  const { table, owner, target, key, name } = links;
  const before = await database.select<Target>(
    `SELECT t.id AS id, t.${name} AS name FROM ${table} l JOIN ${target} t ON t.id = l.${key} WHERE l.${owner} = ?`,
    [ownerId],
    { transaction },
  );
  const after = await findTargets(database, links, field, references, transaction);
  const added = findMissing(before, after);
  const removed = findMissing(after, before);
  if (added.length === 0 && removed.length === 0) return null;
  await changeLinks(database, links, ownerId, { added, removed }, transaction);
  return { names: [namesOf(before), namesOf(after)], added, removed };
}

/** Bumps the version of the records at the other end, so that their `ETag`s change. */
export async function moveVersions(
  database: Database,
  table: string,
  ids: readonly number[],
  now: Date,
  transaction: Transaction,
): Promise<void> {
  if (ids.length === 0) return;
  const rows = await database.select<{ id: number; updatedAt: Date }>(
    `SELECT id, updated_at AS updatedAt FROM ${table} WHERE id IN (${placeholders(ids)}) ORDER BY id ${database.forUpdate}`,
    ids,
    { decode: { updatedAt: 'date' }, transaction },
  );
  for (const row of rows) {
    const values = [nextVersion(now, row), row.id];
    await database.execute(`UPDATE ${table} SET updated_at = ? WHERE id = ?`, values, { transaction });
  }
}

async function findTargets(
  database: Database,
  { target, name, what, canonical = (text) => text }: JoinTable,
  field: string,
  references: readonly RecordReference[],
  transaction: Transaction,
): Promise<Target[]> {
  const ids = references.filter((reference) => typeof reference === 'number');
  const names = references.filter((reference) => typeof reference === 'string').map(canonical);
  const known = names.filter((text) => text !== null);
  const conditions = [
    ...(ids.length > 0 ? [`id IN (${placeholders(ids)})`] : []),
    ...(known.length > 0 ? [`${name} IN (${placeholders(known)})`] : []),
  ];
  const rows =
    conditions.length === 0
      ? []
      : await database.select<Target>(
          `SELECT id, ${name} AS name FROM ${target} WHERE ${conditions.join(' OR ')}`,
          [...ids, ...known],
          { transaction },
        );
  const isThere = (reference: RecordReference) =>
    rows.some((row) =>
      typeof reference === 'number' ? row.id === reference : sameName(row.name, canonical(reference)),
    );
  const missing = [...new Set(references)].filter((reference) => !isThere(reference));
  if (missing.length === 0) return rows;
  throw new ValidationError({
    [field]: missing.map((requested) => `There is no ${what} ${JSON.stringify(requested)}.`),
  });
}

// Audience names are free text, which the database compares case-insensitively.
function sameName(stored: string, requested: string | null): boolean {
  return stored.toLowerCase() === requested?.toLowerCase();
}

/** Ids of `wanted` that are not in `present`. */
function findMissing(present: readonly Target[], wanted: readonly Target[]): number[] {
  const ids = new Set(present.map(({ id }) => id));
  return wanted.map(({ id }) => id).filter((id) => !ids.has(id));
}

function namesOf(targets: readonly Target[]): string[] {
  return targets.map(({ name }) => name).sort();
}
