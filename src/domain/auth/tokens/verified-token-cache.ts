import type { JwtKey } from './jwt-keys.js';

/** A client sends its token many times while it is good; about 700 bytes of memory each. */
const MOST = 2_000;

interface VerifiedToken {
  readonly key: JwtKey;
  readonly claims: unknown;
  /** Seconds since 1970. */
  readonly expires: number;
}

/**
 * Tokens whose signature was found good, by their very bytes: what a signature says of them cannot change, so that it is
 * computed once. Their time is looked at anew each time, and whether the sign-in behind them lives is asked of the
 * database by whoever lets somebody in.
 */
export class VerifiedTokenCache {
  private readonly tokens = new Map<string, VerifiedToken>();

  /**
   * @param isAccepted whether a key still proves anything where the token was sent to
   * @param now seconds since 1970, as late as a token may have expired
   * @returns undefined for what has to be proved
   */
  find(token: string, isAccepted: (key: JwtKey) => boolean, now: number): unknown {
    const proven = this.tokens.get(token);
    if (!proven) return undefined;
    if (now >= proven.expires) {
      this.tokens.delete(token);
      return undefined;
    }
    return isAccepted(proven.key) ? proven.claims : undefined;
  }

  keep(token: string, key: JwtKey, claims: unknown): void {
    const { exp: expires, nbf } = (claims ?? {}) as { exp?: unknown; nbf?: unknown };
    if (typeof expires !== 'number' || nbf !== undefined) return;
    this.tokens.set(token, { key, claims, expires });
    if (this.tokens.size <= MOST) return;
    for (const oldest of this.tokens.keys()) {
      this.tokens.delete(oldest);
      return;
    }
  }
}
