import type { KeyDecision } from '../../domain/apps/index.js';
import { RawReply } from '../../http/index.js';

const JSON_NOT_STORED = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' };

/** Reasons answered with 401, because another key may help. A key that is known, or could be, gets 403. */
const ASKING_REASONS = ['missing_key', 'malformed_key'];

/**
 * The answer to a proxy: only 200, 401 or 403, because every proxy understands these and some turn anything else into
 * an error (gateways.md, D1 and E3). A 200 sets every identity header, so that none sent by the client survives.
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

/** @param reason for `X-Auth-Reason`; never repeats client input */
export function denyReply(status: 401 | 403 | 503, reason: string): RawReply {
  return new RawReply(status, JSON.stringify({ error: reason }), {
    ...JSON_NOT_STORED,
    'X-Auth-Reason': reason,
    ...(status === 401 ? { 'WWW-Authenticate': 'ApiKey realm="api"' } : {}),
    ...(status === 503 ? { 'Retry-After': '1' } : {}),
  });
}

/**
 * Printable ASCII as is, everything else (and `%`) as percent-encoded UTF-8.
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
