import { GatewayRefusedError } from '../../errors.js';
import { CallFailure } from '../../remote/call-failure.js';
import { showCode } from '../../remote/shown-code.js';
import type { RemoteAnswer, RemoteRequest } from '../../remote/http-exchange.js';
import type { RemoteClient } from '../../remote/remote-client.js';
import type { AccessToken } from './token-sign-in.js';

export interface TokenAnswer extends AccessToken {
  readonly refreshToken: string | undefined;
}

/** The token endpoint says that it does not know us. */
export class TokenRefusedError extends GatewayRefusedError {}

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
