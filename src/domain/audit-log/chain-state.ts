import { defineRecord, fieldOf, type Database, type Transaction } from '../../database/index.js';
import { writeEnds } from './activity-queries.js';
import type { ChainEnds, ChainKeys } from './chain-hash.js';

interface Head extends ChainEnds {
  /** Whether the portal signed the seal, so nobody else moved the ends. */
  readonly isSealed: boolean;
}

const chainRecord = defineRecord({
  name: 'ActivityChain',
  table: 'portal_activity_chain',
  alias: 'h',
  fields: {
    id: fieldOf.id(),
    lastId: fieldOf.reference(),
    lastHash: fieldOf.text(64),
    prunedId: fieldOf.reference(),
    prunedHash: fieldOf.text(64),
    seal: fieldOf.text(64),
    /** Rows up to here may be removed; see `append-only-triggers.ts`. */
    pruneUntil: fieldOf.reference().hidden(),
  },
});

/** The one row that says where the chain starts and ends. Its lock orders activities across replicas. */
export class ChainState {
  constructor(
    private readonly database: Database,
    private readonly keys: ChainKeys,
  ) {}

  async read(): Promise<Head> {
    return this.select(false);
  }

  /** Held until the end of the transaction: take it last, and take no other contended lock afterwards. */
  async lock(transaction: Transaction): Promise<Head> {
    return this.select(true, transaction);
  }

  /**
   * Moves the ends. A tampered head keeps its broken seal: otherwise the next activity would hide a cut tail.
   * @param before as {@link lock} returned it
   */
  async move(before: Pick<Head, 'isSealed'>, ends: ChainEnds, transaction: Transaction): Promise<void> {
    const seal = before.isSealed ? this.keys.seal(ends) : 'broken';
    await writeEnds(this.database, ends, seal, transaction);
  }

  /** Allows removing rows up to `id` within this transaction, which must reset it to 0 before it commits. */
  async allowRemoval(id: number, transaction: Transaction): Promise<void> {
    await chainRecord.update(this.database, { id: 1 }, { pruneUntil: id }, transaction);
  }

  private async select(lock: boolean, transaction?: Transaction): Promise<Head> {
    const row = await chainRecord.find(this.database, { id: 1 }, { lock, transaction });
    if (!row) throw new Error('portal_activity_chain has lost its row: the activity log cannot go on');
    const { id: _, seal, ...ends } = row;
    return { ...ends, isSealed: this.keys.isSeal(seal, ends) };
  }
}
