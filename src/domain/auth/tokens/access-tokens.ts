import { randomBytes } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { BoundedCache, UnauthenticatedError, type Clock } from '../../../core/index.js';
import type { AccountRef } from '../account.js';
import type { AuthContext } from '../actor.js';
import type { AccessClaims } from '../contracts.js';
import type { JwtKey, JwtKeys } from './jwt-keys.js';

/** Seconds that the clocks of two replicas may differ (S20, R30). */
const SKEW = 5;
/** RFC 9068 §2.1; rejects every other kind of JWT. */
const TYPE = 'at+jwt';
const HEADER_NAMES = ['alg', 'kid', 'typ'];
const SID = /^[0-9a-f]{32}$/;
const JTI = /^[A-Za-z0-9_-]{22,64}$/;
const SUBJECT = /^[1-9]\d{0,15}$/;
/** Clients send the same token many times; about 700 bytes of memory each. */
const MOST_VERIFIED = 2_000;

export interface AccessTokenSettings {
  readonly clock: Clock;
  readonly keys: JwtKeys;
  /** The portal's base URL. */
  readonly issuer: () => string;
  /** Seconds. */
  readonly ttl: number;
}

interface VerifiedToken {
  readonly key: JwtKey;
  readonly context: AuthContext;
  readonly claims: PortalClaims;
}

interface PortalClaims {
  readonly sub: string;
  readonly sid: string;
  readonly iat: number;
  readonly exp: number;
}

/** Signs and checks the JWT of the API. */
export class AccessTokens {
  /** Keyed by the token's exact text, which never changes: each is verified once per issuer. */
  private readonly verified = new BoundedCache<VerifiedToken>({ entries: MOST_VERIFIED });

  constructor(private readonly settings: AccessTokenSettings) {}

  sign({ context, id }: AccountRef, sid: string): { token: string; expiresIn: number } {
    const { keys, issuer, ttl } = this.settings;
    const { kid, algorithm, signing } = keys.current(context);
    const iat = this.now();
    const claims = {
      iss: issuer(),
      aud: audience(context),
      sub: String(id),
      ctx: context,
      sid,
      jti: randomBytes(16).toString('base64url'),
      iat,
      exp: iat + ttl,
    };
    const token = jwt.sign(claims, signing, { algorithm, header: { alg: algorithm, typ: TYPE, kid } });
    return { token, expiresIn: ttl };
  }

  /** @throws UnauthenticatedError unless this portal signed the token for this context and it has not expired */
  verify(token: string, context: AuthContext): AccessClaims {
    const issuer = this.settings.issuer();
    const known = this.verified.get(token, issuer);
    const claims = known && this.isStillGood(known, context) ? known.claims : this.check(token, context, issuer);
    return { context, accountId: Number(claims.sub), sid: claims.sid };
  }

  private check(token: string, context: AuthContext, issuer: string): PortalClaims {
    const key = this.keyOf(token, context);
    if (!key) throw new UnauthenticatedError();
    const claims = this.readSignedClaims(token, key);
    if (!this.areOurs(claims, context, issuer)) throw new UnauthenticatedError();
    // Tokens with other time claims are verified by the library each time.
    if (!('nbf' in claims)) this.verified.set(token, { key, context, claims }, issuer);
    return claims;
  }

  private readSignedClaims(token: string, key: JwtKey): unknown {
    try {
      const options = { clockTimestamp: this.now(), clockTolerance: SKEW };
      return jwt.verify(token, key.verifying, { algorithms: [key.algorithm], ...options });
    } catch (cause) {
      throw new UnauthenticatedError({ cause });
    }
  }

  /** Everything that depends on the time or the configuration is checked each time. */
  private isStillGood(known: VerifiedToken, context: AuthContext): boolean {
    const { key, claims } = known;
    const now = this.now();
    const isInTime = now - SKEW < claims.exp && claims.iat <= now + SKEW;
    return isInTime && known.context === context && this.settings.keys.find(context, key.kid) === key;
  }

  // The library checks `alg` against the key; all other header fields are refused together: `crit`, `jku`, `jwk`,
  // `x5u`, `x5c` and anything else that could name the sender's key (RFC 8725 §3.10).
  private keyOf(token: string, context: AuthContext): JwtKey | undefined {
    const header = parseObject(token.slice(0, Math.max(0, token.indexOf('.'))));
    if (!header || Object.keys(header).some((name) => !HEADER_NAMES.includes(name))) return undefined;
    const { alg, typ, kid } = header;
    const key = typeof kid === 'string' ? this.settings.keys.find(context, kid) : undefined;
    return key && typ === TYPE && alg === key.algorithm ? key : undefined;
  }

  /** Every claim present and of its exact type (S19); an array is never accepted for a string. */
  private areOurs(claims: unknown, context: AuthContext, issuer: string): claims is PortalClaims {
    if (claims === null || typeof claims !== 'object') return false;
    const { iss, aud, ctx, sub, sid, jti, iat, exp } = claims as Record<string, unknown>;
    const { ttl } = this.settings;
    return (
      iss === issuer &&
      aud === audience(context) &&
      ctx === context &&
      isText(sub, SUBJECT) &&
      isText(sid, SID) &&
      isText(jti, JTI) &&
      isTime(iat) &&
      isTime(exp) &&
      exp > iat &&
      exp - iat <= ttl &&
      iat <= this.now() + SKEW
    );
  }

  private now(): number {
    return Math.floor(this.settings.clock.now().getTime() / 1000);
  }
}

function audience(context: AuthContext): string {
  return `portal:${context}`;
}

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value);
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

function parseObject(segment: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(segment, 'base64url').toString('utf8'));
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    return undefined;
  }
  return undefined;
}
