import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Connection, ConnectionOptions, QueryError } from 'mysql2';
import { ConfigurationError } from '../../core/index.js';
import type { DatabaseConfig } from '../config.js';
import { OutageDetector } from './outage-detector.js';
import { run } from './run-mysql-statement.js';

/**
 * The same on every server, whatever its my.cnf says (R35). No NO_BACKSLASH_ESCAPES: mysql2 escapes values with
 * backslashes.
 */
const SQL_MODE =
  'STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION';

/** The package, loaded on first use: a portal on SQLite does not need its 6 MB. */
export function mysql2(): typeof import('mysql2') {
  return createRequire(import.meta.url)('mysql2') as typeof import('mysql2');
}

/** @throws ConfigurationError for an invalid URL */
export function connectionOptions(config: DatabaseConfig): ConnectionOptions {
  return {
    ...addressOf(config.url),
    timezone: '+00:00',
    charset: 'utf8mb4_unicode_ci',
    supportBigNumbers: true,
    // Otherwise MariaDB's JSON would come parsed and MySQL's as text; `run` returns text for both.
    jsonStrings: true,
    connectTimeout: config.pool.acquire,
    // affectedRows counts matched rows, as SQLite does: conditional UPDATEs rely on it.
    flags: ['FOUND_ROWS'],
    // The server's limit of prepared statements (16 382) covers all connections together.
    maxPreparedStatements: 200,
    ...(config.tls.mode === 'verify' ? { ssl: tlsOptions(config.tls.caFile) } : {}),
  };
}

// Never repeats the URL, which contains the password.
function addressOf(text: string): ConnectionOptions {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url?.hostname || url.pathname.length < 2) {
    throw new ConfigurationError(['database.url must be mysql://user:password@host:port/name']);
  }
  // Ignoring something like ?ssl-mode=REQUIRED would promise encryption that does not happen.
  if (url.search) throw new ConfigurationError(['database.url takes no ?parameters: encryption is database.tls.mode']);
  try {
    return {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port || 3306),
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      database: decodeURIComponent(url.pathname.slice(1)),
    };
  } catch {
    throw new ConfigurationError(['database.url: write % in the user or password as %25 (percent-encoding)']);
  }
}

function tlsOptions(caFile: string | undefined) {
  return {
    rejectUnauthorized: true,
    verifyIdentity: true,
    minVersion: 'TLSv1.2',
    ...(caFile ? { ca: readFileSync(caFile, 'utf8') } : {}),
  };
}

/**
 * Session settings of a new connection, in one statement. READ COMMITTED instead of the server's REPEATABLE READ: a
 * locking read then sees what others have committed meanwhile, instead of failing with 1020 (MariaDB's snapshot
 * isolation) or using an old snapshot, and range locks do not block neighbouring inserts. Rows that must not change are
 * read with FOR UPDATE on either level. Needs row or mixed binary logging, the default of both servers.
 * @param timeout milliseconds for statements and for waiting on a row lock; 0 for no limit
 */
export async function prepareSession(connection: Connection, timeout: number): Promise<void> {
  // Slightly less than the client-side limit, which costs the connection.
  const limit = Math.floor(timeout * 0.9);
  const lockWait = timeout === 0 ? 60 : Math.max(1, Math.floor(timeout / 1000) - 1);
  // Comments of the form /*!80000 …*/ are read by MySQL only, those of the form /*M! …*/ by MariaDB only.
  await run(
    connection,
    `SET NAMES utf8mb4 COLLATE utf8mb4_unicode_ci, SESSION sql_mode = '${SQL_MODE}', SESSION time_zone = '+00:00',
     SESSION innodb_lock_wait_timeout = ${lockWait}
     /*!80000 , SESSION max_execution_time = ${limit} */ /*M! , SESSION max_statement_time = ${limit / 1000} */`,
    [],
  );
  await run(connection, 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED', []);
}

type Handler = (error: QueryError | null, ...results: unknown[]) => void;
type Send = (statement: unknown, ...rest: unknown[]) => unknown;
type TypeCast = Exclude<ConnectionOptions['typeCast'], boolean | undefined>;

/**
 * mysql2 with a client-side time limit on every statement of Sequelize's connections, because the server's own limit
 * does not help when the server is frozen (R06). A timed-out connection is destroyed: its answer may still arrive.
 * @param timeout milliseconds
 */
export function createMysqlDialectModule(timeout: number): object {
  const mysql = mysql2();
  const outages = new OutageDetector();
  return {
    ...mysql,
    // Sequelize's field reader is set per statement: set on the connection, it could not be turned off.
    createConnection({ typeCast, connectTimeout = timeout, ...options }: ConnectionOptions) {
      const connection = mysql.createConnection({ ...options, connectTimeout: outages.limit(connectTimeout) });
      connection.once('connect', () => outages.noteAnswer());
      connection.once('error', ({ code }: QueryError) => {
        if (code === 'ETIMEDOUT') outages.noteTimeout(connectTimeout);
      });
      const limits = { outages, timeout, typeCast: parseJsonColumns(typeCast) };
      const limited = connection as unknown as Record<'query' | 'execute', Send>;
      limited.query = withLimits(connection, limited.query.bind(connection), limits);
      limited.execute = withLimits(connection, limited.execute.bind(connection), limits);
      return connection;
    },
  };
}

/** Models expect parsed JSON, whatever the connection returns. */
function parseJsonColumns(typeCast: ConnectionOptions['typeCast']): TypeCast {
  return (field, next): unknown => {
    if (field.type !== 'JSON' && field.extendedFormat !== 'json') {
      return typeof typeCast === 'function' ? typeCast(field, next) : next();
    }
    const text = field.string('utf8');
    return text === null ? null : (JSON.parse(text) as unknown);
  };
}

interface Limits {
  readonly outages: OutageDetector;
  readonly timeout: number;
  readonly typeCast: TypeCast;
}

function withLimits(connection: Connection, send: Send, { outages, timeout, typeCast }: Limits): Send {
  return (statement, ...rest) => {
    const given = typeof statement === 'string' ? { sql: statement } : (statement as object);
    const options = { timeout: outages.limit(timeout), typeCast, ...given };
    const handler = rest.at(-1);
    if (typeof handler !== 'function') return send(options, ...rest);
    const onResult: Handler = (error, ...results) => {
      if (error?.code === 'PROTOCOL_SEQUENCE_TIMEOUT') {
        outages.noteTimeout(timeout);
        connection.destroy();
      } else if (error?.fatal !== true) outages.noteAnswer();
      (handler as Handler)(error, ...results);
    };
    return send(options, ...rest.slice(0, -1), onResult);
  };
}
