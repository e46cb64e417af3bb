import { defineRecord, fieldOf, type Database } from '../database/index.js';
import { addSeconds, BoundedCache, latestEnd, type Clock } from '../core/index.js';
import { removeRows } from './limit-rows.js';
import type {
  AttemptOutcome,
  AttemptRule,
  ConsumeOutcome,
  LimitStore,
  Reservation,
  ReserveOutcome,
} from './limit-store.js';

const clearingRecord = defineRecord({
  name: 'LimitClearing',
  table: 'portal_limit_clearings',
  alias: 'c',
  fields: { limitKey: fieldOf.text(255).key(), clearedAt: fieldOf.time() },
});
/** Much longer than a locked-out person takes to try again. */
const KEPT_S = 86_400;
const MOST_KEYS = 10_000;

interface ClearingParts {
  /** Counts in this process only. */
  readonly store: LimitStore;
  readonly database: Database;
  readonly clock: Clock;
}

/**
 * Lets another process, such as the command line, clear in-memory limits: a clearing is recorded in the database, and
 * checked before a request is refused because of a lock. Otherwise limits cost no query.
 */
export class AnnouncedClearings implements LimitStore {
  /** Per key, the last clearing applied: when it was announced, in milliseconds. */
  private readonly followed = new BoundedCache<number>({ entries: MOST_KEYS });
  /** Per locked key, when it last counted a failure here, in milliseconds. */
  private readonly failedAt = new BoundedCache<number>({ entries: MOST_KEYS });

  constructor(private readonly parts: ClearingParts) {}

  consume(key: string, max: number, window: number): Promise<ConsumeOutcome> {
    return this.parts.store.consume(key, max, window);
  }

  async reserve(rules: readonly AttemptRule[]): Promise<ReserveOutcome> {
    const outcome = await this.parts.store.reserve(rules);
    if (outcome.granted) return outcome;
    const locks = rules.filter(({ lockout }) => lockout).map(({ key }) => key);
    return locks.length > 0 && (await this.follow(locks)) ? this.parts.store.reserve(rules) : outcome;
  }

  settle(reservation: Reservation, outcome: AttemptOutcome): Promise<void> {
    const now = this.parts.clock.now().getTime();
    const locks = outcome === 'failed' ? reservation.rules.filter(({ lockout }) => lockout) : [];
    for (const { key } of locks) this.failedAt.set(key, now);
    return this.parts.store.settle(reservation, outcome);
  }

  async clear(keys: readonly string[]): Promise<void> {
    const { store, database, clock } = this.parts;
    await store.clear(keys);
    const now = clock.now();
    for (const key of keys) this.followed.set(key, now.getTime());
    await database.transaction(async (transaction) => {
      await clearingRecord.remove(database, { limitKey: keys }, transaction);
      const rows = keys.map((limitKey) => ({ limitKey, clearedAt: now }));
      await clearingRecord.insertAll(database, rows, transaction);
    });
    await removeRows(database, clearingRecord.table, 'cleared_at', addSeconds(now, -KEPT_S));
  }

  // A failure in the future was counted before the clock was set back.
  private hasFailedBefore(key: string, at: Date): boolean {
    const failedAt = this.failedAt.get(key) ?? 0;
    return failedAt <= at.getTime() || failedAt > latestEnd(this.parts.clock.now(), 0).getTime();
  }

  /**
   * Applies each clearing once, and only to earlier counts.
   * @returns whether anything counted here was cleared elsewhere
   */
  private async follow(keys: readonly string[]): Promise<boolean> {
    const { store, database } = this.parts;
    const rows = await clearingRecord.findAll(database, { limitKey: keys });
    const unseen = rows.filter(
      ({ limitKey, clearedAt }) =>
        this.followed.get(limitKey) !== clearedAt.getTime() && this.hasFailedBefore(limitKey, clearedAt),
    );
    for (const { limitKey, clearedAt } of unseen) this.followed.set(limitKey, clearedAt.getTime());
    await store.clear(unseen.map(({ limitKey }) => limitKey));
    return unseen.length > 0;
  }
}
