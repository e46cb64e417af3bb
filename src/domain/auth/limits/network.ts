import { networkOfIPv6, plainAddress } from '../../../core/index.js';

/**
 * What limits per address count by: an IPv4 address, or the /64 of an IPv6 one, within which a customer may take any
 * address at will (S14). Calls from outside a request (CLI, jobs) share one.
 */
export function networkOf(ip: string): string {
  const address = plainAddress(ip);
  return networkOfIPv6(address) ?? (address === '' ? 'local' : address);
}
