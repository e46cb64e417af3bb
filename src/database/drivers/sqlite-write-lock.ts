import { resolve } from 'node:path';
import { SqliteError } from './sqlite-error.js';

const SQLITE_BUSY = 5;

interface Waiter {
  resume: () => void;
  timer: NodeJS.Timeout;
}

/**
 * One writer at a time per database file within this process, first come first served. SQLite's own lock cannot do
 * that: its driver waits synchronously, so a waiter would prevent the holder from reaching its COMMIT.
 */
export class WriteLock {
  private held = false;
  private readonly waiters: Waiter[] = [];

  /** @param timeout milliseconds. @throws SqliteError SQLITE_BUSY when the lock is not free by then */
  async acquire(timeout: number): Promise<void> {
    if (!this.held) {
      this.held = true;
      return;
    }
    await new Promise<void>((resume, reject) => {
      const timer = setTimeout(() => {
        this.waiters.splice(this.waiters.indexOf(waiter), 1);
        reject(new SqliteError(SQLITE_BUSY, `another transaction of this process held the database for ${timeout} ms`));
      }, timeout);
      const waiter = { resume, timer };
      this.waiters.push(waiter);
    });
  }

  release(): void {
    const next = this.waiters.shift();
    if (!next) {
      this.held = false;
      return;
    }
    clearTimeout(next.timer);
    next.resume();
  }
}

const locks = new Map<string, WriteLock>();

/** The lock of a file, shared by all connections of this process. */
export function writeLockOf(file: string): WriteLock {
  const key = resolve(file);
  const lock = locks.get(key) ?? new WriteLock();
  locks.set(key, lock);
  return lock;
}
