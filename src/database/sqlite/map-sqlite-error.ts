import type { DriverFault } from '../driver-fault.js';
import type { SqliteError } from './sqlite-error.js';

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
      return { kind: 'unique', ...violatedColumns(error) };
    case FOREIGN_KEY:
      return { kind: 'foreign-key', constraint: null };
    default:
      return { kind: 'fault' };
  }
}

// Only the message has the columns: `… failed: portal_apps.user_id, portal_apps.name_key`. The constraint's name
// follows from them, as in the schema builder.
function violatedColumns(error: SqliteError) {
  const qualified = (error.message.split('failed: ')[1] ?? '').split(', ').map((name) => name.split('.'));
  const table = qualified[0]?.[0] || null;
  const columns = qualified.flatMap(([, column]) => column ?? []);
  const constraint = error.errno === UNIQUE ? [table, ...columns].join('__') : 'PRIMARY';
  return { table, columns, constraint };
}
