import type { Options } from 'sequelize';
import type { Driver, RawRow, Reader, Session, SqlValue, WriteResult } from '../driver.js';
import { createSqliteDialectModule } from './dialect-module.js';
import { lockMigrationFile } from './migration-file-lock.js';
import { isPauseDue, yieldToEventLoop } from './event-loop-yield.js';
import { isReading, SqliteConnection } from './sqlite-connection.js';
import { SqliteHandle, type SqliteWriteResult } from './sqlite-handle.js';

/** Flag for sqlite3_open_v2. */
const OPEN_READWRITE = 2;

/** Embedded SQLite: one file, the write lock of {@link SqliteConnection}, cached prepared statements. */
export class SqliteDriver implements Driver {
  readonly dialect = 'sqlite' as const;
  readonly sequelizeOptions: Options;
  private readonly dialectModule = createSqliteDialectModule();
  /** Reads never wait, so one connection serves all of them; each sees what was committed before it. */
  readonly reader: Reader = { takes: isReading, select: (sql, values) => this.read(sql, values) };
  private readingHandle: SqliteHandle | undefined;

  /** @param file absolute path */
  constructor(private readonly file: string) {
    this.sequelizeOptions = {
      dialect: 'sqlite',
      dialectModule: this.dialectModule.module,
      storage: file,
      // Without the CREATE flag, Sequelize leaves creating the folder to SqliteHandle, which makes it private.
      dialectOptions: { mode: OPEN_READWRITE },
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
