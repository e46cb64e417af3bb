import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { types } from 'node:util';
import { BoundedCache } from '../../core/index.js';
import { isBusy, toSqliteError } from './sqlite-error.js';
import { loadSqlite, type ProviderConnection, type SqliteStatement, type SqliteValue } from './sqlite-provider.js';

/** A date in Sequelize's SQLite format, so that both paths write values that compare as text. */
function formatSqliteDate(date: Date): string {
  return `${date.toISOString().replace('T', ' ').replace('Z', '')} +00:00`;
}

function toSqliteValue(value: unknown): SqliteValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (types.isDate(value)) return formatSqliteDate(value);
  // The driver cuts text at its first NUL: `header\0x` would find `header`. No stored text contains the replacement.
  if (typeof value === 'string' && value.includes('\0')) return value.replaceAll('\0', '\ufffd');
  return value as SqliteValue;
}

/** Arrays become positional values, objects (Sequelize's `$1`, `$name`) one set of named values. */
function toSqliteParameters(parameters: unknown): SqliteValue[] {
  if (!parameters) return [];
  if (Array.isArray(parameters)) return parameters.map(toSqliteValue);
  const named: Record<string, unknown> = {};
  const entries = Object.entries(parameters);
  for (const [name, value] of entries) named[name] = toSqliteValue(value);
  return entries.length === 0 ? [] : [named];
}

/**
 * Rows as objects: integers as numbers while exact, as text beyond (like mysql2 with supportBigNumbers); blobs as
 * Buffers. Not the driver's own objects: they have no prototype, and V8 keeps those as hash tables that are slow to
 * copy.
 */
function toObjects(rows: readonly unknown[][], names: readonly string[]): Record<string, unknown>[] {
  return rows.map((row) => {
    const object: Record<string, unknown> = {};
    names.forEach((name, index) => {
      object[name] = normaliseValue(row[index]);
    });
    return object;
  });
}

function normaliseValue(value: unknown): unknown {
  if (typeof value === 'bigint') return toExactNumber(value);
  return typeof value === 'object' && types.isUint8Array(value) ? asBuffer(value) : value;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes);
}

function toExactNumber(value: number | bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

/** How long to wait for another process that is writing (R33). */
export const BUSY_TIMEOUT_MS = 5000;
const CACHED_STATEMENTS = 200;
const LONGEST_POLL_MS = 25;

/**
 * `SELECT *`, but not `COUNT(*)`: its columns change with the table. Such a statement is prepared anew each time, since
 * `node:sqlite` of Node 22 counts a prepared statement's columns before it notices the change.
 */
const ANY_COLUMNS = /(?<!\()\*/;

interface Prepared {
  readonly native: SqliteStatement;
  /** Column names, once known. */
  names?: readonly string[];
}

export interface SqliteWriteResult {
  changes: number;
  lastId: number | string;
}

/** One native connection with its settings and prepared statements. Every method except `whenFree` is synchronous. */
export class SqliteHandle {
  private readonly native: ProviderConnection;
  private readonly statements = new BoundedCache<Prepared>({ entries: CACHED_STATEMENTS });

  /** Creates a missing file (readable by its owner only) and its folder. @throws SqliteError */
  constructor(readonly file: string) {
    createPrivately(file);
    this.native = wrapErrors(() => new (loadSqlite().DatabaseSync)(file, { timeout: BUSY_TIMEOUT_MS }));
    // These belong to the connection, not to the file (except WAL), so they are set on every open.
    this.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    this.exec('PRAGMA journal_mode = WAL');
    this.exec('PRAGMA synchronous = NORMAL');
    this.exec('PRAGMA foreign_keys = ON');
  }

  exec(sql: string): void {
    wrapErrors(() => this.native.exec(sql));
  }

  all(sql: string, parameters?: unknown): Record<string, unknown>[] {
    return wrapErrors(() => {
      const statement = this.statement(sql);
      const rows = statement.native.all(...toSqliteParameters(parameters));
      return toObjects(rows, namesOf(statement));
    });
  }

  run(sql: string, parameters?: unknown): SqliteWriteResult {
    const result = wrapErrors(() => this.statement(sql).native.run(...toSqliteParameters(parameters)));
    return { changes: Number(result.changes), lastId: toExactNumber(result.lastInsertRowid) };
  }

  /**
   * Runs an attempt that needs the file's write lock, waiting for other processes without blocking the event loop:
   * SQLite's own waiting is off during the attempt, and the pauses are timers.
   */
  async runWhenFree<T>(attempt: () => T): Promise<T> {
    const deadline = performance.now() + BUSY_TIMEOUT_MS;
    for (let poll = 1; ; poll = Math.min(poll * 2, LONGEST_POLL_MS)) {
      try {
        return this.withoutWaiting(attempt);
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error;
      }
      await sleep(poll * (0.5 + Math.random() / 2));
    }
  }

  close(): void {
    this.statements.clear();
    wrapErrors(() => this.native.close());
  }

  private withoutWaiting<T>(attempt: () => T): T {
    this.exec('PRAGMA busy_timeout = 0');
    try {
      return attempt();
    } finally {
      this.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  private statement(sql: string): Prepared {
    const known = this.statements.get(sql);
    if (known) return known;
    const statement = this.prepare(sql);
    if (!ANY_COLUMNS.test(sql)) this.statements.set(sql, statement);
    return statement;
  }

  private prepare(sql: string): Prepared {
    const native = this.native.prepare(sql);
    native.setReadBigInts(true);
    native.setReturnArrays(true);
    return { native };
  }
}

// Read after the statement ran, because it may have been re-prepared.
function namesOf(statement: Prepared): readonly string[] {
  statement.names ??= statement.native.columns().map(({ name }) => name);
  return statement.names;
}

/** Creates an empty file that only its owner can read, if missing. SQLite gives -wal and -shm their database's mode. */
export function createPrivately(file: string): void {
  if (existsSync(file)) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, 'a', 0o600));
}

function wrapErrors<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw toSqliteError(error);
  }
}
