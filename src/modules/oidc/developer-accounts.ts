import { randomBytes } from 'node:crypto';
import {
  AccountNotActiveError,
  EmailTakenError,
  ForbiddenError,
  maySignIn,
  UniqueViolationError,
  type AccountRepository,
  type AuthAccount,
  type Clock,
  type PortalConfig,
  type PortalServices,
  type RequestInfo,
} from '../../index.js';
import type { DeveloperTeams } from './developer-teams.js';
import { UnlinkableIdentityError } from './errors.js';
import type { Claims } from './identity-provider.js';
import type { Identities } from './identities.js';
import type { IdentityLinks } from './identity-links.js';
import { developerOwner, ownerOf } from './link-mails.js';
import { requireVerifiedEmail } from './verified-email.js';
import type { Provider } from './provider.js';

interface DeveloperParts {
  readonly identities: Identities;
  readonly links: IdentityLinks;
  readonly directory: AccountRepository;
  readonly users: PortalServices['accounts']['users'];
  readonly admission: PortalServices['auth']['admission'];
  readonly settings: PortalConfig['accounts'];
  readonly clock: Clock;
  readonly teams: Pick<DeveloperTeams, 'follow'>;
}

/** Resolves an identity to a developer account (S85). */
export class DeveloperAccounts {
  constructor(private readonly parts: DeveloperParts) {}

  /**
   * Finds the account by identity, or by an address verified by the provider and confirmed by the account, or creates one.
   * @throws UnlinkableIdentityError, ForbiddenError where sign-up is closed, RegistrationRefusedError,
   *   AccountNotActiveError for a new account that an admin must activate
   */
  async resolve(provider: Provider, claims: Claims, request: RequestInfo): Promise<AuthAccount> {
    const account = await this.findOrCreate(provider, claims, request);
    if (maySignIn(account)) await this.parts.teams.follow(account, provider, claims);
    return account;
  }

  private async findOrCreate(provider: Provider, claims: Claims, request: RequestInfo): Promise<AuthAccount> {
    try {
      return await this.find(provider, claims, request);
    } catch (error) {
      // A concurrent request has created it.
      if (!isTaken(error)) throw error;
      return this.find(provider, claims, request);
    }
  }

  private async find(provider: Provider, claims: Claims, request: RequestInfo): Promise<AuthAccount> {
    const { identities, directory, links } = this.parts;
    const owner = await identities.owner('consumer', claims);
    if (owner) return (await directory.find(owner)).account;
    const email = requireVerifiedEmail(claims, provider.domains);
    const known = await directory.findByEmail('consumer', email);
    if (!known) return this.create(provider, { ...claims, email }, request);
    const { account } = known;
    // An account made by somebody who does not own the address must not be linked to its owner (pre-hijacking).
    if (account.context !== 'consumer' || account.user.emailVerifiedAt === null) {
      throw new UnlinkableIdentityError('unverified-account');
    }
    await links.add(ownerOf(account), provider, claims, request);
    return account;
  }

  private async create(
    provider: Provider,
    claims: Claims & { email: string },
    request: RequestInfo,
  ): Promise<AuthAccount> {
    const { users, admission, settings, clock, directory, links } = this.parts;
    if (!provider.register || !settings.registration) {
      throw new ForbiddenError({ detail: 'nobody signs up by themselves here, or not through this provider' });
    }
    const local = claims.email.slice(0, claims.email.indexOf('@'));
    const person = {
      email: claims.email,
      firstName: personName(claims.firstName ?? local),
      lastName: personName(claims.lastName ?? '-'),
    };
    await admission.require(person, request);
    const { id } = await users.create(
      {
        ...person,
        // Known to nobody; the owner can set one by a reset mail.
        password: randomBytes(48).toString('base64url'),
        status: settings.defaultStatus,
        emailVerifiedAt: clock.now(),
        systemAttributes: { oidc_provider_id: claims.subject },
      },
      async (user, transaction) => {
        await links.write(developerOwner(user), provider, claims, request, transaction);
        return null;
      },
    );
    const { account } = await directory.find({ context: 'consumer', id });
    // Shown only right after sign-up; later an inactive account gets the usual refusal (S08).
    if (!maySignIn(account)) throw new AccountNotActiveError();
    return account;
  }
}

export function isTaken(error: unknown): boolean {
  return error instanceof EmailTakenError || error instanceof UniqueViolationError;
}

/** A name without control characters, cut at 100 characters. */
function personName(name: string): string {
  const clean = name
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return [...clean].slice(0, 100).join('').trim() || '-';
}
