import type { Database } from '../../database/index.js';
import type { RequestInfo } from '../../core/index.js';
import { adminRecord } from '../accounts/index.js';
import type { AdminActor } from '../auth/index.js';
import type { OperationPort } from './operation-port.js';
import type { BulkReason, ClaimedOwner } from './bulk-job.js';

/** Before every sign-in: whatever asks for a recent proof of the password refuses a job (S80). */
const NEVER = new Date(0);

/**
 * The admin in whose name a job works, read anew for each record, as is what they may do.
 * @param operations that the job needs
 * @returns the reason why the job has to end, if there is one
 */
export async function readJobActor(
  database: Database,
  port: Pick<OperationPort, 'may'>,
  job: ClaimedOwner,
  operations: readonly string[],
): Promise<AdminActor | BulkReason> {
  const row = await adminRecord.find(database, { id: job.adminId }, { with: ['authEpoch'] });
  if (!row) return 'account_gone';
  const { authEpoch, ...admin } = row;
  if (admin.status !== 'active') return 'account_disabled';
  // Who ends all sign-ins of an account ends what it has running (S25).
  if (authEpoch !== job.authEpoch) return 'signed_out';
  const actor: AdminActor = {
    ...{ context: 'admin', id: admin.id, admin },
    ...{ sid: `bulk:${job.uuid}`, channel: 'api', authTime: NEVER },
  };
  for (const operation of operations) if (!(await port.may(operation, actor))) return 'permission';
  return actor;
}

/** The activities of all records of a job carry the same id; there is no client behind them. */
export function jobRequest({ uuid }: Pick<ClaimedOwner, 'uuid'>): RequestInfo {
  return { requestId: `bulk-${uuid}`, ip: '', userAgent: '' };
}
