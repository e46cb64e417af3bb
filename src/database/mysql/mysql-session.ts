import { createHash } from 'node:crypto';
import type { Connection, ResultSetHeader, RowDataPacket } from 'mysql2';
import type { DatabaseConfig } from '../config.js';
import type { RawRow, Session, SqlValue, WriteResult } from '../driver.js';
import { DatabaseUnavailableError } from '../errors.js';
import { connectionOptions, mysql2, prepareSession } from './mysql-connection.js';
import { run } from './run-statement.js';

/** A connection beside the pool. What holds a lock of the server and what works under it are the same connection. */
export class MysqlSession implements Session {
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
    // A connection lost between two statements is told by the next one; without a listener it would end the process.
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

  // DDL commits implicitly on MySQL and MariaDB; steps have to be repeatable instead.
  unit<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  /** GET_LOCK survives the implicit commits of DDL and ends with the connection. Its names are the server's, not the database's. */
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
