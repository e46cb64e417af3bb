import { networkOfIPv6, unmapAddress } from '../../core/index.js';

/**
 * The unit of per-address limits: an IPv4 address, or an IPv6 /64, within which a customer may pick any address (S14).
 * Calls from outside a request (CLI, jobs) share one.
 */
export function limitedNetworkOf(ip: string): string {
  const address = unmapAddress(ip);
  return networkOfIPv6(address) ?? (address === '' ? 'local' : address);
}
