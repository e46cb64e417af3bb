import { mergeRows, type Database } from '../../src/database/index.js';
import {
  dayOf,
  hourOf,
  NONE,
  oldestOpenHour,
  usageDayRecord,
  usageHourRecord,
  type CallOutcome,
} from '../../src/domain/usage/usage.js';
import type { TestPortal } from './test-portal.js';

/** `payments allowed` → calls; `-` for no product. */
export type Counts = Readonly<Record<string, number>>;

/** What the database has of an app, or of all: by product and outcome. */
export async function countedCalls(database: Database, appId?: number, table = 'hours'): Promise<Counts> {
  const rows = await database.select<{ product: string | null; outcome: string; calls: number }>(
    `SELECT p.slug AS product, u.outcome AS outcome, SUM(u.calls) AS calls FROM portal_usage_${table} u
     LEFT JOIN portal_products p ON p.id = u.product_id ${appId === undefined ? '' : 'WHERE u.app_id = ?'}
     GROUP BY 1, 2 ORDER BY 1, 2`,
    appId === undefined ? [] : [appId],
  );
  return Object.fromEntries(rows.map(({ product, outcome, calls }) => [`${product ?? '-'} ${outcome}`, Number(calls)]));
}

/** All of them. */
export async function sumOfCalls(database: Database, table = 'hours'): Promise<number> {
  const [row] = await database.select<{ calls: number | null }>(
    `SELECT SUM(calls) AS calls FROM portal_usage_${table}`,
  );
  return Number(row?.calls ?? 0);
}

export async function flushUsage({ portal }: TestPortal): Promise<void> {
  await portal.jobs.run('usage-flush');
}

export async function appIdOf({ portal }: TestPortal, name: string): Promise<number> {
  const [row] = await portal.database.select<{ id: number }>('SELECT id FROM portal_apps WHERE name = ?', [name]);
  return Number(row?.id);
}

/** Calls of an app, written past the counter: for what needs many of them, or old ones. */
export interface SeededCalls {
  readonly appId: number;
  readonly credentialId: number;
  readonly productId: number;
  /** 0, no plan, without it. */
  readonly planVersionId?: number;
  readonly outcome?: CallOutcome;
  readonly at: Date;
  readonly calls: number;
}

export async function seedCalls({ portal, clock }: TestPortal, calls: readonly SeededCalls[]): Promise<void> {
  const open = oldestOpenHour(clock.now());
  const keyOf = ({
    appId,
    credentialId,
    productId,
    planVersionId = NONE,
    outcome = 'allowed' as const,
  }: SeededCalls) => ({
    ...{ appId, credentialId, productId, planVersionId, outcome },
  });
  const hours = calls.map((row) => ({
    ...keyOf(row),
    calls: row.calls,
    hour: hourOf(row.at),
    lastAt: row.at.getTime(),
  }));
  const past = calls.filter(({ at }) => hourOf(at) < open);
  const days = past.map((row) => ({ ...keyOf(row), calls: row.calls, day: dayOf(row.at) }));
  await portal.database.transaction(async (transaction) => {
    await mergeRows(portal.database, usageHourRecord, hours, { calls: 'add', lastAt: 'larger' }, transaction);
    await mergeRows(portal.database, usageDayRecord, days, { calls: 'add' }, transaction);
  });
}
