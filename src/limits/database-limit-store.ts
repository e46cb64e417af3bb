import type { Database } from '../database/index.js';
import type { Clock, Logger } from '../core/index.js';
import { CounterTable } from './counter-table.js';
import { LedgerTable } from './ledger-table.js';
import type { AttemptOutcome, Reservation } from './limit-store.js';
import { SharedLimitStore } from './shared-limit-store.js';

const TIDY_EVERY_MS = 60_000;

export interface DatabaseLimitStoreParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Limits as rows of the database (S15). Never to be asked inside a transaction of the caller: each step has one of its own,
 * which with a pool of one would wait for it (R25).
 */
export class DatabaseLimitStore extends SharedLimitStore {
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

  /** Now and then removes rows that have run out. What cannot be tidied now is tidied later: no login fails for it. */
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
