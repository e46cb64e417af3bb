import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailableError } from '../errors.js';
import { loadSqlite } from './provider.js';
import { isBusy, toSqliteError } from './sqlite-error.js';
import { createPrivately } from './sqlite-handle.js';

const POLL_MS = 50;

/**
 * An open transaction in a small database next to the real one. The operating system drops its lock when the holder
 * dies, and the migrations themselves write to another file. The file is never deleted: two processes could then lock
 * two files of the same name.
 */
export async function lockMigrationFile(file: string, wait: number): Promise<{ release(): Promise<void> }> {
  const deadline = performance.now() + wait * 1000;
  createPrivately(file);
  // Not a SqliteHandle: WAL mode would leave two more files behind.
  const connection = new (loadSqlite().DatabaseSync)(file, { timeout: 0 });
  for (;;) {
    try {
      connection.exec('BEGIN EXCLUSIVE');
      return { release: async () => connection.close() };
    } catch (thrown) {
      const error = toSqliteError(thrown);
      if (!isBusy(error) || performance.now() >= deadline) {
        connection.close();
        throw isBusy(error) ? lockedError(file, wait) : error;
      }
    }
    await sleep(POLL_MS);
  }
}

function lockedError(file: string, wait: number): DatabaseUnavailableError {
  return new DatabaseUnavailableError({
    message: `Another process has been migrating for ${wait} s and holds the lock ${file}. Wait for it, or end it, and run again.`,
  });
}
