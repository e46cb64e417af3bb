import type { Connection, ResultSetHeader, RowDataPacket } from 'mysql2';
import type { Options } from 'sequelize';
import type { DatabaseConfig } from '../config.js';
import type { Driver, RawRow, Session, SqlValue, WriteResult } from '../driver.js';
import { connectionOptions, createMysqlDialectModule, prepareSession } from './mysql-connection.js';
import { MysqlSession } from './mysql-session.js';
import { run } from './run-mysql-statement.js';

/** MySQL 8 and MariaDB through mysql2, on connections of Sequelize's pool. */
export class MysqlDriver implements Driver {
  readonly dialect = 'mysql' as const;
  readonly sequelizeOptions: Options;

  constructor(private readonly config: DatabaseConfig) {
    const { host, port, user, password, database, ...dialectOptions } = connectionOptions(config);
    const options: Options & { databaseVersion: string } = {
      dialect: 'mysql',
      dialectModule: createMysqlDialectModule(config.statementTimeout),
      host,
      port,
      username: user,
      password,
      database,
      dialectOptions,
      // Set in advance; otherwise Sequelize opens an extra connection to ask for it.
      databaseVersion: '8.0.0',
      hooks: { afterConnect: (connection) => prepareSession(connection as Connection, config.statementTimeout) },
    };
    this.sequelizeOptions = options;
  }

  async select(connection: object, sql: string, values: readonly SqlValue[]): Promise<RawRow[]> {
    return (await run(connection as Connection, sql, values)) as RowDataPacket[];
  }

  async execute(connection: object, sql: string, values: readonly SqlValue[]): Promise<WriteResult> {
    const { affectedRows, insertId } = (await run(connection as Connection, sql, values)) as ResultSetHeader;
    return { affectedRows, insertId };
  }

  async begin(connection: object): Promise<void> {
    await run(connection as Connection, 'START TRANSACTION', []);
  }

  async commit(connection: object): Promise<void> {
    await run(connection as Connection, 'COMMIT', []);
  }

  async rollback(connection: object): Promise<void> {
    await run(connection as Connection, 'ROLLBACK', []);
  }

  discard(connection: object): void {
    (connection as Connection).destroy();
  }

  openSession(): Promise<Session> {
    return MysqlSession.open(this.config);
  }

  async lockMigrations(session: Session, wait: number): Promise<{ release(): Promise<void> }> {
    return (session as MysqlSession).lock('migrate', wait);
  }

  async close(): Promise<void> {}
}
