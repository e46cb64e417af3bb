import type { Clock } from '../../core/index.js';
import type { Database } from '../../database/index.js';
import { appRecord, type GrantRecord } from '../apps/index.js';
import {
  callsBetween,
  countStartOf,
  isInForce,
  periodOf,
  planOverrideRecord,
  quotaResetRecord,
  raiseLimits,
  readPlanFacts,
  type CountStart,
  type PlanFacts,
  type PlanLimits,
  type PlanOverride,
  type QuotaPeriod,
} from '../catalog/index.js';
import { StoredCalls } from './limits/stored-calls.js';
import { findHeldVersions } from './usage-queries.js';
import { dayOf } from './usage.js';

/** How much of a quota is used. */
export interface QuotaUse {
  readonly period: QuotaPeriod;
  readonly limit: number;
  /** Calls in the present period that were allowed with a plan, by all keys of the app, or by all apps of its owner. */
  readonly used: number;
  readonly begins: Date;
  /** When it starts anew. */
  readonly ends: Date;
  /** Since when it counts, and why, where an admin let it start anew in the middle of the period. */
  readonly reset: Pick<CountStart, 'at' | 'reason'> | null;
  /** The latest reset, maybe of an earlier period; null for none. */
  readonly resetId: number | null;
}

/** A product of an app with its plan; keys that have the same plan share it. */
type HeldPlan = Pick<GrantRecord, 'productId' | 'slug' | 'name' | 'plan' | 'planDay'>;

export interface PlanUse extends Pick<HeldPlan, 'productId' | 'slug' | 'name'> {
  /** `limits.isShared` says whose calls use its quotas up. */
  readonly plan: PlanFacts;
  readonly quotas: readonly QuotaUse[];
}

const NO_CALLS = new Map<number, number>();
const NO_STARTS = new Map<number, CountStart>();

const QUOTAS: Readonly<Record<QuotaPeriod, keyof PlanLimits>> = {
  day: 'quotaPerDay',
  month: 'quotaPerMonth',
  anchoredMonth: 'quotaPerAnchoredMonth',
};

/**
 * Reads how much of their quotas apps have used, counted as the limits count: all keys of an app together, or all
 * apps of their owner where the plan says so.
 */
export class QuotaReader {
  constructor(private readonly parts: { readonly database: Database; readonly clock: Clock }) {}

  /** The plans with quotas that keys of the app have now, by the names of the products. */
  async ofApp(appId: number): Promise<PlanUse[]> {
    const held = await this.findHeld(appId);
    const quotas = await this.readUsed(appId, held);
    return held.flatMap(({ productId, slug, name, plan }, index) => {
      const used = quotas[index] ?? [];
      return plan && used.length > 0 ? [{ productId, slug, name, plan, quotas: used }] : [];
    });
  }

  /** @returns for each of `held`; none for a plan without quotas */
  async readUsed(appId: number, held: readonly Omit<HeldPlan, 'slug' | 'name'>[]): Promise<QuotaUse[][]> {
    const raised = await this.findRaised(appId);
    const limits = held.map(({ plan, productId }) => {
      const override = raised.get(productId);
      return plan && override ? raiseLimits(plan.limits, override) : plan?.limits;
    });
    const limited = held.filter((_, index) =>
      Object.values(QUOTAS).some((name) => typeof limits[index]?.[name] === 'number'),
    );
    const calls = await this.calls(appId, limited);
    const starts = limited.length === 0 ? NO_STARTS : await this.countStarts(appId);
    const now = this.parts.clock.now();
    return held.map(({ plan, productId, planDay }, index) =>
      (Object.keys(QUOTAS) as QuotaPeriod[]).flatMap((period) => {
        const limit = limits[index]?.[QUOTAS[period]];
        if (typeof limit !== 'number') return [];
        const { begins, ends } = periodOf(period, planDay ?? 1, now);
        const latest = starts.get(productId);
        // A reset is that of one app.
        const start = isShared(plan) ? undefined : latest;
        const [first, end] = [dayOf(begins), dayOf(ends)];
        const called = callsBetween(calls(plan).get(productId) ?? NO_CALLS, first, end);
        const used = Math.max(0, called - callsBetween(start?.calls ?? NO_CALLS, first, end));
        const reset = start && start.at >= begins ? { at: start.at, reason: start.reason } : null;
        return [{ period, limit, used, begins, ends, reset, resetId: latest?.id ?? null }];
      }),
    );
  }

  /** The calls that count towards a plan, by product id. */
  private async calls(appId: number, limited: readonly Pick<HeldPlan, 'plan' | 'productId'>[]) {
    const { database } = this.parts;
    const stored = new StoredCalls(this.parts);
    const idsOf = (shared: boolean) => [
      ...new Set(limited.flatMap(({ plan, productId }) => (isShared(plan) === shared ? productId : []))),
    ];
    const [alone, together] = [idsOf(false), idsOf(true)];
    const own = await stored.readEach({ appId }, alone);
    if (together.length === 0) return () => own;
    const { userId } = await appRecord.require(database, { id: appId }, { only: ['userId'] });
    const all = await stored.readEach({ userId }, together);
    return (plan: PlanFacts | null) => (isShared(plan) ? all : own);
  }

  /** What is raised for the app now, by the ids of products. */
  private async findRaised(appId: number): Promise<ReadonlyMap<number, PlanOverride>> {
    const { database, clock } = this.parts;
    const overrides = await planOverrideRecord.findAll(database, { appId, state: 'current' });
    const now = clock.now();
    return new Map(overrides.filter((one) => isInForce(one, now)).map((one) => [one.productId, one]));
  }

  /** What quotas of the app count from, by the ids of products. */
  private async countStarts(appId: number): Promise<ReadonlyMap<number, CountStart>> {
    const resets = await quotaResetRecord.findAll(this.parts.database, { appId, state: 'current' });
    return new Map(resets.map((reset) => [reset.productId, countStartOf(reset)]));
  }

  private async findHeld(appId: number): Promise<HeldPlan[]> {
    const rows = await findHeldVersions(this.parts.database, appId, this.parts.clock.now());
    const ids = rows.map(({ versionId }) => versionId);
    const plans = await readPlanFacts(this.parts.database, ids);
    return rows.map(({ versionId, ...row }) => ({ ...row, plan: plans.get(versionId) ?? null }));
  }
}

/** Whether all apps of an owner share what the plan allows. */
function isShared(plan: PlanFacts | null): boolean {
  return plan?.limits.isShared ?? false;
}
