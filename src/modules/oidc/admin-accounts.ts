import {
  runAs,
  ConflictError,
  ForbiddenError,
  type AccountRepository,
  type AuthAccount,
  type Logger,
  type PortalServices,
  type RequestInfo,
  type RoleChoice,
} from '../../index.js';
import { isTaken } from './developer-accounts.js';
import type { Claims } from './identity-provider.js';
import type { Identities } from './identities.js';
import type { IdentityLinks } from './identity-links.js';
import { ownerOf } from './link-mails.js';
import type { AdminSsoInput, Provider } from './provider.js';
import { hasDomain, requireVerifiedEmail } from './verified-email.js';

interface AdminParts {
  readonly identities: Identities;
  readonly links: IdentityLinks;
  readonly directory: AccountRepository;
  readonly rbac: PortalServices['rbac'];
  readonly logger: Logger;
}

type AdminSso = Required<AdminSsoInput>;

/** Resolves an identity to an admin account: an existing one, under the restrictions of the provider. */
export class AdminAccounts {
  constructor(private readonly parts: AdminParts) {}

  /** @throws ForbiddenError if there is no account or a restriction is not met, UnlinkableIdentityError */
  async resolve(provider: Provider, claims: Claims, request: RequestInfo): Promise<AuthAccount> {
    const rules = provider.admins;
    if (!rules) throw new ForbiddenError({ detail: `admins do not sign in through ${provider.name}` });
    this.requireGroup(rules, claims);
    // Checked every time, not only for new identities: whoever leaves the company's domain loses access.
    if (rules.domains.length > 0) this.requireDomain(rules, claims);
    const account = await this.find(provider, claims, request);
    await this.followGroups(account, provider, rules, claims);
    return account;
  }

  private requireGroup({ requiredGroups }: AdminSso, { groups }: Claims): void {
    if (requiredGroups.length === 0 || requiredGroups.some((group) => groups.includes(group))) return;
    throw new ForbiddenError({ detail: 'the identity is in none of the required groups' });
  }

  private requireDomain({ domains }: AdminSso, { email, emailVerified }: Claims): void {
    if (email !== null && emailVerified && hasDomain(email, domains)) return;
    throw new ForbiddenError({ detail: 'the identity has no verified address of an allowed domain' });
  }

  private async find(provider: Provider, claims: Claims, request: RequestInfo): Promise<AuthAccount> {
    const { identities, directory, links } = this.parts;
    const owner = await identities.owner('admin', claims);
    if (owner) return (await directory.find(owner)).account;
    const known = await directory.findByEmail('admin', requireVerifiedEmail(claims, provider.domains));
    if (!known) throw new ForbiddenError({ detail: 'there is no admin with the address of the identity' });
    try {
      await links.add(ownerOf(known.account), provider, claims, request);
    } catch (error) {
      // A concurrent sign-in; or the account has another identity of this provider, which it keeps.
      const holder = isTaken(error) ? await identities.owner('admin', claims) : null;
      if (!isTaken(error)) throw error;
      if (holder?.id !== known.account.id) {
        throw new ForbiddenError({ detail: 'the admin is linked to another identity of this provider' });
      }
    }
    return known.account;
  }

  /**
   * Assigns the roles mapped to an admin's groups, and removes those of groups they left; unmapped roles stay. Bypass
   * roles are not touched unless the configuration allows it (S86).
   */
  private async followGroups(
    { id }: AuthAccount,
    { name }: Provider,
    rules: AdminSso,
    { groups }: Claims,
  ): Promise<void> {
    const { rbac, logger } = this.parts;
    if (Object.keys(rules.roles).length === 0) return;
    const wanted = groups.flatMap((group) => (Object.hasOwn(rules.roles, group) ? [rules.roles[group] ?? ''] : []));
    const roles: RoleChoice = ({ held, known }) => {
      const mayGive = (role: string) => known.includes(role) && (rules.allowBypassRoles || !rbac.rules.isBypass(role));
      const managed = Object.values(rules.roles).filter(mayGive);
      const kept = held.filter((role) => !managed.includes(role));
      return [...new Set([...kept, ...managed.filter((role) => wanted.includes(role))])];
    };
    const person = { type: 'system', id: null, name: `OIDC: ${name}`, email: null } as const;
    try {
      await runAs({ person, request: null }, () => rbac.assignRoles({ adminId: id, roles, by: 'operator' }));
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      logger.warn(
        { admin: id, provider: name },
        'the last super administrator keeps the role, whatever the groups say',
      );
    }
  }
}
