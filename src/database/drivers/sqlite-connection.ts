import { isPauseDue, yieldToEventLoop } from './event-loop-yield.js';
import { type SqliteHandle, BUSY_TIMEOUT_MS, type SqliteWriteResult } from './sqlite-handle.js';
import { writeLockOf, type WriteLock } from './sqlite-write-lock.js';

const READS = /^\s*(SELECT|PRAGMA|EXPLAIN|VALUES)\b/i;
const READS_WITH = /^\s*WITH\b(?![\s\S]*\b(INSERT|UPDATE|DELETE|REPLACE)\b)/i;

/**
 * A handle with concurrency rules: BEGIN is always IMMEDIATE and holds the file's write lock until COMMIT or ROLLBACK;
 * a write outside a transaction takes the lock for itself; reads never wait.
 */
export class SqliteConnection {
  private readonly lock: WriteLock;
  private inTransaction = false;

  constructor(readonly handle: SqliteHandle) {
    this.lock = writeLockOf(handle.file);
  }

  async select(sql: string, parameters?: unknown): Promise<Record<string, unknown>[]> {
    return this.perform(sql, () => this.handle.all(sql, parameters));
  }

  async execute(sql: string, parameters?: unknown): Promise<SqliteWriteResult> {
    return this.perform(sql, () => this.handle.run(sql, parameters));
  }

  async begin(): Promise<void> {
    if (isPauseDue()) await yieldToEventLoop();
    await this.lock.acquire(BUSY_TIMEOUT_MS);
    try {
      await this.handle.runWhenFree(() => this.handle.exec('BEGIN IMMEDIATE'));
      this.inTransaction = true;
    } catch (error) {
      this.lock.release();
      throw error;
    }
  }

  async commit(): Promise<void> {
    this.handle.exec('COMMIT');
    this.endTransaction();
  }

  async rollback(): Promise<void> {
    if (!this.inTransaction) return;
    try {
      this.handle.exec('ROLLBACK');
    } finally {
      this.endTransaction();
    }
  }

  private async perform<T>(sql: string, run: () => T): Promise<T> {
    if (isPauseDue()) await yieldToEventLoop();
    if (this.inTransaction || isReading(sql)) return run();
    await this.lock.acquire(BUSY_TIMEOUT_MS);
    try {
      return await this.handle.runWhenFree(run);
    } finally {
      this.lock.release();
    }
  }

  private endTransaction(): void {
    if (!this.inTransaction) return;
    this.inTransaction = false;
    this.lock.release();
  }
}

/** Whether a statement is read-only and needs no lock. */
export function isReading(sql: string): boolean {
  return READS.test(sql) || READS_WITH.test(sql);
}
