import type { Database, Transaction } from '../../../database/index.js';
import { addSeconds, UnauthenticatedError, type Clock, type EventBus, type RequestInfo } from '../../../core/index.js';
import type { AccessTokens } from './access-tokens.js';
import type { AccountRef, AuthAccount } from '../account.js';
import type { AuthContext } from '../actor.js';
import type { AccessClaims, TokenPair, TokenServiceInterface } from '../contracts.js';
import { RefreshTokenReusedEvent, TokenIssuedEvent, TokenRefreshedEvent, type AuthFact } from '../events.js';
import { refreshTokenHash, type RefreshTokenCodec, type RefreshTokenId } from './refresh-token-codec.js';
import type { LoginAnnouncement } from '../login-announcement.js';
import type { RequestLimits } from '../request-limits.js';
import { refreshTokenRecord } from '../session.js';
import { insertToken, rotateToken } from '../session-queries.js';
import type { SessionService } from '../session-service.js';

/** Time in which a client may repeat an exchange whose response was lost (S29). */
const GRACE_MS = 10_000;

export interface TokenServiceParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly accessTokens: AccessTokens;
  readonly refreshTokens: RefreshTokenCodec;
  readonly sessions: SessionService;
  readonly limits: RequestLimits;
  /** Seconds: of one refresh token, and of the whole session (S32). */
  readonly lifetimes: { readonly refreshTtl: number; readonly refreshFamilyTtl: number };
}

type Exchange = { readonly account: AuthAccount; readonly refreshToken: string } | 'refused';

/**
 * Access tokens (JWT, not stored) and refresh tokens (rows of `portal_api_refresh_tokens`, hashes only). The `family`
 * of a refresh token is the `sid` of its session; both kinds are valid only while that is active.
 */
export class TokenService implements TokenServiceInterface {
  constructor(protected readonly parts: TokenServiceParts) {}

  async issue(account: AuthAccount, request: RequestInfo, login?: LoginAnnouncement): Promise<TokenPair> {
    const { database, sessions, lifetimes } = this.parts;
    return database.transaction(async (transaction) => {
      await login?.announce(transaction);
      const session = { channel: 'api', lifetime: lifetimes.refreshFamilyTtl, request } as const;
      const { sid, expiresAt } = await sessions.open(account, session, transaction);
      const first = { context: account.context, family: sid, counter: 1 };
      const refreshToken = await this.store(first, expiresAt, transaction);
      await this.parts.events.emit(new TokenIssuedEvent(this.createFact(account, sid, request)), transaction);
      return this.pair(account, sid, refreshToken);
    });
  }

  async refresh(refreshToken: string, context: AuthContext, request: RequestInfo): Promise<TokenPair> {
    const id = this.parts.refreshTokens.decode(refreshToken);
    if (id?.context !== context) throw new UnauthenticatedError();
    await this.parts.limits.countFamily(id.family);
    // A refusal may have ended the family, which must be committed: so it is returned, not thrown.
    const exchange = await this.parts.database.transaction((transaction) =>
      this.exchange(refreshToken, id, request, transaction),
    );
    if (exchange === 'refused') throw new UnauthenticatedError();
    return this.pair(exchange.account, id.family, exchange.refreshToken);
  }

  async revoke(refreshToken: string, owner: AccountRef, request: RequestInfo): Promise<boolean> {
    const { database, limits, refreshTokens, sessions } = this.parts;
    const id = refreshTokens.decode(refreshToken);
    if (id?.context !== owner.context) return false;
    await limits.countFamily(id.family);
    return database.transaction((transaction) =>
      sessions.end(owner, id.family, transaction, { reason: 'logout', request }),
    );
  }

  verify(accessToken: string, context: AuthContext): Promise<AccessClaims> {
    // Synchronous work behind an async signature: rejects, never throws.
    return new Promise((resolve) => resolve(this.parts.accessTokens.verify(accessToken, context)));
  }

  /** Locks the session first, which serialises concurrent exchanges and logouts of one family (S28, S34). */
  protected async exchange(
    token: string,
    id: RefreshTokenId,
    request: RequestInfo,
    transaction: Transaction,
  ): Promise<Exchange> {
    const locked = await this.parts.sessions.lock(id.family, id.context, transaction);
    if (!locked) return 'refused';
    const { account, expiresAt } = locked;
    if (await this.rotate(token, transaction)) {
      const refreshToken = await this.store({ ...id, counter: id.counter + 1 }, expiresAt, transaction);
      await this.announceRefresh(account, id.family, request, transaction);
      return { account, refreshToken };
    }
    return this.exchangeAgain(token, id, account, request, transaction);
  }

  /** For a token that was already exchanged or is no longer valid. */
  private async exchangeAgain(
    token: string,
    id: RefreshTokenId,
    account: AuthAccount,
    request: RequestInfo,
    transaction: Transaction,
  ): Promise<Exchange> {
    const now = this.now();
    const row = await this.find(token, transaction);
    // Expiry also applies to a client that repeats a lost response (S31).
    if (!row?.rotatedAt || row.revokedAt || row.expiresAt <= now) return 'refused';
    // In both directions: replicas differ by seconds, and a clock set back must not extend the grace to hours.
    const repeats = Math.abs(now.getTime() - row.rotatedAt.getTime()) <= GRACE_MS;
    const successor = repeats ? await this.findUnusedSuccessor(id, transaction) : null;
    if (successor !== null) {
      await this.announceRefresh(account, id.family, request, transaction);
      return { account, refreshToken: successor };
    }
    await this.parts.sessions.end(account, id.family, transaction, { reason: 'token_reused', request });
    await this.parts.events.emit(
      new RefreshTokenReusedEvent(this.createFact(account, id.family, request)),
      transaction,
    );
    return 'refused';
  }

  private rotate(token: string, transaction: Transaction): Promise<boolean> {
    return rotateToken(this.parts.database, refreshTokenHash(token), this.now(), transaction);
  }

  private async findUnusedSuccessor(id: RefreshTokenId, transaction: Transaction): Promise<string | null> {
    for (const candidate of this.parts.refreshTokens.candidates({ ...id, counter: id.counter + 1 })) {
      const row = await this.find(candidate, transaction);
      if (row) return row.rotatedAt || row.revokedAt || row.expiresAt <= this.now() ? null : candidate;
    }
    return null;
  }

  private find(token: string, transaction: Transaction) {
    const where = { tokenHash: refreshTokenHash(token) };
    const options = { only: ['expiresAt', 'rotatedAt', 'revokedAt'], transaction } as const;
    return refreshTokenRecord.find(this.parts.database, where, options);
  }

  /** Writes the row of a new token, which never outlives its family. @returns the token */
  private async store(id: RefreshTokenId, familyEnd: Date, transaction: Transaction): Promise<string> {
    const { database, refreshTokens, lifetimes } = this.parts;
    const token = refreshTokens.encode(id);
    const now = this.now();
    const ownEnd = addSeconds(now, lifetimes.refreshTtl);
    const expiresAt = ownEnd < familyEnd ? ownEnd : familyEnd;
    const { family, counter } = id;
    const row = { tokenHash: refreshTokenHash(token), family, counter, expiresAt, createdAt: now };
    await insertToken(database, row, transaction);
    return token;
  }

  private pair(account: AccountRef, sid: string, refreshToken: string): TokenPair {
    const { token: accessToken, expiresIn } = this.parts.accessTokens.sign(account, sid);
    return { tokenType: 'Bearer', accessToken, expiresIn, refreshToken };
  }

  private async announceRefresh(
    account: AuthAccount,
    sid: string,
    request: RequestInfo,
    transaction: Transaction,
  ): Promise<void> {
    const fact = this.createFact(account, sid, request);
    await this.parts.events.emit(new TokenRefreshedEvent(fact), transaction);
    await this.parts.events.emit(new TokenIssuedEvent({ ...fact, isRefresh: true }), transaction);
  }

  private createFact({ context, id: accountId, email }: AuthAccount, sid: string, request: RequestInfo): AuthFact {
    return { context, accountId, email, sid, request, occurredAt: this.now() };
  }

  private now(): Date {
    return this.parts.clock.now();
  }
}
