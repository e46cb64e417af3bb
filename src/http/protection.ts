import type { Request, RequestHandler } from 'express';
import { HostNotAllowedError } from './errors.js';

const YEAR_S = 365 * 24 * 3600;

/**
 * Headers of every response, including errors (S44). The policy suits JSON: nothing may be loaded or framed; a surface
 * with pages sets its own.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

export function securityHeaders(https: () => boolean): RequestHandler {
  return (_request, response, next) => {
    for (const name in SECURITY_HEADERS) response.setHeader(name, SECURITY_HEADERS[name] ?? '');
    if (https()) response.setHeader('Strict-Transport-Security', `max-age=${YEAR_S}; includeSubDomains`);
    next();
  };
}

/**
 * Refuses a foreign `Host` (S47), so that nothing is built from a forged one, and repeated ones: a proxy in front may
 * have used the other.
 */
export function hostCheck(allowed: () => readonly string[]): RequestHandler {
  return (request, _response, next) => {
    const host = hostName(request.headers.host ?? '');
    if (allowed().includes(host) && !isSentTwice(request, 'host')) next();
    else next(new HostNotAllowedError({ detail: `Host ${host} is not in app.allowedHosts` }));
  };
}

/** Node keeps the first one and drops the others, so only the raw headers show them. */
export function isSentTwice({ rawHeaders }: Request, name: string): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === name) count += 1;
  }
  return count > 1;
}

function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
}

const METHODS = 'GET, POST, PUT, DELETE';
const REQUEST_HEADERS =
  'authorization, content-type, accept, accept-language, idempotency-key, if-match, portal-device, x-request-id';
const ANSWER_HEADERS = 'X-Request-Id, Retry-After, ETag, Idempotency-Replayed, Portal-Device, WWW-Authenticate';

/** Lets exactly the listed origins read responses, never with cookies (S43). `null` cannot be listed. */
export function cors(origins: readonly string[]): RequestHandler {
  const allowed = new Set(origins.filter((origin) => origin !== 'null'));
  return (request: Request, response, next) => {
    if (allowed.size > 0) response.vary('Origin');
    const origin = request.headers.origin;
    if (origin === undefined || !allowed.has(origin)) return next();
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    response.setHeader('Access-Control-Expose-Headers', ANSWER_HEADERS);
    if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) return next();
    response.setHeader('Access-Control-Allow-Methods', METHODS);
    response.setHeader('Access-Control-Allow-Headers', REQUEST_HEADERS);
    response.setHeader('Access-Control-Max-Age', '600');
    response.status(204).end();
  };
}
