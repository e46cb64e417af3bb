import { resolve } from 'node:path';
import { addSeconds, type Clock } from '../../core/index.js';
import type { RemoteClient } from '../../gateway/index.js';
import type { ApigeeConfig } from './options.js';
import { basicAuthorization, edgeTokens, requestToken, serviceAccountTokens, type AccessToken } from './tokens.js';

/** Authentication to Apigee. */
export interface SignIn {
  /** Value of the `Authorization` header. @throws the errors of the contract */
  authorization(): Promise<string>;
  /**
   * Called after Apigee rejected a value.
   * @returns whether a new one may work
   */
  renew(refused: string): boolean;
}

/** A constant value: Basic authentication, or a configured token. */
class FixedSignIn implements SignIn {
  constructor(private readonly value: string) {}

  authorization(): Promise<string> {
    return Promise.resolve(this.value);
  }

  renew(): boolean {
    return false;
  }
}

/** Tokens are renewed this many seconds before they expire, so that they are still valid on arrival. */
const LEEWAY_S = 60;

/** Tokens that expire; concurrent calls share one renewal. */
class TokenSignIn implements SignIn {
  private current: { readonly authorization: string; readonly goodUntil: Date } | undefined;
  private fetching: Promise<string> | undefined;

  constructor(
    private readonly fetchToken: () => Promise<AccessToken>,
    private readonly clock: Clock,
  ) {}

  authorization(): Promise<string> {
    if (this.current && this.clock.now() < this.current.goodUntil) return Promise.resolve(this.current.authorization);
    return (this.fetching ??= this.fetch().finally(() => (this.fetching = undefined)));
  }

  renew(refused: string): boolean {
    if (this.current?.authorization === refused) this.current = undefined;
    return true;
  }

  private async fetch(): Promise<string> {
    const { value, lifetime } = await this.fetchToken();
    const authorization = `Bearer ${value}`;
    this.current = { authorization, goodUntil: addSeconds(this.clock.now(), Math.max(1, lifetime - LEEWAY_S)) };
    return authorization;
  }
}

/**
 * The configured way to sign in.
 * @param root folder that a relative path to the service account's key starts from
 */
export function chooseSignIn(settings: ApigeeConfig, root: string, remote: RemoteClient, clock: Clock): SignIn {
  const { platform, token, username, password, tokenUrl } = settings;
  if (token !== '') return new FixedSignIn(`Bearer ${token}`);
  if (platform === 'x') return new TokenSignIn(googleTokens(settings, root, remote, clock), clock);
  if (tokenUrl === '') return new FixedSignIn(basicAuthorization(username, password));
  return new TokenSignIn(edgeTokens(settings, remote), clock);
}

function googleTokens(settings: ApigeeConfig, root: string, remote: RemoteClient, clock: Clock) {
  const { credentials, credentialsFile, metadataUrl } = settings;
  if (credentials !== '') return serviceAccountTokens({ json: credentials }, remote, clock);
  if (credentialsFile !== '') return serviceAccountTokens({ file: resolve(root, credentialsFile) }, remote, clock);
  return () => requestToken(remote, metadataUrl, { headers: { 'metadata-flavor': 'Google' } });
}
