import { Op, type Database, type Transaction } from '../../database/index.js';
import { currentActorContext, PortalError, type Clock } from '../../core/index.js';
import { activityRecord } from './activity.js';
import type { ActivityChain } from './hash-chain.js';
import type { ChainEnds } from './chain-hash.js';
import type { ChainState } from './chain-state.js';
import type { ChainVerifier, ChainFault } from './chain-verifier.js';

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

/** The log was tampered with, so nothing is removed from it. */
class BrokenLogError extends PortalError {
  static override readonly code = 'activity_log_broken';
  static override readonly status = 409;

  constructor({ id, reason }: ChainFault) {
    super({ message: `The log is not as it was written (${id === null ? '' : `activity ${id}: `}${reason}).` });
  }
}

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
    const until = await this.findLastOlderThan(before);
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

  private async findLastOlderThan(before: Date): Promise<number> {
    const { database, head } = this.parts;
    const oldest = { only: ['id'], order: 'a.id', limit: 1 } as const;
    const kept = await activityRecord.find(database, { createdAt: { [Op.gte]: before } }, oldest);
    return kept ? kept.id - 1 : (await head.read()).lastId;
  }

  private async removeBatch(until: number, reseal: boolean, transaction: Transaction): Promise<number> {
    const { database, head } = this.parts;
    const before = await head.lock(transaction);
    const oldest = { only: ['id', 'hash'], order: 'a.id', limit: BATCH, transaction } as const;
    const end = (await activityRecord.findAll(database, { id: { [Op.lte]: until } }, oldest)).at(-1);
    if (!end && !reseal) return 0;
    const { id: prunedId, hash: prunedHash } = end ?? { id: before.prunedId, hash: before.prunedHash };
    await head.allowRemoval(prunedId, transaction);
    const removed = await activityRecord.remove(database, { id: { [Op.lte]: prunedId } }, transaction);
    await head.allowRemoval(0, transaction);
    const { isSealed, ...ends } = { ...before, prunedId, prunedHash };
    if (reseal)
      await head.move({ isSealed: true }, { ...ends, ...(await this.realEnd(ends, transaction)) }, transaction);
    else await head.move({ isSealed }, ends, transaction);
    return removed;
  }

  // If the end was cut off, the chain continues from what is left.
  private async realEnd({ prunedId, prunedHash }: ChainEnds, transaction: Transaction) {
    const newest = { only: ['id', 'hash'], order: 'a.id DESC', limit: 1, transaction } as const;
    const row = await activityRecord.find(this.parts.database, {}, newest);
    return row ? { lastId: row.id, lastHash: row.hash } : { lastId: prunedId, lastHash: prunedHash };
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
