import { Op, type Database, type Transaction } from '../../database/index.js';
import { addSeconds, type Clock, type EventBus } from '../../core/index.js';
import { AppDeletedEvent } from '../apps/index.js';
import { COUNT_TABLES, HOURS_OF_DAY, oldestIn, removeCounts, usageErasureRecord } from './usage.js';

interface EraserParts {
  readonly database: Database;
  readonly clock: Clock;
}

/** So long may a process have counted, when an app was deleted, what it has not written yet. */
const WATCHED_S = 3_600;
const DAYS_PER_STEP = 50;

/**
 * Removes the calls of apps that are gone. The deletion leaves a note in its own transaction, so that nothing stays behind
 * whatever dies, and the rows are removed in steps afterwards.
 */
export class UsageEraser {
  constructor(private readonly parts: EraserParts) {}

  listen(events: EventBus<Transaction>): void {
    const { database, clock } = this.parts;
    events.within(AppDeletedEvent, async ({ app }, transaction) => {
      await usageErasureRecord.insert(database, { appId: app.id, deletedAt: clock.now() }, transaction);
    });
    events.on(AppDeletedEvent, ({ app }) => this.erase(app.id));
  }

  /** Once more for what was deleted recently: a flush may have come later than the deletion. */
  async run(stopping: AbortSignal): Promise<void> {
    const { database, clock } = this.parts;
    for (const { appId } of await usageErasureRecord.findAll(database, {}, { order: 'e.app_id' })) {
      if (stopping.aborted) return;
      const deletedAt = { [Op.lte]: addSeconds(clock.now(), -WATCHED_S) };
      await this.erase(appId);
      await usageErasureRecord.remove(database, { appId, deletedAt });
    }
  }

  private async erase(appId: number): Promise<void> {
    const { database } = this.parts;
    for (const counted of COUNT_TABLES) {
      const { unit } = counted;
      for (;;) {
        const first = await oldestIn(database, counted, 'app_id = ?', [appId]);
        if (first === null) break;
        const end = first + (unit === 'hour' ? HOURS_OF_DAY : DAYS_PER_STEP);
        await removeCounts(database, counted, `app_id = ? AND ${unit} < ?`, [appId, end]);
      }
    }
  }
}
