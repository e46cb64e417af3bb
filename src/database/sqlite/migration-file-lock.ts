import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailableError } from '../errors.js';
import { isBusy } from './sqlite-error.js';
import { SqliteHandle } from './sqlite-handle.js';

const POLL_MS = 50;

/**
 * A transaction held open in a little database beside the real one. The operating system drops its lock when the holder
 * dies, however it dies, and the migrations' own writes go to another file. The file itself stays: to delete it would let
 * two processes lock two files of the same name.
 */
export async function lockMigrationFile(file: string, wait: number): Promise<{ release(): Promise<void> }> {
  const deadline = performance.now() + wait * 1000;
  const handle = await openWhenFree(file, deadline);
  for (;;) {
    try {
      handle.exec('PRAGMA busy_timeout = 0');
      handle.exec('BEGIN IMMEDIATE');
      return { release: async () => handle.close() };
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) {
        handle.close();
        throw isBusy(error) ? lockedError(file, wait) : error;
      }
    }
    await sleep(POLL_MS);
  }
}

// Turning on WAL needs a lock too, which another process may hold for a moment when the file is new.
async function openWhenFree(file: string, deadline: number): Promise<SqliteHandle> {
  for (;;) {
    try {
      return new SqliteHandle(file);
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
    }
    await sleep(POLL_MS);
  }
}

function lockedError(file: string, wait: number): DatabaseUnavailableError {
  return new DatabaseUnavailableError({
    message: `Another process has been migrating for ${wait} s and holds the lock ${file}. Wait for it, or end it, and run again.`,
  });
}
