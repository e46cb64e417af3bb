import { types } from 'node:util';
import type { Options } from 'sequelize';

export type Dialect = 'sqlite' | 'mysql';

/** Values for a `?`. Objects and arrays are refused: a driver would turn them into SQL (`{a: 1}` → `a` = 1). */
export type SqlValue = string | number | bigint | boolean | Date | Buffer | null;

export type RawRow = Record<string, unknown>;

export interface WriteResult {
  /** Rows that matched the condition, even if nothing changed in them. */
  affectedRows: number;
  insertId: number;
}

/** A dedicated connection without time limits, for one long task (migrations). Rows have the format of the fast path. */
export interface Session {
  select(sql: string, values?: readonly SqlValue[]): Promise<RawRow[]>;
  execute(sql: string, values?: readonly SqlValue[]): Promise<WriteResult>;
  /** Runs statements in a transaction where DDL is transactional (SQLite), one by one elsewhere. */
  unit<T>(run: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface StatementReader {
  /** Whether a statement only reads. */
  takes(sql: string): boolean;
  select(sql: string, values: readonly SqlValue[]): Promise<RawRow[]>;
}

/** Dialect-specific operations that Sequelize's query layer does more slowly or not at all. `connection` is Sequelize's. */
export interface Driver {
  readonly dialect: Dialect;
  /** What Sequelize needs to open connections for this driver. */
  readonly sequelizeOptions: Options;
  /** Set where a SELECT outside any transaction needs no connection of the pool. */
  readonly reader?: StatementReader;
  select(connection: object, sql: string, values: readonly SqlValue[]): Promise<RawRow[]>;
  execute(connection: object, sql: string, values: readonly SqlValue[]): Promise<WriteResult>;
  begin(connection: object): Promise<void>;
  commit(connection: object): Promise<void>;
  rollback(connection: object): Promise<void>;
  /** Ensures that a connection in an unknown state is not reused. */
  discard(connection: object): void;
  openSession(): Promise<Session>;
  /**
   * Takes this database's single migration lock, held until `release` or the end of the process, even by kill -9.
   * @param wait seconds. @throws DatabaseUnavailableError naming the lock when it is not free by then
   */
  lockMigrations(session: Session, wait: number): Promise<{ release(): Promise<void> }>;
  close(): Promise<void>;
}

/** @throws TypeError for a value that is not a {@link SqlValue} at run time */
export function assertSqlValues(values: readonly unknown[]): void {
  for (const value of values) {
    if (value === null || typeof value !== 'object' || types.isDate(value) || Buffer.isBuffer(value)) {
      if (value !== undefined && typeof value !== 'function' && typeof value !== 'symbol') continue;
    }
    throw new TypeError('an SQL value must be a string, number, bigint, boolean, Date, Buffer or null');
  }
}
