import { Op, type Database } from '../../database/index.js';
import { addSeconds, type Clock } from '../../core/index.js';
import type { UsageConfig } from './config.js';
import { dayOf, HOURS_OF_DAY, usageDayRecord, usageFlushRecord, usageHourRecord, usageRefusalRecord } from './usage.js';

interface PrunerParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly settings: UsageConfig;
}

/** Removes what has been kept long enough, an hour or a day at a time, so that no lock is held for long. */
export class UsagePruner {
  constructor(private readonly parts: PrunerParts) {}

  async run(stopping: AbortSignal): Promise<void> {
    const { database, clock, settings } = this.parts;
    const now = clock.now();
    // Whole days: the sum of a day is never computed from a part of its hours.
    const hour = dayOf(addSeconds(now, -settings.hours)) * HOURS_OF_DAY;
    const oldestHour = async () =>
      (await usageHourRecord.find(database, {}, { only: ['hour'], order: 'h.hour', limit: 1 }))?.hour;
    await removeUntil(hour, stopping, oldestHour, (first) => usageHourRecord.remove(database, { hour: first }));
    const oldestRefusal = async () =>
      (await usageRefusalRecord.find(database, {}, { only: ['hour'], order: 'r.hour', limit: 1 }))?.hour;
    await removeUntil(hour, stopping, oldestRefusal, (first) => usageRefusalRecord.remove(database, { hour: first }));
    const oldestDay = async () =>
      (await usageDayRecord.find(database, {}, { only: ['day'], order: 'd.day', limit: 1 }))?.day;
    const lastDay = dayOf(addSeconds(now, -settings.days));
    await removeUntil(lastDay, stopping, oldestDay, (first) => usageDayRecord.remove(database, { day: first }));
    await usageFlushRecord.remove(database, { flushedAt: { [Op.lte]: addSeconds(now, -settings.hours) } });
  }
}

async function removeUntil(
  end: number,
  stopping: AbortSignal,
  oldest: () => Promise<number | undefined>,
  remove: (oldest: number) => Promise<unknown>,
): Promise<void> {
  while (!stopping.aborted) {
    const first = await oldest();
    if (first === undefined || first >= end) return;
    await remove(first);
  }
}
