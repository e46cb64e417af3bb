import { BlockList, isIPv6 } from 'node:net';

/** IANA's special-purpose registry for IPv4, and everything that is not unicast. */
const SPECIAL_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Azure's host agent has this public address on every machine there.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/**
 * The same for IPv6. Only 2000::/3 is ever allocated for public use, so everything else is refused as a whole:
 * loopback, IPv4 in IPv6 (::ffff:0:0/96), NAT64 (64:ff9b::/96), unique local, link-local, multicast.
 */
const SPECIAL_V6: readonly (readonly [string, number])[] = [
  ['::', 3],
  ['4000::', 2],
  ['8000::', 1],
  // Protocol assignments, Teredo and ORCHID among them.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4: may contain any IPv4 address.
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

// One list for each family: a BlockList compares an IPv4 address with rules for IPv6 as if it were ::ffff:a.b.c.d, and
// ::/3 would refuse all of them.
const specialV4 = new BlockList();
const specialV6 = new BlockList();
for (const [network, prefix] of SPECIAL_V4) specialV4.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of SPECIAL_V6) specialV6.addSubnet(network, prefix, 'ipv6');

/**
 * Whether an address is not an ordinary public one.
 * @param address in the notation of sockets
 */
export function isSpecialAddress(address: string): boolean {
  const [plain = ''] = address.split('%', 1);
  return isIPv6(plain) ? specialV6.check(plain, 'ipv6') : specialV4.check(plain, 'ipv4');
}
