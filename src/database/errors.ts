import { ConflictError, PortalError, ServiceUnavailableError, type PortalErrorOptions } from '../core/index.js';

export interface ConstraintDetails {
  /** The table, if the database or the constraint's name reveals it. */
  table: string | null;
  /** Columns of the constraint, in order; empty when the database does not report them. */
  columns: readonly string[];
  /** Name of the constraint, the same on both dialects for the package's tables: `portal_apps__user_id__name_key`. */
  constraint: string | null;
}

/** A unique or primary key already exists. Domains turn it into a 422 on the field; uncaught it is a 409. */
export class UniqueViolationError extends ConflictError {
  static override readonly code: string = 'unique_violation';

  readonly table: string | null;
  readonly columns: readonly string[];
  readonly constraint: string | null;

  constructor(details: ConstraintDetails, options: PortalErrorOptions = {}) {
    super({ detail: `unique constraint ${details.constraint ?? '(unnamed)'} is violated`, ...options });
    this.table = details.table;
    this.columns = details.columns;
    this.constraint = details.constraint;
  }
}

/**
 * A foreign key points to no row, or a row is still referenced. SQLite does not report the key, so `constraint` is null
 * there.
 */
export class ForeignKeyViolationError extends ConflictError {
  static override readonly code: string = 'foreign_key_violation';

  constructor(
    readonly constraint: string | null,
    options: PortalErrorOptions = {},
  ) {
    super({ detail: `foreign key ${constraint ?? '(unnamed)'} is violated`, ...options });
  }
}

/** The statement or its data is invalid (syntax, NOT NULL, too long): a bug, answered with 500. */
export class DatabaseError extends PortalError {
  static override readonly code: string = 'database_error';
}

/** The database is down, overloaded or too slow. */
export class DatabaseUnavailableError extends ServiceUnavailableError {
  static override readonly code: string = 'database_unavailable';

  constructor(options: PortalErrorOptions = {}) {
    super(2, options);
  }
}

/** The connection broke. Reads, and transactions that have only begun, are retried on another one (R35). */
export class ConnectionLostError extends DatabaseUnavailableError {
  static override readonly code: string = 'database_connection_lost';
}

/** A conflict with another transaction (1213, 1205, 1020, SQLITE_BUSY). Retrying from the start may succeed (R21). */
export class TransactionConflictError extends DatabaseUnavailableError {
  static override readonly code: string = 'transaction_conflict';
}

/** A migration failed. The steps before the named one are done; the next run starts with this migration. */
export class MigrationError extends PortalError {
  static override readonly code: string = 'migration_failed';

  constructor(
    readonly migration: string,
    direction: 'up' | 'down',
    readonly step: string,
    cause: unknown,
  ) {
    const action = direction === 'up' ? 'Migrating' : 'Rolling back';
    super({ message: `${action} ${migration} failed at ${step}: ${rootMessage(cause)}`, cause });
  }
}

function rootMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? rootMessage(error.cause) : error.message;
}
