import { createSign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Clock } from '../../../core/index.js';
import { GatewayRefusedError } from '../../errors.js';
import type { RemoteClient } from '../../remote/remote-client.js';
import { requestToken } from './token-endpoint.js';
import type { AccessToken } from './token-sign-in.js';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** Google takes no assertion that lives longer. */
const LIFETIME_S = 3600;
const GOOGLE = 'https://oauth2.googleapis.com/token';

interface ServiceAccount {
  readonly email: string;
  readonly privateKey: string;
  readonly tokenUrl: string;
}

/**
 * Signs an assertion with the key of a Google service account and gets a token for it (RFC 7523).
 * @param source the JSON of the key, or the path of its file
 */
export function serviceAccountTokens(
  source: { readonly json: string } | { readonly file: string },
  remote: RemoteClient,
  clock: Clock,
): () => Promise<AccessToken> {
  return async () => {
    // Read every time: a key that was replaced is used within the hour, without a restart.
    const account = parse('json' in source ? source.json : await read(source.file));
    const form = { grant_type: GRANT, assertion: assertion(account, clock.now()) };
    return requestToken(remote, account.tokenUrl, { form });
  };
}

function assertion({ email, privateKey, tokenUrl }: ServiceAccount, now: Date): string {
  const iat = Math.floor(now.getTime() / 1000);
  const claims = { iss: email, aud: tokenUrl, scope: SCOPE, iat, exp: iat + LIFETIME_S };
  const input = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  try {
    return `${input}.${createSign('RSA-SHA256').update(input).sign(privateKey, 'base64url')}`;
  } catch (cause) {
    throw unusable('private_key is not a key', cause);
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw unusable(`${file} cannot be read`, cause);
  }
}

function parse(json: string): ServiceAccount {
  let account: Record<string, unknown>;
  try {
    account = JSON.parse(json) as Record<string, unknown>;
  } catch (cause) {
    throw unusable('it is not JSON', cause);
  }
  const { client_email: email, private_key: privateKey, token_uri: tokenUrl = GOOGLE } = account;
  if (typeof email !== 'string' || typeof privateKey !== 'string' || typeof tokenUrl !== 'string') {
    throw unusable('client_email or private_key is missing');
  }
  return { email, privateKey, tokenUrl };
}

function unusable(what: string, cause?: unknown): GatewayRefusedError {
  return new GatewayRefusedError({ detail: `the key of the service account cannot be used: ${what}`, cause });
}
