import { Transaction, type Sequelize } from 'sequelize';
import type { Driver } from './driver.js';
import { TransactionConflictError } from './errors.js';

type CommitHook = () => void | Promise<void>;
type LastStep = () => Promise<void>;

/** A connection of Sequelize; `uuid` says that a transaction owns it, and which (SQLite opens one for each). */
type OwnedConnection = object & { uuid?: string | undefined };

/**
 * A transaction that Sequelize's models accept, driven by our own statements. Sequelize's class runs its commit hooks
 * also when COMMIT fails, ends the work with an error when a hook throws after the commit, and prints to the console when
 * a dead connection cannot be rolled back.
 */
export class DatabaseTransaction extends Transaction {
  /** Sequelize refuses queries of a transaction that has one. */
  finished: 'commit' | 'rollback' | undefined;
  /** Set by Sequelize's constructor. */
  declare readonly id: string;

  private readonly hooks: CommitHook[] = [];
  private readonly lastSteps: LastStep[] = [];
  private owned: OwnedConnection | undefined;

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

  /** @throws TransactionConflictError when a conflict has ended it and the callback went on regardless */
  override async commit(): Promise<void> {
    if (this.finished) throw new TransactionConflictError({ detail: 'ended by a conflict that its callback ignored' });
    try {
      await this.driver.commit(this.connection);
    } catch (error) {
      this.end('rollback', true);
      throw error;
    }
    this.end('commit', false);
  }

  /** Never throws: a connection that cannot be rolled back is thrown away, and with it the server's half of the work. */
  override async rollback(): Promise<void> {
    if (this.finished) return;
    try {
      await this.driver.rollback(this.connection);
      this.end('rollback', false);
    } catch {
      this.end('rollback', true);
    }
  }

  /** Runs once this very attempt has committed; attempts that were rolled back and done again drop their hooks. */
  override afterCommit(hook: (transaction: this) => void | Promise<void>): void {
    this.hooks.push(() => hook(this));
  }

  /** Runs inside the transaction, after its callback and right before COMMIT; a throw rolls everything back. */
  beforeCommit(step: LastStep): void {
    this.lastSteps.push(step);
  }

  /** Steps may register further ones; those run as well. */
  async runLastSteps(): Promise<void> {
    for (let step = this.lastSteps.shift(); step; step = this.lastSteps.shift()) await step();
  }

  /** The hooks registered so far, in order; empties the list. */
  takeHooks(): CommitHook[] {
    return this.hooks.splice(0);
  }

  /** @throws Error after commit or rollback: a statement then would run outside of what the caller believes in */
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
