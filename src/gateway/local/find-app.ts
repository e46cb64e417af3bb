import type { Database } from '../../database/index.js';
import type { AppAddress } from '../contract.js';
import { GatewayNotFoundError } from '../errors.js';

/** Row id of an app. @throws GatewayNotFoundError */
export async function findLocalApp(database: Database, { developer, portalId, name }: AppAddress): Promise<number> {
  const sql = 'SELECT id FROM portal_gateway_apps WHERE developer_id = ? AND portal_id = ?';
  const [row] = await database.select<{ id: number }>(sql, [developer.id, portalId]);
  if (row) return row.id;
  throw new GatewayNotFoundError({ detail: `the local gateway has no app ${name} of developer ${developer.id}` });
}
