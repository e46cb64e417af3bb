import { adminRecord, userRecord, type AdminRecord, type UserRecord } from '../accounts/index.js';
import type { Database, Transaction } from '../../database/index.js';
import type { AuthAccount } from './account.js';
import type { AuthContext, SessionChannel } from './actor.js';

const SESSION_DECODE = { sessionAuthTime: 'date', sessionSeenAt: 'date', sessionExpiresAt: 'date' } as const;
const DECODE = {
  consumer: { ...userRecord.decode, ...SESSION_DECODE },
  admin: { ...adminRecord.decode, ...SESSION_DECODE },
} as const;

const LIVE: Readonly<Record<AuthContext, string>> = {
  consumer: liveQuery(userRecord.select('a'), userRecord.table),
  admin: liveQuery(adminRecord.select('a'), adminRecord.table),
};

function liveQuery(columns: string, table: string): string {
  return (
    `SELECT ${columns}, a.auth_epoch AS authEpoch, s.auth_time AS sessionAuthTime, s.last_seen_at AS sessionSeenAt, ` +
    `s.expires_at AS sessionExpiresAt ` +
    `FROM portal_sessions AS s JOIN ${table} AS a ON a.id = s.account_id AND a.auth_epoch = s.auth_epoch ` +
    `WHERE s.sid = ? AND s.context = ? AND s.channel = ? AND s.revoked_at IS NULL AND s.expires_at > ? ` +
    `AND a.status <> 'inactive'`
  );
}

export type LiveRow = (UserRecord & AdminRecord) & {
  readonly authEpoch: number;
  readonly sessionAuthTime: Date;
  readonly sessionSeenAt: Date;
  readonly sessionExpiresAt: Date;
};

export function accountOf(context: AuthContext, row: LiveRow): AuthAccount {
  const { authEpoch, sessionAuthTime: _time, sessionSeenAt: _seen, sessionExpiresAt: _end, ...record } = row;
  const account = { id: record.id, email: record.email, authEpoch };
  return context === 'admin' ? { context, ...account, admin: record } : { context, ...account, user: record };
}

/**
 * The account of a session if that is active: not ended, not expired, the account neither disabled nor deleted, its
 * epoch unchanged (S25). One indexed query per authenticated request.
 */
export async function readLiveSession(
  database: Database,
  key: { readonly sid: string; readonly context: AuthContext; readonly channel: SessionChannel; readonly now: Date },
  transaction?: Transaction,
): Promise<LiveRow | undefined> {
  const { sid, context, channel, now } = key;
  const options = { decode: DECODE[context], transaction };
  const [row] = await database.select<LiveRow>(LIVE[context], [sid, context, channel, now], options);
  return row;
}
