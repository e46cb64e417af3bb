import type { Database } from './database.js';
import type { SqlValue } from './driver.js';
import { placeholders } from './placeholders.js';

/** So many at a time that no lock lasts: other writers get their turn in between (R38). */
const BATCH = 1_000;

/** Rows that have had their day. Names and condition are the program's own. */
export interface ExpiredRows {
  readonly table: string;
  readonly key: string;
  /** For example `expires_at <= ?`; an index should lead to it. */
  readonly condition: string;
  readonly values: readonly SqlValue[];
}

/** Removes them in batches. @returns how many */
export async function removeExpired(
  database: Database,
  { table, key, condition, values }: ExpiredRows,
): Promise<number> {
  for (let removed = 0; ;) {
    const sql = `SELECT ${key} AS id FROM ${table} WHERE ${condition} LIMIT ${BATCH}`;
    const rows = await database.select<{ id: SqlValue }>(sql, values);
    if (rows.length === 0) return removed;
    const places = placeholders(rows);
    // The condition again: a row may have been given new life meanwhile.
    const deleted = await database.execute(`DELETE FROM ${table} WHERE ${condition} AND ${key} IN (${places})`, [
      ...values,
      ...rows.map(({ id }) => id),
    ]);
    removed += deleted.affectedRows;
    if (rows.length < BATCH) return removed;
  }
}
