import type { KeyDecision } from '../../domain/apps/index.js';
import { RawReply } from '../../http/index.js';

const JSON_NOT_STORED = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' };

/** The reasons that ask for a (better) key: 401. A key that we know or could know is 403. */
const ASKING_REASONS = ['missing_key', 'malformed_key'];

/**
 * The answer to a proxy: 200, 401 or 403 and nothing else, because every proxy understands these and some turn all others
 * into a fault (gateways.md, D1 and E3). On 200 every identity header is sent, so that none of the client's survives.
 */
export function decisionReply(decision: KeyDecision): RawReply {
  if (!decision.allowed) return denyReply(ASKING_REASONS.includes(decision.reason) ? 401 : 403, decision.reason);
  return new RawReply(200, '{"allowed":true}', {
    ...JSON_NOT_STORED,
    'X-Portal-Developer': headerValue(decision.developer),
    'X-Portal-App': headerValue(decision.app),
    'X-Portal-Key-Id': headerValue(decision.keyId),
    'X-Portal-Products': headerValue(decision.products.join(',')),
  });
}

/** @param reason for `X-Auth-Reason`; never repeats anything that was sent */
export function denyReply(status: 401 | 403 | 503, reason: string): RawReply {
  return new RawReply(status, JSON.stringify({ error: reason }), {
    ...JSON_NOT_STORED,
    'X-Auth-Reason': reason,
    ...(status === 401 ? { 'WWW-Authenticate': 'ApiKey realm="api"' } : {}),
    ...(status === 503 ? { 'Retry-After': '1' } : {}),
  });
}

/**
 * Printable ASCII as it is, everything else (and `%`) as its UTF-8 bytes in percent form.
 * @internal
 */
export function headerValue(text: string): string {
  if (/^[\x20-\x24\x26-\x7e]*$/.test(text)) return text;
  return [...Buffer.from(text, 'utf8')]
    .map((byte) => {
      const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25;
      return isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}
