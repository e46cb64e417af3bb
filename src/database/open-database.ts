import { resolve } from 'node:path';
import { QueryTypes, Sequelize, type QueryOptions } from 'sequelize';
import { ConfigurationError, type Logger, type Tracer } from '../core/index.js';
import type { DatabaseConfig } from './config.js';
import { Database, retryWhenLost } from './database.js';
import type { Dialect, Driver } from './driver.js';
import { mapDatabaseError } from './error-mapping.js';
import { MysqlDriver } from './drivers/mysql-driver.js';
import { SqliteDriver } from './drivers/sqlite-driver.js';
import { describeStatement, traceDriver } from './trace-driver.js';

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
