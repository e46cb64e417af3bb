import {
  currentActorContext,
  NotFoundError,
  UniqueViolationError,
  type Clock,
  type Database,
  type EventBus,
  type RequestInfo,
  type Transaction,
  type UserRecord,
} from '../../index.js';
import { UnlinkableIdentityError } from './errors.js';
import { OidcIdentityLinkedEvent, OidcIdentityUnlinkedEvent } from './events.js';
import type { Claims } from './identity-provider.js';
import type { Identities } from './identities.js';
import { developerOwner, type LinkMails, type Owner } from './link-mails.js';
import type { Provider } from './provider.js';

interface LinkParts {
  readonly database: Database;
  readonly identities: Identities;
  readonly mails: LinkMails;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
}

/** For changes made outside of a request. */
const NO_REQUEST: RequestInfo = { requestId: '', ip: '', userAgent: '' };

/** Links identities to accounts, emits the events and notifies the owner. */
export class IdentityLinks {
  constructor(private readonly parts: LinkParts) {}

  /** @throws UniqueViolationError if the identity has an owner, or the account has an identity of this provider */
  async add(owner: Owner, provider: Provider, claims: Claims, request: RequestInfo): Promise<void> {
    await this.parts.database.transaction((transaction) => this.write(owner, provider, claims, request, transaction));
  }

  /**
   * The same for a signed-in developer. Refused while the address is unconfirmed: whoever created the account could
   * otherwise keep an identity on it after the address's owner takes it over (pre-hijacking).
   * @param user as loaded when the request began
   * @throws UnlinkableIdentityError for that, and for an identity of another account
   */
  async addOwn(user: UserRecord, provider: Provider, claims: Claims, request: RequestInfo): Promise<void> {
    requireProvedAddress(user);
    const owner = developerOwner(user);
    const holder = await this.parts.identities.owner(owner.context, claims);
    if (holder?.id === owner.id) return;
    if (holder) throw new UnlinkableIdentityError('linked-elsewhere');
    try {
      await this.add(owner, provider, claims, request);
    } catch (error) {
      if (error instanceof UniqueViolationError) throw new UnlinkableIdentityError('linked-elsewhere');
      throw error;
    }
  }

  /** @throws NotFoundError */
  async remove(owner: Owner, provider: string, request: RequestInfo): Promise<void> {
    const { database, identities } = this.parts;
    await database.transaction(async (transaction) => {
      if (!(await identities.remove(owner, provider, transaction))) throw new NotFoundError();
      await this.announceRemoval(owner, provider, request, transaction);
    });
  }

  /** Removes every identity linked before the owner took the account over. */
  async removeAll(owner: Owner, transaction: Transaction): Promise<void> {
    const { identities } = this.parts;
    const linked = await identities.list(owner, transaction);
    await identities.forget(owner, transaction);
    const request = currentActorContext().request ?? NO_REQUEST;
    for (const { provider } of linked) await this.announceRemoval(owner, provider, request, transaction);
  }

  async write(
    owner: Owner,
    { name: provider }: Provider,
    claims: Claims,
    request: RequestInfo,
    transaction: Transaction,
  ): Promise<void> {
    const { identities, events, mails } = this.parts;
    await identities.add(owner, provider, claims, transaction);
    await events.emit(new OidcIdentityLinkedEvent({ ...this.createFact(owner, request), provider }), transaction);
    await mails.tell('linked', owner, provider, transaction);
  }

  private async announceRemoval(
    owner: Owner,
    provider: string,
    request: RequestInfo,
    transaction: Transaction,
  ): Promise<void> {
    const { events, mails } = this.parts;
    await events.emit(new OidcIdentityUnlinkedEvent({ ...this.createFact(owner, request), provider }), transaction);
    await mails.tell('unlinked', owner, provider, transaction);
  }

  private createFact({ context, id: accountId, email }: Owner, request: RequestInfo) {
    return { context, accountId, email, request, occurredAt: this.parts.clock.now() };
  }
}

/** @throws UnlinkableIdentityError */
export function requireProvedAddress({ emailVerifiedAt }: Pick<UserRecord, 'emailVerifiedAt'>): void {
  if (emailVerifiedAt === null) throw new UnlinkableIdentityError('unproved-address');
}
