import { createHash, randomBytes } from 'node:crypto';
import { defineRecord, fieldOf, Op } from '../../database/index.js';
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

const flowRecord = defineRecord({
  name: 'OidcFlow',
  table: 'portal_oidc_transactions',
  alias: 't',
  fields: {
    id: fieldOf.id(),
    stateHash: fieldOf.text(64),
    browserHash: fieldOf.text(64),
    context: fieldOf.text<AuthContext>(16),
    channel: fieldOf.text<Transaction['channel']>(8),
    provider: fieldOf.text(32),
    details: fieldOf.longText(),
    expiresAt: fieldOf.time(),
    createdAt: fieldOf.time(),
  },
});

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
    await flowRecord.insert(database, {
      ...{ stateHash: hashOf(secrets.state), browserHash: hashOf(browser), context, channel, provider },
      details: encrypter.encrypt(JSON.stringify(details), sealContext(secrets.state)),
      ...{ expiresAt: addSeconds(now, TRANSACTION_LIFETIME), createdAt: now },
    });
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
    const now = clock.now();
    const expiresAt = { [Op.gt]: now, [Op.lte]: latestEnd(now, TRANSACTION_LIFETIME) };
    const own = { stateHash: hashOf(state), browserHash: hashOf(browser), context, channel, expiresAt };
    const row = await flowRecord.find(database, own);
    if (!row || (await flowRecord.remove(database, own)) !== 1) return null;
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
