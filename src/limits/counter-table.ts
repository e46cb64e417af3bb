import { placeholders, type Database } from '../database/index.js';
import { addSeconds, type Clock } from '../core/index.js';
import { secondsBetween } from './attempt-ledger.js';
import { removeRows, unlessPresent } from './limit-rows.js';
import type { ConsumeOutcome } from './limit-store.js';
import type { Counters } from './shared-limit-store.js';

const TABLE = 'portal_limit_counters';

/** Requests counted in fixed windows, as rows of `portal_limit_counters`. */
export class CounterTable implements Counters {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** One statement for a request in the middle of a window, a transaction for the first and for one too many. */
  async consume(key: string, max: number, window: number): Promise<ConsumeOutcome> {
    const now = this.clock.now();
    const latest = addSeconds(now, window);
    // A window that ends later than one begun now was written before the clock went back (R29).
    const { affectedRows } = await this.database.execute(
      `UPDATE ${TABLE} SET hits = hits + 1 WHERE limit_key = ? AND hits < ? AND ends_at > ? AND ends_at <= ?`,
      [key, max, now, latest],
    );
    return affectedRows === 1 ? { granted: true } : this.consumeAtEdge(key, max, now, latest);
  }

  async clear(keys: readonly string[]): Promise<void> {
    await this.database.execute(`DELETE FROM ${TABLE} WHERE limit_key IN (${placeholders(keys)})`, keys);
  }

  removeStale(now: Date): Promise<void> {
    return removeRows(this.database, TABLE, 'ends_at', now);
  }

  private consumeAtEdge(key: string, max: number, now: Date, latest: Date): Promise<ConsumeOutcome> {
    const { database } = this;
    return database.transaction(async (transaction) => {
      await database.execute(
        `INSERT INTO ${TABLE} (limit_key, hits, ends_at) VALUES (?, 0, ?) ${unlessPresent(database)}`,
        [key, latest],
        { transaction },
      );
      const [row] = await database.select<{ hits: number; endsAt: Date }>(
        `SELECT hits, ends_at AS endsAt FROM ${TABLE} WHERE limit_key = ? ${database.forUpdate}`,
        [key],
        { transaction, decode: { endsAt: 'date' } },
      );
      const isOver = row === undefined || row.endsAt <= now;
      const hits = isOver ? 0 : row.hits;
      const endsAt = isOver || row.endsAt > latest ? latest : row.endsAt;
      const granted = hits < max;
      await database.execute(
        `UPDATE ${TABLE} SET hits = ?, ends_at = ? WHERE limit_key = ?`,
        [hits + (granted ? 1 : 0), endsAt, key],
        { transaction },
      );
      return granted ? { granted } : { granted, retryAfter: secondsBetween(now.getTime(), endsAt.getTime()) };
    });
  }
}
