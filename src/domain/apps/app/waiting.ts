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
