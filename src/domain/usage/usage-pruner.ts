import { Op, type Database } from '../../database/index.js';
import { addSeconds, type Clock } from '../../core/index.js';
import { usageBatchRecord, usageFileRecord } from './answers/answer.js';
import { REMEMBER_REPORTS_S } from './answers/report-intake.js';
import { usageAlertRecord } from './limits/usage-alert.js';
import type { UsageConfig } from './config.js';
import {
  COUNT_TABLES,
  dayOf,
  HOURS_OF_DAY,
  oldestIn,
  removeCounts,
  usageFlushRecord,
  type CountTable,
} from './usage.js';

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
    const lastDay = dayOf(addSeconds(now, -settings.days));
    const refusals = { table: 'portal_usage_refusals', unit: 'hour' } as const;
    for (const counted of [...COUNT_TABLES, refusals]) {
      await this.removeUntil(counted.unit === 'hour' ? hour : lastDay, counted, stopping);
    }
    await usageBatchRecord.remove(database, { receivedAt: { [Op.lte]: addSeconds(now, -REMEMBER_REPORTS_S) } });
    // Whatever such a log holds is too old by now to be imported once more.
    await usageFileRecord.remove(database, { importedAt: { [Op.lte]: addSeconds(now, -settings.days) } });
    await usageAlertRecord.remove(database, { endsOn: { [Op.lte]: lastDay } });
    await usageFlushRecord.remove(database, { flushedAt: { [Op.lte]: addSeconds(now, -settings.hours) } });
  }

  private async removeUntil(end: number, counted: CountTable, stopping: AbortSignal): Promise<void> {
    const { database } = this.parts;
    while (!stopping.aborted) {
      const first = await oldestIn(database, counted);
      if (first === null || first >= end) return;
      await removeCounts(database, counted, `${counted.unit} = ?`, [first]);
    }
  }
}
