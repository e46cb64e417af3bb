import { createHash } from 'node:crypto';
import type { Connection, ResultSetHeader, RowDataPacket } from 'mysql2';
import type { Options } from 'sequelize';
import type { DatabaseConfig } from '../config.js';
import type { Driver, RawRow, Session, SqlValue, WriteResult } from '../driver.js';
import { DatabaseUnavailableError } from '../errors.js';
import { connectionOptions, createMysqlDialectModule, prepareSession, mysql2 } from './mysql-connection.js';
import { run } from './run-mysql-statement.js';

/** A connection outside the pool, used both to hold a server lock and to work under it. */
class MysqlSession implements Session {
  private constructor(
    private readonly connection: Connection,
    private readonly database: string,
  ) {}

  static async open(config: DatabaseConfig): Promise<MysqlSession> {
    const options = connectionOptions(config);
    const connection = mysql2().createConnection(options);
    try {
      await new Promise<void>((resolve, reject) => {
        connection.once('error', reject);
        connection.connect((error) => (error ? reject(error) : resolve()));
      });
      await prepareSession(connection, 0);
    } catch (error) {
      connection.destroy();
      throw error;
    }
    // The next statement reports a lost connection; without a listener, the event would end the process.
    connection.on('error', () => undefined);
    return new MysqlSession(connection, options.database ?? '');
  }

  async select(sql: string, values: readonly SqlValue[] = []): Promise<RawRow[]> {
    return (await run(this.connection, sql, values)) as RowDataPacket[];
  }

  async execute(sql: string, values: readonly SqlValue[] = []): Promise<WriteResult> {
    const { affectedRows, insertId } = (await run(this.connection, sql, values)) as ResultSetHeader;
    return { affectedRows, insertId };
  }

  // DDL commits implicitly on MySQL and MariaDB; steps must be repeatable instead.
  unit<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  /** GET_LOCK survives the implicit commits of DDL and ends with the connection. Its names are global to the server. */
  async lock(purpose: string, wait: number): Promise<{ release(): Promise<void> }> {
    const digest = createHash('sha256').update(this.database).digest('hex').slice(0, 16);
    const name = `portalkit:${purpose}:${digest}`;
    const [row] = await this.select('SELECT GET_LOCK(?, ?) AS taken', [name, wait]);
    if (row?.taken !== 1) {
      const [holder] = await this.select('SELECT IS_USED_LOCK(?) AS connection', [name]);
      throw new DatabaseUnavailableError({
        message: `Another process has been migrating for ${wait} s: connection ${String(holder?.connection)} of the server holds the lock ${name}. Wait for it, or end it (KILL), and run again.`,
      });
    }
    return { release: async () => void (await this.select('SELECT RELEASE_LOCK(?) AS released', [name])) };
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.connection.end(() => resolve()));
  }
}

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
