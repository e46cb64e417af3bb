import { fromRow, Op, removeExpired, type Database, type Transaction } from '../../database/index.js';
import type { Clock, EventBus } from '../../core/index.js';
import { accountRecord } from './account.js';
import type { AuthContext } from './actor.js';
import { EverybodySignedOutEvent } from './events.js';
import { refreshTokenRecord, sessionRecord } from './session.js';
import type { TokenRevocations } from './tokens/token-revocations.js';

/** Small enough that locks stay short and no statement times out. */
const BATCH = 1_000;

interface Parts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly revocations: TokenRevocations;
}

/**
 * Ends every session of every account, and every mailed link: after a restore, which revives sessions that ended since
 * the backup, or after a secret has leaked. If interrupted, run it again.
 * @returns how many sessions were ended
 */
export async function revokeAllSessions({ database, events, clock, revocations }: Parts): Promise<number> {
  // First, and sufficient by itself (S25): no session that is being opened right now outlives it.
  for (const context of ['consumer', 'admin'] as const) await raiseEpochs(database, context);
  const signIns = await endSessions({ database, clock, revocations });
  await removeExpired(database, { table: 'portal_account_links', key: 'id', condition: 'used_at IS NULL', values: [] });
  await events.emit(new EverybodySignedOutEvent({ signIns, occurredAt: clock.now() }));
  return signIns;
}

async function raiseEpochs(database: Database, context: AuthContext): Promise<void> {
  const record = accountRecord(context);
  for (let last = 0; ;) {
    const next = { only: ['id'], order: `${record.alias}.id`, limit: BATCH } as const;
    const end = (await record.findAll(database, { id: { [Op.gt]: last } }, next)).at(-1)?.id;
    if (end === undefined) return;
    await record.update(database, { id: { [Op.gt]: last, [Op.lte]: end } }, { authEpoch: fromRow('authEpoch', 1) });
    last = end;
  }
}

async function endSessions(parts: Omit<Parts, 'events'>): Promise<number> {
  for (let ended = 0, last = ''; ;) {
    const batch = await parts.database.transaction((transaction) => endBatch(parts, last, transaction));
    const end = batch.at(-1);
    if (end === undefined) return ended;
    ended += batch.length;
    last = end;
  }
}

/**
 * Ends and announces exactly the sessions that it read: somebody may sign in meanwhile, with the new epoch.
 * @returns their ids
 */
async function endBatch(
  { database, clock, revocations }: Omit<Parts, 'events'>,
  last: string,
  transaction: Transaction,
): Promise<string[]> {
  const rows = await sessionRecord.findAll(
    database,
    { revokedAt: null, sid: { [Op.gt]: last } },
    { only: ['sid'], order: 's.sid', limit: BATCH, lock: true, transaction },
  );
  const sids = rows.map(({ sid }) => sid);
  if (sids.length === 0) return [];
  const tokens = await revocations.among(sids, transaction);
  const ended = { revokedAt: clock.now() };
  await sessionRecord.update(database, { sid: sids }, ended, transaction);
  await refreshTokenRecord.update(database, { family: sids, revokedAt: null }, ended, transaction);
  await revocations.announce(tokens, 'everybody_signed_out', transaction);
  return sids;
}
