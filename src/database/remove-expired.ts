import type { Database } from './database.js';
import type { SqlValue } from './driver.js';
import { placeholders } from './placeholders.js';

/** Batch size that keeps locks short, so that other writers get their turn (R38). */
const BATCH = 1_000;

/** Expired rows. Names and condition come from our code. */
export interface ExpiredRows {
  readonly table: string;
  readonly key: string;
  /** For example `expires_at <= ?`; should be indexed. */
  readonly condition: string;
  readonly values: readonly SqlValue[];
  /** Maximum number of rows to remove, to keep it short; all by default. */
  readonly most?: number;
}

/** Removes expired rows in batches. @returns the number of removed rows */
export async function removeExpired(
  database: Database,
  { table, key, condition, values, most = Infinity }: ExpiredRows,
): Promise<number> {
  const batch = Math.min(most, BATCH);
  for (let removed = 0; ;) {
    const sql = `SELECT ${key} AS id FROM ${table} WHERE ${condition} LIMIT ${batch}`;
    const rows = await database.select<{ id: SqlValue }>(sql, values);
    if (rows.length === 0) return removed;
    const places = placeholders(rows);
    // Repeats the condition: a row may have been extended meanwhile.
    const deleted = await database.execute(`DELETE FROM ${table} WHERE ${condition} AND ${key} IN (${places})`, [
      ...values,
      ...rows.map(({ id }) => id),
    ]);
    removed += deleted.affectedRows;
    if (rows.length < batch || removed >= most) return removed;
  }
}
