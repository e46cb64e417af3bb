import { placeholders, type Database } from '../../database/index.js';
import {
  conditionOf,
  type CallFilter,
  type CallCondition,
  type UsageGrouping,
  type UsageRange,
} from './usage-query.js';
import { HOURS_OF_DAY } from './usage.js';

/** Calls in one hour or day, of one group; each of them undefined where it was not asked for. */
export interface UsageSum {
  readonly bucket: number;
  /** An id, or an outcome. */
  readonly group: number | string;
  readonly calls: number;
  readonly allowed: number;
}

/** Calls of a group, and those of the time before. */
export interface UsageChange extends Pick<UsageSum, 'group' | 'calls'> {
  readonly before: number;
}

/** A part of the range, in the table that has it. */
interface Source {
  readonly table: string;
  readonly unit: 'hour' | 'day';
  readonly first: number;
  readonly end: number;
  /** SQL of the hour or day as it was asked for. */
  readonly bucket: string;
}

const GROUP_COLUMNS: Readonly<Record<UsageGrouping, string>> = {
  product: 'u.product_id',
  outcome: 'u.outcome',
  credential: 'u.credential_id',
  app: 'u.app_id',
};

/**
 * Adds calls up over both tables. The days that calls may still be added to are taken from their hours, so that a call shows
 * as soon as it is flushed.
 */
export class UsageSums {
  constructor(
    private readonly database: Database,
    /** From this day on hours are read. */
    private readonly firstOpenDay: number,
  ) {}

  /** In each hour or day; those without calls are left out. */
  byTime(filter: CallFilter, range: UsageRange): Promise<Omit<UsageSum, 'group'>[]> {
    return this.read(range, conditionOf(filter), null, ['bucket'], '');
  }

  /** Of the groups with most calls, those first. */
  byGroup(filter: CallFilter, range: UsageRange, by: UsageGrouping, most: number): Promise<Omit<UsageSum, 'bucket'>[]> {
    return this.read(range, conditionOf(filter), by, ['grouped'], `ORDER BY total DESC, grouped LIMIT ${most}`);
  }

  /** Of the groups whose calls changed most from the first half of the days to the second one, those first. */
  async byChange(range: UsageRange, by: UsageGrouping, most: number): Promise<UsageChange[]> {
    const parts = this.sources(range).map((source) => selectFrom(source, conditionOf({}), by, ['bucket', 'grouped']));
    const middle = (range.first + range.end) / 2;
    const rows = await this.database.select<Record<keyof UsageChange, number | string>>(
      `SELECT grouped AS \`group\`, SUM(CASE WHEN s.bucket >= ? THEN s.calls ELSE 0 END) AS calls,
         SUM(CASE WHEN s.bucket < ? THEN s.calls ELSE 0 END) AS \`before\`
       FROM (${parts.map(({ sql }) => sql).join(' UNION ALL ')}) s
       GROUP BY grouped ORDER BY ABS(SUM(CASE WHEN s.bucket < ? THEN -s.calls ELSE s.calls END)) DESC, grouped LIMIT ${most}`,
      [middle, middle, ...parts.flatMap(({ values }) => values), middle],
    );
    return rows.map(({ group, calls, before }) => ({ group, calls: Number(calls), before: Number(before) }));
  }

  /** Of these groups in each hour or day. */
  async ofGroups(
    filter: CallFilter,
    range: UsageRange,
    by: UsageGrouping,
    groups: readonly (number | string)[],
  ): Promise<UsageSum[]> {
    if (groups.length === 0) return [];
    const { sql, values } = conditionOf(filter);
    const chosen = `${sql} AND ${GROUP_COLUMNS[by]} IN (${placeholders(groups)})`;
    return this.read(range, { sql: chosen, values: [...values, ...groups] }, by, ['bucket', 'grouped'], '');
  }

  private async read(
    range: UsageRange,
    condition: CallCondition,
    by: UsageGrouping | null,
    names: readonly ('bucket' | 'grouped')[],
    end: string,
  ): Promise<UsageSum[]> {
    const parts = this.sources(range).map((source) => selectFrom(source, condition, by, names));
    const keys = names.join(', ');
    const rows = await this.database.select<UsageSum>(
      `SELECT ${names.map((name) => (name === 'bucket' ? 'bucket' : 'grouped AS `group`')).join(', ')},
         SUM(calls) AS total, SUM(allowed) AS good
       FROM (${parts.map(({ sql }) => sql).join(' UNION ALL ')}) s GROUP BY ${keys} ${end}`,
      parts.flatMap(({ values }) => values),
    );
    return (rows as unknown as (UsageSum & { total: unknown; good: unknown })[]).map(({ total, good, ...key }) => ({
      ...key,
      calls: Number(total),
      allowed: Number(good),
    }));
  }

  private sources({ interval, first, end }: UsageRange): Source[] {
    if (interval === 'hour') return [{ table: 'portal_usage_hours', unit: 'hour', first, end, bucket: 'u.hour' }];
    const split = Math.min(Math.max(this.firstOpenDay, first), end);
    const divide = this.database.dialect === 'sqlite' ? '/' : 'DIV';
    const hours = { first: split * HOURS_OF_DAY, end: end * HOURS_OF_DAY, bucket: `u.hour ${divide} ${HOURS_OF_DAY}` };
    return [
      { table: 'portal_usage_days', unit: 'day' as const, first, end: split, bucket: 'u.day' },
      { table: 'portal_usage_hours', unit: 'hour' as const, ...hours },
    ].filter((source) => source.first < source.end);
  }
}

function selectFrom(
  { table, unit, first, end, bucket }: Source,
  { sql, values }: CallCondition,
  by: UsageGrouping | null,
  names: readonly ('bucket' | 'grouped')[],
): CallCondition {
  const columns = { bucket, grouped: by ? GROUP_COLUMNS[by] : 'NULL' };
  return {
    sql: `SELECT ${names.map((name) => `${columns[name]} AS ${name}`).join(', ')}, SUM(u.calls) AS calls,
        SUM(CASE WHEN u.outcome = 'allowed' THEN u.calls ELSE 0 END) AS allowed
      FROM ${table} u WHERE ${sql} AND u.${unit} >= ? AND u.${unit} < ? GROUP BY ${names.join(', ')}`,
    values: [...values, first, end],
  };
}
