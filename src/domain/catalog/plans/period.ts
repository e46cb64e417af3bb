import type { PlanLimits } from './plan-version.js';

/** What a quota is counted over, in days of UTC. */
export type QuotaPeriod = 'day' | 'month' | 'anchoredMonth';

/**
 * The period that `now` is in.
 * @param day of the month on which anchored periods begin; months that are shorter begin on their last day
 */
export function periodOf(period: QuotaPeriod, day: number, now: Date): { readonly begins: Date; readonly ends: Date } {
  const [year, month, date] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  if (period === 'day') return makePeriod(Date.UTC(year, month, date), Date.UTC(year, month, date + 1));
  const startIn = (which: number) => (period === 'month' ? Date.UTC(year, which, 1) : anchorIn(year, which, day));
  const current = startIn(month) > now.getTime() ? month - 1 : month;
  return makePeriod(startIn(current), startIn(current + 1));
}

/** When the longest period of a plan's quotas ends; now for a plan without any. @param day as for {@link periodOf} */
export function periodEnd(limits: PlanLimits, day: number | null, now: Date): Date {
  const periods: QuotaPeriod[] = [];
  if (limits.quotaPerDay !== null) periods.push('day');
  if (limits.quotaPerMonth !== null) periods.push('month');
  if (limits.quotaPerAnchoredMonth !== null) periods.push('anchoredMonth');
  const ends = periods.map((period) => periodOf(period, day ?? 1, now).ends);
  return ends.reduce((latest, end) => (end > latest ? end : latest), now);
}

function anchorIn(year: number, month: number, day: number): number {
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(day, last));
}

function makePeriod(begins: number, ends: number) {
  return { begins: new Date(begins), ends: new Date(ends) };
}
