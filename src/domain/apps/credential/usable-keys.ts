import type { Database } from '../../../database/index.js';

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
