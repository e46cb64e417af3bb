import { createHash, randomBytes } from 'node:crypto';
import { addSeconds, latestEnd, type AuthContext, type Clock, type Database, type Encrypter } from '../../index.js';
import type { Secrets } from './identity-provider.js';
import type { PlainCookie } from '../../http/index.js';

/** Lifetime of a sign-in flow in seconds (S81). */
const TRANSACTION_LIFETIME = 600;

/** A sign-in flow through a provider. */
export interface Transaction {
  readonly context: AuthContext;
  /** The channel that started it; it can only end there. */
  readonly channel: 'api' | 'theme';
  readonly provider: string;
  readonly redirectUri: string;
  /** The signed-in developer who wants to link an identity. */
  readonly linkTo: number | null;
  /** Path below the theme's prefix where the visitor wanted to go. */
  readonly returnTo: string | null;
}

export interface Begun {
  readonly secrets: Secrets;
  /** Value for the cookie of the browser that started it; the state alone is not sufficient. */
  readonly browser: string;
}

type Details = Pick<Transaction, 'redirectUri' | 'linkTo' | 'returnTo'> & Omit<Secrets, 'state'>;

interface TransactionParts {
  readonly database: Database;
  readonly encrypter: Encrypter;
  readonly clock: Clock;
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const token = () => randomBytes(32).toString('base64url');

/** Flows in progress: 256 random bits for the state, as many for the browser, each single use (S81, S82). */
export class Transactions {
  constructor(private readonly parts: TransactionParts) {}

  async begin({ context, channel, provider, ...rest }: Transaction): Promise<Begun> {
    const { database, encrypter, clock } = this.parts;
    const secrets = { state: token(), nonce: token(), verifier: token() };
    const browser = token();
    const now = clock.now();
    const details: Details = { ...rest, nonce: secrets.nonce, verifier: secrets.verifier };
    await database.execute(
      'INSERT INTO portal_oidc_transactions (state_hash, browser_hash, context, channel, provider, details, expires_at, created_at) ' +
        'VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      [
        ...[hashOf(secrets.state), hashOf(browser), context, channel, provider],
        encrypter.encrypt(JSON.stringify(details), sealContext(secrets.state)),
        ...[addSeconds(now, TRANSACTION_LIFETIME), now],
      ],
    );
    return { secrets, browser };
  }

  /**
   * Ends a flow started in this browser. @returns null for a state that is unknown, expired, used, or from another
   * browser; the last stays valid for the one that started it
   */
  async finish(
    state: string,
    browser: string | undefined,
    { context, channel }: Pick<Transaction, 'context' | 'channel'>,
  ): Promise<(Transaction & { readonly secrets: Secrets }) | null> {
    const { database, encrypter, clock } = this.parts;
    if (!TOKEN.test(state) || browser === undefined || !TOKEN.test(browser)) return null;
    const own =
      'state_hash = ? AND browser_hash = ? AND context = ? AND channel = ? AND expires_at > ? AND expires_at <= ?';
    const now = clock.now();
    const values = [hashOf(state), hashOf(browser), context, channel, now, latestEnd(now, TRANSACTION_LIFETIME)];
    const [row] = await database.select<{ provider: string; details: string }>(
      `SELECT provider, details FROM portal_oidc_transactions WHERE ${own}`,
      values,
    );
    if (!row) return null;
    const { affectedRows } = await database.execute(`DELETE FROM portal_oidc_transactions WHERE ${own}`, values);
    if (affectedRows !== 1) return null;
    const { nonce, verifier, ...details } = JSON.parse(encrypter.decrypt(row.details, sealContext(state))) as Details;
    return { context, channel, provider: row.provider, ...details, secrets: { state, nonce, verifier } };
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function sealContext(state: string): string {
  return `portal_oidc_transactions:${hashOf(state)}:details`;
}

export const BROWSER_COOKIE = 'portal-oidc';

/** Binds a sign-in flow to the browser that started it (S81); an empty value deletes the cookie. */
export function browserCookie(value: string, path: string): PlainCookie {
  return { name: BROWSER_COOKIE, value, path, maxAge: value === '' ? 0 : TRANSACTION_LIFETIME };
}
