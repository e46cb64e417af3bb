import { isIP } from 'node:net';
import { AddressList, ConfigurationError } from '../core/index.js';

/** The entries of `outbound.allow`: host names, addresses and CIDR blocks that the operator vouches for. */
export class Allowlist {
  private readonly hosts: ReadonlySet<string>;
  private readonly networks: AddressList;

  /** @throws ConfigurationError for an entry that is none of these */
  constructor(allow: readonly string[]) {
    const networks = allow.filter((entry) => isIP(entry.split('/', 1)[0] ?? '') !== 0);
    const hosts = allow.filter((entry) => !networks.includes(entry));
    this.networks = listOf(networks);
    for (const host of hosts) if (host.includes('/')) throw refuseEntry(host);
    this.hosts = new Set(hosts.map((host) => host.toLowerCase()));
  }

  /** @param host as the URL parser writes it */
  coversHost(host: string): boolean {
    return this.hosts.has(host);
  }

  coversAddress(address: string): boolean {
    return this.networks.includes(address);
  }
}

function listOf(networks: readonly string[]): AddressList {
  for (const network of networks) {
    try {
      void new AddressList([network]);
    } catch {
      throw refuseEntry(network);
    }
  }
  return new AddressList(networks);
}

function refuseEntry(entry: string): ConfigurationError {
  return new ConfigurationError([`outbound.allow: ${entry} is neither a host name nor a CIDR block.`]);
}
