import { placeholders, type Database } from '../database/index.js';

const TIDY_ROWS = 500;

/**
 * Ends an INSERT of rows that may exist. On MySQL the no-op update takes an exclusive lock: INSERT IGNORE takes a
 * shared one, and two holders that then want to write deadlock.
 */
export function unlessPresent({ dialect }: Database): string {
  return dialect === 'sqlite' ? 'ON CONFLICT (limit_key) DO NOTHING' : 'ON DUPLICATE KEY UPDATE limit_key = limit_key';
}

/** Removes rows whose `column` is in the past; a limited number, to keep it short. */
export async function removeRows(database: Database, table: string, column: string, now: Date): Promise<void> {
  const select = `SELECT limit_key AS limitKey FROM ${table} WHERE ${column} <= ? ORDER BY ${column} LIMIT ${TIDY_ROWS}`;
  const keys = (await database.select<{ limitKey: string }>(select, [now])).map(({ limitKey }) => limitKey);
  if (keys.length === 0) return;
  // Checked again: one of them may have been renewed since.
  await database.execute(`DELETE FROM ${table} WHERE ${column} <= ? AND limit_key IN (${placeholders(keys)})`, [
    now,
    ...keys,
  ]);
}
