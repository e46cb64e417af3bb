import { createHash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { EndpointRequest } from '../../http/index.js';
import { unmapAddress } from '../../core/index.js';
import { readSingle } from './sent-key.js';

/** Why a check is refused; sent as `X-Auth-Reason` so that the operator sees it in the proxy. */
export type CallerRefusal = 'bad_verify_secret' | 'verify_secret_required';

export interface AskingProxyRules {
  /** Value of `X-Portal-Verify-Secret`; empty: only loopback peers are allowed. */
  readonly secret: string;
  /** Whether the portal itself runs behind a proxy (`app.trustProxy`). */
  readonly behindProxy: boolean;
}

/**
 * Decides who may ask whether a key is valid. With a secret: any caller that sends it. Without: peers on the loopback
 * interface, but a reverse proxy in front of the portal would make every visitor one. So without a secret, callers are
 * refused when the portal is configured behind a proxy or the request was forwarded for a non-loopback address.
 */
export function askerCheck({
  secret,
  behindProxy,
}: AskingProxyRules): (request: EndpointRequest) => CallerRefusal | null {
  if (secret !== '') {
    const expected = digest(secret);
    return ({ headers }) => {
      const sent = readSingle(headers['x-portal-verify-secret']) ?? '';
      return timingSafeEqual(digest(sent), expected) ? null : 'bad_verify_secret';
    };
  }
  return ({ peer, headers }) => {
    const isLocal = !behindProxy && isLoopback(peer) && FORWARDING_HEADERS.every((name) => isFromHere(headers[name]));
    return isLocal ? null : 'verify_secret_required';
  };
}

const FORWARDING_HEADERS = ['x-forwarded-for', 'x-real-ip', 'forwarded'];

const isFromHere = (header: string | string[] | undefined): boolean =>
  header === undefined || addressesIn(readSingle(header) ?? '').every(isLoopback);

// `Forwarded: for="[::1]:4711";proto=http` and a plain list of addresses, with or without ports.
function addressesIn(header: string): string[] {
  return header
    .split(',')
    .flatMap((element) => element.split(';'))
    .map((part) => part.trim())
    .filter((part) => part !== '' && !/^(?:proto|host|by)=/i.test(part))
    .map((part) => part.replace(/^for=/i, '').replace(/^"|"$/g, ''))
    .map((node) => /^\[([^\]]+)\]/.exec(node)?.[1] ?? node.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1'));
}

const loopback = new BlockList();
loopback.addAddress('::1', 'ipv6');

// Anything that is not an address (`unknown`, an obfuscated name) is not loopback. 127.0.0.0/8 is matched as text:
// proxies ask before every call, and a BlockList costs more than the rest of this check.
function isLoopback(address: string): boolean {
  const plain = unmapAddress(address);
  if (isIPv4(plain)) return plain.startsWith('127.');
  return isIPv6(plain) && loopback.check(plain, 'ipv6');
}

// Equal lengths for the comparison in constant time.
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
