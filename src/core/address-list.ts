import { BlockList, isIP, isIPv6 } from 'node:net';
import { unmapAddress } from './address.js';

/**
 * Addresses and networks such as `10.0.0.0/8`. One list for each family: a BlockList compares an IPv4 address with rules
 * for IPv6 as if it were ::ffff:a.b.c.d.
 */
export class AddressList {
  private readonly v4 = new BlockList();
  private readonly v6 = new BlockList();

  /** @throws Error for an entry that is no address or network */
  constructor(readonly entries: readonly string[]) {
    for (const entry of entries) {
      const [network = '', prefix] = entry.split('/');
      if (isIP(network) === 4) this.v4.addSubnet(network, Number(prefix ?? 32), 'ipv4');
      else this.v6.addSubnet(network, Number(prefix ?? 128), 'ipv6');
    }
  }

  includes(address: string): boolean {
    const plain = unmapAddress(address);
    if (isIP(plain) === 0) return false;
    return isIPv6(plain) ? this.v6.check(plain, 'ipv6') : this.v4.check(plain, 'ipv4');
  }
}
