import type { PlanLimits } from './plan-version.js';

/**
 * When the longest period of a plan's quotas ends; now for a plan without any.
 * @param day of the month on which anchored periods begin; months that are shorter begin on their last day
 */
export function periodEnd(limits: PlanLimits, day: number | null, now: Date): Date {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const ends: Date[] = [];
  if (limits.quotaPerDay !== null) ends.push(new Date(Date.UTC(year, month, now.getUTCDate() + 1)));
  if (limits.quotaPerMonth !== null) ends.push(new Date(Date.UTC(year, month + 1, 1)));
  if (limits.quotaPerAnchoredMonth !== null) ends.push(nextAnchor(day ?? 1, now));
  return ends.reduce((latest, end) => (end > latest ? end : latest), now);
}

function nextAnchor(day: number, now: Date): Date {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const begins = anchorIn(year, month, day);
  return begins > now ? begins : anchorIn(year, month + 1, day);
}

function anchorIn(year: number, month: number, day: number): Date {
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month, Math.min(day, last)));
}
