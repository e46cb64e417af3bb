import { ConflictError, PortalError, ServiceUnavailableError, type PortalErrorOptions } from '../core/index.js';

export interface ConstraintDetails {
  /** The table, when the database or the constraint's name tells it. */
  table: string | null;
  /** Columns of the constraint in its order; empty when the database does not tell. */
  columns: readonly string[];
  /** Name of the constraint, the same on both dialects for the package's tables: `portal_apps__user_id__name_key`. */
  constraint: string | null;
}

/** A unique or primary key is taken. Domains turn it into a 422 on the field; uncaught it is a 409. */
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

/** A row points at nothing, or is still pointed at. SQLite does not say by which key, so `constraint` is null there. */
export class ForeignKeyViolationError extends ConflictError {
  static override readonly code: string = 'foreign_key_violation';

  constructor(
    readonly constraint: string | null,
    options: PortalErrorOptions = {},
  ) {
    super({ detail: `foreign key ${constraint ?? '(unnamed)'} is violated`, ...options });
  }
}

/** The statement or its data is wrong (syntax, NOT NULL, too long): a fault of the program, answered with 500. */
export class DatabaseError extends PortalError {
  static override readonly code: string = 'database_error';
}

/** The database is away, overloaded or too slow. */
export class DatabaseUnavailableError extends ServiceUnavailableError {
  static override readonly code: string = 'database_unavailable';

  constructor(options: PortalErrorOptions = {}) {
    super(2, options);
  }
}

/** The connection broke. What only reads, or has only begun, is done again on another one (R35). */
export class ConnectionLostError extends DatabaseUnavailableError {
  static override readonly code: string = 'database_connection_lost';
}

/** The work lost against another transaction (1213, 1205, 1020, SQLITE_BUSY). Doing it again from its start may succeed (R21). */
export class TransactionConflictError extends DatabaseUnavailableError {
  static override readonly code: string = 'transaction_conflict';
}

/** A migration broke off. Everything before the named step is done; running again starts with this migration. */
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
