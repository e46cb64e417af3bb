import { Transaction, type Sequelize } from 'sequelize';
import type { Driver } from './driver.js';
import { TransactionConflictError } from './errors.js';

type CommitHook = () => void | Promise<void>;
type LastStep = () => Promise<void>;

/** A connection of Sequelize; `uuid` identifies the transaction that owns it (SQLite opens one for each). */
type OwnedConnection = object & { uuid?: string | undefined };

/**
 * A transaction for Sequelize's models, driven by our own statements. Sequelize's class runs its commit hooks even when
 * COMMIT fails, fails the work when a hook throws after the commit, and prints to the console when a dead connection
 * cannot be rolled back.
 */
export class DatabaseTransaction extends Transaction {
  /** When set, Sequelize refuses queries of the transaction. */
  finished: 'commit' | 'rollback' | undefined;
  /** Set by Sequelize's constructor. */
  declare readonly id: string;

  private readonly hooks: CommitHook[] = [];
  private readonly lastSteps: LastStep[] = [];
  private owned: OwnedConnection | undefined;
  /** Of a part that {@link join} ran. */
  private failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly owner: Sequelize,
    private readonly driver: Driver,
  ) {
    super(owner, {});
  }

  async begin(): Promise<void> {
    const connection: OwnedConnection = await this.owner.connectionManager.getConnection({ uuid: this.id } as never);
    connection.uuid = this.id;
    this.owned = connection;
    try {
      await this.driver.begin(connection);
    } catch (error) {
      this.end('rollback', true);
      throw error;
    }
  }

  /** @throws TransactionConflictError when a conflict has ended it and the callback continued regardless */
  override async commit(): Promise<void> {
    if (this.finished) throw new TransactionConflictError({ detail: 'ended by a conflict that its callback ignored' });
    if (this.failure) {
      await this.rollback();
      throw this.failure.error;
    }
    try {
      await this.driver.commit(this.connection);
    } catch (error) {
      this.end('rollback', true);
      throw error;
    }
    this.end('commit', false);
  }

  /** Runs a transaction within this one, which cannot be committed any more once it throws. */
  async join<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      this.failure ??= { error };
      throw error;
    }
  }

  /** Never throws: if the rollback fails, the connection is destroyed, which makes the server roll back. */
  override async rollback(): Promise<void> {
    if (this.finished) return;
    try {
      await this.driver.rollback(this.connection);
      this.end('rollback', false);
    } catch {
      this.end('rollback', true);
    }
  }

  /** Runs once this attempt has committed; attempts that were rolled back and retried drop their hooks. */
  override afterCommit(hook: (transaction: this) => void | Promise<void>): void {
    this.hooks.push(() => hook(this));
  }

  /** Runs inside the transaction, after its callback and right before COMMIT; a throw rolls everything back. */
  beforeCommit(step: LastStep): void {
    this.lastSteps.push(step);
  }

  /** Steps may register further ones, which run as well. */
  async runLastSteps(): Promise<void> {
    for (let step = this.lastSteps.shift(); step; step = this.lastSteps.shift()) await step();
  }

  /** The hooks registered so far, in order; empties the list. */
  takeHooks(): CommitHook[] {
    return this.hooks.splice(0);
  }

  /** @throws Error after commit or rollback: the statement would run outside the transaction */
  get connection(): object {
    if (this.owned) return this.owned;
    throw new Error('the transaction has ended; its statements belong inside the callback');
  }

  private end(outcome: 'commit' | 'rollback', broken: boolean): void {
    const connection = this.owned;
    this.finished = outcome;
    this.owned = undefined;
    if (!connection) return;
    if (broken) this.driver.discard(connection);
    this.owner.connectionManager.releaseConnection(connection);
    connection.uuid = undefined;
  }
}
