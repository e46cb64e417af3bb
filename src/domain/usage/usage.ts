import { defineRecord, fieldOf, type Database, type RowOf, type SqlValue } from '../../database/index.js';
import type { DenialReason } from '../../gateway/index.js';

/** Why a call was refused whose key opens. */
export type LimitReason = 'quota_exceeded' | 'rate_exceeded';

/** What became of a call: a word of the verify table. */
export type CallOutcome = 'allowed' | DenialReason | LimitReason;

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const HOURS_OF_DAY = 24;
/** Stands for no product and for no plan, so that the key of a row is unique. */
export const NONE = 0;

/** Hours since 1970, UTC. */
export function hourOf(time: Date): number {
  return Math.floor(time.getTime() / HOUR_MS);
}

/** Days since 1970, UTC. */
export function dayOf(time: Date): number {
  return Math.floor(time.getTime() / DAY_MS);
}

/**
 * The first hour to which calls are still added: that of yesterday's midnight. What a process kept for longer counts there, so
 * that days that are over stay as they were summed up.
 */
export function oldestOpenHour(now: Date): number {
  return (dayOf(now) - 1) * HOURS_OF_DAY;
}

const dimensions = {
  credentialId: fieldOf.reference().key(),
  /** 0: not known, or any. */
  productId: fieldOf.reference().key(),
  /** 0: no plan. */
  planVersionId: fieldOf.reference().key(),
  outcome: fieldOf.text<CallOutcome>(24).key(),
};
/** Milliseconds since 1970. */
const lastAt = fieldOf.bigint();

/** Calls with a known key, by the hour. */
export const usageHourRecord = defineRecord({
  name: 'UsageHour',
  table: 'portal_usage_hours',
  alias: 'h',
  fields: {
    appId: fieldOf.reference().key(),
    hour: fieldOf.integer().key(),
    ...dimensions,
    calls: fieldOf.bigint(),
    lastAt,
  },
});

/** The same by the day: sums of the hours. */
export const usageDayRecord = defineRecord({
  name: 'UsageDay',
  table: 'portal_usage_days',
  alias: 'd',
  fields: { appId: fieldOf.reference().key(), day: fieldOf.integer().key(), ...dimensions, calls: fieldOf.bigint() },
});

/** Calls without a known key, by the network that they came from; a bounded number of rows for each hour. */
export const usageRefusalRecord = defineRecord({
  name: 'UsageRefusal',
  table: 'portal_usage_refusals',
  alias: 'r',
  fields: {
    hour: fieldOf.integer().key(),
    productId: fieldOf.reference().key(),
    /** `192.0.2.0/24`, `2001:db8:1::/48`; empty: not known, or one network too many. */
    network: fieldOf.text(48).key(),
    outcome: fieldOf.text<CallOutcome>(24).key(),
    calls: fieldOf.bigint(),
    lastAt,
  },
});

/** The last flush of each process that is in the database. */
export const usageFlushRecord = defineRecord({
  name: 'UsageFlush',
  table: 'portal_usage_flushes',
  alias: 'f',
  fields: { replica: fieldOf.text(36).key(), sequence: fieldOf.integer(), flushedAt: fieldOf.time() },
});

/** Apps that are gone and whose calls are to be removed. */
export const usageErasureRecord = defineRecord({
  name: 'UsageErasure',
  table: 'portal_usage_erasures',
  alias: 'e',
  fields: { appId: fieldOf.reference().key(), deletedAt: fieldOf.time() },
});

export type UsageHour = RowOf<typeof usageHourRecord>;
export type UsageRefusal = RowOf<typeof usageRefusalRecord>;

/** A table of what belongs to apps, by the hour or by the day. */
export interface CountTable {
  readonly table: string;
  readonly unit: 'hour' | 'day';
}

export const COUNT_TABLES: readonly CountTable[] = [
  ...['usage', 'answer'].flatMap((name) => [
    { table: `portal_${name}_hours`, unit: 'hour' as const },
    { table: `portal_${name}_days`, unit: 'day' as const },
  ]),
  { table: 'portal_deprecation_calls', unit: 'day' },
];

/** The first hour or day of a table; null: it has none. @param condition SQL, for a part of the table */
export async function oldestIn(
  database: Database,
  { table, unit }: CountTable,
  condition = '1 = 1',
  values: readonly SqlValue[] = [],
): Promise<number | null> {
  const sql = `SELECT MIN(${unit}) AS oldest FROM ${table} WHERE ${condition}`;
  const [row] = await database.select<{ oldest: number | null }>(sql, values);
  return row?.oldest ?? null;
}

/** @param condition SQL, for a part of the table */
export async function removeCounts(
  database: Database,
  { table }: CountTable,
  condition: string,
  values: readonly SqlValue[],
): Promise<void> {
  await database.execute(`DELETE FROM ${table} WHERE ${condition}`, values);
}
