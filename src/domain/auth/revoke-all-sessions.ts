import { placeholders, removeExpired, type Database, type Transaction } from '../../database/index.js';
import type { Clock, EventBus } from '../../core/index.js';
import { EverybodySignedOutEvent } from './events.js';
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
 * Ends every session of every account, and every mailed link: after a restore, which revives what had ended since the
 * backup, or when a secret leaked. If interrupted, run it again.
 * @returns how many sessions were ended
 */
export async function revokeAllSessions({ database, events, clock, revocations }: Parts): Promise<number> {
  // First, and sufficient by itself (S25): no session that is being opened right now outlives it.
  for (const table of ['portal_users', 'portal_admins']) await raiseEpochs(database, table);
  const signIns = await endSessions({ database, clock, revocations });
  await removeExpired(database, { table: 'portal_account_links', key: 'id', condition: 'used_at IS NULL', values: [] });
  await events.emit(new EverybodySignedOutEvent({ signIns, occurredAt: clock.now() }));
  return signIns;
}

async function raiseEpochs(database: Database, table: string): Promise<void> {
  for (let last = 0; ;) {
    const sql = `SELECT id FROM ${table} WHERE id > ? ORDER BY id LIMIT ${BATCH}`;
    const rows = await database.select<{ id: number }>(sql, [last]);
    const end = rows.at(-1)?.id;
    if (end === undefined) return;
    await database.execute(`UPDATE ${table} SET auth_epoch = auth_epoch + 1 WHERE id > ? AND id <= ?`, [last, end]);
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

/** Ends, and announces, exactly what it read: somebody may sign in meanwhile, with the new epoch. @returns the ids */
async function endBatch(
  { database, clock, revocations }: Omit<Parts, 'events'>,
  last: string,
  transaction: Transaction,
): Promise<string[]> {
  const sql =
    'SELECT sid FROM portal_sessions WHERE revoked_at IS NULL AND sid > ? ' +
    `ORDER BY sid LIMIT ${BATCH} ${database.forUpdate}`;
  const sids = (await database.select<{ sid: string }>(sql, [last], { transaction })).map(({ sid }) => sid);
  if (sids.length === 0) return [];
  const tokens = await revocations.among(sids, transaction);
  const ids = placeholders(sids);
  const now = clock.now();
  const end = (set: string) => database.execute(`UPDATE ${set} IN (${ids})`, [now, ...sids], { transaction });
  await end('portal_sessions SET revoked_at = ? WHERE sid');
  await end('portal_api_refresh_tokens SET revoked_at = ? WHERE revoked_at IS NULL AND family');
  await revocations.announce(tokens, 'everybody_signed_out', transaction);
  return sids;
}
