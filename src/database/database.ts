import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Sequelize, Transaction } from 'sequelize';
import { systemClock, type Logger } from '../core/index.js';
import { decodeRows, type Decode } from './decode.js';
import { assertSqlValues, type Dialect, type Driver, type RawRow, type SqlValue, type WriteResult } from './driver.js';
import { ConnectionLostError, TransactionConflictError } from './errors.js';
import { mapDatabaseError } from './error-mapping.js';
import { DatabaseTransaction } from './transaction.js';

const ATTEMPTS = 4;
const LONGEST_JITTER_MS = 40;

export interface SelectOptions {
  decode?: Decode;
  transaction?: Transaction | undefined;
}

export interface ExecuteOptions {
  transaction?: Transaction | undefined;
}

/**
 * The portal's database: Sequelize models, raw statements that bypass its query layer, and transactions. Every database
 * error, model calls included, is mapped to one of `errors.ts`.
 */
export class Database {
  readonly dialect: Dialect;
  private readonly around = new AsyncLocalStorage<DatabaseTransaction>();
  /** Suffix of a raw SELECT whose rows are about to be changed; empty on SQLite, where transactions are exclusive anyway. */
  readonly forUpdate: '' | 'FOR UPDATE';

  /** @param retryFor milliseconds after its start during which a transaction may be retried */
  constructor(
    readonly sequelize: Sequelize,
    readonly driver: Driver,
    private readonly logger: Logger,
    private readonly retryFor: number,
  ) {
    this.dialect = driver.dialect;
    this.forUpdate = driver.dialect === 'sqlite' ? '' : 'FOR UPDATE';
  }

  /**
   * Rows of a SELECT as the driver returns them: integers as numbers (text beyond 2^53), columns named in `decode`
   * converted, the rest raw.
   * @throws DatabaseUnavailableError, DatabaseError
   */
  async select<Row = RawRow>(
    sql: string,
    values: readonly SqlValue[] = [],
    options: SelectOptions = {},
  ): Promise<Row[]> {
    assertSqlValues(values);
    const { decode, transaction = this.current } = options;
    const rows = transaction
      ? await runInTransaction(transaction, (connection) => this.driver.select(connection, sql, values))
      : await this.read(sql, values);
    return decodeRows(rows, decode) as Row[];
  }

  /**
   * One INSERT, UPDATE or DELETE. Outside a transaction it is retried after a lock conflict, like a transaction.
   * @throws UniqueViolationError, ForeignKeyViolationError, DatabaseUnavailableError, DatabaseError
   */
  async execute(sql: string, values: readonly SqlValue[] = [], options: ExecuteOptions = {}): Promise<WriteResult> {
    assertSqlValues(values);
    const { transaction = this.current } = options;
    const run = () => this.onConnection(transaction, (connection) => this.driver.execute(connection, sql, values));
    return transaction ? run() : this.runWithRetries(run);
  }

  /** A write through a model, retried like {@link execute}. */
  write<T>(
    run: (transaction: Transaction | undefined) => Promise<T>,
    transaction: Transaction | undefined = this.current,
  ): Promise<T> {
    return transaction
      ? rollBackWhenLost(transaction, () => run(transaction))
      : this.runWithRetries(() => run(undefined));
  }

  /**
   * Runs the callback in a transaction and commits it; when it throws, rolls back and rethrows. After a conflict with
   * another transaction the callback runs again in a new one (R21), so side effects belong in
   * `transaction.afterCommit`. Every statement inside must be given the transaction: with a pool of one, any other
   * waits for the connection that it holds (R25).
   * @throws TransactionConflictError (503) after the last attempt; the errors of the callback
   */
  async transaction<T>(run: (transaction: Transaction) => Promise<T>): Promise<T> {
    const around = this.current;
    if (around) return around.join(() => run(around));
    const { result, hooks } = await this.runWithRetries(() => this.attempt(run));
    for (const hook of hooks) {
      try {
        await hook();
      } catch (error) {
        // The work is committed: throwing now would tell the caller otherwise.
        this.logger.error({ err: error }, 'something to do after a commit failed');
      }
    }
    return result;
  }

  /**
   * Makes one transaction of everything that the callback does, whatever transactions its parts begin of their own: all of
   * it is there afterwards, or none. What is to follow a commit follows that of the whole. A part that fails fails the
   * whole, even where the callback swallows its error. As with {@link transaction}, the callback may run again.
   * On SQLite nobody else writes meanwhile.
   * @throws as {@link transaction}
   */
  together<T>(run: () => Promise<T>): Promise<T> {
    return this.transaction((transaction) => this.around.run(transaction as DatabaseTransaction, run));
  }

  /** The transaction of {@link together} that the caller is within. What goes on after its commit is outside of it. */
  private get current(): DatabaseTransaction | undefined {
    const transaction = this.around.getStore();
    return transaction?.finished === 'commit' ? undefined : transaction;
  }

  /**
   * Runs a step right before the transaction's COMMIT, so that contended locks are held as briefly as possible and no
   * other lock is awaited while holding them. A throw rolls back.
   */
  beforeCommit(transaction: Transaction, step: () => Promise<void>): void {
    if (!(transaction instanceof DatabaseTransaction)) throw new TypeError('the transaction is not one of Database');
    transaction.beforeCommit(step);
  }

  /** Waits for running statements, then closes every connection. */
  async close(): Promise<void> {
    await this.sequelize.close();
    await this.driver.close();
  }

  private async attempt<T>(run: (transaction: Transaction) => Promise<T>) {
    const transaction = await retryWhenLost(() => this.begin());
    let result: T;
    try {
      result = await run(transaction);
      await transaction.runLastSteps();
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
    await mapErrors(() => transaction.commit());
    return { result, hooks: transaction.takeHooks() };
  }

  private async begin(): Promise<DatabaseTransaction> {
    const transaction = new DatabaseTransaction(this.sequelize, this.driver);
    await mapErrors(() => transaction.begin());
    return transaction;
  }

  private async runWithRetries<T>(run: () => Promise<T>): Promise<T> {
    const start = performance.now();
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await run();
      } catch (error) {
        const hopeless = attempt >= ATTEMPTS || performance.now() - start > this.retryFor;
        if (!(error instanceof TransactionConflictError) || hopeless) throw error;
        this.logger.debug({ attempt, detail: error.detail }, 'a transaction lost a conflict and is done again');
      }
      await sleep(Math.random() * LONGEST_JITTER_MS * attempt);
    }
  }

  /** @throws DatabaseUnavailableError */
  async ping(): Promise<void> {
    await this.select('SELECT 1');
  }

  /** The server's current time, in milliseconds since 1970; on SQLite that of this machine. */
  async serverTime(): Promise<number> {
    if (this.dialect === 'sqlite') return systemClock.now().getTime();
    const [row] = await this.select('SELECT UNIX_TIMESTAMP(NOW(3)) AS seconds');
    return Number(row?.seconds) * 1_000;
  }

  /** Connections of the pool: open, in use, and waited for. */
  pool(): { readonly size: number; readonly used: number; readonly wanted: number } {
    const { pool } = this.sequelize.connectionManager as unknown as {
      pool: { size: number; using: number; waiting: number };
    };
    return { size: pool.size, used: pool.using, wanted: pool.waiting };
  }

  // The hottest path: every avoided promise is measurable.
  private async read(sql: string, values: readonly SqlValue[]): Promise<RawRow[]> {
    const { reader } = this.driver;
    if (reader?.takes(sql)) {
      try {
        return await reader.select(sql, values);
      } catch (error) {
        throw mapDatabaseError(error);
      }
    }
    return retryWhenLost(() => this.onPooled((connection) => this.driver.select(connection, sql, values)));
  }

  private onConnection<T>(transaction: Transaction | undefined, run: (connection: object) => Promise<T>): Promise<T> {
    return transaction ? runInTransaction(transaction, run) : this.onPooled(run);
  }

  private async onPooled<T>(run: (connection: object) => Promise<T>): Promise<T> {
    try {
      const manager = this.sequelize.connectionManager;
      const connection = await manager.getConnection({} as never);
      try {
        return await run(connection);
      } finally {
        manager.releaseConnection(connection);
      }
    } catch (error) {
      throw mapDatabaseError(error);
    }
  }
}

function runInTransaction<T>(transaction: Transaction, run: (connection: object) => Promise<T>): Promise<T> {
  return rollBackWhenLost(transaction, () => run((transaction as DatabaseTransaction).connection));
}

// The server has already rolled back the loser of a deadlock; further statements would be committed one by one. So the
// transaction ends here, even when the callback swallows the error.
async function rollBackWhenLost<T>(transaction: Transaction, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    const error = mapDatabaseError(cause);
    if (error instanceof TransactionConflictError) await transaction.rollback();
    throw error;
  }
}

/**
 * Retries idempotent work. Several idle connections of the pool may have been closed at once; the turn of the event
 * loop in between lets it notice.
 * @throws ConnectionLostError the third time
 */
export async function retryWhenLost<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof ConnectionLostError) || attempt === 3) throw error;
    }
    await setImmediate();
  }
}

async function mapErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw mapDatabaseError(error);
  }
}
