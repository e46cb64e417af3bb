import { BlockList, isIPv6 } from 'node:net';
import {
  AuthFlow,
  type AuthAccount,
  type AuthFlowParts,
  type LoginChallenge,
  type LoginRefusal,
  type RequestInfo,
} from 'portalkit';

interface {{Name}}Rules {
  /** Networks that admins sign in from, for example `10.0.0.0/8`. Empty: from everywhere. */
  readonly adminNetworks: readonly string[];
}

/**
 * Login rules, for the REST API and the web pages alike. `obstacleTo` is asked of every way in: a password, signing up, an
 * identity provider. What is not overridden works as in the package. A rule that keeps developers out belongs into
 * `mayRegister`, too, or they make accounts that sign nobody in.
 */
export class {{Name}}AuthFlow extends AuthFlow {
  private readonly networks = new BlockList();
  private readonly isOpen: boolean;

  constructor(parts: AuthFlowParts, { adminNetworks }: {{Name}}Rules) {
    super(parts);
    this.isOpen = adminNetworks.length === 0;
    for (const network of adminNetworks) {
      const [address = '', bits = isIPv6(address) ? '128' : '32'] = network.split('/');
      this.networks.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4');
    }
  }

  /** The reason `credentials` says the same as a wrong password; a `LoginFailedEvent` tells the activity log. */
  override async obstacleTo(
    account: AuthAccount,
    request: RequestInfo,
  ): Promise<LoginChallenge | LoginRefusal | null> {
    if (account.context === 'admin' && !this.isInside(request.ip)) return { kind: 'refused', reason: 'credentials' };
    return super.obstacleTo(account, request);
  }

  private isInside(ip: string): boolean {
    const address = ip.replace(/^::ffff:(?=\d+\.)/, '');
    return this.isOpen || this.networks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }
}
