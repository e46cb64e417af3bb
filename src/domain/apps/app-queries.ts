import { placeholders, type Database, type Transaction } from '../../database/index.js';
import { readCountStarts, readPlanFacts, readPlanOverrides } from '../catalog/index.js';
import { grantRecord, type AppTerms, type GrantRecord } from './credential/grant.js';

/**
 * A key that works, or would if nothing about it were pending. A replaced key is excluded: its successor has the same
 * products. Takes the current time.
 */
export const LIVE_KEY = `c.sync_state <> 'creating' AND c.status <> 'revoked' AND c.replaced_by IS NULL
  AND (c.expires_at IS NULL OR c.expires_at > ?)`;

/**
 * Ids of the apps with something for an admin to decide: the app itself, one of its keys, a product on one, its next
 * plan. Takes the current time three times.
 */
export const WAITING_APPS = `SELECT id FROM portal_apps WHERE status = 'pending'
  UNION SELECT c.app_id FROM portal_credentials c WHERE c.status = 'pending' AND ${LIVE_KEY}
  UNION SELECT c.app_id FROM portal_credential_products g JOIN portal_credentials c ON c.id = g.credential_id
    WHERE g.status = 'pending' AND ${LIVE_KEY}
  UNION SELECT c.app_id FROM portal_credential_products g JOIN portal_credentials c ON c.id = g.credential_id
    WHERE g.next_plan_status = 'pending' AND ${LIVE_KEY}`;

export const OPEN_APP = `a.status <> 'revoked' AND a.sync_state <> 'creating'`;

/** Apps of developers, by a condition on their ids. */
export const APPS_OF_USER = 'SELECT id FROM portal_apps WHERE user_id';

/** Keys with an approved product, by a condition on its id. */
export const KEYS_APPROVED_FOR =
  "SELECT credential_id FROM portal_credential_products WHERE status = 'approved' AND product_id IN";

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

/** A key that ends soon, with its app and who owns it. */
export interface ExpiringKey {
  readonly id: number;
  readonly keyHint: string;
  readonly expiresAt: Date;
  readonly app: string;
  readonly title: string;
  readonly ownerId: number;
}

/**
 * Keys that end after `from`, no later than `until`, and of which nobody was notified yet; replaced keys are excluded.
 */
export function findExpiringKeys(database: Database, from: Date, until: Date, limit: number): Promise<ExpiringKey[]> {
  return database.select<ExpiringKey>(
    `SELECT c.id AS id, c.key_hint AS keyHint, c.expires_at AS expiresAt, a.name AS app, a.display_name AS title,
       a.user_id AS ownerId
     FROM portal_credentials c JOIN portal_apps a ON a.id = c.app_id JOIN portal_users u ON u.id = a.user_id
     WHERE c.expires_at > ? AND c.expires_at <= ? AND c.expiry_noticed_at IS NULL AND c.replaced_by IS NULL
       AND c.status = 'approved' AND u.status = 'active' ORDER BY c.expires_at, c.id LIMIT ${limit}`,
    [from, until],
    { decode: { expiresAt: 'date' } },
  );
}

/** The products on keys with their plans, ordered by slug. */
export async function readKeyGrants(
  database: Database,
  credentialIds: readonly number[],
  transaction?: Transaction,
): Promise<GrantRecord[]> {
  if (credentialIds.length === 0) return [];
  const rows = await database.select<
    Omit<GrantRecord, 'plan' | 'nextPlan' | keyof AppTerms> & { overrideId: number | null; resetId: number | null }
  >(
    `SELECT ${grantRecord.select()}, p.slug AS slug, p.name AS name, p.gateway_product_id AS gatewayProductId,
       po.id AS overrideId, qr.id AS resetId
     FROM portal_credential_products g JOIN portal_products p ON p.id = g.product_id
     JOIN portal_credentials c ON c.id = g.credential_id
     LEFT JOIN portal_plan_overrides po ON po.app_id = c.app_id AND po.product_id = g.product_id AND po.state = 'current'
     LEFT JOIN portal_quota_resets qr ON qr.app_id = c.app_id AND qr.product_id = g.product_id AND qr.state = 'current'
     WHERE g.credential_id IN (${placeholders(credentialIds)}) ORDER BY p.slug`,
    credentialIds,
    { decode: grantRecord.decode, transaction },
  );
  const ids = rows.flatMap(({ planVersionId, nextPlanVersionId }) =>
    [planVersionId ?? [], nextPlanVersionId ?? []].flat(),
  );
  const plans = await readPlanFacts(database, ids, transaction);
  const overrideIds = rows.flatMap(({ overrideId }) => overrideId ?? []);
  const overrides = await readPlanOverrides(database, overrideIds, transaction);
  const resetIds = rows.flatMap(({ resetId }) => resetId ?? []);
  const starts = await readCountStarts(database, resetIds, transaction);
  const planOf = (id: number | null) => (id === null ? null : (plans.get(id) ?? null));
  return rows.map(({ overrideId, resetId, ...row }) => ({
    ...row,
    ...{ plan: planOf(row.planVersionId), nextPlan: planOf(row.nextPlanVersionId) },
    override: overrideId === null ? null : (overrides.get(overrideId) ?? null),
    countStart: resetId === null ? null : (starts.get(resetId) ?? null),
  }));
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

/** A product on a key that is to get another plan. */
export interface PlannedGrant {
  readonly userId: number;
  readonly appId: number;
  readonly credentialId: number;
  readonly productId: number;
}

/** The products on keys whose next plan is approved and due, the earliest first. */
export function findDuePlans(database: Database, now: Date, limit: number, offset: number): Promise<PlannedGrant[]> {
  return database.select<PlannedGrant>(
    `SELECT a.user_id AS userId, a.id AS appId, g.credential_id AS credentialId, g.product_id AS productId
     FROM portal_credential_products g
     JOIN portal_credentials c ON c.id = g.credential_id JOIN portal_apps a ON a.id = c.app_id
     WHERE g.next_plan_status = 'approved' AND g.next_plan_at <= ? AND c.sync_state = 'synced' AND a.sync_state = 'synced'
     ORDER BY g.next_plan_at, g.credential_id, g.product_id LIMIT ${limit} OFFSET ${offset}`,
    [now],
  );
}

/**
 * The products on keys that a developer tries, or that have the plan which comes after it; the oldest first.
 * @param which `over`: those that have the plan that the one that was tried falls back to
 */
export function findGrantsTried(
  database: Database,
  userId: number,
  productId: number,
  which: 'running' | 'over',
): Promise<PlannedGrant[]> {
  const isOver = `g.trial_ends_at IS NULL AND EXISTS (SELECT 1 FROM portal_plan_versions pv
    JOIN portal_plans tried ON tried.fallback_plan_id = pv.plan_id
    JOIN portal_plan_trials pt ON pt.plan_id = tried.id AND pt.user_id = a.user_id AND pt.product_id = g.product_id
    WHERE pv.id = g.plan_version_id)`;
  return database.select<PlannedGrant>(
    `SELECT a.user_id AS userId, a.id AS appId, g.credential_id AS credentialId, g.product_id AS productId
     FROM portal_apps a JOIN portal_credentials c ON c.app_id = a.id
     JOIN portal_credential_products g ON g.credential_id = c.id
     WHERE a.user_id = ? AND g.product_id = ? AND c.sync_state = 'synced' AND a.sync_state = 'synced'
       AND ${which === 'running' ? 'g.trial_ends_at IS NOT NULL' : isOver} ORDER BY g.credential_id`,
    [userId, productId],
  );
}
