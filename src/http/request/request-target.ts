import type { IncomingMessage } from 'node:http';

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;

/**
 * Brings the target of a request into its origin form, `/path?query`, before Express sees it. Express answers a target
 * that it cannot parse (`http://[`) with a page of its own, past every middleware (S50), and a link made from an absolute
 * one would lead wherever the sender likes (S47). The host of an absolute target counts, not `Host` (RFC 9112 §3.2.2).
 */
export function toOriginForm(request: IncomingMessage): void {
  const [begin = '', authority] = ABSOLUTE.exec(request.url ?? '') ?? [];
  if (authority === undefined) return;
  const rest = request.url?.slice(begin.length) ?? '';
  request.headers.host = authority;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}
