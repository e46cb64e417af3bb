import type { Database } from '../../database/index.js';
import type { AppAddress } from '../contract.js';
import { GatewayNotFoundError } from '../errors.js';
import { localAppRecord } from './records.js';

/** Row id of an app. @throws GatewayNotFoundError */
export async function findLocalApp(database: Database, { developer, portalId, name }: AppAddress): Promise<number> {
  const row = await localAppRecord.find(database, { developerId: developer.id, portalId }, { only: ['id'] });
  if (row) return row.id;
  throw new GatewayNotFoundError({ detail: `the local gateway has no app ${name} of developer ${developer.id}` });
}
