import { adminRecord, userRecord, type AdminRecord, type UserRecord } from '../accounts/index.js';
import { placeholders, type Database, type NewRowOf, type Transaction } from '../../database/index.js';
import { accountRecord, type AccountRef, type AuthAccount } from './account.js';
import type { AuthContext, SessionChannel } from './actor.js';
import { sessionRecord, type refreshTokenRecord, type SessionRecord } from './session.js';

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

type NewSessionRow = Pick<NewRowOf<typeof sessionRecord>, 'sid' | 'channel' | 'ip' | 'userAgent' | 'expiresAt'>;

/**
 * Writes a session of an account, and locks the account.
 * @returns whether it was written: not if all sessions of the account were ended, or it was deleted, since it was read
 */
export async function insertSession(
  database: Database,
  { context, id, authEpoch }: Pick<AuthAccount, 'context' | 'id' | 'authEpoch'>,
  { sid, channel, ip = null, userAgent = null, expiresAt }: NewSessionRow,
  now: Date,
  transaction?: Transaction,
): Promise<boolean> {
  const { affectedRows } = await database.execute(
    'INSERT INTO portal_sessions (sid, context, account_id, channel, auth_epoch, auth_time, ip, user_agent, ' +
      'last_seen_at, expires_at, created_at) SELECT ?, ?, id, ?, auth_epoch, ?, ?, ?, ?, ?, ? ' +
      `FROM ${accountRecord(context).table} WHERE id = ? AND auth_epoch = ? ${database.forUpdate}`,
    [sid, context, channel, now, ip, userAgent, now, expiresAt, now, id, authEpoch],
    { transaction },
  );
  return affectedRows > 0;
}

/** Locks a session that has not ended. @returns whether there is one */
export async function lockSession(
  database: Database,
  sid: string,
  context: AuthContext,
  now: Date,
  transaction: Transaction,
): Promise<boolean> {
  const { affectedRows } = await database.execute(
    'UPDATE portal_sessions SET last_seen_at = ? WHERE sid = ? AND context = ? AND revoked_at IS NULL AND expires_at > ?',
    [now, sid, context, now],
    { transaction },
  );
  return affectedRows === 1;
}

/** Active sessions of an account, most recently used first. */
export function findActiveSessions(
  database: Database,
  { context, id }: AccountRef,
  now: Date,
  limit: number,
): Promise<SessionRecord[]> {
  return database.select<SessionRecord>(
    `SELECT ${sessionRecord.select()} FROM portal_sessions AS s ` +
      `JOIN ${accountRecord(context).table} AS a ON a.id = s.account_id AND a.auth_epoch = s.auth_epoch ` +
      'WHERE s.context = ? AND s.account_id = ? AND s.revoked_at IS NULL AND s.expires_at > ? ' +
      `ORDER BY s.last_seen_at DESC, s.sid LIMIT ${limit}`,
    [context, id, now],
    { decode: sessionRecord.decode },
  );
}

/** An API session that ends early, and its owner. */
export interface EndedSession {
  readonly sid: string;
  readonly context: AuthContext;
  readonly accountId: number;
  /** null when the account is gone. */
  readonly email: string | null;
}

/** The API sessions among some whose time is not over, with their owners. */
export function findEndings(
  database: Database,
  sids: readonly string[],
  now: Date,
  transaction: Transaction,
): Promise<EndedSession[]> {
  return database.select<EndedSession>(
    'SELECT s.sid AS sid, s.context AS context, s.account_id AS accountId, COALESCE(u.email, a.email) AS email ' +
      'FROM portal_sessions AS s ' +
      "LEFT JOIN portal_users AS u ON s.context = 'consumer' AND u.id = s.account_id " +
      "LEFT JOIN portal_admins AS a ON s.context = 'admin' AND a.id = s.account_id " +
      `WHERE s.channel = 'api' AND s.expires_at > ? AND s.sid IN (${placeholders(sids)}) ORDER BY s.sid`,
    [now, ...sids],
    { transaction },
  );
}

/** Revokes the refresh tokens of those sessions of an account that were ended at `endedAt`. */
export async function revokeTokensOfEnded(
  database: Database,
  { context, id }: AccountRef,
  endedAt: Date,
  transaction: Transaction,
): Promise<void> {
  await database.execute(
    `UPDATE portal_api_refresh_tokens SET revoked_at = ? WHERE revoked_at IS NULL AND family IN
       (SELECT sid FROM portal_sessions WHERE context = ? AND account_id = ? AND revoked_at = ?)`,
    [endedAt, context, id, endedAt],
    { transaction },
  );
}

/** One conditional UPDATE decides who exchanges a refresh token (S27). @returns whether it was this call */
export async function rotateToken(
  database: Database,
  tokenHash: string,
  now: Date,
  transaction: Transaction,
): Promise<boolean> {
  const { affectedRows } = await database.execute(
    'UPDATE portal_api_refresh_tokens SET rotated_at = ? ' +
      'WHERE token_hash = ? AND rotated_at IS NULL AND revoked_at IS NULL AND expires_at > ?',
    [now, tokenHash, now],
    { transaction },
  );
  return affectedRows === 1;
}

export async function insertToken(
  database: Database,
  { tokenHash, family, counter, expiresAt, createdAt }: NewRowOf<typeof refreshTokenRecord>,
  transaction: Transaction,
): Promise<void> {
  await database.execute(
    'INSERT INTO portal_api_refresh_tokens (token_hash, family, counter, expires_at, created_at) VALUES (?, ?, ?, ?, ?)',
    [tokenHash, family, counter, expiresAt, createdAt],
    { transaction },
  );
}
