import { mergeRows, type Database } from '../../database/index.js';
import type { Clock } from '../../core/index.js';
import { findCallers, sumDay } from './usage-queries.js';
import { dayOf, HOURS_OF_DAY, usageDayRecord, usageHourRecord } from './usage.js';

interface RollUpParts {
  readonly database: Database;
  readonly clock: Clock;
}

/** Days before the newest one that are summed up again, although they are over. */
const STILL_OPEN = 2;
/** Keeps transactions short, so that flushes get their turn. */
const APPS_PER_STEP = 100;

/**
 * Sums the hours up into days. A day is computed from its hours alone, again and again until no call can be added to it any
 * more, so a run that broke off or ran twice does no harm.
 */
export class UsageRollUp {
  constructor(private readonly parts: RollUpParts) {}

  async run(stopping: AbortSignal): Promise<void> {
    for (const day of await this.openDays()) {
      if (stopping.aborted) return;
      await this.sumUp(day);
    }
  }

  private async openDays(): Promise<number[]> {
    const { database, clock } = this.parts;
    const only = ['hour'] as const;
    const oldest = await usageHourRecord.find(database, {}, { only, order: 'h.hour', limit: 1 });
    if (!oldest) return [];
    const newest = await usageDayRecord.find(database, {}, { only: ['day'], order: 'd.day DESC', limit: 1 });
    const today = dayOf(clock.now());
    const first = Math.floor(oldest.hour / HOURS_OF_DAY);
    const from = newest ? Math.max(first, Math.min(newest.day, today) - STILL_OPEN) : first;
    return Array.from({ length: Math.max(0, today - from + 1) }, (_, index) => from + index);
  }

  private async sumUp(day: number): Promise<void> {
    const { database } = this.parts;
    const apps = await findCallers(database, day);
    for (let start = 0; start < apps.length; start += APPS_PER_STEP) {
      const rows = await sumDay(database, apps.slice(start, start + APPS_PER_STEP), day);
      await database.transaction((transaction) =>
        mergeRows(database, usageDayRecord, rows, { calls: 'replace' }, transaction),
      );
    }
  }
}
