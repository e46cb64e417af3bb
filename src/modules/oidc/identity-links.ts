import {
  NotFoundError,
  UniqueViolationError,
  type AccountRef,
  type Clock,
  type Database,
  type EventBus,
  type RequestInfo,
  type Transaction,
} from '../../index.js';
import { UnlinkableIdentityError } from './errors.js';
import { OidcIdentityLinkedEvent, OidcIdentityUnlinkedEvent } from './events.js';
import type { Claims } from './identity-provider.js';
import type { Identities } from './identities.js';
import type { Provider } from './provider.js';

interface LinkParts {
  readonly database: Database;
  readonly identities: Identities;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
}

type Owner = AccountRef & { readonly email: string };

/** Writes which identity belongs to whom, and announces it. */
export class IdentityLinks {
  constructor(private readonly parts: LinkParts) {}

  /** @throws UniqueViolationError when the identity, or the account at this provider, is taken */
  async add(owner: Owner, provider: Provider, claims: Claims, request: RequestInfo): Promise<void> {
    await this.parts.database.transaction((transaction) => this.write(owner, provider, claims, request, transaction));
  }

  /** The same for an account that proved itself. @throws UnlinkableIdentityError for an identity of somebody else */
  async addOwn(owner: Owner, provider: Provider, claims: Claims, request: RequestInfo): Promise<void> {
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
    const { database, identities, events } = this.parts;
    await database.transaction(async (transaction) => {
      if (!(await identities.remove(owner, provider, transaction))) throw new NotFoundError();
      await events.emit(new OidcIdentityUnlinkedEvent({ ...this.fact(owner, request), provider }), transaction);
    });
  }

  async write(
    owner: Owner,
    { name: provider }: Provider,
    claims: Claims,
    request: RequestInfo,
    transaction: Transaction,
  ): Promise<void> {
    await this.parts.identities.add(owner, provider, claims, transaction);
    await this.parts.events.emit(new OidcIdentityLinkedEvent({ ...this.fact(owner, request), provider }), transaction);
  }

  private fact({ context, id: accountId, email }: Owner, request: RequestInfo) {
    return { context, accountId, email, request, occurredAt: this.parts.clock.now() };
  }
}
