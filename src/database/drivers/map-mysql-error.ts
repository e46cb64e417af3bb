import type { DriverFault } from '../driver-fault.js';

export interface MysqlError extends Error {
  code?: string;
  errno?: number;
  sqlState?: string;
  sqlMessage?: string;
  /** The connection is unusable. Errors of statements sent after that carry no other hint. */
  fatal?: boolean;
}

/** Deadlock, lock wait timeout, ER_CHECKREAD of MariaDB's snapshot isolation: retrying the transaction may succeed (R21). */
const CONFLICTS = new Set([1213, 1205, 1020]);

/**
 * Too many connections (total, per user), shutting down, killed, statement time limits of MariaDB and MySQL, read-only,
 * access denied, no such database; and a full disk (R28), for tables and temporary files.
 */
const UNAVAILABLE = new Set([
  ...[1040, 1203, 1226, 1053, 1927, 1317, 1969, 3024, 1290, 1836, 1045, 1049],
  ...[1021, 1114, 1026, 3],
]);

/** Duplicate, syntax, truncated or incorrect value, MariaDB's CHECK: their messages repeat the value. */
const REVEALING = new Set([1062, 1064, 1265, 1292, 1366, 1411, 1525, 4025]);

/** Client-side errors: the connection is gone or does not respond. */
const CONNECTION_CODES =
  /^(PROTOCOL_|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ESOCKET|HANDSHAKE_|ER_SERVER_SHUTDOWN|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|ERR_TLS)/;

/** The server closed an idle connection: by wait_timeout, KILL, or a restart. */
const LOST = new Set(['PROTOCOL_CONNECTION_LOST', 'ECONNRESET', 'EPIPE', 'ER_CLIENT_INTERACTION_TIMEOUT']);

export function isMysqlError(error: Error): error is MysqlError {
  const { code, sqlState, errno, fatal } = error as MysqlError;
  if (fatal === true || sqlState !== undefined) return true;
  return typeof code === 'string' && (typeof errno === 'number' || code.startsWith('PROTOCOL_'));
}

export function mapMysqlError(error: MysqlError): DriverFault {
  // mysql2 has no code for some numbers of MariaDB (1969), and no number for client-side errors.
  const number = error.errno ?? 0;
  const code = error.code ?? (error.fatal && number === 0 ? 'PROTOCOL_CONNECTION_LOST' : '');
  if (LOST.has(code)) return { kind: 'lost' };
  if (number === 1062 || number === 1586) return { kind: 'unique', ...parseViolatedKey(error) };
  if (number === 1451 || number === 1452 || number === 1216 || number === 1217) {
    return { kind: 'foreign-key', constraint: readForeignKey(error) };
  }
  if (CONFLICTS.has(number)) return { kind: 'conflict' };
  if (UNAVAILABLE.has(number) || CONNECTION_CODES.test(code)) return { kind: 'unavailable' };
  return { kind: 'fault', revealing: REVEALING.has(number) };
}

// MariaDB: `Duplicate entry 'x' for key 'portal_users__email'`; MySQL 8 prefixes the key with `table.`. The entry may
// contain anything, hence the last quoted word.
function parseViolatedKey(error: MysqlError) {
  const quoted = /for key '([^']*)'$/.exec(error.sqlMessage ?? '')?.[1] ?? null;
  const constraint = quoted?.split('.').at(-1) ?? null;
  const [table, ...columns] = constraint?.split('__') ?? [];
  return { table: columns.length > 0 ? (table ?? null) : null, columns, constraint };
}

function readForeignKey(error: MysqlError): string | null {
  return /CONSTRAINT `([^`]+)`/.exec(error.sqlMessage ?? '')?.[1] ?? null;
}
