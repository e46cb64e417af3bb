import { resolve } from 'node:path';
import { QueryTypes, Sequelize, type QueryOptions } from 'sequelize';
import { ConfigurationError, type Logger, type Tracer, type SpanFacts, type Step } from '../core/index.js';
import type { DatabaseConfig } from './config.js';
import { Database, retryWhenLost } from './database.js';
import type { Dialect, Driver } from './driver.js';
import { MysqlDriver } from './drivers/mysql-driver.js';
import { SqliteDriver } from './drivers/sqlite-driver.js';
import { mapDatabaseError } from './error-mapping.js';

const OPERATION = /^\s*(\w+)/;
const TABLE = /\b(?:FROM|INTO|UPDATE|TABLE)\s+[`"]?([A-Za-z_]\w{0,63})/;
/**
 * String literals in SQL; backslash escapes on MySQL only. An unterminated literal extends to the end, so that nothing
 * of it is traced and matching stays linear.
 */
const LITERALS = {
  mysql: /'(?:[^'\\]|\\[^]|'')*(?:'|\\?$)|"(?:[^"\\]|\\[^]|"")*(?:"|\\?$)/g,
  sqlite: /'(?:[^']|'')*(?:'|$)/g,
} as const;
const LONGEST_TEXT = 2_000;

/** The operation and its table, without any values. */
function describeStatement(dialect: Dialect, sql: string): Step & { readonly facts: SpanFacts } {
  const operation = OPERATION.exec(sql)?.[1]?.toUpperCase() ?? 'SQL';
  const table = TABLE.exec(sql)?.[1];
  const name = table === undefined ? operation : `${operation} ${table}`;
  const facts = { 'db.system.name': dialect, 'db.operation.name': operation, 'db.query.summary': name };
  return { name, kind: 'client', facts: { ...facts, ...(table && { 'db.collection.name': table }) } };
}

/** Wraps a driver with a span for each statement. Values are never part of one (S69). */
function traceDriver(driver: Driver, tracer: Tracer): Driver {
  const { dialect, sequelizeOptions, reader } = driver;
  const trace = <T>(sql: string, run: () => Promise<T>): Promise<T> => {
    const { facts, ...step } = describeStatement(dialect, sql);
    const text = sql.replace(LITERALS[dialect], '?').slice(0, LONGEST_TEXT);
    return tracer.step({ ...step, facts: { ...facts, 'db.query.text': text } }, run);
  };
  return {
    ...{ dialect, sequelizeOptions },
    ...(reader && {
      reader: {
        takes: (sql) => reader.takes(sql),
        select: (sql, values) => trace(sql, () => reader.select(sql, values)),
      },
    }),
    select: (connection, sql, values) => trace(sql, () => driver.select(connection, sql, values)),
    execute: (connection, sql, values) => trace(sql, () => driver.execute(connection, sql, values)),
    begin: (connection) => trace('BEGIN', () => driver.begin(connection)),
    commit: (connection) => trace('COMMIT', () => driver.commit(connection)),
    rollback: (connection) => trace('ROLLBACK', () => driver.rollback(connection)),
    discard: (connection) => driver.discard(connection),
    openSession: () => driver.openSession(),
    lockMigrations: (session, wait) => driver.lockMigrations(session, wait),
    close: () => driver.close(),
  };
}

export interface OpenDatabaseOptions {
  logger: Logger;
  /** Base folder for a relative SQLite file; the working directory by default. */
  root?: string;
  /** Traces every statement; none by default. */
  tracer?: Tracer | null;
}

/** Prepares the connection; the first statement opens it. @throws ConfigurationError for an invalid URL */
export function openDatabase(config: DatabaseConfig, { logger, root = '.', tracer }: OpenDatabaseOptions): Database {
  const plain = createDriver(config, root);
  const driver = tracer ? traceDriver(plain, tracer) : plain;
  const sequelize = new Sequelize({
    ...driver.sequelizeOptions,
    logging: false,
    timezone: '+00:00',
    pool: { ...config.pool },
    // Database.transaction does the retries; Sequelize's own would retry single statements.
    retry: { max: 1 },
    define: { underscored: true, charset: 'utf8mb4', collate: 'utf8mb4_unicode_ci' },
  });
  if (tracer) traceModels(sequelize, driver.dialect, tracer);
  mapErrorsOfModels(sequelize);
  return new Database(sequelize, driver, logger, config.statementTimeout);
}

function createDriver(config: DatabaseConfig, root: string): Driver {
  const [, scheme, rest] = /^(\w+):(.*)$/.exec(config.url) ?? [];
  if (scheme === 'sqlite' && rest && rest !== ':memory:') {
    return new SqliteDriver(resolve(root, rest.replace(/^\/\/(?=\/)/, '')));
  }
  if (scheme === 'mysql' || scheme === 'mariadb') return new MysqlDriver(config);
  throw new ConfigurationError(['database.url must be sqlite:<file> or mysql://user:password@host:port/name']);
}

// SQL text of models contains values: only the operation and the table are traced.
function traceModels(sequelize: Sequelize, dialect: Dialect, tracer: Tracer): void {
  const query = sequelize.query.bind(sequelize) as (sql: unknown, options?: QueryOptions) => Promise<unknown>;
  const traceQuery = (sql: unknown, options?: QueryOptions) => {
    const text = typeof sql === 'string' ? sql : (sql as { query: string }).query;
    return tracer.step(describeStatement(dialect, text), () => query(sql, options));
  };
  Object.assign(sequelize, { query: traceQuery });
}

// Every model query goes through this method, so domains never see an error of Sequelize or a driver, and a read
// survives the loss of an idle connection like `Database.select`. Exception: `findOrCreate` relies on Sequelize's own
// UniqueConstraintError. Use create and catch UniqueViolationError instead.
function mapErrorsOfModels(sequelize: Sequelize): void {
  const query = sequelize.query.bind(sequelize) as (sql: unknown, options?: QueryOptions) => Promise<unknown>;
  const queryMapped = (sql: unknown, options?: QueryOptions) => {
    const run = async () => {
      try {
        return await query(sql, options);
      } catch (error) {
        throw mapDatabaseError(error);
      }
    };
    return options?.type === QueryTypes.SELECT && !options.transaction ? retryWhenLost(run) : run();
  };
  Object.assign(sequelize, { query: queryMapped });
}
