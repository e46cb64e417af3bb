import { defineRecord, fieldOf, type Database } from '../database/index.js';
import { addSeconds, type Clock, type Logger } from '../core/index.js';
import { secondsBetween } from './attempt-ledger.js';
import { LedgerLimitStore, type Counters } from './ledger-limit-store.js';
import { LedgerTable } from './ledger-table.js';
import { removeRows, unlessPresent } from './limit-rows.js';
import type { AttemptOutcome, ConsumeOutcome, Reservation } from './limit-store.js';

const COUNTERS = 'portal_limit_counters';

const counterRecord = defineRecord({
  name: 'LimitCounter',
  table: COUNTERS,
  alias: 'c',
  fields: { limitKey: fieldOf.text(255).key(), hits: fieldOf.integer(), endsAt: fieldOf.time() },
});

const TIDY_EVERY_MS = 60_000;

export interface DatabaseLimitStoreParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Limits as rows of the database (S15). Never call it inside a transaction: each step opens its own, which with a pool
 * of one would deadlock (R25).
 */
export class DatabaseLimitStore extends LedgerLimitStore {
  private readonly tables: readonly { removeStale(now: Date): Promise<void> }[];
  private tidyAt = 0;

  constructor(private readonly parts: DatabaseLimitStoreParts) {
    const { database, clock } = parts;
    const ledgers = new LedgerTable(database, clock);
    const counters = new CounterTable(database, clock);
    super(ledgers, counters);
    this.tables = [ledgers, counters];
  }

  override async settle(reservation: Reservation, outcome: AttemptOutcome): Promise<void> {
    await super.settle(reservation, outcome);
    await this.tidy();
  }

  /** Occasionally removes expired rows. Failures are ignored until the next time: no login fails because of them. */
  private async tidy(): Promise<void> {
    const { clock, logger } = this.parts;
    const now = clock.now();
    if (Math.abs(now.getTime() - this.tidyAt) < TIDY_EVERY_MS) return;
    this.tidyAt = now.getTime();
    try {
      for (const table of this.tables) await table.removeStale(now);
    } catch (error) {
      logger.warn({ err: error }, 'limits that have run out were not removed');
    }
  }
}

/** Requests counted in fixed windows, as rows of `portal_limit_counters`. */
class CounterTable implements Counters {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** One statement for a request within a window, a transaction for the first one and for one too many. */
  async consume(key: string, max: number, window: number): Promise<ConsumeOutcome> {
    const now = this.clock.now();
    const latest = addSeconds(now, window);
    // A window that ends later than one starting now was written before the clock was set back (R29).
    const { affectedRows } = await this.database.execute(
      `UPDATE ${COUNTERS} SET hits = hits + 1 WHERE limit_key = ? AND hits < ? AND ends_at > ? AND ends_at <= ?`,
      [key, max, now, latest],
    );
    return affectedRows === 1 ? { granted: true } : this.consumeAtEdge(key, max, now, latest);
  }

  async clear(keys: readonly string[]): Promise<void> {
    await counterRecord.remove(this.database, { limitKey: keys });
  }

  removeStale(now: Date): Promise<void> {
    return removeRows(this.database, COUNTERS, 'ends_at', now);
  }

  private consumeAtEdge(key: string, max: number, now: Date, latest: Date): Promise<ConsumeOutcome> {
    const { database } = this;
    return database.transaction(async (transaction) => {
      await database.execute(
        `INSERT INTO ${COUNTERS} (limit_key, hits, ends_at) VALUES (?, 0, ?) ${unlessPresent(database)}`,
        [key, latest],
        { transaction },
      );
      const row = await counterRecord.find(database, { limitKey: key }, { transaction, lock: true });
      const isOver = row === null || row.endsAt <= now;
      const hits = isOver ? 0 : row.hits;
      const endsAt = isOver || row.endsAt > latest ? latest : row.endsAt;
      const granted = hits < max;
      await database.execute(
        `UPDATE ${COUNTERS} SET hits = ?, ends_at = ? WHERE limit_key = ?`,
        [hits + (granted ? 1 : 0), endsAt, key],
        { transaction },
      );
      return granted ? { granted } : { granted, retryAfter: secondsBetween(now.getTime(), endsAt.getTime()) };
    });
  }
}
