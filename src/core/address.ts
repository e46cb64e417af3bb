import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * An address as limits and lists of addresses know it: an IPv4 one that came in the form of IPv6, however that is written
 * (`::ffff:192.0.2.1`, `::ffff:c000:201`), is the IPv4 one. Zones are left out; what is no address stays as it is.
 */
export function plainAddress(address: string): string {
  const [plain = ''] = address.split('%', 1);
  if (!isIPv6(plain)) return plain;
  const parsed = parseIPv6(plain);
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : plain;
}

/** The /64 of an IPv6 address, as `2001:db8:0:1::/64`. @returns null for any other */
export function networkOfIPv6(address: string): string | null {
  const plain = plainAddress(address);
  if (!isIPv6(plain)) return null;
  const { parts } = parseIPv6(plain);
  const groups = parts.slice(0, 4).map((part) => part.toString(16));
  return `${groups.join(':')}::/64`;
}

/** @param address that `isIPv6` knows. Its last 32 bits may be written as IPv4, which the parser takes in some places only. */
function parseIPv6(address: string): ipaddr.IPv6 {
  const hexadecimal = address.replace(/(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/, (_text, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  return ipaddr.IPv6.parse(hexadecimal);
}
