import { createRequire } from 'node:module';

/** The subset of `node:sqlite` used here; `@photostructure/sqlite` provides the same for Node 20. */
export interface SqliteStatement {
  /** Rows as arrays: `setReturnArrays` is called for every statement. */
  all(...values: SqliteValue[]): unknown[][];
  run(...values: SqliteValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  setReadBigInts(enabled: boolean): void;
  setReturnArrays(enabled: boolean): void;
  columns(): { name: string }[];
}

export interface ProviderConnection {
  prepare(sql: string): SqliteStatement;
  exec(sql: string): void;
  close(): void;
}

export type SqliteValue = null | number | bigint | string | Uint8Array | Record<string, unknown>;

interface SqliteModule {
  StatementSync: { prototype: object };
  DatabaseSync: new (file: string, options?: { timeout?: number }) => ProviderConnection;
}

let loaded: SqliteModule | undefined;

/** Node's own SQLite when it supports all of this (22.16 and later), the package otherwise. Loaded on first use. */
export function loadSqlite(): SqliteModule {
  loaded ??= loadBuiltin() ?? (createRequire(import.meta.url)('@photostructure/sqlite') as SqliteModule);
  return loaded;
}

// Node 22 prints an experimental warning for its SQLite on every start; the part used here is stable, and the warning
// would show up in every command.
function loadBuiltin(): SqliteModule | undefined {
  const announce = process.emitWarning;
  process.emitWarning = () => undefined;
  try {
    const builtin = process.getBuiltinModule('node:sqlite') as SqliteModule | undefined;
    return builtin && 'setReturnArrays' in builtin.StatementSync.prototype ? builtin : undefined;
  } finally {
    process.emitWarning = announce;
  }
}
