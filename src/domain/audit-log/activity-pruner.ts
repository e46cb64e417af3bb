import type { Database, Transaction } from '../../database/index.js';
import { currentActorContext, type Clock } from '../../core/index.js';
import type { ActivityChain } from './hash-chain/hash-chain.js';
import type { ChainEnds } from './hash-chain/chain-hash.js';
import type { ChainState } from './hash-chain/chain-state.js';
import type { ChainVerifier } from './hash-chain/chain-verifier.js';
import { BrokenLogError } from './errors.js';

export interface PruneReport {
  readonly removed: number;
  /** Activities up to this id were removed; 0 if never pruned. */
  readonly prunedId: number;
  /** Signed along with the end of the chain; the log continues from here. */
  readonly prunedHash: string;
}

interface PrunerParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly chain: Pick<ActivityChain, 'append'>;
  readonly head: ChainState;
  readonly verifier: Pick<ChainVerifier, 'verify'>;
}

/** Larger batches would block other writers for more than some tens of milliseconds. */
const BATCH = 2000;

/** Removes activities past their retention, from the start of the chain, and leaves a signed checkpoint. */
export class ActivityPruner {
  constructor(private readonly parts: PrunerParts) {}

  /**
   * @param before activities older than this go; a younger one keeps everything after it
   * @param force prunes even a broken chain, which removes the evidence, and signs its ends anew
   * @throws BrokenLogError naming the first fault of a broken chain
   */
  async prune(before: Date, { force = false }: { readonly force?: boolean } = {}): Promise<PruneReport> {
    const { head, verifier } = this.parts;
    const { fault } = await verifier.verify();
    if (fault && !force) throw new BrokenLogError(fault);
    const until = await this.lastOlderThan(before);
    let removed = 0;
    for (let first = true; ; first = false) {
      const done = await this.parts.database.transaction((transaction) =>
        this.removeBatch(until, force && first, transaction),
      );
      removed += done;
      if (done < BATCH) break;
    }
    if (removed > 0) await this.announce(before, removed);
    const { prunedId, prunedHash } = await head.read();
    return { removed, prunedId, prunedHash };
  }

  private async lastOlderThan(before: Date): Promise<number> {
    const { database, head } = this.parts;
    const sql = 'SELECT id FROM portal_activities WHERE created_at >= ? ORDER BY id LIMIT 1';
    const [kept] = await database.select<{ id: number }>(sql, [before]);
    return kept ? kept.id - 1 : (await head.read()).lastId;
  }

  private async removeBatch(until: number, reseal: boolean, transaction: Transaction): Promise<number> {
    const { database, head } = this.parts;
    const before = await head.lock(transaction);
    const next = 'SELECT id, hash FROM portal_activities WHERE id <= ? ORDER BY id LIMIT 1 OFFSET ?';
    const last = 'SELECT id, hash FROM portal_activities WHERE id <= ? ORDER BY id DESC LIMIT 1';
    type Row = { id: number; hash: string };
    const [full] = await database.select<Row>(next, [until, BATCH - 1], { transaction });
    const [end] = full ? [full] : await database.select<Row>(last, [until], { transaction });
    if (!end && !reseal) return 0;
    const { id: prunedId, hash: prunedHash } = end ?? { id: before.prunedId, hash: before.prunedHash };
    await head.allowRemoval(prunedId, transaction);
    const sql = 'DELETE FROM portal_activities WHERE id <= ?';
    const { affectedRows } = await database.execute(sql, [prunedId], { transaction });
    await head.allowRemoval(0, transaction);
    const { isSealed, ...ends } = { ...before, prunedId, prunedHash };
    if (reseal)
      await head.move({ isSealed: true }, { ...ends, ...(await this.realEnd(ends, transaction)) }, transaction);
    else await head.move({ isSealed }, ends, transaction);
    return affectedRows;
  }

  // If the end was cut off, the chain continues from what is left.
  private async realEnd({ prunedId, prunedHash }: ChainEnds, transaction: Transaction) {
    const sql = 'SELECT id AS lastId, hash AS lastHash FROM portal_activities ORDER BY id DESC LIMIT 1';
    const [row] = await this.parts.database.select<Pick<ChainEnds, 'lastId' | 'lastHash'>>(sql, [], { transaction });
    return row ?? { lastId: prunedId, lastHash: prunedHash };
  }

  private async announce(before: Date, removed: number): Promise<void> {
    const { database, clock, chain } = this.parts;
    const { person, request } = currentActorContext();
    const changes = { before: [null, before.toISOString()], removed: [0, removed] } as const;
    const about = { action: 'activities.pruned', subject: null, ownerId: null, changes, occurredAt: clock.now() };
    const from = {
      ip: request?.ip ?? null,
      userAgent: request?.userAgent ?? null,
      requestId: request?.requestId ?? null,
    };
    await database.transaction((transaction) => chain.append([{ ...about, actor: person, ...from }], transaction));
  }
}
