import type { Clock } from '../../core/index.js';
import type { Database } from '../../database/index.js';
import { UsageNames } from './usage-names.js';
import {
  startOf,
  usageRange,
  type AskedRange,
  type UsageFilter,
  type UsageGrouping,
  type UsageRange,
} from './usage-query.js';
import { UsageSums, type UsageSum } from './usage-sums.js';
import { HOURS_OF_DAY, NONE, oldestOpenHour } from './usage.js';

export interface AskedUsage extends UsageFilter, AskedRange {
  /** Slug or id. */
  readonly product?: string | undefined;
  readonly groupBy?: UsageGrouping | undefined;
  /** The developer who looks: products that they may not know have no name. null: an admin. */
  readonly viewerId: number | null;
}

export interface CallCounts {
  readonly calls: number;
  readonly allowed: number;
}

export interface UsageGroup extends CallCounts {
  /** null: calls that belong to none, for example without a known product; and for outcomes. */
  readonly id: number | null;
  /** null: gone, or nothing that the viewer may know. */
  readonly name: string | null;
  /** Calls at each point. */
  readonly series: readonly number[];
}

/** Calls in a range of time. */
export interface UsageReport extends CallCounts {
  readonly interval: UsageRange['interval'];
  readonly from: Date;
  readonly to: Date;
  /** Every hour or day, in their order. */
  readonly points: readonly (CallCounts & { readonly start: Date })[];
  /** Those with most calls first; null where it was not asked for. */
  readonly groups: readonly UsageGroup[] | null;
  /** The calls of further groups. */
  readonly rest: CallCounts | null;
}

const MOST_GROUPS = 20;

/** Reads what was counted: sums and series for an app, a key, a product, a developer or the portal. */
export class UsageReader {
  private readonly names: UsageNames;

  constructor(private readonly parts: { readonly database: Database; readonly clock: Clock }) {
    this.names = new UsageNames(parts.database);
  }

  /** @throws ValidationError on `from` for a range that is none or too long, on `product` for one that the viewer may not know */
  async report({ viewerId, product, groupBy, interval, from, to, ...ids }: AskedUsage): Promise<UsageReport> {
    const now = this.parts.clock.now();
    const range = usageRange({ interval, from, to }, now);
    const productId = product === undefined ? ids.productId : await this.names.requireProduct(product, viewerId);
    const filter = { ...ids, productId };
    const sums = new UsageSums(this.parts.database, oldestOpenHour(now) / HOURS_OF_DAY);
    const points = pointsOf(await sums.byTime(filter, range), range);
    const totals = addUp(points);
    const bounds = { from: startOf(range.interval, range.first), to: startOf(range.interval, range.end) };
    const report = { interval: range.interval, ...bounds, ...totals, points };
    if (!groupBy) return { ...report, groups: null, rest: null };
    const groups = await this.groups(sums, { filter, range, groupBy, viewerId });
    const shown = addUp(groups);
    return { ...report, groups, rest: { calls: totals.calls - shown.calls, allowed: totals.allowed - shown.allowed } };
  }

  private async groups(sums: UsageSums, { filter, range, groupBy, viewerId }: GroupQuery): Promise<UsageGroup[]> {
    const largest = await sums.byGroup(filter, range, groupBy, MOST_GROUPS);
    const found = await sums.ofGroups(
      filter,
      range,
      groupBy,
      largest.map(({ group }) => group),
    );
    const ids = largest.flatMap(({ group }) => (typeof group === 'number' && group !== NONE ? group : []));
    const names = groupBy === 'outcome' ? new Map<number, string>() : await this.names.of(groupBy, ids, viewerId);
    return largest.map(({ group, calls, allowed }) => {
      const series = pointsOf(
        found.filter((sum) => sum.group === group),
        range,
      ).map((point) => point.calls);
      const counts = { calls, allowed, series };
      if (typeof group === 'string') return { id: null, name: group, ...counts };
      return { id: group === NONE ? null : group, name: names.get(group) ?? null, ...counts };
    });
  }
}

interface GroupQuery {
  readonly filter: UsageFilter;
  readonly range: UsageRange;
  readonly groupBy: UsageGrouping;
  readonly viewerId: number | null;
}

function pointsOf(
  sums: readonly Omit<UsageSum, 'group'>[],
  { interval, first, end }: UsageRange,
): UsageReport['points'] {
  const found = new Map(sums.map((sum) => [sum.bucket, sum]));
  return Array.from({ length: end - first }, (_, index) => {
    const { calls = 0, allowed = 0 } = found.get(first + index) ?? {};
    return { start: startOf(interval, first + index), calls, allowed };
  });
}

function addUp(counts: readonly CallCounts[]): CallCounts {
  return counts.reduce((sum, { calls, allowed }) => ({ calls: sum.calls + calls, allowed: sum.allowed + allowed }), {
    calls: 0,
    allowed: 0,
  });
}
