import type { CustomFetch } from 'openid-client';
import { OutboundError, ServiceUnavailableError, type OutboundFetcher } from '../../index.js';
import { listTrustedOrigins, type Provider } from './provider.js';

/** The largest answers, key sets and lists of groups, are far smaller. */
const MOST_BYTES = 1024 * 1024;
const WITHOUT_BODY: readonly number[] = [204, 205, 304];

/**
 * The library's requests to a provider, restricted like all requests to foreign addresses, since discovery names the
 * token, key and userinfo endpoints.
 * @param timeout seconds for a complete answer
 */
export function providerFetch(outbound: OutboundFetcher, settings: Provider, timeout: number): CustomFetch {
  const fetcher = outbound.withExemptions({ origins: listTrustedOrigins(settings), deadline: timeout * 1000 });
  return async (url, { method, headers, body }) => {
    const form = body instanceof URLSearchParams ? body.toString() : body;
    if (form !== null && form !== undefined && typeof form !== 'string') throw new TypeError('not a form');
    const answer = await fetcher.request(url, { method, headers, body: form ?? undefined, maxBytes: MOST_BYTES });
    const { 'content-type': type, 'www-authenticate': challenge, date } = answer.headers;
    const forwarded = Object.entries({ 'content-type': type, 'www-authenticate': challenge, date });
    return new Response(WITHOUT_BODY.includes(answer.status) ? null : new Uint8Array(answer.body), {
      status: answer.status,
      headers: forwarded.filter((header): header is [string, string] => header[1] !== undefined),
    });
  };
}

/** The error if the provider is unavailable, with details for the operator; null if it answered but proved no identity. */
export function outage(error: unknown, { name }: Provider): ServiceUnavailableError | null {
  let cause = error;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth += 1) {
    if (cause instanceof OutboundError)
      return new ServiceUnavailableError(5, { detail: describeOutboundError(cause, name), cause });
    cause = cause.cause;
  }
  if (!(cause instanceof Response) || cause.status < 500) return null;
  return new ServiceUnavailableError(5, { detail: `the identity provider ${name} answered ${cause.status}` });
}

function describeOutboundError({ failure, detail }: OutboundError, name: string): string {
  const what = `the identity provider ${name} was not asked: ${detail}`;
  if (failure !== 'refused') return `the identity provider ${name} does not answer: ${detail}`;
  return `${what}, and oidc.providers.${name}.internalOrigins does not list it`;
}
