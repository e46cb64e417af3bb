import { Op } from '../../../database/index.js';
import { AppQuotaResetEvent, appRecord } from '../../apps/index.js';
import { productRecord, quotaResetRecord } from '../../catalog/index.js';
import type { UsageConfig } from '../config.js';
import { AppQuotaReachedEvent } from '../events.js';
import type { PlanUse, QuotaReader, QuotaUse } from '../quota-reader.js';
import { findLimitedCallers } from '../usage-queries.js';
import { DAY_MS, dayOf, HOUR_MS, oldestOpenHour } from '../usage.js';
import { alertOnce, usageAlertRecord, type AlertParts, type UsageAlert } from './usage-alert.js';

interface QuotaAlertParts extends AlertParts {
  readonly quotas: Pick<QuotaReader, 'ofApp'>;
  readonly settings: UsageConfig;
}

/** How long after a call it may be written: a flush is at most a minute apart, a report may come much later. */
const LATE_MS = { verify: 2 * 60_000, reports: DAY_MS };

/** Alerts when an app has used a given percentage of a quota that refuses calls: once for each period, however often it is checked. */
export class QuotaAlerts {
  /** Milliseconds; null: this process has not looked yet, and does not know who has. */
  private lookedAt: number | null = null;
  private readonly thresholds: readonly number[];

  constructor(private readonly parts: QuotaAlertParts) {
    this.thresholds = [...new Set(parts.settings.alertAt.map(Number))].sort((a, b) => a - b);
  }

  /** A period that starts again is alerted again. */
  listen(): void {
    const { database, clock, events } = this.parts;
    events.within(AppQuotaResetEvent, async ({ app, product: slug }, transaction) => {
      const product = await productRecord.find(database, { slug }, { only: ['id'], transaction });
      if (!product) return;
      const isOpen = { endsOn: { [Op.gt]: dayOf(clock.now()) }, kind: { [Op.ne]: 'unusual' } } as const;
      const about = { appId: app.id, productId: product.id, ...isOpen };
      await usageAlertRecord.remove(database, about, transaction);
    });
  }

  /** Looks at the apps that called since the last time. @throws DatabaseUnavailableError */
  async run(stopping: AbortSignal): Promise<void> {
    if (this.thresholds.length === 0) return;
    const now = this.parts.clock.now();
    for (const appId of await this.callers(now)) {
      if (stopping.aborted) return;
      await this.look(appId, now);
    }
    this.lookedAt = now.getTime();
  }

  private callers(now: Date): Promise<number[]> {
    const { database, settings } = this.parts;
    const oldest = oldestOpenHour(now) * HOUR_MS;
    // A clock that was set back must not keep anybody waiting (R29).
    const last = this.lookedAt === null ? oldest : Math.min(this.lookedAt, now.getTime()) - LATE_MS[settings.source];
    const since = new Date(Math.max(oldest, last));
    return findLimitedCallers(database, since);
  }

  private async look(appId: number, now: Date): Promise<void> {
    const uses = await this.parts.quotas.ofApp(appId);
    const told = await this.toldOf([appId], now);
    const hard = uses.filter(({ plan }) => plan.limits.enforcement === 'hard');
    for (const use of hard.filter(({ plan }) => !plan.limits.isShared)) {
      await this.tellEach(appId, use, told);
    }
    const shared = hard.filter(({ plan }) => plan.limits.isShared);
    if (shared.length === 0) return;
    // What apps share is told once, whichever of them calls.
    const toldOfAny = await this.toldOf(await this.appsBeside(appId), now);
    for (const use of shared) await this.tellEach(appId, use, toldOfAny);
  }

  private async tellEach(appId: number, use: PlanUse, told: Set<string>): Promise<void> {
    for (const quota of use.quotas) {
      const reached = this.alertsOf(use, quota);
      const alerts = reached.filter((alert) => !told.has(nameOf(alert)));
      // One that was told covers those below it.
      if (alerts.length > 0 && alerts.at(-1) === reached.at(-1)) await this.tell(appId, use, quota, alerts);
      for (const alert of alerts) told.add(nameOf(alert));
    }
  }

  /** The alerts of these apps in windows that are still open. */
  private async toldOf(appIds: readonly number[], now: Date): Promise<Set<string>> {
    const isOpen = { appId: appIds, endsOn: { [Op.gt]: dayOf(now) } };
    return new Set((await usageAlertRecord.findAll(this.parts.database, isOpen)).map(nameOf));
  }

  /** The ids of all apps of its owner. */
  private async appsBeside(appId: number): Promise<number[]> {
    const { database } = this.parts;
    const app = await appRecord.find(database, { id: appId }, { only: ['userId'] });
    const apps = app ? await appRecord.findAll(database, { userId: app.userId }, { only: ['id'] }) : [];
    return apps.map(({ id }) => id);
  }

  /** One for each threshold that was reached, the highest last. */
  private alertsOf({ productId }: PlanUse, { period, limit, used, ends }: QuotaUse): Omit<UsageAlert, 'appId'>[] {
    const window = { productId, kind: period, quota: limit, endsOn: dayOf(ends) };
    const reached = this.thresholds.filter((threshold) => used > 0 && used * 100 >= threshold * limit);
    return reached.map((threshold) => ({ ...window, threshold }));
  }

  private tell(
    appId: number,
    { productId, slug: product, plan }: PlanUse,
    { period, limit, used, ends, resetId }: QuotaUse,
    alerts: readonly Omit<UsageAlert, 'appId'>[],
  ): Promise<void> {
    const threshold = alerts.at(-1)?.threshold ?? 0;
    const fact = { product, plan: plan.name, period, limit, used, threshold, ends };
    return alertOnce(
      this.parts,
      appId,
      alerts,
      (app, occurredAt) => new AppQuotaReachedEvent({ ...fact, app, occurredAt }),
      // What was read may have started anew since.
      async (transaction) => {
        const current = { appId, productId, state: 'current' } as const;
        const reset = await quotaResetRecord.find(this.parts.database, current, { only: ['id'], transaction });
        return (reset?.id ?? null) === resetId;
      },
    );
  }
}

function nameOf({ productId, kind, quota, threshold, endsOn }: Omit<UsageAlert, 'appId'>): string {
  return [productId, kind, quota, threshold, endsOn].join();
}
