import { types } from 'node:util';
import { BaseError, ConnectionError, TimeoutError } from 'sequelize';
import { PortalError } from '../core/index.js';
import {
  ConnectionLostError,
  DatabaseError,
  DatabaseUnavailableError,
  ForeignKeyViolationError,
  TransactionConflictError,
  UniqueViolationError,
} from './errors.js';
import { isMysqlError, mapMysqlError } from './drivers/map-mysql-error.js';
import { mapSqliteError, SqliteError } from './drivers/sqlite-error.js';
import type { DriverFault } from './driver-fault.js';

/**
 * Maps errors of Sequelize and the drivers to those of `errors.ts`; others are returned unchanged. Recognises errors by
 * class and number, never by their text.
 */
export function mapDatabaseError(error: unknown): unknown {
  if (error instanceof PortalError || !types.isNativeError(error)) return error;
  const cause = driverErrorOf(error);
  if (cause instanceof SqliteError) return toPortalError(mapSqliteError(cause), cause);
  if (isMysqlError(cause)) return toPortalError(mapMysqlError(cause), cause);
  if (error instanceof ConnectionError || error instanceof TimeoutError) {
    return new DatabaseUnavailableError({ detail: error.name, cause });
  }
  return error;
}

function toPortalError(
  fault: DriverFault,
  cause: Error & { code?: string | undefined; errno?: number | undefined },
): PortalError {
  const detail = `${cause.code ?? 'unknown'} (${cause.errno ?? 'no number'})`;
  switch (fault.kind) {
    case 'unique':
      return new UniqueViolationError(fault);
    case 'foreign-key':
      return new ForeignKeyViolationError(fault.constraint);
    case 'conflict':
      return new TransactionConflictError({ detail, cause });
    case 'lost':
      return new ConnectionLostError({ detail, cause });
    case 'unavailable':
      return new DatabaseUnavailableError({ detail, cause });
    case 'fault':
      return fault.revealing ? new DatabaseError({ detail }) : new DatabaseError({ detail, cause });
  }
}

// Sequelize keeps the driver's error as `parent` (queries) or `original` (connections).
function driverErrorOf(error: Error): Error {
  if (!(error instanceof BaseError)) return error;
  const { parent, original } = error as BaseError & { parent?: unknown; original?: unknown };
  if (types.isNativeError(parent)) return driverErrorOf(parent);
  return types.isNativeError(original) ? driverErrorOf(original) : error;
}
