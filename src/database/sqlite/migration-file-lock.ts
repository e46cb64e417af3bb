import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailableError } from '../errors.js';
import { loadSqlite } from './provider.js';
import { isBusy, toSqliteError } from './sqlite-error.js';
import { createPrivately } from './sqlite-handle.js';

const POLL_MS = 50;

/**
 * A transaction held open in a little database beside the real one. The operating system drops its lock when the holder
 * dies, however it dies, and the migrations' own writes go to another file. The file itself stays: to delete it would let
 * two processes lock two files of the same name.
 */
export async function lockMigrationFile(file: string, wait: number): Promise<{ release(): Promise<void> }> {
  const deadline = performance.now() + wait * 1000;
  createPrivately(file);
  // Not a SqliteHandle: in WAL mode, two more files would lie about.
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
