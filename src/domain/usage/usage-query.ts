import { ValidationError } from '../../core/index.js';
import type { SqlValue } from '../../database/index.js';
import { DAY_MS, HOUR_MS } from './usage.js';

export const USAGE_INTERVALS = ['day', 'hour'] as const;
export type UsageInterval = (typeof USAGE_INTERVALS)[number];

export const USAGE_GROUPS = ['product', 'outcome', 'credential', 'app'] as const;
export type UsageGrouping = (typeof USAGE_GROUPS)[number];

/** Which calls; all of these must hold. */
export interface UsageFilter {
  readonly appId?: number | undefined;
  readonly credentialId?: number | undefined;
  readonly productId?: number | undefined;
  /** The developer whose apps called. */
  readonly userId?: number | undefined;
}

/** Which of the calls that the portal decided about. */
export interface CallFilter extends UsageFilter {
  /** The smallest id of a version of a plan: 1 leaves out calls without a plan. */
  readonly planFrom?: number | undefined;
  /** 1: calls with plans that all apps of an account share; 0: with others. */
  readonly shared?: number | undefined;
}

/** When, in whole hours or days of UTC. */
export interface UsageRange {
  readonly interval: UsageInterval;
  /** Hours or days since 1970, the second one excluded. */
  readonly first: number;
  readonly end: number;
}

export interface AskedRange {
  readonly interval?: UsageInterval | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

const UNIT_MS = { hour: HOUR_MS, day: DAY_MS };
/** A day and a month, as charts begin. */
const USUAL = { hour: 24, day: 30 };
/** Enough for 400 days, and for 35 days of hours. */
const MOST_POINTS = 1_000;

/**
 * The hours or days that were asked for; without bounds the last 30 days, or 24 hours, up to now. @throws ValidationError on
 * `from` for a range that is empty or has more than 1000 of them
 */
export function usageRange({ interval = 'day', from, to }: AskedRange, now: Date): UsageRange {
  const unit = UNIT_MS[interval];
  const end = to ? Math.ceil(to.getTime() / unit) : Math.floor(now.getTime() / unit) + 1;
  const first = from ? Math.floor(from.getTime() / unit) : end - USUAL[interval];
  if (first >= end) throw new ValidationError({ from: ['from must be before to.'] });
  if (end - first > MOST_POINTS) {
    throw new ValidationError({ from: [`At most ${MOST_POINTS} ${interval}s can be asked for at once.`] });
  }
  return { interval, first, end };
}

/** When an hour or a day begins. */
export function startOf(interval: UsageInterval, number: number): Date {
  return new Date(number * UNIT_MS[interval]);
}

/** A condition of a WHERE clause with its values. */
export interface CallCondition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

const FILTERS: Readonly<Record<keyof CallFilter, string>> = {
  appId: 'u.app_id = ?',
  credentialId: 'u.credential_id = ?',
  productId: 'u.product_id = ?',
  planFrom: 'u.plan_version_id >= ?',
  // Whether a deleted version was shared is unknown.
  shared: 'u.plan_version_id NOT IN (SELECT id FROM portal_plan_versions WHERE is_shared <> ?)',
  userId: 'u.app_id IN (SELECT id FROM portal_apps WHERE user_id = ?)',
};

/** The filter as SQL on a table of calls called `u`. */
export function conditionOf(filter: CallFilter): CallCondition {
  const isOwned = filter.appId !== undefined || filter.userId !== undefined;
  const asked = Object.entries(filter).filter((entry): entry is [keyof CallFilter, number] => entry[1] !== undefined);
  return {
    // The calls of an app are few beside those of a product: the plus keeps SQLite from the index of the product.
    sql: ['1 = 1', ...asked.map(([name]) => (isOwned && name === 'productId' ? '+' : '') + FILTERS[name])].join(
      ' AND ',
    ),
    values: asked.map(([, value]) => value),
  };
}
