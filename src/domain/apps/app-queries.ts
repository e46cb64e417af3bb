import type { Database } from '../../database/index.js';

/**
 * A key that works, or would if nothing about it were pending. A replaced key is excluded: its successor has the same
 * products.
 */
const LIVE_KEY = `c.sync_state <> 'creating' AND c.status <> 'revoked' AND c.replaced_by IS NULL
  AND (c.expires_at IS NULL OR c.expires_at > ?)`;

/**
 * Ids of the apps with something for an admin to decide: the app itself, one of its keys, a product on one. Takes the
 * current time twice.
 */
export const WAITING_APPS = `SELECT id FROM portal_apps WHERE status = 'pending'
  UNION SELECT c.app_id FROM portal_credentials c WHERE c.status = 'pending' AND ${LIVE_KEY}
  UNION SELECT c.app_id FROM portal_credential_products g JOIN portal_credentials c ON c.id = g.credential_id
    WHERE g.status = 'pending' AND ${LIVE_KEY}`;

const OPEN_APP = `a.status <> 'revoked' AND a.sync_state <> 'creating'`;

/** Each pending decision: `kind`, `subject_id` and `part_id`. Takes the current time twice. */
export const WAITING_DECISIONS = `SELECT 'app' AS kind, a.id AS subject_id, 0 AS part_id FROM portal_apps a
    WHERE a.status = 'pending' AND a.sync_state <> 'creating'
  UNION ALL SELECT 'key', c.id, 0 FROM portal_credentials c JOIN portal_apps a ON a.id = c.app_id
    WHERE c.status = 'pending' AND ${LIVE_KEY} AND ${OPEN_APP}
  UNION ALL SELECT 'product', g.credential_id, g.product_id FROM portal_credential_products g
    JOIN portal_credentials c ON c.id = g.credential_id JOIN portal_apps a ON a.id = c.app_id
    WHERE g.status = 'pending' AND ${LIVE_KEY} AND ${OPEN_APP}`;

/** Apps with a key for a product, by a condition on its slug. */
export const APPS_WITH_PRODUCT = `SELECT c.app_id FROM portal_credential_products g
  JOIN portal_credentials c ON c.id = g.credential_id JOIN portal_products p ON p.id = g.product_id WHERE p.slug`;

/** A key that can call a product, with what its owner needs to tell it apart. */
export interface UsableKey {
  readonly id: number;
  /** Name of its app. */
  readonly app: string;
  readonly displayName: string;
  readonly keyHint: string;
}

const MOST = 50;

/** The keys that can call a product right now, newest first. */
export function findUsableKeys(database: Database, userId: number, productId: number, now: Date): Promise<UsableKey[]> {
  return database.select<UsableKey>(
    `SELECT c.id AS id, a.name AS app, a.display_name AS displayName, c.key_hint AS keyHint
     FROM portal_apps a
     JOIN portal_credentials c ON c.app_id = a.id
     JOIN portal_credential_products g ON g.credential_id = c.id
     WHERE a.user_id = ? AND g.product_id = ?
       AND a.status = 'approved' AND c.status = 'approved' AND g.status = 'approved'
       AND a.sync_state = 'synced' AND c.sync_state = 'synced' AND (c.expires_at IS NULL OR c.expires_at > ?)
     ORDER BY c.id DESC LIMIT ${MOST}`,
    [userId, productId, now],
  );
}

/** Number of developers with apps. */
export async function countDevelopers(database: Database): Promise<number> {
  const [row] = await database.select<{ total: number }>('SELECT COUNT(DISTINCT user_id) AS total FROM portal_apps');
  return Number(row?.total ?? 0);
}

/** Ids of the next developers with apps, in order. */
export async function readDevelopersAfter(database: Database, id: number, limit: number): Promise<number[]> {
  const rows = await database.select<{ userId: number }>(
    `SELECT DISTINCT user_id AS userId FROM portal_apps WHERE user_id > ? ORDER BY user_id LIMIT ${limit}`,
    [id],
  );
  return rows.map(({ userId }) => userId);
}
