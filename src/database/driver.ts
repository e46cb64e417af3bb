import { types } from 'node:util';
import type { Options } from 'sequelize';

export type Dialect = 'sqlite' | 'mysql';

/** What may stand for a `?`. Objects and arrays are refused: a driver would turn them into SQL (`{a: 1}` → `a` = 1). */
export type SqlValue = string | number | bigint | boolean | Date | Buffer | null;

export type RawRow = Record<string, unknown>;

export interface WriteResult {
  /** Rows that matched the condition, also when nothing changed in them. */
  affectedRows: number;
  insertId: number;
}

/**
 * A connection of its own, outside of the pool and without time limits, for one long piece of work (migrations). Rows
 * come as the fast path gives them.
 */
export interface Session {
  select(sql: string, values?: readonly SqlValue[]): Promise<RawRow[]>;
  execute(sql: string, values?: readonly SqlValue[]): Promise<WriteResult>;
  /** Runs statements as a unit where the dialect's DDL is transactional (SQLite), one by one where it is not. */
  unit<T>(run: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface Reader {
  /** Whether a statement only reads. */
  takes(sql: string): boolean;
  select(sql: string, values: readonly SqlValue[]): Promise<RawRow[]>;
}

/** How one dialect does what Sequelize's query layer would do slower or not at all. `connection` is one of Sequelize's. */
export interface Driver {
  readonly dialect: Dialect;
  /** What Sequelize needs to open connections for this driver. */
  readonly sequelizeOptions: Options;
  /** Where the dialect needs no connection of the pool for a SELECT outside of any transaction. */
  readonly reader?: Reader;
  select(connection: object, sql: string, values: readonly SqlValue[]): Promise<RawRow[]>;
  execute(connection: object, sql: string, values: readonly SqlValue[]): Promise<WriteResult>;
  begin(connection: object): Promise<void>;
  commit(connection: object): Promise<void>;
  rollback(connection: object): Promise<void>;
  /** Makes sure a connection in an unknown state is never used again. */
  discard(connection: object): void;
  openSession(): Promise<Session>;
  /**
   * Takes the one migration lock of this database, held until `release` or the end of the process, even by kill -9.
   * @param wait seconds. @throws DatabaseUnavailableError naming the lock when it is not free by then
   */
  lockMigrations(session: Session, wait: number): Promise<{ release(): Promise<void> }>;
  close(): Promise<void>;
}

/** @throws TypeError for a value that is not one of {@link SqlValue}, whatever the types said */
export function assertSqlValues(values: readonly unknown[]): void {
  for (const value of values) {
    if (value === null || typeof value !== 'object' || types.isDate(value) || Buffer.isBuffer(value)) {
      if (value !== undefined && typeof value !== 'function' && typeof value !== 'symbol') continue;
    }
    throw new TypeError('an SQL value must be a string, number, bigint, boolean, Date, Buffer or null');
  }
}
