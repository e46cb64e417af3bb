import { randomBytes } from 'node:crypto';
import { fromRow, Op, removeExpired, type Database, type Transaction } from '../../database/index.js';
import {
  addSeconds,
  NotFoundError,
  UnauthenticatedError,
  type Clock,
  type EventBus,
  type Logger,
  type RequestInfo,
} from '../../core/index.js';
import { accountRecord, type AccountRef, type AuthAccount } from './account.js';
import type { AdminActor, AuthContext, ConsumerActor, SessionChannel } from './actor.js';
import { SessionOpeningEvent, SessionRenewingEvent, SessionRevokedEvent, type RevocationReason } from './events.js';
import { refreshTokenRecord, sessionRecord, type SessionRecord } from './session.js';
import { TokenRevocations } from './tokens/token-revocations.js';
import { revokeAllSessions } from './revoke-all-sessions.js';
import {
  accountOf,
  findActiveSessions,
  insertSession,
  lockSession,
  readLiveSession,
  revokeTokensOfEnded,
  type LiveRow,
} from './session-queries.js';

/** An active session, locked until the transaction ends. */
export interface LockedSession {
  readonly account: AuthAccount;
  readonly expiresAt: Date;
}

export interface OpenedSession {
  readonly sid: string;
  readonly expiresAt: Date;
}

interface NewSession {
  readonly channel: SessionChannel;
  /** Maximum lifetime in seconds. */
  readonly lifetime: number;
  readonly request: RequestInfo;
}

interface SessionParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** `last_seen_at` is only informative; it is not worth a write per request. */
const SEEN_EVERY_MS = 60_000;
/** Ended sessions are kept this long, so that reuse of a stolen refresh token is still detected (S32). */
const KEEP_ENDED_S = 7 * 86_400;
/** Longest list of sessions; with more, the owner can end all of them at once. */
const MAX_LISTED = 200;

/**
 * Sessions: one row each in `portal_sessions`, for every channel. Ending the row ends everything that depends on it.
 */
export class SessionService {
  private readonly noting = new Map<string, Promise<void>>();

  private readonly revocations: TokenRevocations;

  constructor(private readonly parts: SessionParts) {
    this.revocations = new TokenRevocations(parts);
  }

  /**
   * Opens a session; its `sid` is 128 random bits as 32 hexadecimal digits. Locks the account, so that whoever ends all
   * of its sessions waits for this one and ends and announces it too.
   * @throws UnauthenticatedError if all sessions of the account were ended, or it was disabled or deleted, after it
   *   proved itself; whatever a `within` listener of {@link SessionOpeningEvent} throws
   */
  async open(account: AuthAccount, session: NewSession, transaction?: Transaction): Promise<OpenedSession> {
    const { channel, lifetime, request } = session;
    const { database, events } = this.parts;
    const sid = newSid();
    const now = this.now();
    await events.emit(new SessionOpeningEvent({ account, channel, request, occurredAt: now }), transaction);
    const expiresAt = addSeconds(now, lifetime);
    const [ip, userAgent] = [request.ip.slice(0, 45), request.userAgent.slice(0, 255)];
    const row = { sid, channel, ip, userAgent, expiresAt };
    if (!(await insertSession(database, account, row, now, transaction))) throw new UnauthenticatedError();
    return { sid, expiresAt };
  }

  /**
   * The account of a session if that is active: not ended, not expired, the account neither disabled nor deleted, its
   * epoch unchanged (S25). One query.
   */
  authenticate(sid: string, context: 'consumer', channel: SessionChannel): Promise<ConsumerActor | null>;
  authenticate(sid: string, context: 'admin', channel: SessionChannel): Promise<AdminActor | null>;
  authenticate(sid: string, context: AuthContext, channel: SessionChannel): Promise<ConsumerActor | AdminActor | null>;
  async authenticate(
    sid: string,
    context: AuthContext,
    channel: SessionChannel,
  ): Promise<ConsumerActor | AdminActor | null> {
    const row = await readLiveSession(this.parts.database, { sid, context, channel, now: this.now() });
    if (!row) return null;
    this.noteSeen(sid, row.sessionSeenAt);
    return actorOf({ sid, context, channel }, row);
  }

  /** The same of an admin in the console, without counting as a use of the session: for what merely rests on it. */
  async findAdmin(sid: string): Promise<AdminActor | null> {
    const key = { sid, context: 'admin', channel: 'theme' } as const;
    const row = await readLiveSession(this.parts.database, { ...key, now: this.now() });
    const actor = row ? actorOf(key, row) : null;
    return actor?.context === 'admin' ? actor : null;
  }

  /**
   * Locks an active API session until the end of the transaction, so that it cannot end in between (S34). Must be the
   * first statement of its transaction, so that later reads see the snapshot after the lock.
   * @returns null when the session is not active
   */
  async lock(sid: string, context: AuthContext, transaction: Transaction): Promise<LockedSession | null> {
    const now = this.now();
    const { database } = this.parts;
    if (!(await lockSession(database, sid, context, now, transaction))) return null;
    const row = await readLiveSession(database, { sid, context, channel: 'api', now }, transaction);
    return row ? { account: accountOf(context, row), expiresAt: row.sessionExpiresAt } : null;
  }

  /** Active sessions of an account, API and theme, most recently used first; at most 200. */
  list(owner: AccountRef): Promise<SessionRecord[]> {
    return findActiveSessions(this.parts.database, owner, this.now(), MAX_LISTED);
  }

  /** Ends one session of an account. @throws NotFoundError if it has ended, is missing or belongs to another account */
  async revoke(owner: AccountRef, sid: string, request: RequestInfo): Promise<void> {
    await this.parts.database.transaction(async (transaction) => {
      if (!(await this.end(owner, sid, transaction, { request }))) throw new NotFoundError();
      await this.announce(owner, sid, request, transaction);
    });
  }

  /** Log out everywhere: ends every session of an account except `keepSid`, on every replica at once. */
  async revokeAll(owner: AccountRef, request: RequestInfo, keepSid?: string): Promise<void> {
    await this.parts.database.transaction(async (transaction) => {
      await this.endAll(owner, keepSid, transaction);
      await this.announce(owner, null, request, transaction);
    });
  }

  /**
   * Marks the session as recently authenticated: the account has just proved everything it is asked for (S80).
   * @returns the `sid` from now on, see {@link successorOf}
   * @throws whatever a `within` listener of {@link SessionRenewingEvent} throws
   */
  async renewAuthTime(actor: ConsumerActor | AdminActor, request: RequestInfo): Promise<string> {
    const { database, events } = this.parts;
    const { context, id: accountId, sid } = actor;
    const now = this.now();
    const successor = this.successorOf(actor);
    await database.transaction(async (transaction) => {
      const fact = { context, accountId, sid, request, occurredAt: now };
      await events.emit(new SessionRenewingEvent(fact), transaction);
      const renewed = { authTime: now, sid: successor };
      await sessionRecord.update(database, { sid, revokedAt: null }, renewed, transaction);
    });
    return successor;
  }

  /**
   * The `sid` after reauthentication. A browser session gets a new one, written in the same transaction: earlier
   * cookies, including stolen ones, are then dead, whatever happens in the web session store (S36). An API session
   * keeps its `sid`, which its tokens carry.
   */
  successorOf({ channel, sid }: Pick<ConsumerActor, 'channel' | 'sid'>): string {
    return channel === 'theme' ? newSid() : sid;
  }

  /**
   * Ends one session and its refresh tokens, and announces that; the caller announces the cause.
   * @returns whether it was active
   */
  async end(
    owner: AccountRef,
    sid: string,
    transaction: Transaction,
    { reason = 'session_ended', request }: { reason?: RevocationReason; request?: RequestInfo } = {},
  ): Promise<boolean> {
    const now = this.now();
    const { context, id } = owner;
    const { database } = this.parts;
    const active = { sid, context, accountId: id, revokedAt: null };
    const ended = { revokedAt: now };
    if ((await sessionRecord.update(database, active, ended, transaction)) === 0) return false;
    await refreshTokenRecord.update(database, { family: sid, revokedAt: null }, ended, transaction);
    await this.revocations.announce(await this.revocations.among([sid], transaction), reason, transaction, request);
    return true;
  }

  /**
   * Ends every session of an account except `keepSid`. A session that is being opened waits for the lock on the
   * account, or this waits for it: see {@link open}. Locks the account, then the sessions, then the tokens, as every
   * writer here does.
   * @param ending the reason, and the new `sid` of the kept session
   */
  async endAll(
    owner: AccountRef,
    keepSid: string | undefined,
    transaction: Transaction,
    ending: { readonly reason?: RevocationReason; readonly renewedSid?: string | undefined } = {},
  ): Promise<void> {
    const { database } = this.parts;
    const { context, id } = owner;
    const { reason = 'session_ended', renewedSid = keepSid } = ending;
    const now = this.now();
    await accountRecord(context).update(database, { id }, { authEpoch: fromRow('authEpoch', 1) }, transaction);
    const tokens = await this.revocations.of(owner, keepSid, transaction);
    const owned = { context, accountId: id };
    if (keepSid !== undefined) {
      // Follows the account's epoch: a session with an older one stays behind and is not revived.
      const kept = { authEpoch: fromRow('authEpoch', 1), sid: renewedSid ?? keepSid };
      await sessionRecord.update(database, { ...owned, sid: keepSid }, kept, transaction);
    }
    const others = { ...owned, revokedAt: null, sid: { [Op.ne]: renewedSid ?? '' } };
    await sessionRecord.update(database, others, { revokedAt: now }, transaction);
    await revokeTokensOfEnded(database, owner, now, transaction);
    await this.revocations.announce(tokens, reason, transaction);
  }

  /** Removes the sessions of an account that is being deleted, with their IP addresses and user agents. */
  async forget(owner: AccountRef, transaction: Transaction): Promise<void> {
    const tokens = await this.revocations.of(owner, undefined, transaction);
    const { context, id } = owner;
    await sessionRecord.remove(this.parts.database, { context, accountId: id }, transaction);
    await this.revocations.announce(tokens, 'account_deleted', transaction);
  }

  /** Removes sessions that ended more than 7 days ago, with their refresh tokens. @returns number of sessions */
  prune(): Promise<number> {
    const { database, clock } = this.parts;
    const limit = addSeconds(clock.now(), -KEEP_ENDED_S);
    return removeExpired(database, {
      table: 'portal_sessions',
      key: 'sid',
      condition: 'expires_at <= ?',
      values: [limit],
    });
  }

  /** Ends every session of every account, and every unused mailed link. @returns number of sessions */
  endEverySession(): Promise<number> {
    return revokeAllSessions({ ...this.parts, revocations: this.revocations });
  }

  /** Resolves once all pending `last_seen_at` writes are done; call it before the database closes. */
  async flush(): Promise<void> {
    await Promise.all(this.noting.values());
  }

  // Not awaited: nothing depends on it. One write per session at a time.
  private noteSeen(sid: string, seenAt: Date): void {
    const now = this.now();
    if (Math.abs(now.getTime() - seenAt.getTime()) < SEEN_EVERY_MS || this.noting.has(sid)) return;
    const { database, logger } = this.parts;
    const noted = sessionRecord
      .update(database, { sid, revokedAt: null }, { lastSeenAt: now })
      .then(() => undefined)
      .catch((error: unknown) => logger.debug({ err: error }, 'last_seen_at of a sign-in was not written'))
      .finally(() => this.noting.delete(sid));
    this.noting.set(sid, noted);
  }

  private async announce(
    { context, id }: AccountRef,
    sid: string | null,
    request: RequestInfo,
    transaction: Transaction,
  ): Promise<void> {
    const fact = { context, accountId: id, email: null, sid, request, occurredAt: this.now() };
    await this.parts.events.emit(new SessionRevokedEvent(fact), transaction);
  }

  private now(): Date {
    return this.parts.clock.now();
  }
}

interface SessionKey {
  readonly sid: string;
  readonly context: AuthContext;
  readonly channel: SessionChannel;
}

function actorOf({ sid, context, channel }: SessionKey, row: LiveRow): ConsumerActor | AdminActor {
  const account = accountOf(context, row);
  const signedIn = { id: account.id, sid, channel, authTime: row.sessionAuthTime };
  return account.context === 'admin'
    ? { context: 'admin', ...signedIn, admin: account.admin }
    : { context: 'consumer', ...signedIn, user: account.user };
}

/** 128 random bits as 32 hexadecimal digits. */
function newSid(): string {
  return randomBytes(16).toString('hex');
}
