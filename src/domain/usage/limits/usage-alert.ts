import {
  defineRecord,
  fieldOf,
  UniqueViolationError,
  type Database,
  type RowOf,
  type Transaction,
} from '../../../database/index.js';
import type { Clock, EventBus, PortalEvent } from '../../../core/index.js';
import { appRecord, type AppRecord } from '../../apps/index.js';
import type { QuotaPeriod } from '../../catalog/index.js';

/** What a developer was told, once for each window. */
export const usageAlertRecord = defineRecord({
  name: 'UsageAlert',
  table: 'portal_usage_alerts',
  alias: 'ua',
  fields: {
    appId: fieldOf.reference().key(),
    /** The first day, since 1970, behind the window. */
    endsOn: fieldOf.integer().key(),
    productId: fieldOf.reference().key(),
    kind: fieldOf.text<QuotaPeriod | 'unusual'>(16).key(),
    /** Calls; a quota that was raised is another one. 0 for unusual use. */
    quota: fieldOf.integer().key(),
    /** Percent; 0 for unusual use. */
    threshold: fieldOf.integer().key(),
    alertedAt: fieldOf.time(),
  },
});

export type UsageAlert = Omit<RowOf<typeof usageAlertRecord>, 'alertedAt'>;

export interface AlertParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
}

/**
 * Notes alerts of one app and announces them, in one transaction: whatever dies, there is both or neither. Does nothing if
 * one of them was noted before, or the app is gone.
 * @param isTrue asked once more, in the transaction
 * @throws DatabaseUnavailableError, and what listeners throw
 */
export async function alertOnce(
  { database, events, clock }: AlertParts,
  appId: number,
  alerts: readonly Omit<UsageAlert, 'appId'>[],
  announce: (app: AppRecord, occurredAt: Date) => PortalEvent,
  isTrue: (transaction: Transaction) => Promise<boolean> = () => Promise.resolve(true),
): Promise<void> {
  let isNoted = false;
  try {
    await database.transaction(async (transaction) => {
      const app = await appRecord.find(database, { id: appId }, { transaction });
      if (!app || !(await isTrue(transaction))) return;
      const alertedAt = clock.now();
      const rows = alerts.map((alert) => ({ appId, ...alert, alertedAt }));
      await usageAlertRecord.insertAll(database, rows, transaction);
      isNoted = true;
      await events.emit(announce(app, alertedAt), transaction);
    });
  } catch (error) {
    if (isNoted || !(error instanceof UniqueViolationError)) throw error;
  }
}
