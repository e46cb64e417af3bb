import type { Database, Transaction } from '../../../database/index.js';
import type { ChainEnds, ChainKeys } from './chain-hash.js';

interface HeadRow extends ChainEnds {
  readonly seal: string;
}

interface Head extends ChainEnds {
  /** Whether the portal signed the seal, so nobody else moved the ends. */
  readonly isSealed: boolean;
}

const SELECT =
  'SELECT last_id AS lastId, last_hash AS lastHash, pruned_id AS prunedId, pruned_hash AS prunedHash, seal ' +
  'FROM portal_activity_chain WHERE id = 1';

/** The one row that says where the chain starts and ends. Its lock orders activities across replicas. */
export class ChainState {
  constructor(
    private readonly database: Database,
    private readonly keys: ChainKeys,
  ) {}

  async read(): Promise<Head> {
    return this.select('');
  }

  /** Held until the end of the transaction: take it last, and take no other contended lock afterwards. */
  async lock(transaction: Transaction): Promise<Head> {
    return this.select(this.database.forUpdate, transaction);
  }

  /**
   * Moves the ends. A tampered head keeps its broken seal: otherwise the next activity would hide a cut tail.
   * @param before as {@link lock} returned it
   */
  async move(before: Pick<Head, 'isSealed'>, ends: ChainEnds, transaction: Transaction): Promise<void> {
    const { lastId, lastHash, prunedId, prunedHash } = ends;
    const seal = before.isSealed ? this.keys.seal(ends) : 'broken';
    await this.database.execute(
      'UPDATE portal_activity_chain SET last_id = ?, last_hash = ?, pruned_id = ?, pruned_hash = ?, seal = ? WHERE id = 1',
      [lastId, lastHash, prunedId, prunedHash, seal],
      { transaction },
    );
  }

  /** Allows removing rows up to `id` within this transaction, which must reset it to 0 before it commits. */
  async allowRemoval(id: number, transaction: Transaction): Promise<void> {
    await this.database.execute('UPDATE portal_activity_chain SET prune_until = ? WHERE id = 1', [id], { transaction });
  }

  private async select(suffix: string, transaction?: Transaction): Promise<Head> {
    const [row] = await this.database.select<HeadRow>(`${SELECT} ${suffix}`, [], { transaction });
    if (!row) throw new Error('portal_activity_chain has lost its row: the activity log cannot go on');
    const { seal, ...ends } = row;
    return { ...ends, isSealed: this.keys.isSeal(seal, ends) };
  }
}
