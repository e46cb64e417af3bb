import { BoundedCache, type Clock } from '../../../core/index.js';
import type { Database } from '../../../database/index.js';
import {
  raiseLimits,
  readCountStarts,
  readPlanFacts,
  readPlanOverrides,
  readPlanText,
  type CountStart,
  type PlanLimits,
  type QuotaPeriod,
} from '../../catalog/index.js';

/** So many calls in any window of this length. */
export interface RateLimit {
  /** As in `RateLimit-Policy`. */
  readonly name: string;
  readonly max: number;
  readonly windowMs: number;
}

/** So many calls in a period. */
export interface QuotaLimit {
  readonly name: string;
  readonly max: number;
  /** Calls that pass: more than `max` with a grace. */
  readonly passing: number;
  readonly period: QuotaPeriod;
}

/** What the plan of a call allows. */
export interface PlanAllowance {
  readonly rates: readonly RateLimit[];
  readonly quotas: readonly QuotaLimit[];
  /** Calls beyond a limit pass and are marked. */
  readonly isSoft: boolean;
  /** All apps of an owner share it. */
  readonly isShared?: boolean | undefined;
  /** Day of the month on which anchored periods begin. */
  readonly day: number;
  /** What quotas count from; without one all that was called in their periods. */
  readonly countStart?: CountStart | undefined;
}

/** What the text of a plan names; null for no limits. */
interface NamedLimits {
  readonly plan: PlanAllowance | null;
  /** What holds instead, until it ends. */
  readonly raised: { readonly limits: PlanAllowance | null; readonly endsAt: Date | null } | null;
}

const NO_LIMITS: NamedLimits = { plan: null, raised: null };
const MOST_KEPT = 10_000;

/** Reads what plans allow. The text of a plan names only what never changes, so what was read once is kept. */
export class CallLimitsReader {
  private readonly known = new BoundedCache<NamedLimits>({ entries: MOST_KEPT });

  constructor(private readonly parts: { readonly database: Database; readonly clock: Clock }) {}

  /**
   * @param text of the plan, as the gateway keeps it
   * @returns null for a plan without limits, and for a text that names no plan
   * @throws DatabaseUnavailableError
   */
  async limitsOf(text: string): Promise<PlanAllowance | null> {
    const { plan, raised } = this.known.get(text) ?? (await this.known.read(text, () => this.read(text)));
    if (!raised || (raised.endsAt !== null && raised.endsAt <= this.parts.clock.now())) return plan;
    return raised.limits;
  }

  private async read(text: string): Promise<NamedLimits> {
    const { database } = this.parts;
    const terms = readPlanText(text);
    if (!terms) return NO_LIMITS;
    const facts = (await readPlanFacts(database, [terms.versionId])).get(terms.versionId);
    if (!facts) return NO_LIMITS;
    const from = { day: terms.day, countStart: await this.countStartOf(terms.resetId) };
    const plan = callLimits(facts.limits, from);
    if (terms.overrideId === null) return { plan, raised: null };
    const override = (await readPlanOverrides(database, [terms.overrideId])).get(terms.overrideId);
    if (!override) return { plan, raised: null };
    const limits = callLimits(raiseLimits(facts.limits, override), from);
    return { plan, raised: { limits, endsAt: override.endsAt } };
  }

  private async countStartOf(id: number | null): Promise<CountStart | undefined> {
    return id === null ? undefined : (await readCountStarts(this.parts.database, [id])).get(id);
  }
}

function callLimits(limits: PlanLimits, from: Pick<PlanAllowance, 'day' | 'countStart'>): PlanAllowance | null {
  const rates = [
    rate('per-second', limits.ratePerSecond, 1_000),
    rate('per-minute', limits.ratePerMinute, 60_000),
    rate('per-hour', limits.ratePerHour, 3_600_000),
  ].flat();
  const { gracePercent } = limits;
  const quotas = [
    quota('daily', limits.quotaPerDay, gracePercent, 'day'),
    quota('monthly', limits.quotaPerMonth, gracePercent, 'month'),
    quota('anchored-monthly', limits.quotaPerAnchoredMonth, gracePercent, 'anchoredMonth'),
  ].flat();
  if (rates.length + quotas.length === 0) return null;
  const { isShared } = limits;
  // A reset is that of one app.
  const { day, countStart } = isShared ? { ...from, countStart: undefined } : from;
  return { rates, quotas, isSoft: limits.enforcement === 'soft', isShared, day, countStart };
}

function rate(name: string, max: number | null, windowMs: number): RateLimit[] {
  return max === null ? [] : [{ name, max, windowMs }];
}

function quota(name: string, max: number | null, gracePercent: number, period: QuotaPeriod): QuotaLimit[] {
  return max === null ? [] : [{ name, max, passing: max + Math.floor((max * gracePercent) / 100), period }];
}
