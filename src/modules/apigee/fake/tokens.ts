import { createPublicKey, createVerify, generateKeyPairSync, randomUUID } from 'node:crypto';
import { ApigeeFault, faults } from './apigee-fault.js';
import type { ApigeeFlavour } from './apigee-model.js';

/** Never expires. */
export const STATIC_TOKEN = 'stand-in-token';
export const USERNAME = 'machine@example.com';
export const PASSWORD = 'stand-in-password';
const CLIENT = `Basic ${Buffer.from('edgecli:edgeclisecret').toString('base64')}`;
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const ASSERTION = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

export interface FakeApigeeToken {
  readonly access_token: string;
  readonly expires_in: number;
  readonly token_type: string;
  readonly refresh_token?: string;
}

/** Shared by all stand-ins of a process, as generating one is slow. */
let shared: { readonly privateKey: string; readonly publicKey: string } | undefined;

function keyPair() {
  return (shared ??= generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }));
}

/** The token endpoints of Google and Edge, and authentication to the management API. */
export class FakeApigeeTokens {
  /** Access token → expiry in milliseconds since 1970. */
  private readonly access = new Map<string, number>();
  private readonly refresh = new Set<string>();

  constructor(
    private readonly flavour: ApigeeFlavour,
    private readonly now: () => number,
    /** Seconds. */
    private readonly lifetime: number,
  ) {}

  /** A service account's JSON key, as downloaded from Google's console. */
  serviceAccount(tokenUrl: string): Record<string, string> {
    return {
      type: 'service_account',
      project_id: 'acme',
      client_email: 'portal@acme.iam.gserviceaccount.com',
      private_key: keyPair().privateKey,
      token_uri: tokenUrl,
    };
  }

  /** Revokes all access tokens. */
  revokeAll(): void {
    this.access.clear();
  }

  revokeRefreshTokens(): void {
    this.refresh.clear();
  }

  /** @throws ApigeeFault unless this platform accepts the header */
  authorize(header: string | undefined): void {
    const [scheme = '', value = ''] = (header ?? '').split(' ');
    if (scheme.toLowerCase() === 'bearer') {
      if (value === STATIC_TOKEN) return;
      const end = this.access.get(value);
      if (end === undefined) throw faults.unauthenticated();
      if (end <= this.now()) throw faults.expiredToken();
      return;
    }
    const basic = Buffer.from(`${USERNAME}:${PASSWORD}`).toString('base64');
    if (this.flavour === 'edge' && scheme.toLowerCase() === 'basic' && value === basic) return;
    throw faults.unauthenticated();
  }

  /** `https://oauth2.googleapis.com/token` */
  google(form: URLSearchParams, tokenUrl: string): FakeApigeeToken {
    const assertion = form.get('assertion') ?? '';
    if (form.get('grant_type') !== ASSERTION || !this.isGoodAssertion(assertion, tokenUrl)) {
      throw new ApigeeFault(400, 'invalid_grant', 'Invalid JWT Signature.');
    }
    return this.issue('Bearer');
  }

  /** The metadata server of Google Cloud. */
  metadata(header: string | undefined): FakeApigeeToken {
    if (header !== 'Google') throw new ApigeeFault(403, 'missing_header', 'Metadata-Flavor is missing');
    return this.issue('Bearer');
  }

  /** `https://login.apigee.com/oauth/token` */
  edge(form: URLSearchParams, authorization: string | undefined): FakeApigeeToken {
    if (authorization !== CLIENT) throw new ApigeeFault(401, 'unauthorized', 'Bad client credentials');
    const grant = form.get('grant_type');
    const isKnown =
      grant === 'password'
        ? form.get('username') === USERNAME && form.get('password') === PASSWORD
        : grant === 'refresh_token' && this.refresh.has(form.get('refresh_token') ?? '');
    if (!isKnown) throw new ApigeeFault(401, 'unauthorized', 'Bad credentials');
    const refreshToken = randomUUID();
    this.refresh.add(refreshToken);
    return { ...this.issue('bearer'), refresh_token: refreshToken };
  }

  private issue(type: string): FakeApigeeToken {
    const token = randomUUID();
    this.access.set(token, this.now() + this.lifetime * 1000);
    return { access_token: token, expires_in: this.lifetime, token_type: type };
  }

  private isGoodAssertion(assertion: string, tokenUrl: string): boolean {
    const [header = '', payload = '', signature = ''] = assertion.split('.');
    const verify = createVerify('RSA-SHA256').update(`${header}.${payload}`);
    if (!verify.verify(createPublicKey(keyPair().publicKey), signature, 'base64url')) return false;
    const { alg } = decodePart(header);
    const { iss, aud, scope, iat, exp } = decodePart(payload);
    const now = this.now() / 1000;
    return (
      alg === 'RS256' &&
      iss === 'portal@acme.iam.gserviceaccount.com' &&
      aud === tokenUrl &&
      scope === SCOPE &&
      typeof iat === 'number' &&
      typeof exp === 'number' &&
      iat <= now + 60 &&
      exp > now &&
      exp - iat <= 3600
    );
  }
}

function decodePart(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>;
}
