import type { Database } from '../../../src/database/index.js';

/** Invariant → query of the rows that violate it. None may find a row, whenever a process died. */
const CONTRADICTIONS: Readonly<Record<string, string>> = {
  'an app has an owner':
    'SELECT a.id FROM portal_apps a LEFT JOIN portal_users u ON u.id = a.user_id WHERE u.id IS NULL',
  'a credential has an app':
    'SELECT c.id FROM portal_credentials c LEFT JOIN portal_apps a ON a.id = c.app_id WHERE a.id IS NULL',
  'a credential has products':
    'SELECT c.id FROM portal_credentials c WHERE NOT EXISTS (SELECT 1 FROM portal_credential_products p WHERE p.credential_id = c.id)',
  'a finished app is at the gateway': `
    SELECT a.id FROM portal_apps a LEFT JOIN portal_gateway_apps g ON g.portal_id = a.id
     WHERE a.sync_state = 'synced' AND g.id IS NULL`,
  'a finished credential has its key at the gateway': `
    SELECT c.id FROM portal_credentials c JOIN portal_apps a ON a.id = c.app_id
      LEFT JOIN portal_gateway_keys g ON g.portal_id = c.id
     WHERE a.sync_state = 'synced' AND c.sync_state = 'synced' AND g.id IS NULL`,
  'a finished credential knows its key':
    "SELECT id FROM portal_credentials WHERE sync_state = 'synced' AND (gateway_key_ref IS NULL OR key_hint = '')",
  'an unfinished credential shows nothing':
    "SELECT id FROM portal_credentials WHERE sync_state = 'creating' AND (gateway_key_ref IS NOT NULL OR key_hint <> '')",
  'the gateway has no app that the portal never had':
    'SELECT g.id FROM portal_gateway_apps g LEFT JOIN portal_apps a ON a.id = g.portal_id WHERE a.id IS NULL',
  'the gateway has no key that the portal never had':
    'SELECT g.id FROM portal_gateway_keys g LEFT JOIN portal_credentials c ON c.id = g.portal_id WHERE c.id IS NULL',
  'a sign-in of the API has one refresh token that works': `
    SELECT s.sid FROM portal_sessions s LEFT JOIN portal_api_refresh_tokens t
        ON t.family = s.sid AND t.rotated_at IS NULL AND t.revoked_at IS NULL
     WHERE s.channel = 'api' AND s.revoked_at IS NULL GROUP BY s.sid HAVING COUNT(t.id) <> 1`,
  'refresh tokens follow one another without a gap':
    'SELECT family FROM portal_api_refresh_tokens GROUP BY family HAVING COUNT(*) <> MAX(counter)',
  'a replaced credential has its successor': `
    SELECT c.id FROM portal_credentials c LEFT JOIN portal_credentials s ON s.id = c.replaced_by
     WHERE c.replaced_by IS NOT NULL AND (s.id IS NULL OR s.sync_state = 'creating')`,
};

/** The violated invariants with their rows, and SQLite's integrity check. */
export async function brokenInvariants(database: Database): Promise<string[]> {
  const broken: string[] = [];
  for (const [invariant, sql] of Object.entries(CONTRADICTIONS)) {
    const rows = await database.select<object>(sql);
    if (rows.length > 0) broken.push(`${invariant}: not so for ${JSON.stringify(rows.slice(0, 5))}`);
  }
  if (database.dialect !== 'sqlite') return broken;
  const [state] = await database.select<{ integrity_check: string }>('PRAGMA integrity_check');
  if (state?.integrity_check !== 'ok') broken.push(`PRAGMA integrity_check says ${JSON.stringify(state)}`);
  const orphans = await database.select<object>('PRAGMA foreign_key_check');
  if (orphans.length > 0) broken.push(`PRAGMA foreign_key_check names ${JSON.stringify(orphans.slice(0, 5))}`);
  return broken;
}
