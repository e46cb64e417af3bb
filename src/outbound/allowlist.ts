import { BlockList, isIP, isIPv6 } from 'node:net';
import { ConfigurationError } from '../core/index.js';

/** The entries of `outbound.allow`: host names, addresses and CIDR blocks that the operator vouches for. */
export class Allowlist {
  private readonly hosts: ReadonlySet<string>;
  private readonly v4 = new BlockList();
  private readonly v6 = new BlockList();

  /** @throws ConfigurationError for an entry that is none of these */
  constructor(allow: readonly string[]) {
    const networks = allow.filter((entry) => isIP(entry.split('/', 1)[0] ?? '') !== 0);
    const hosts = allow.filter((entry) => !networks.includes(entry));
    for (const network of networks) this.addNetwork(network);
    for (const host of hosts) if (host.includes('/')) throw unusable(host);
    this.hosts = new Set(hosts.map((host) => host.toLowerCase()));
  }

  /** @param host as the URL parser writes it */
  coversHost(host: string): boolean {
    return this.hosts.has(host);
  }

  coversAddress(address: string): boolean {
    const [plain = ''] = address.split('%', 1);
    return isIPv6(plain) ? this.v6.check(plain, 'ipv6') : this.v4.check(plain, 'ipv4');
  }

  private addNetwork(entry: string): void {
    const [network = '', prefix] = entry.split('/');
    try {
      if (isIP(network) === 4) this.v4.addSubnet(network, Number(prefix ?? 32), 'ipv4');
      else this.v6.addSubnet(network, Number(prefix ?? 128), 'ipv6');
    } catch {
      throw unusable(entry);
    }
  }
}

function unusable(entry: string): ConfigurationError {
  return new ConfigurationError([`outbound.allow: ${entry} is neither a host name nor a CIDR block.`]);
}
