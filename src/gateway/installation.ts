import type { Database } from '../database/index.js';
import { GatewayUnavailableError } from './errors.js';

/** The random id that the first migration gave this portal; all its replicas share it, no other portal does. */
export async function readInstallation(database: Database): Promise<string> {
  const sql = 'SELECT installation FROM portal_installation WHERE id = 1';
  const [row] = await database.select<{ installation: string }>(sql);
  if (row) return row.installation;
  throw new GatewayUnavailableError(1, { detail: 'portal_installation is empty. Fix: portal migrate' });
}
