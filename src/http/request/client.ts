import { isIP } from 'node:net';
import type { Request } from 'express';
import { unmapAddress, type RequestInfo } from '../../core/index.js';
import type { RouteInput } from '../route.js';

const USER_AGENT_MAX = 255;

/**
 * The request as services see it. Its headers contain tokens and cookies: readable, but never part of a copy, event or
 * log line.
 */
export function requestInfo(
  request: Request,
  requestId: string,
): RouteInput<never, never, never, never, never, never>['request'] {
  const agent = request.headers['user-agent'] ?? '';
  const info: RequestInfo = {
    requestId,
    ip: clientAddress(request),
    // CR, LF and other control characters would forge lines in a log or an export (S72).
    userAgent: agent.replace(/[\u0000-\u001f\u007f]/g, ' ').slice(0, USER_AGENT_MAX),
  };
  return Object.defineProperty(info, 'headers', { value: request.headers }) as RequestInfo & Pick<Request, 'headers'>;
}

/**
 * The client's address for limits (S14, S17). A trusted proxy may append the port, which would make each connection
 * another client; without an address, the proxy's own is used. An IPv4 client of a dual-stack socket arrives as
 * `::ffff:192.0.2.1` and is the same client.
 */
function clientAddress({ ip = '', socket }: Request): string {
  if (ip === socket.remoteAddress) return unmapAddress(ip);
  const named = /^\[([^\]]+)\](?::\d+)?$/.exec(ip)?.[1] ?? ip.replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1');
  const address = isIP(named) === 0 ? (socket.remoteAddress ?? '') : named;
  return unmapAddress(address);
}

/** The first configured locale that the client prefers: `?locale=`, then `Accept-Language`, then the default. */
export function negotiateLocale(request: Request, locales: readonly string[], fallback: string): string {
  const requested = request.query.locale;
  if (typeof requested === 'string' && locales.includes(requested)) return requested;
  if (!request.headers['accept-language']) return fallback;
  // The default goes first: Express picks the first of equal quality, and `*` means the default.
  const chosen = request.acceptsLanguages([fallback, ...locales.filter((locale) => locale !== fallback)]);
  return chosen === false ? fallback : chosen;
}
