import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Normalizes an address for limits and allowlists: IPv4-mapped IPv6 in any spelling (`::ffff:192.0.2.1`,
 * `::ffff:c000:201`) becomes IPv4, zones are removed, anything that is not an address is returned unchanged.
 */
export function unmapAddress(address: string): string {
  if (!address.includes(':')) return address;
  const [plain = ''] = address.split('%', 1);
  if (!isIPv6(plain)) return plain;
  const parsed = parseIPv6(plain);
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : plain;
}

/** How many bits of an address tell callers apart. */
export interface NetworkPrefixes {
  readonly ipv4: 24 | 32;
  readonly ipv6: 48 | 64;
}

/** The network of an address: `192.0.2.0/24`, `2001:db8:0:1::/64`. @returns an empty text for anything else */
export function networkOf(address: string, { ipv4, ipv6 }: NetworkPrefixes): string {
  const plain = unmapAddress(address);
  if (!isIPv4(plain)) return networkOfIPv6(plain, ipv6) ?? '';
  return ipv4 === 32 ? `${plain}/32` : `${plain.slice(0, plain.lastIndexOf('.'))}.0/24`;
}

/** The /64 of an IPv6 address, as `2001:db8:0:1::/64`, or a shorter prefix. @returns null for anything else */
export function networkOfIPv6(address: string, bits: 48 | 64 = 64): string | null {
  const plain = unmapAddress(address);
  if (!isIPv6(plain)) return null;
  const { parts } = parseIPv6(plain);
  const groups = parts.slice(0, bits / 16).map((part) => part.toString(16));
  return `${groups.join(':')}::/${bits}`;
}

/** @param address passes `isIPv6`. Its last 32 bits may be dotted IPv4, which the parser accepts in some positions only. */
function parseIPv6(address: string): ipaddr.IPv6 {
  const hexadecimal = address.replace(/(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/, (_text, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  return ipaddr.IPv6.parse(hexadecimal);
}

/**
 * Scheme, host and port, as in the `Origin` header and in a Content-Security-Policy. URL parsers accept characters in a
 * host (`;`, `,`, `'`, `*`) that are syntax there.
 */
const WEB_ORIGIN = /^https?:\/\/(?:[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,30}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** For options that hold origins. International names are written as in `Origin`: `xn--…`. */
export const originPattern = (example: string) => ({ regex: WEB_ORIGIN, hint: `exact origins such as ${example}` });

export function isOrigin(text: string): boolean {
  return WEB_ORIGIN.test(text);
}

/** The origin of an absolute http or https URL; null for any other, and for a host with unusual characters. */
export function originOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { origin } = new URL(address);
  return isOrigin(origin) ? origin : null;
}
