import { removeExpired, type Database } from '../database/index.js';

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
  const expired = { table, key: 'limit_key', condition: `${column} <= ?`, values: [now], most: TIDY_ROWS };
  await removeExpired(database, expired);
}
