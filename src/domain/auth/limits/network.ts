import { isIPv6 } from 'node:net';

/**
 * What limits per address count by: an IPv4 address, or the /64 of an IPv6 one, within which a customer may take any
 * address at will (S14). Calls from outside a request (CLI, jobs) share one.
 */
export function networkOf(ip: string): string {
  const address = ip.split('%', 1)[0] ?? '';
  if (!isIPv6(address)) return address === '' ? 'local' : address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped ?? `${prefixGroups(address).join(':')}::/64`;
}

function prefixGroups(address: string): string[] {
  const [head = '', tail] = address.toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  // An embedded IPv4 address stands for two groups.
  const written = before.length + after.length + (after.at(-1)?.includes('.') ? 1 : 0);
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - written);
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after];
  return groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
}
