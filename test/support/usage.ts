import type { Database } from '../../src/database/index.js';
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
