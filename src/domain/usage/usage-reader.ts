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
  /** The developer who reads: products that they may not know about have no name. null: an admin. */
  readonly viewerId: number | null;
}

export interface CallCounts {
  readonly calls: number;
  readonly allowed: number;
}

/** Calls of one product, key, app or outcome. */
export interface UsageShare extends CallCounts {
  /** null: calls that belong to none, for example without a known product; and for outcomes. */
  readonly id: number | null;
  /** null: gone, or nothing that the viewer may know. */
  readonly name: string | null;
}

export interface UsageGroup extends UsageShare {
  /** Calls at each point. */
  readonly series: readonly number[];
}

/** Calls in a range of time. */
export interface UsageOverTime extends CallCounts {
  readonly interval: UsageRange['interval'];
  readonly from: Date;
  readonly to: Date;
  /** Every hour or day, in their order. */
  readonly points: readonly (CallCounts & { readonly start: Date })[];
}

export interface UsageReport extends UsageOverTime {
  /** Those with most calls first; null where it was not asked for. */
  readonly groups: readonly UsageGroup[] | null;
  /** The calls of further groups. */
  readonly rest: CallCounts | null;
}

/** Calls in a range of time, and shared out in several ways, without what happened when in each share. */
export interface UsageOverview extends UsageOverTime {
  readonly shares: ReadonlyMap<UsageGrouping, { readonly groups: readonly UsageShare[]; readonly rest: CallCounts }>;
}

const MOST_GROUPS = 20;

/** Reads what was counted: sums and series for an app, a key, a product, a developer or the portal. */
export class UsageReader {
  private readonly names: UsageNames;

  constructor(private readonly parts: { readonly database: Database; readonly clock: Clock }) {
    this.names = new UsageNames(parts.database);
  }

  /** @throws ValidationError on `from` for a range that is empty or too long, on `product` for one that the viewer may not know */
  async report({ groupBy, ...asked }: AskedUsage): Promise<UsageReport> {
    const { query, total } = await this.overTime(asked);
    if (!groupBy) return { ...total, groups: null, rest: null };
    const { groups, rest } = await this.share(query, groupBy, total);
    const keyOf = ({ id, name }: UsageShare) => (groupBy === 'outcome' ? String(name) : (id ?? NONE));
    const found = await query.sums.ofGroups(query.filter, query.range, groupBy, groups.map(keyOf));
    const seriesOf = (share: UsageShare) => {
      const own = found.filter(({ group }) => group === keyOf(share));
      return pointsOf(own, query.range).map((point) => point.calls);
    };
    return { ...total, groups: groups.map((group) => ({ ...group, series: seriesOf(group) })), rest };
  }

  /** @throws ValidationError as `report` */
  async overview(asked: Omit<AskedUsage, 'groupBy'>, groupings: readonly UsageGrouping[]): Promise<UsageOverview> {
    const { query, total } = await this.overTime(asked);
    const shares = await Promise.all(groupings.map(async (by) => [by, await this.share(query, by, total)] as const));
    return { ...total, shares: new Map(shares) };
  }

  private async overTime({ viewerId, product, interval, from, to, ...ids }: Omit<AskedUsage, 'groupBy'>) {
    const now = this.parts.clock.now();
    const range = usageRange({ interval, from, to }, now);
    const productId = product === undefined ? ids.productId : await this.names.requireProduct(product, viewerId);
    const filter = { ...ids, productId };
    const sums = new UsageSums(this.parts.database, oldestOpenHour(now) / HOURS_OF_DAY);
    const points = pointsOf(await sums.byTime(filter, range), range);
    const bounds = { from: startOf(range.interval, range.first), to: startOf(range.interval, range.end) };
    const total: UsageOverTime = { interval: range.interval, ...bounds, ...addUp(points), points };
    return { query: { sums, filter, range, viewerId }, total };
  }

  /** The largest groups, and what is left of the total. */
  private async share({ sums, filter, range, viewerId }: SumsQuery, by: UsageGrouping, total: CallCounts) {
    const largest = await sums.byGroup(filter, range, by, MOST_GROUPS);
    const ids = largest.flatMap(({ group }) => (typeof group === 'number' && group !== NONE ? group : []));
    const names = by === 'outcome' ? new Map<number, string>() : await this.names.of(by, ids, viewerId);
    const groups = largest.map(({ group, calls, allowed }): UsageShare => {
      if (typeof group === 'string') return { id: null, name: group, calls, allowed };
      return { id: group === NONE ? null : group, name: names.get(group) ?? null, calls, allowed };
    });
    const shown = addUp(groups);
    return { groups, rest: { calls: total.calls - shown.calls, allowed: total.allowed - shown.allowed } };
  }
}

interface SumsQuery {
  readonly sums: UsageSums;
  readonly filter: UsageFilter;
  readonly range: UsageRange;
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
