import type { Database, SqlValue } from '../../../database/index.js';
import { seesProduct } from '../../catalog/index.js';
import { DAY_MS, HOURS_OF_DAY } from '../usage.js';

/** An app that called, with its owner. */
export interface CallingApp {
  readonly appId: number;
  readonly app: string;
  readonly displayName: string;
  readonly userId: number;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  /** Whether the owner is active and may see the product. */
  readonly isReachable: boolean;
  readonly calls: number;
  /** Milliseconds since 1970; of days that are over, their end. */
  readonly lastAt: number;
  /** When the owner said that the app has moved on. */
  readonly acknowledgedAt: Date | null;
}

/** Days since 1970. */
interface Days {
  readonly first: number;
  /** From this day on hours are read, as all days may still grow. */
  readonly firstOpen: number;
}

/** Of calls whose key was good: those that were refused for what ends, or for a limit, are calls of it too. */
const GOOD_KEY = `u.outcome IN ('allowed', 'quota_exceeded', 'rate_exceeded', 'brownout',
  'product_retired', 'version_retired', 'operation_retired')`;

/** Whoever called a product, those with most calls first. @param deprecationId whose acknowledgements are told */
export function findProductCallers(
  database: Database,
  productId: number,
  { first, firstOpen }: Days,
  deprecationId: number | null,
): Promise<CallingApp[]> {
  const sums = `
    SELECT u.app_id AS app_id, u.calls AS calls, (u.day + 1) * ${DAY_MS} - 1 AS last_at FROM portal_usage_days u
      WHERE u.product_id = ? AND ${GOOD_KEY} AND u.day >= ? AND u.day < ?
    UNION ALL SELECT u.app_id, u.calls, u.last_at FROM portal_usage_hours u
      WHERE u.product_id = ? AND ${GOOD_KEY} AND u.hour >= ?`;
  const from = Math.max(first, firstOpen) * HOURS_OF_DAY;
  return select(database, sums, [productId, first, firstOpen, productId, from], productId, deprecationId);
}

/** Whoever called the part that a deprecation is about. */
export function findPartCallers(
  database: Database,
  productId: number,
  deprecationId: number,
  first: number,
): Promise<CallingApp[]> {
  const sums = 'SELECT app_id, calls, last_at FROM portal_deprecation_calls WHERE deprecation_id = ? AND day >= ?';
  return select(database, sums, [deprecationId, first], productId, deprecationId);
}

async function select(
  database: Database,
  sums: string,
  values: readonly SqlValue[],
  productId: number,
  deprecationId: number | null,
): Promise<CallingApp[]> {
  const rows = await database.select<CallingApp>(
    `SELECT a.id AS appId, a.name AS app, a.display_name AS displayName, a.user_id AS userId, o.email AS email,
       o.first_name AS firstName, o.last_name AS lastName, s.calls AS calls, s.last_at AS lastAt,
       CASE WHEN o.status = 'active' AND ${seesProduct('p', 'a.user_id')} THEN 1 ELSE 0 END AS isReachable,
       k.acknowledged_at AS acknowledgedAt
     FROM (SELECT c.app_id AS app_id, SUM(c.calls) AS calls, MAX(c.last_at) AS last_at FROM (${sums}) c GROUP BY c.app_id) s
     JOIN portal_apps a ON a.id = s.app_id AND a.sync_state <> 'creating'
     JOIN portal_users o ON o.id = a.user_id
     JOIN portal_products p ON p.id = ?
     LEFT JOIN portal_deprecation_acknowledgements k ON k.app_id = a.id AND k.deprecation_id = ?
     ORDER BY s.calls DESC, a.id`,
    [...values, productId, deprecationId],
    { decode: { isReachable: 'boolean', acknowledgedAt: 'date' } },
  );
  return rows.map((row) => ({ ...row, calls: Number(row.calls), lastAt: Number(row.lastAt) }));
}

/** How many apps called on each day, and how often. */
export interface CallingDay {
  readonly day: number;
  readonly apps: number;
  readonly calls: number;
}

/** @param part id of the deprecation whose part is counted; null: the whole product */
export async function findCallingDays(
  database: Database,
  productId: number,
  part: number | null,
  { first, firstOpen }: Days,
): Promise<CallingDay[]> {
  const divide = database.dialect === 'sqlite' ? '/' : 'DIV';
  const [sums, values] =
    part === null
      ? [
          `SELECT u.day AS day, u.app_id AS app_id, u.calls AS calls FROM portal_usage_days u
             WHERE u.product_id = ? AND u.app_id > 0 AND ${GOOD_KEY} AND u.day >= ? AND u.day < ?
           UNION ALL SELECT u.hour ${divide} ${HOURS_OF_DAY}, u.app_id, u.calls FROM portal_usage_hours u
             WHERE u.product_id = ? AND u.app_id > 0 AND ${GOOD_KEY} AND u.hour >= ?`,
          [productId, first, firstOpen, productId, Math.max(first, firstOpen) * HOURS_OF_DAY],
        ]
      : [
          'SELECT day, app_id, calls FROM portal_deprecation_calls WHERE deprecation_id = ? AND day >= ?',
          [part, first],
        ];
  const rows = await database.select<CallingDay>(
    `SELECT c.day AS day, COUNT(DISTINCT c.app_id) AS apps, SUM(c.calls) AS calls FROM (${sums}) c
     GROUP BY c.day ORDER BY c.day`,
    values,
  );
  return rows.map(({ day, apps, calls }) => ({ day: Number(day), apps: Number(apps), calls: Number(calls) }));
}
