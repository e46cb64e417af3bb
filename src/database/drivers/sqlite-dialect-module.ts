import { EventEmitter } from 'node:events';
import { SqliteConnection } from './sqlite-connection.js';
import { SqliteHandle } from './sqlite-handle.js';

const BEGIN = /^\s*BEGIN\b/i;
const COMMIT = /^\s*(COMMIT|END)\b/i;
const ROLLBACK = /^\s*ROLLBACK\b(?!\s+(TRANSACTION\s+)?TO\b)/i;
const IDLE_HANDLES = 4;

type Callback = (this: unknown, error: Error | null, rows?: Record<string, unknown>[]) => void;

/** Sequelize reads `lastID` and `changes` from the callback's `this`, and requires a class of exactly this name. */
class Statement {
  lastID: number | string | undefined;
  changes: number | undefined;
}

/** A replacement for the `sqlite3` package, plus access to the connection behind the objects it returns. */
export interface SqliteDialectModule {
  readonly module: object;
  /** @param connection from Sequelize's connection manager */
  connectionOf(connection: unknown): SqliteConnection;
  /** Closes the handles kept for the next transactions. */
  closeIdle(): void;
}

/**
 * The interface of the package `sqlite3` over the synchronous SQLite of Node. Sequelize opens a connection for every
 * transaction and closes it afterwards; the handles are kept and used again, with their prepared statements.
 */
// eslint-disable-next-line max-lines-per-function -- the class that Sequelize constructs shares the handles of its module
export function createSqliteDialectModule(): SqliteDialectModule {
  const idle: SqliteHandle[] = [];

  class Database extends EventEmitter {
    readonly filename: string;
    connection: SqliteConnection | undefined;

    constructor(filename: string, _mode: number, opened: (error: Error | null) => void) {
      super();
      this.filename = filename;
      let failure: Error | null = null;
      try {
        this.connection = new SqliteConnection(idle.pop() ?? new SqliteHandle(filename));
      } catch (error) {
        failure = error as Error;
      }
      queueMicrotask(() => opened(failure));
    }

    serialize(run: () => void): void {
      run();
    }

    run(sql: string, parameters?: unknown, done?: Callback): this {
      void this.perform(sql, done, async (connection, statement) => {
        const { changes, lastId } = await connection.execute(sql, parameters);
        statement.changes = changes;
        statement.lastID = lastId;
        return [];
      });
      return this;
    }

    // Sequelize calls table_info without parameters: (sql, done).
    all(sql: string, ...rest: [parameters: unknown, done: Callback] | [done: Callback]): this {
      const [parameters, done] = rest.length === 2 ? rest : [[], rest[0]];
      void this.perform(sql, done, (connection) => connection.select(sql, parameters));
      return this;
    }

    close(done?: (error: Error | null) => void): void {
      void this.detach().then(
        () => done?.(null),
        (error: Error) => done?.(error),
      );
    }

    private async detach(): Promise<void> {
      const connection = this.connection;
      this.connection = undefined;
      if (!connection) return;
      try {
        await connection.rollback();
      } catch (error) {
        connection.handle.close();
        throw error;
      }
      if (idle.length < IDLE_HANDLES) idle.push(connection.handle);
      else connection.handle.close();
    }

    private async perform(
      sql: string,
      done: Callback | undefined,
      run: (connection: SqliteConnection, statement: Statement) => Promise<Record<string, unknown>[]>,
    ): Promise<void> {
      const statement = new Statement();
      let rows: Record<string, unknown>[] = [];
      let failure: Error | null = null;
      try {
        const connection = connectionOf(this);
        if (BEGIN.test(sql)) await connection.begin();
        else if (COMMIT.test(sql)) await connection.commit();
        else if (ROLLBACK.test(sql)) await connection.rollback();
        else rows = await run(connection, statement);
      } catch (error) {
        failure = error as Error;
      }
      done?.call(statement, failure, rows);
    }
  }

  function connectionOf(database: unknown): SqliteConnection {
    if (database instanceof Database && database.connection) return database.connection;
    throw new Error('the SQLite connection is closed');
  }

  function closeIdle(): void {
    for (const handle of idle.splice(0)) handle.close();
  }

  return {
    module: { Database, Statement, OPEN_READONLY: 1, OPEN_READWRITE: 2, OPEN_CREATE: 4 },
    connectionOf,
    closeIdle,
  };
}
