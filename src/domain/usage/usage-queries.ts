import { Op, placeholders, type Database, type NewRowOf, type SqlValue } from '../../database/index.js';
import { ANSWER_COUNTS, answerHourRecord, type AnswerCounts } from './answers/answer.js';
import { grantRecord } from '../apps/index.js';
import { productRecord } from '../catalog/index.js';
import type { UsageFilter, UsageRange } from './usage-query.js';
import {
  hourOf,
  HOURS_OF_DAY,
  oldestIn,
  type CallOutcome,
  type usageDayRecord,
  type UsageHour,
  usageHourRecord,
} from './usage.js';

const MOST_REFUSALS = 50;
const MOST_STRANGERS = 100;

/** A product that a developer may know of: a public one, or one that a key of theirs carries. */
const KNOWN_TO_DEVELOPER = `(p.visibility = 'public' OR p.id IN (SELECT g.product_id FROM portal_credential_products g
  JOIN portal_credentials c ON c.id = g.credential_id JOIN portal_apps a ON a.id = c.app_id WHERE a.user_id = ?))`;

/** Ids and slugs of those of the products that the viewer may know. @param viewerId null: an admin */
export function findKnownProducts(
  database: Database,
  ids: readonly number[],
  viewerId: number | null,
): Promise<{ readonly id: number; readonly slug: string }[]> {
  const known = viewerId === null ? {} : { and: { where: KNOWN_TO_DEVELOPER, values: [viewerId] } };
  return productRecord.findAll(database, { id: ids }, { only: ['id', 'slug'], ...known });
}

export interface ProductOnKey {
  readonly credentialId: number;
  readonly productId: number;
  readonly planVersionId: number | null;
  readonly slug: string;
}

/** The products on keys. */
export async function findProductsOnKeys(database: Database, keys: readonly number[]): Promise<ProductOnKey[]> {
  const only = ['credentialId', 'productId', 'planVersionId'] as const;
  const grants = await grantRecord.findAll(database, { credentialId: keys }, { only });
  const ids = [...new Set(grants.map(({ productId }) => productId))];
  const products = await productRecord.findAll(database, { id: ids }, { only: ['id', 'slug'] });
  const slugs = new Map(products.map(({ id, slug }) => [id, slug]));
  return grants.flatMap((grant) => {
    const slug = slugs.get(grant.productId);
    return slug === undefined ? [] : [{ ...grant, slug }];
  });
}

interface HeldVersion {
  readonly productId: number;
  readonly slug: string;
  readonly name: string;
  readonly versionId: number;
  readonly planDay: number | null;
}

/** The versions of plans that keys of an app have, by the names of the products. */
export function findHeldVersions(database: Database, appId: number, now: Date): Promise<HeldVersion[]> {
  return database.select<HeldVersion>(
    `SELECT DISTINCT g.product_id AS productId, p.slug AS slug, p.name AS name, g.plan_version_id AS versionId,
       g.plan_day AS planDay
     FROM portal_credentials c JOIN portal_credential_products g ON g.credential_id = c.id
     JOIN portal_products p ON p.id = g.product_id
     WHERE c.app_id = ? AND c.sync_state = 'synced' AND c.status = 'approved' AND c.replaced_by IS NULL
       AND (c.expires_at IS NULL OR c.expires_at > ?) AND g.status = 'approved' AND g.plan_version_id IS NOT NULL
     ORDER BY p.name, p.slug, g.plan_version_id`,
    [appId, now],
  );
}

const WITH_QUOTA = `EXISTS (SELECT 1 FROM portal_plan_versions v WHERE v.id = h.plan_version_id
  AND (v.quota_per_day IS NOT NULL OR v.quota_per_month IS NOT NULL OR v.quota_per_anchored_month IS NOT NULL))`;

/** Ids of the apps that have called since then with a plan that has a quota, in order. */
export async function findLimitedCallers(database: Database, since: Date): Promise<number[]> {
  const hour = { [Op.gte]: hourOf(since) };
  const called = { hour, lastAt: { [Op.gte]: since.getTime() }, outcome: 'allowed' } as const;
  return callersOf(
    await usageHourRecord.countBy(database, 'appId', called, { and: { where: WITH_QUOTA, values: [] } }),
  );
}

/** Ids of the apps with calls on a day, in order. */
export async function findCallers(database: Database, day: number): Promise<number[]> {
  const hour = { [Op.gte]: day * HOURS_OF_DAY, [Op.lt]: (day + 1) * HOURS_OF_DAY };
  return callersOf(await usageHourRecord.countBy(database, 'appId', { hour }));
}

function callersOf(counts: ReadonlyMap<number, number>): number[] {
  return [...counts.keys()].sort((a, b) => a - b);
}

/** The calls of apps on a day, from its hours, in the order of the key. */
export async function sumDay(
  database: Database,
  apps: readonly number[],
  day: number,
): Promise<NewRowOf<typeof usageDayRecord>[]> {
  const dimensions =
    'app_id AS appId, credential_id AS credentialId, product_id AS productId, plan_version_id AS planVersionId';
  const rows = await database.select<NewRowOf<typeof usageDayRecord>>(
    `SELECT ${dimensions}, outcome AS outcome, SUM(calls) AS calls FROM portal_usage_hours
     WHERE app_id IN (${placeholders(apps)}) AND hour >= ? AND hour < ? GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`,
    [...apps, day * HOURS_OF_DAY, (day + 1) * HOURS_OF_DAY],
  );
  return rows.map((row) => ({ ...row, day, calls: Number(row.calls) }));
}

/** Sums of calls; MariaDB tells them as text. */
export interface PlanSums {
  readonly appId: number;
  readonly productId: number;
  readonly versionId: number;
  readonly calls: number | string;
  readonly allowed: number | string;
}

/** The calls of apps by product and plan: until `split` from the sums of days, from then on from the hours. All three are days. */
export function sumByPlan(
  database: Database,
  apps: readonly number[],
  { first, split, end }: { readonly first: number; readonly split: number; readonly end: number },
): Promise<PlanSums[]> {
  const part = (table: string, unit: string) =>
    `SELECT app_id, product_id, plan_version_id, calls, CASE WHEN outcome = 'allowed' THEN calls ELSE 0 END AS good
     FROM ${table} WHERE app_id IN (${placeholders(apps)}) AND ${unit} >= ? AND ${unit} < ?`;
  return database.select<PlanSums>(
    `SELECT app_id AS appId, product_id AS productId, plan_version_id AS versionId, SUM(calls) AS calls,
       SUM(good) AS allowed
     FROM (${part('portal_usage_days', 'day')} UNION ALL ${part('portal_usage_hours', 'hour')}) s
     GROUP BY app_id, product_id, plan_version_id ORDER BY app_id, product_id, plan_version_id`,
    [...apps, first, split, ...apps, split * HOURS_OF_DAY, end * HOURS_OF_DAY],
  );
}

interface RefusedRow extends Pick<UsageHour, 'outcome' | 'credentialId' | 'productId'> {
  readonly total: number | string;
  readonly lastAt: number | string;
}

/** Refused calls by reason, key and product, the latest first. @param sql condition on `portal_usage_hours u` */
export function sumRefusals(
  database: Database,
  { sql, values }: { readonly sql: string; readonly values: readonly SqlValue[] },
  firstHour: number,
): Promise<RefusedRow[]> {
  return database.select<RefusedRow>(
    `SELECT u.outcome AS outcome, u.credential_id AS credentialId, u.product_id AS productId,
       SUM(u.calls) AS total, MAX(u.last_at) AS lastAt
     FROM portal_usage_hours u WHERE ${sql} AND u.hour >= ? AND u.outcome <> 'allowed'
     GROUP BY u.outcome, u.credential_id, u.product_id ORDER BY lastAt DESC LIMIT ${MOST_REFUSALS}`,
    [...values, firstHour],
  );
}

interface StrangerRow {
  readonly productId: number;
  readonly network: string;
  readonly outcome: CallOutcome;
  readonly total: number | string;
  readonly lastAt: number | string;
}

/** Calls without a known key by product, network and reason, most of them first. @param first and `end`: days */
export function sumStrangers(database: Database, first: number, end: number): Promise<StrangerRow[]> {
  return database.select<StrangerRow>(
    `SELECT product_id AS productId, network AS network, outcome AS outcome, SUM(calls) AS total, MAX(last_at) AS lastAt
     FROM portal_usage_refusals WHERE hour >= ? AND hour < ?
     GROUP BY product_id, network, outcome ORDER BY total DESC, lastAt DESC LIMIT ${MOST_STRANGERS}`,
    [first * HOURS_OF_DAY, end * HOURS_OF_DAY],
  );
}

const ANSWER_SUMS = ANSWER_COUNTS.map((name) => `SUM(u.${answerHourRecord.nameOf(name)}) AS ${name}`).join(', ');
const ANSWER_FILTERS: Readonly<Record<keyof UsageFilter, string>> = {
  appId: 'u.app_id = ?',
  credentialId: 'u.credential_id = ?',
  productId: 'u.product_id = ?',
  userId: 'u.app_id IN (SELECT id FROM portal_apps WHERE user_id = ?)',
};

/** MariaDB returns sums as text. */
export type AnswerSums = Readonly<Record<keyof AnswerCounts, unknown>> & { readonly place: number };

/** Answers in a range by place. @param by column of the place, with the alias `u`; `order`: SQL that follows */
export function sumAnswers(
  database: Database,
  filter: UsageFilter,
  { interval, first, end }: UsageRange,
  by: string,
  order: string,
): Promise<AnswerSums[]> {
  const asked = Object.entries(filter).filter((entry): entry is [keyof UsageFilter, number] => entry[1] !== undefined);
  const conditions = [...asked.map(([name]) => ANSWER_FILTERS[name]), `u.${interval} >= ?`, `u.${interval} < ?`];
  return database.select<AnswerSums>(
    `SELECT ${by} AS place, ${ANSWER_SUMS} FROM portal_answer_${interval}s u WHERE ${conditions.join(' AND ')}
     GROUP BY place ${order}`,
    [...asked.map(([, value]) => value), first, end],
  );
}

/** The calls of an app with a product in an hour. */
export interface BusyHour {
  readonly appId: number;
  readonly productId: number;
  /** Slug. */
  readonly product: string;
  readonly calls: number;
}

/** The apps and products with at least so many calls in an hour. */
export async function findBusyPairs(database: Database, hour: number, least: number): Promise<BusyHour[]> {
  const rows = await database.select<BusyHour>(
    `SELECT u.app_id AS appId, u.product_id AS productId, p.slug AS product, SUM(u.calls) AS calls
     FROM portal_usage_hours u JOIN portal_products p ON p.id = u.product_id
     WHERE u.hour = ? GROUP BY u.app_id, u.product_id, p.slug HAVING SUM(u.calls) >= ${least}
     ORDER BY u.app_id, u.product_id`,
    [hour],
  );
  return rows.map((row) => ({ ...row, calls: Number(row.calls) }));
}

const OF_PAIR = 'app_id = ? AND +product_id = ?';

/** The first hour in which an app called a product; null for none. */
export function findFirstHour(database: Database, appId: number, productId: number): Promise<number | null> {
  return oldestIn(database, { table: 'portal_usage_hours', unit: 'hour' }, OF_PAIR, [appId, productId]);
}

/** The calls of an app with a product in each of some hours, in no order; hours without calls are absent. */
export async function sumHours(
  database: Database,
  appId: number,
  productId: number,
  hours: readonly number[],
): Promise<number[]> {
  const rows = await usageHourRecord.findAll(
    database,
    { appId, hour: hours },
    { only: ['hour', 'productId', 'calls'] },
  );
  const sums = new Map<number, number>();
  for (const { hour, productId: called, calls } of rows) {
    if (called === productId) sums.set(hour, (sums.get(hour) ?? 0) + calls);
  }
  return [...sums.values()];
}
