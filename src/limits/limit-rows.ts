import { placeholders, type Database } from '../database/index.js';

const TIDY_ROWS = 500;

/**
 * Ends an INSERT of rows that may be there already. On MySQL the update that changes nothing is there for its exclusive
 * lock: INSERT IGNORE takes a shared one, and two that hold it and then want to write wait for each other.
 */
export function unlessPresent({ dialect }: Database): string {
  return dialect === 'sqlite' ? 'ON CONFLICT (limit_key) DO NOTHING' : 'ON DUPLICATE KEY UPDATE limit_key = limit_key';
}

/** Removes rows whose `column` lies in the past; a bounded number, so that nobody waits long for it. */
export async function removeRows(database: Database, table: string, column: string, now: Date): Promise<void> {
  const select = `SELECT limit_key AS limitKey FROM ${table} WHERE ${column} <= ? ORDER BY ${column} LIMIT ${TIDY_ROWS}`;
  const keys = (await database.select<{ limitKey: string }>(select, [now])).map(({ limitKey }) => limitKey);
  if (keys.length === 0) return;
  // Asked again: one of them may have come to life since.
  await database.execute(`DELETE FROM ${table} WHERE ${column} <= ? AND limit_key IN (${placeholders(keys)})`, [
    now,
    ...keys,
  ]);
}
