import type { Database } from '../../../database/index.js';
import type { Clock } from '../../../core/index.js';
import { UsageNames } from '../usage-names.js';
import { sumAnswers } from '../usage-queries.js';
import {
  startOf,
  usageRange,
  type AskedRange,
  type UsageFilter,
  type UsageGrouping,
  type UsageRange,
} from '../usage-query.js';
import { NONE } from '../usage.js';
import { ANSWER_COUNTS, noAnswers, type AnswerCounts } from './answer.js';

export type AnswerGrouping = Exclude<UsageGrouping, 'outcome'>;

export interface AskedAnswers extends UsageFilter, AskedRange {
  /** Slug or id. */
  readonly product?: string | undefined;
  readonly groupBy?: AnswerGrouping | undefined;
  /** The developer who reads: products that they may not know about have no name. null: an admin. */
  readonly viewerId: number | null;
}

export interface AnswerGroup {
  /** null: answers that belong to none. */
  readonly id: number | null;
  /** null: gone, or nothing that the viewer may know. */
  readonly name: string | null;
  readonly counts: AnswerCounts;
}

/** Reported answers of APIs in a range of time. */
export interface AnswerReport {
  readonly interval: UsageRange['interval'];
  readonly from: Date;
  readonly to: Date;
  readonly totals: AnswerCounts;
  /** Every hour or day, in their order. */
  readonly points: readonly { readonly start: Date; readonly counts: AnswerCounts }[];
  /** Those with most answers first; null where it was not asked for. */
  readonly groups: readonly AnswerGroup[] | null;
}

const MOST_GROUPS = 20;
const ANSWERS = 'SUM(u.successes + u.redirects + u.client_errors + u.server_errors + u.others)';
const GROUP_COLUMNS = { product: 'u.product_id', credential: 'u.credential_id', app: 'u.app_id' } as const;
/** Reads what was reported: status classes, times and bytes for an app, a key, a product, a developer or the portal. */
export class AnswerReader {
  private readonly names: UsageNames;

  constructor(private readonly parts: { readonly database: Database; readonly clock: Clock }) {
    this.names = new UsageNames(parts.database);
  }

  /** @throws ValidationError on `from` for a range that is empty or too long, on `product` for one that the viewer may not know */
  async report({ viewerId, product, groupBy, interval, from, to, ...ids }: AskedAnswers): Promise<AnswerReport> {
    const range = usageRange({ interval, from, to }, this.parts.clock.now());
    const productId = product === undefined ? ids.productId : await this.names.requireProduct(product, viewerId);
    const filter = { ...ids, productId };
    const found = new Map<number, AnswerCounts>();
    for (const row of await sumAnswers(this.parts.database, filter, range, `u.${range.interval}`, ''))
      found.set(row.place, countsOf(row));
    const points = Array.from({ length: range.end - range.first }, (_, index) => ({
      start: startOf(range.interval, range.first + index),
      counts: found.get(range.first + index) ?? noAnswers(),
    }));
    return {
      ...{
        interval: range.interval,
        from: startOf(range.interval, range.first),
        to: startOf(range.interval, range.end),
      },
      ...{ totals: addUp([...found.values()]), points },
      groups: groupBy ? await this.groups(filter, range, groupBy, viewerId) : null,
    };
  }

  private async groups(filter: UsageFilter, range: UsageRange, by: AnswerGrouping, viewerId: number | null) {
    const rows = await sumAnswers(
      this.parts.database,
      filter,
      range,
      GROUP_COLUMNS[by],
      `ORDER BY ${ANSWERS} DESC, place LIMIT ${MOST_GROUPS}`,
    );
    const ids = rows.flatMap(({ place }) => (place === NONE ? [] : place));
    const names = await this.names.of(by, ids, viewerId);
    return rows.map(({ place, ...row }) => {
      return { id: place === NONE ? null : place, name: names.get(place) ?? null, counts: countsOf(row) };
    });
  }
}

/** MariaDB returns sums as text. */
function countsOf(row: Readonly<Record<keyof AnswerCounts, unknown>>): AnswerCounts {
  return Object.fromEntries(ANSWER_COUNTS.map((name) => [name, Number(row[name])])) as AnswerCounts;
}

function addUp(all: readonly AnswerCounts[]): AnswerCounts {
  return Object.fromEntries(
    ANSWER_COUNTS.map((name) => [name, all.reduce((sum, counts) => sum + counts[name], 0)]),
  ) as AnswerCounts;
}
