import type { LimitDecision } from '../../domain/usage/index.js';
import { RawReply } from '../../http/index.js';
import type { EndingCall } from './call-lifecycle.js';

const JSON_NOT_STORED = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' };

/** Reasons answered with 401, because another key may help. A key that is known, or could be, gets 403. */
const ASKING_REASONS = ['missing_key', 'malformed_key'];

/** What a refusal for limits answers with: 403, or 429 for proxies that pass it on. */
export type LimitStatus = 403 | 429;

/**
 * The answer to a proxy: only 200, 401 or 403, because every proxy understands these and some turn anything else into
 * an error (gateways.md, D1 and E3); 429 only where the proxy asks for it. A 200 sets every identity header, so that none
 * sent by the client survives.
 * @param limits of its plan; null: none
 */
export function decisionReply(
  { decision, lifecycle }: EndingCall,
  limits: LimitDecision | null,
  status: LimitStatus,
): RawReply {
  if (!decision.allowed) {
    const denial = denyReply(ASKING_REASONS.includes(decision.reason) ? 401 : 403, decision.reason);
    if (!lifecycle) return denial;
    const { headers, retryAfter } = lifecycle;
    const retry = retryAfter !== null && { 'Retry-After': String(retryAfter) };
    return new RawReply(denial.status, denial.body, { ...denial.headers, ...headers, ...retry });
  }
  if (limits && !limits.passes) return limitReply(limits, status);
  // One literal: objects that are spread together are slow to walk, and proxies ask before every call.
  const headers = {
    'Content-Type': JSON_NOT_STORED['Content-Type'],
    'Cache-Control': JSON_NOT_STORED['Cache-Control'],
    'X-Portal-Developer': headerValue(decision.developer),
    'X-Portal-App': headerValue(decision.app),
    'X-Portal-Key-Id': headerValue(decision.keyId),
    'X-Portal-Products': headerValue(decision.products.join(',')),
    'X-Portal-Limit': limits ? (limits.exceeded ?? 'within') : 'none',
    'X-Portal-Lifecycle': stageOf(lifecycle),
  };
  if (!limits && !lifecycle) return new RawReply(200, ALLOWED, headers);
  return new RawReply(200, ALLOWED, Object.assign(headers, limits && policyHeaders(limits), lifecycle?.headers));
}

const ALLOWED = '{"allowed":true}';

/** For proxies that cannot tell whether a header was sent: which of `Deprecation` and `Sunset` they can copy. */
function stageOf(lifecycle: EndingCall['lifecycle']): 'current' | 'deprecated' | 'sunset' {
  if (lifecycle?.headers.Deprecation === undefined) return 'current';
  return lifecycle.headers.Sunset === undefined ? 'deprecated' : 'sunset';
}

function limitReply(limits: LimitDecision, status: LimitStatus): RawReply {
  const reason = limits.exceeded ?? 'quota_exceeded';
  const { body, headers } =
    status === 403 ? { body: { error: reason }, headers: JSON_NOT_STORED } : quotaProblem(reason, limits);
  return new RawReply(status, JSON.stringify(body), {
    ...headers,
    'X-Auth-Reason': reason,
    // A list of JSON strings, for proxies that write the problem themselves.
    'X-Violated-Policies': limits.violated.map((name) => `"${name}"`).join(','),
    'Retry-After': String(limits.retryAfter ?? 1),
    ...policyHeaders(limits),
  });
}

/** RFC 9457, with the type of draft-ietf-httpapi-ratelimit-headers-11. */
function quotaProblem(reason: string, { violated }: LimitDecision) {
  return {
    headers: { ...JSON_NOT_STORED, 'Content-Type': 'application/problem+json' },
    body: {
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      title: 'The calls that the plan allows are used up.',
      status: 429,
      error: reason,
      'violated-policies': violated,
    },
  };
}

/** `RateLimit-Policy` and `RateLimit` of the same draft, all limits in both. */
function policyHeaders({ policies }: LimitDecision) {
  let [all, left] = ['', ''];
  for (const { name, quota, window, remaining, reset } of policies) {
    const separator = all === '' ? '' : ', ';
    all += `${separator}"${name}";q=${quota};w=${window}`;
    left += `${separator}"${name}";r=${remaining};t=${reset}`;
  }
  return { 'RateLimit-Policy': all, RateLimit: left };
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
