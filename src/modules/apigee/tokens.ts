import { readFile } from 'node:fs/promises';
import jwt from 'jsonwebtoken';
import type { Clock } from '../../core/index.js';
import {
  CallFailure,
  GatewayRefusedError,
  type RemoteAnswer,
  type RemoteClient,
  type RemoteRequest,
  showCode,
} from '../../gateway/index.js';

export interface AccessToken {
  readonly value: string;
  /** In seconds. */
  readonly lifetime: number;
}

interface TokenAnswer extends AccessToken {
  readonly refreshToken: string | undefined;
}

/** The token endpoint rejected the credentials. */
class TokenRefusedError extends GatewayRefusedError {}

/** @throws TokenRefusedError, and the other errors of the contract */
export function requestToken(
  remote: RemoteClient,
  url: string,
  { form, headers = {} }: { form?: Record<string, string>; headers?: Record<string, string> },
): Promise<TokenAnswer> {
  const request: RemoteRequest = {
    method: form === undefined ? 'GET' : 'POST',
    url,
    headers: {
      accept: 'application/json',
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
    body: form && new URLSearchParams(form).toString(),
    label: `sign-in at ${new URL(url).host}`,
  };
  const read = (answer: RemoteAnswer) => tokenOf(answer, request.label);
  return remote.call(request, { isRepeatable: true, read }, remote.begin());
}

function tokenOf({ status, text, retryAfter }: RemoteAnswer, label: string): TokenAnswer {
  if (status === 429) throw new CallFailure('throttled', `${label}: 429`, { status, retryAfter });
  if (status >= 500) throw new CallFailure('faulty', `${label}: ${status}`, { status, retryAfter });
  const body = parseAnswer(text, label);
  if (status !== 200) {
    throw new TokenRefusedError({ detail: `${label}: ${status} ${showCode(body.error)}`.trimEnd() });
  }
  const { access_token: value, expires_in: lifetime, refresh_token: refreshToken } = body;
  if (typeof value !== 'string' || value === '')
    throw new CallFailure('unreadable', `${label}: no token in the answer`);
  return {
    value,
    lifetime: Number.isFinite(Number(lifetime)) ? Number(lifetime) : 0,
    refreshToken: typeof refreshToken === 'string' ? refreshToken : undefined,
  };
}

function parseAnswer(text: string, label: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new CallFailure('unreadable', `${label}: the answer is not JSON`);
  }
}

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** Google's maximum for assertions. */
const LIFETIME_S = 3600;
const GOOGLE = 'https://oauth2.googleapis.com/token';

interface ServiceAccount {
  readonly email: string;
  readonly privateKey: string;
  readonly tokenUrl: string;
}

/**
 * Exchanges an assertion signed with a Google service account's key for a token (RFC 7523).
 * @param source JSON of the key, or path of its file
 */
export function serviceAccountTokens(
  source: { readonly json: string } | { readonly file: string },
  remote: RemoteClient,
  clock: Clock,
): () => Promise<AccessToken> {
  return async () => {
    // Read every time: a replaced key takes effect within the hour, without a restart.
    const account = parse('json' in source ? source.json : await read(source.file));
    const form = { grant_type: GRANT, assertion: assertion(account, clock.now()) };
    return requestToken(remote, account.tokenUrl, { form });
  };
}

function assertion({ email, privateKey, tokenUrl }: ServiceAccount, now: Date): string {
  const iat = Math.floor(now.getTime() / 1000);
  const claims = { iss: email, aud: tokenUrl, scope: SCOPE, iat, exp: iat + LIFETIME_S };
  try {
    return jwt.sign(claims, privateKey, { algorithm: 'RS256', allowInsecureKeySizes: true });
  } catch (cause) {
    throw unusableKeyError('private_key is not a key', cause);
  }
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw unusableKeyError(`${file} cannot be read`, cause);
  }
}

function parse(json: string): ServiceAccount {
  let account: Record<string, unknown>;
  try {
    account = JSON.parse(json) as Record<string, unknown>;
  } catch (cause) {
    throw unusableKeyError('it is not JSON', cause);
  }
  const { client_email: email, private_key: privateKey, token_uri: tokenUrl = GOOGLE } = account;
  if (typeof email !== 'string' || typeof privateKey !== 'string' || typeof tokenUrl !== 'string') {
    throw unusableKeyError('client_email or private_key is missing');
  }
  return { email, privateKey, tokenUrl };
}

function unusableKeyError(what: string, cause?: unknown): GatewayRefusedError {
  return new GatewayRefusedError({ detail: `the key of the service account cannot be used: ${what}`, cause });
}

export interface EdgeSignIn {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Empty if only a refresh token is configured. */
  readonly username: string;
  readonly password: string;
  readonly refreshToken: string;
}

/** Signs in to Edge with the password first, and then with the refresh token of the last answer. */
export function edgeTokens(settings: EdgeSignIn, remote: RemoteClient): () => Promise<AccessToken> {
  const { tokenUrl, username, password } = settings;
  const headers = { authorization: basicAuthorization(settings.clientId, settings.clientSecret) };
  let refreshToken = settings.refreshToken;

  const request = async (form: Record<string, string>): Promise<AccessToken> => {
    const token = await requestToken(remote, tokenUrl, { form, headers });
    refreshToken = token.refreshToken ?? refreshToken;
    return token;
  };

  return async () => {
    if (refreshToken !== '') {
      try {
        return await request({ grant_type: 'refresh_token', refresh_token: refreshToken });
      } catch (error) {
        if (!(error instanceof TokenRefusedError) || username === '') throw error;
        refreshToken = '';
      }
    }
    return request({ grant_type: 'password', username, password });
  };
}

export function basicAuthorization(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}
