import { types } from 'node:util';
import type { DriverFault } from '../driver-fault.js';

/** Primary result codes (https://sqlite.org/rescode.html) that callers distinguish; all others become SQLITE_ERROR. */
const CODES: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  18: 'SQLITE_TOOBIG',
  19: 'SQLITE_CONSTRAINT',
  26: 'SQLITE_NOTADB',
};

/**
 * A SQLite error in the form that Sequelize expects: `code` is the primary code and starts the message, because
 * Sequelize recognises constraints by both. `errno` is the extended code, which distinguishes NOT NULL from UNIQUE.
 */
export class SqliteError extends Error {
  readonly code: string;

  constructor(
    readonly errno: number,
    message: string,
    options?: ErrorOptions,
  ) {
    const code = CODES[errno & 0xff] ?? 'SQLITE_ERROR';
    super(`${code}: ${message}`, options);
    this.name = 'SqliteError';
    this.code = code;
  }
}

interface NativeError extends Error {
  /** node:sqlite */ errcode?: number;
  /** @photostructure/sqlite */ sqliteExtendedCode?: number;
  sqliteCode?: number;
}

/** @param error thrown by a provider; errors that are not SQLite's are returned unchanged */
export function toSqliteError(error: unknown): Error {
  if (!types.isNativeError(error)) return new Error(String(error));
  const { errcode, sqliteExtendedCode, sqliteCode } = error as NativeError;
  const errno = errcode ?? sqliteExtendedCode ?? sqliteCode;
  return errno === undefined || error instanceof SqliteError ? error : new SqliteError(errno, error.message);
}

export function isBusy(error: unknown): boolean {
  return error instanceof SqliteError && (error.code === 'SQLITE_BUSY' || error.code === 'SQLITE_LOCKED');
}

/** Extended result codes, https://sqlite.org/rescode.html */
const FOREIGN_KEY = 787;
const PRIMARY_KEY = 1555;
const UNIQUE = 2067;
const ROW_ID = 2579;

const UNAVAILABLE = new Set(['SQLITE_IOERR', 'SQLITE_FULL', 'SQLITE_CANTOPEN', 'SQLITE_READONLY']);

export function mapSqliteError(error: SqliteError): DriverFault {
  if (error.code === 'SQLITE_BUSY' || error.code === 'SQLITE_LOCKED') return { kind: 'conflict' };
  if (UNAVAILABLE.has(error.code)) return { kind: 'unavailable' };
  switch (error.errno) {
    case UNIQUE:
    case PRIMARY_KEY:
    case ROW_ID:
      return { kind: 'unique', ...parseViolatedColumns(error) };
    case FOREIGN_KEY:
      return { kind: 'foreign-key', constraint: null };
    default:
      return { kind: 'fault' };
  }
}

// Only the message has the columns: `… failed: portal_apps.user_id, portal_apps.name_key`. The constraint's name
// follows from them, as in the schema builder.
function parseViolatedColumns(error: SqliteError) {
  const qualified = (error.message.split('failed: ')[1] ?? '').split(', ').map((name) => name.split('.'));
  const table = qualified[0]?.[0] || null;
  const columns = qualified.flatMap(([, column]) => column ?? []);
  const constraint = error.errno === UNIQUE ? [table, ...columns].join('__') : 'PRIMARY';
  return { table, columns, constraint };
}
