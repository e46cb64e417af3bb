import { setTimeout as sleep } from 'node:timers/promises';
import type { Options } from 'sequelize';
import type { Driver, RawRow, StatementReader, Session, SqlValue, WriteResult } from '../driver.js';
import { createSqliteDialectModule } from './sqlite-dialect-module.js';
import { isPauseDue, yieldToEventLoop } from './event-loop-yield.js';
import { isReading, SqliteConnection } from './sqlite-connection.js';
import { SqliteHandle, type SqliteWriteResult, createPrivately } from './sqlite-handle.js';
import { DatabaseUnavailableError } from '../errors.js';
import { loadSqlite } from './sqlite-provider.js';
import { isBusy, toSqliteError } from './sqlite-error.js';

/** Flag for sqlite3_open_v2. */
const OPEN_READWRITE = 2;

/** Embedded SQLite: one file, the write lock of {@link SqliteConnection}, cached prepared statements. */
export class SqliteDriver implements Driver {
  readonly dialect = 'sqlite' as const;
  readonly sequelizeOptions: Options & { readonly foreignKeys: boolean };
  private readonly dialectModule = createSqliteDialectModule();
  /** Reads never wait, so one connection serves all of them; each sees what was committed before it. */
  readonly reader: StatementReader = { takes: isReading, select: (sql, values) => this.read(sql, values) };
  private readingHandle: SqliteHandle | undefined;

  /** @param file absolute path */
  constructor(private readonly file: string) {
    this.sequelizeOptions = {
      dialect: 'sqlite',
      dialectModule: this.dialectModule.module,
      storage: file,
      // Without the CREATE flag, Sequelize leaves creating the folder to SqliteHandle, which makes it private.
      dialectOptions: { mode: OPEN_READWRITE },
      // SqliteHandle has turned them on; Sequelize would do so again before every transaction.
      foreignKeys: false,
    };
  }

  select(connection: object, sql: string, values: readonly SqlValue[]): Promise<RawRow[]> {
    return this.dialectModule.connectionOf(connection).select(sql, values);
  }

  async execute(connection: object, sql: string, values: readonly SqlValue[]): Promise<WriteResult> {
    return toWriteResult(await this.dialectModule.connectionOf(connection).execute(sql, values));
  }

  begin(connection: object): Promise<void> {
    return this.dialectModule.connectionOf(connection).begin();
  }

  commit(connection: object): Promise<void> {
    return this.dialectModule.connectionOf(connection).commit();
  }

  rollback(connection: object): Promise<void> {
    return this.dialectModule.connectionOf(connection).rollback();
  }

  // A SQLite connection has no remote side in an unknown state; closing it rolls back.
  discard(): void {}

  async openSession(): Promise<Session> {
    return new SqliteSession(new SqliteConnection(new SqliteHandle(this.file)));
  }

  lockMigrations(_session: Session, wait: number): Promise<{ release(): Promise<void> }> {
    return lockMigrationFile(`${this.file}.migrate-lock`, wait);
  }

  async close(): Promise<void> {
    this.dialectModule.closeIdle();
    this.readingHandle?.close();
    this.readingHandle = undefined;
  }

  private async read(sql: string, values: readonly SqlValue[]): Promise<RawRow[]> {
    if (isPauseDue()) await yieldToEventLoop();
    this.readingHandle ??= new SqliteHandle(this.file);
    return this.readingHandle.all(sql, values);
  }
}

class SqliteSession implements Session {
  constructor(private readonly connection: SqliteConnection) {}

  select(sql: string, values: readonly SqlValue[] = []): Promise<RawRow[]> {
    return this.connection.select(sql, values);
  }

  async execute(sql: string, values: readonly SqlValue[] = []): Promise<WriteResult> {
    return toWriteResult(await this.connection.execute(sql, values));
  }

  async unit<T>(run: () => Promise<T>): Promise<T> {
    await this.connection.begin();
    try {
      const result = await run();
      await this.connection.commit();
      return result;
    } catch (error) {
      await this.connection.rollback();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.connection.rollback();
    this.connection.handle.close();
  }
}

function toWriteResult({ changes, lastId }: SqliteWriteResult): WriteResult {
  return { affectedRows: changes, insertId: Number(lastId) };
}

const POLL_MS = 50;

/**
 * An open transaction in a small database next to the real one. The operating system drops its lock when the holder
 * dies, and the migrations themselves write to another file. The file is never deleted: two processes could then lock
 * two files of the same name.
 */
async function lockMigrationFile(file: string, wait: number): Promise<{ release(): Promise<void> }> {
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
