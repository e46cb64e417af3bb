import { periodOf } from '../../catalog/index.js';
import { DAY_MS, type LimitReason } from '../usage.js';
import type { PlanAllowance, QuotaLimit, RateLimit } from './call-limits.js';

/** Where a caller stands with one limit, this call included; all times in whole seconds. */
export interface PolicyState {
  readonly name: string;
  readonly quota: number;
  readonly window: number;
  readonly remaining: number;
  /** Until there is room again, or the window or period is over. */
  readonly reset: number;
}

/** What the limits of its plan say to a call. */
export interface LimitDecision {
  readonly passes: boolean;
  /** Also of a call that passes beyond a limit: a soft one, or within the grace of a quota. */
  readonly exceeded: LimitReason | null;
  /** Names of the limits that it is beyond. */
  readonly violated: readonly string[];
  /** Seconds until another call may pass; null for one that passes. */
  readonly retryAfter: number | null;
  readonly policies: readonly PolicyState[];
}

/** Calls in the present window and in the one before. Windows are numbered from 1970. */
export interface WindowCount {
  readonly index: number;
  readonly current: number;
  readonly previous: number;
}

/** Days since 1970, the second one excluded. */
export interface DayRange {
  readonly first: number;
  readonly end: number;
}

/** What was counted before the call. */
export interface CountedBefore {
  /** For each rate. */
  readonly windows: readonly WindowCount[];
  /** For each quota: its period, and the calls in it. */
  readonly periods: readonly DayRange[];
  readonly used: readonly number[];
}

/** What one limit says to a call. */
interface PolicyDecision {
  readonly state: { -readonly [Name in keyof PolicyState]: PolicyState[Name] };
  readonly isQuota: boolean;
  readonly passes: boolean;
  readonly isBeyond: boolean;
}

/**
 * Decides about a call. Every limit must hold; the rate is that of a sliding window, estimated from two fixed ones.
 * {@link SharedCounts} decides by the same rules inside of Redis. Proxies ask before every call: nothing here is computed twice.
 */
export function judge(limits: PlanAllowance, before: CountedBefore, now: Date): LimitDecision {
  const time = now.getTime();
  const decisions: PolicyDecision[] = [];
  for (const [index, rate] of limits.rates.entries()) {
    decisions.push(judgeRate(rate, before.windows[index] ?? NO_CALLS, time));
  }
  for (const [index, quota] of limits.quotas.entries()) {
    decisions.push(judgeQuota(quota, before.periods[index] ?? NO_DAYS, before.used[index] ?? 0, time));
  }
  const passes = limits.isSoft || decisions.every((decision) => decision.passes);
  const policies = decisions.map(({ state }) => state);
  if (passes) for (const state of policies) state.remaining = Math.max(0, state.remaining - 1);
  // A refused call is beyond what refuses it; one that passes, beyond what it passes beyond.
  const beyond = decisions.filter((decision) => (passes ? decision.isBeyond : !decision.passes));
  return {
    passes,
    exceeded: reasonOf(beyond),
    violated: beyond.map(({ state }) => state.name),
    retryAfter: passes ? null : Math.max(...beyond.map(({ state }) => state.reset)),
    policies,
  };
}

export const NO_CALLS: WindowCount = { index: 0, current: 0, previous: 0 };
const NO_DAYS: DayRange = { first: 0, end: 0 };
const SECONDS_OF_DAY = DAY_MS / 1_000;

/** The count that belongs to the window of `now`. Of clocks that were set back a little, the window that has begun stays. */
export function windowAt(count: WindowCount, windowMs: number, now: number): WindowCount {
  const index = Math.floor(now / windowMs);
  if (count.index === index || count.index === index + 1) return count;
  return { index, current: 0, previous: count.index === index - 1 ? count.current : 0 };
}

/** The days of the periods of quotas, computed once in a day. */
export class Periods {
  private today = Number.NaN;
  private readonly known = new Map<string | number, DayRange>();

  /** For each quota. */
  rangesAt({ quotas, day }: PlanAllowance, now: Date): readonly DayRange[] {
    const today = Math.floor(now.getTime() / DAY_MS);
    if (today !== this.today) this.known.clear();
    this.today = today;
    return quotas.map(({ period }) => {
      const key = period === 'anchoredMonth' ? day : period;
      const known = this.known.get(key);
      if (known) return known;
      const { begins, ends } = periodOf(period, day, now);
      const range = { first: begins.getTime() / DAY_MS, end: ends.getTime() / DAY_MS };
      this.known.set(key, range);
      return range;
    });
  }
}

function reasonOf(beyond: readonly PolicyDecision[]): LimitReason | null {
  if (beyond.length === 0) return null;
  return beyond.some(({ isQuota }) => isQuota) ? 'quota_exceeded' : 'rate_exceeded';
}

function judgeRate({ name, max, windowMs }: RateLimit, count: WindowCount, now: number): PolicyDecision {
  const { index, current, previous } = windowAt(count, windowMs, now);
  const elapsed = Math.max(0, now - index * windowMs);
  const weighted = previous * (windowMs - elapsed) + current * windowMs;
  const passes = weighted + windowMs <= max * windowMs;
  const waitMs = passes ? windowMs - elapsed : computeWait(current, previous, max, windowMs, elapsed);
  const remaining = Math.max(0, Math.floor(max - weighted / windowMs));
  const reset = Math.max(1, Math.ceil(waitMs / 1_000));
  const state = { name, quota: max, window: windowMs / 1_000, remaining, reset };
  return { state, isQuota: false, passes, isBeyond: !passes };
}

/** Milliseconds until the estimate leaves room for one more call. */
function computeWait(current: number, previous: number, max: number, windowMs: number, elapsed: number): number {
  const room = max - 1 - current;
  if (room >= 0) return windowMs * (1 - room / previous) - elapsed;
  return windowMs - elapsed + windowMs * (1 - (max - 1) / current);
}

function judgeQuota({ name, max, passing }: QuotaLimit, days: DayRange, used: number, now: number): PolicyDecision {
  const window = (days.end - days.first) * SECONDS_OF_DAY;
  const reset = Math.ceil((days.end * DAY_MS - now) / 1_000);
  const state = { name, quota: max, window, remaining: Math.max(0, max - used), reset };
  return { state, isQuota: true, passes: used < passing, isBeyond: used >= max };
}
