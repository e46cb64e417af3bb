import * as client from 'openid-client';
import type { Clock, OutboundFetcher } from '../../index.js';
import { RefusedIdentityError } from './errors.js';
import type { Provider } from './provider.js';
import { outage, providerFetch } from './provider-requests.js';

/** Seconds that a discovery document is cached. */
const DISCOVERY_LIFETIME = 3_600;
/** Tolerated clock skew in seconds, in either direction. */
const SKEW = 30;

/** Secrets of one sign-in flow; all of them must match (S81, S82). */
export interface Secrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** What the provider says about a person. */
export interface Claims {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  /** Exactly `true`, no truthy substitute (S85). */
  readonly emailVerified: boolean;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly groups: readonly string[];
  /** Those that give places in teams. */
  readonly teamGroups: readonly string[];
}

interface Callback {
  readonly code: string;
  /** RFC 9207. */
  readonly iss?: string | undefined;
  readonly redirectUri: string;
  /**
   * Accepts a response without `iss` from a provider that sends one: for clients that pass on no more than code and
   * state.
   */
  readonly trustsState: boolean;
}

interface ProviderParts {
  readonly clock: Clock;
  readonly outbound: OutboundFetcher;
  /** Seconds. */
  readonly timeout: number;
}

/** One provider: authorization URLs, and verification of what comes back. */
export class IdentityProvider {
  private readonly fetch: client.CustomFetch;
  private known: { readonly readAt: number; readonly configuration: Promise<client.Configuration> } | undefined;

  constructor(
    readonly settings: Provider,
    private readonly parts: ProviderParts,
  ) {
    this.fetch = providerFetch(parts.outbound, settings, parts.timeout);
  }

  /** @throws ServiceUnavailableError when the provider cannot be reached */
  async authorizationUrl(secrets: Secrets, redirectUri: string): Promise<string> {
    const configuration = await this.configuration();
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: this.settings.scopes.join(' '),
      state: secrets.state,
      nonce: secrets.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(secrets.verifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  /**
   * Exchanges the code and judges the ID token: signature, issuer, audience, expiry, nonce (S82–S84).
   * @throws RefusedIdentityError, ServiceUnavailableError
   */
  async redeem({ code, iss, redirectUri, trustsState }: Callback, secrets: Secrets): Promise<Claims> {
    const configuration = await this.configuration();
    const returned = new URL(redirectUri);
    returned.searchParams.set('code', code);
    returned.searchParams.set('state', secrets.state);
    const issuer = iss ?? (trustsState ? this.settings.issuer : undefined);
    if (issuer !== undefined) returned.searchParams.set('iss', issuer);
    try {
      const tokens = await client.authorizationCodeGrant(
        configuration,
        returned,
        {
          pkceCodeVerifier: secrets.verifier,
          expectedState: secrets.state,
          expectedNonce: secrets.nonce,
          idTokenExpected: true,
        },
        { redirect_uri: redirectUri },
      );
      const claims = tokens.claims();
      if (!claims) throw new RefusedIdentityError('there is no ID token');
      this.refuseFuture(claims.iat);
      return this.read(await this.complete(configuration, tokens.access_token, claims));
    } catch (error) {
      throw this.refusal(error);
    }
  }

  // Providers may keep the address out of the ID token; the userinfo response must have the same subject.
  private async complete(
    configuration: client.Configuration,
    accessToken: string,
    claims: client.IDToken,
  ): Promise<client.IDToken> {
    const isComplete = claims.email !== undefined || configuration.serverMetadata().userinfo_endpoint === undefined;
    if (isComplete) return claims;
    return { ...(await client.fetchUserInfo(configuration, accessToken, claims.sub)), ...claims };
  }

  private read(claims: client.IDToken): Claims {
    const text = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : null);
    const { admins, teams } = this.settings;
    return {
      issuer: claims.iss,
      subject: claims.sub,
      email: text(claims.email),
      emailVerified: claims.email_verified === true,
      firstName: text(claims.given_name) ?? text(claims.name),
      lastName: text(claims.family_name),
      groups: groupsIn(claims, admins?.groupsClaim),
      teamGroups: groupsIn(claims, teams?.groupsClaim),
    };
  }

  private refuseFuture(issuedAt: number): void {
    // Compared with the same clock as `exp`, which the library reads.
    const now = Math.floor(performance.timeOrigin / 1000 + performance.now() / 1000);
    if (issuedAt > now + SKEW) throw new RefusedIdentityError('the ID token was issued in the future');
  }

  private async configuration(): Promise<client.Configuration> {
    const now = this.parts.clock.now().getTime();
    if (!this.known || Math.abs(now - this.known.readAt) >= DISCOVERY_LIFETIME * 1000) {
      const configuration = this.discover();
      this.known = { readAt: now, configuration };
      // After a failure, discovery is retried.
      configuration.catch(() => (this.known = undefined));
    }
    try {
      return await this.known.configuration;
    } catch (error) {
      throw this.refusal(error);
    }
  }

  private async discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret, algorithms } = this.settings;
    const insecure = new URL(issuer).protocol === 'http:' ? [client.allowInsecureRequests] : [];
    const options = { execute: insecure, timeout: this.parts.timeout, [client.customFetch]: this.fetch };
    const discovered = (
      await client.discovery(new URL(issuer), clientId, undefined, client.None(), options)
    ).serverMetadata();
    // The library ignores a trailing slash; this check does not (S83).
    if (discovered.issuer !== issuer) throw new RefusedIdentityError('the issuer calls itself otherwise');
    const offered = discovered.id_token_signing_alg_values_supported ?? ['RS256'];
    const { supportsPKCE: _method, ...stated } = discovered;
    const server: client.ServerMetadata = {
      ...stated,
      id_token_signing_alg_values_supported: offered.filter((algorithm) => algorithms.includes(algorithm)),
    };
    const methods = discovered.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const withSecret = methods.includes('client_secret_basic') ? client.ClientSecretBasic : client.ClientSecretPost;
    const authentication = clientSecret === undefined ? client.None() : withSecret(clientSecret);
    const metadata = { [client.clockTolerance]: SKEW };
    const configuration = new client.Configuration(server, clientId, metadata, authentication);
    configuration.timeout = this.parts.timeout;
    configuration[client.customFetch] = this.fetch;
    // TLS authenticates the sender of an ID token, its signature the issuer: both are checked (S84).
    client.enableNonRepudiationChecks(configuration);
    for (const allow of insecure) allow(configuration);
    return configuration;
  }

  private refusal(error: unknown): Error {
    if (error instanceof RefusedIdentityError) return error;
    const detail = `the identity provider ${this.settings.name} proved nobody`;
    return outage(error, this.settings) ?? new RefusedIdentityError(detail, error);
  }
}

function groupsIn(claims: Readonly<Record<string, unknown>>, claim: string | undefined): string[] {
  const groups = claim === undefined ? undefined : claims[claim];
  return Array.isArray(groups) ? groups.filter((group) => typeof group === 'string') : [];
}
