import { defineRecord, fieldOf, mergeRows, type Database } from '../../../database/index.js';
import type { Clock, Logger } from '../../../core/index.js';
import { dayOf } from '../usage.js';

/** Calls of parts that end, by app and day. */
const deprecationCallRecord = defineRecord({
  name: 'DeprecationCall',
  table: 'portal_deprecation_calls',
  alias: 'dc',
  fields: {
    deprecationId: fieldOf.reference().key(),
    appId: fieldOf.reference().key(),
    day: fieldOf.integer().key(),
    calls: fieldOf.bigint(),
    /** Milliseconds since 1970. */
    lastAt: fieldOf.bigint(),
  },
});

interface EndingCallsParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Count {
  readonly deprecationId: number;
  readonly appId: number;
  readonly day: number;
  calls: number;
  lastAt: number;
}

/** Keeps memory small while the database cannot be written; more is not counted. */
const MOST = 20_000;

/**
 * Counts the callers of what will be switched off, in memory, and adds them to the database now and then. A killed process loses the last
 * seconds, which is acceptable: nobody is billed by these counts.
 */
export class EndingCalls {
  private counts = new Map<string, Count>();

  constructor(private readonly parts: EndingCallsParts) {}

  /** Never waits and never throws. @param app id as the gateway tells it */
  record(deprecationIds: readonly number[], app: string | undefined): void {
    const appId = Number(app ?? NaN);
    if (deprecationIds.length === 0 || !Number.isSafeInteger(appId)) return;
    const now = this.parts.clock.now();
    const day = dayOf(now);
    for (const deprecationId of deprecationIds) {
      const key = `${deprecationId} ${appId} ${day}`;
      const known = this.counts.get(key);
      if (known) {
        known.calls += 1;
        known.lastAt = now.getTime();
      } else if (this.counts.size < MOST) {
        this.counts.set(key, { deprecationId, appId, day, calls: 1, lastAt: now.getTime() });
      }
    }
  }

  /** Adds what was counted; what cannot be written is kept for the next time. @throws DatabaseUnavailableError */
  async flush(): Promise<void> {
    if (this.counts.size === 0) return;
    const counted = this.counts;
    this.counts = new Map();
    const rows = [...counted.values()].sort(
      (a, b) => a.deprecationId - b.deprecationId || a.appId - b.appId || a.day - b.day,
    );
    try {
      await this.parts.database.transaction((transaction) =>
        mergeRows(this.parts.database, deprecationCallRecord, rows, { calls: 'add', lastAt: 'larger' }, transaction),
      );
    } catch (error) {
      for (const [key, count] of counted) this.takeBack(key, count);
      throw error;
    }
  }

  /** Writes the rest. Never throws. */
  async close(): Promise<void> {
    try {
      await this.flush();
    } catch (error) {
      this.parts.logger.warn({ err: error }, 'calls of what ends could not be written');
    }
  }

  private takeBack(key: string, count: Count): void {
    const since = this.counts.get(key);
    if (!since) this.counts.set(key, count);
    else since.calls += count.calls;
  }
}
