import {
  LoginFailedEvent,
  maySignIn,
  NotFoundError,
  ServiceUnavailableError,
  type AuthAccount,
  type AuthContext,
  type AuthenticationOutcome,
  type AuthFlowInterface,
  type Clock,
  type EventBus,
  type Logger,
  type RequestInfo,
  type Transaction as DatabaseTransaction,
} from '../../index.js';
import type { AdminAccounts } from './admin-accounts.js';
import type { DeveloperAccounts } from './developer-accounts.js';
import { InvalidStateError } from './errors.js';
import type { Claims, IdentityProvider } from './identity-provider.js';
import type { Transaction, Transactions } from './transactions.js';

interface LoginParts {
  readonly providers: readonly IdentityProvider[];
  readonly transactions: Transactions;
  readonly developers: DeveloperAccounts;
  readonly admins: AdminAccounts;
  readonly flow: () => AuthFlowInterface;
  readonly events: EventBus<DatabaseTransaction>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Started {
  readonly url: string;
  /** Value for the cookie of the browser that started the flow. */
  readonly browser: string;
}

/** Parameters of a provider's callback, untrusted. */
export interface Returned {
  readonly code: string;
  readonly state: string;
  readonly iss?: string | undefined;
  /** Value of the cookie. */
  readonly browser: string | undefined;
  /** The provider that the response claims to come from. */
  readonly provider?: string | undefined;
}

/** A proven identity, and the flow it belongs to. */
export interface Proven {
  readonly provider: IdentityProvider;
  readonly claims: Claims;
  readonly way: Transaction;
}

/** For an inactive account: no reason is given, as at every login (S08). */
const REFUSED = { kind: 'refused', reason: 'credentials' } as const;

/** Sign-in flows through providers, for API and pages, developers and admins alike. */
export class OidcLogin {
  constructor(private readonly parts: LoginParts) {}

  /** Providers of a context, the default first. */
  listProviders(context: AuthContext): readonly IdentityProvider[] {
    return this.parts.providers.filter(({ settings }) =>
      context === 'admin' ? settings.admins !== null : settings.developers,
    );
  }

  /** @param name the default provider when undefined. @throws NotFoundError */
  provider(context: AuthContext, name: string | undefined): IdentityProvider {
    const [first] = this.listProviders(context);
    const found =
      name === undefined ? first : this.listProviders(context).find(({ settings }) => settings.name === name);
    if (!found) throw new NotFoundError();
    return found;
  }

  /** @throws ServiceUnavailableError */
  async begin(provider: IdentityProvider, way: Omit<Transaction, 'provider'>): Promise<Started> {
    const { secrets, browser } = await this.parts.transactions.begin({ ...way, provider: provider.settings.name });
    return { url: await provider.authorizationUrl(secrets, way.redirectUri), browser };
  }

  /**
   * Verifies a callback; ends its flow.
   * @throws InvalidStateError, RefusedIdentityError, ServiceUnavailableError
   */
  async prove(returned: Returned, at: Pick<Transaction, 'context' | 'channel'>, request: RequestInfo): Promise<Proven> {
    const { code, state, iss, browser } = returned;
    const way = await this.parts.transactions.finish(state, browser, at);
    if (!way) throw new InvalidStateError();
    // A response from another provider than the one requested (S83).
    if (returned.provider !== undefined && returned.provider !== way.provider) throw new InvalidStateError();
    const provider = this.provider(way.context, way.provider);
    const { redirectUri, secrets } = way;
    const trustsState = way.channel === 'api' && this.parts.providers.length === 1;
    try {
      return { provider, way, claims: await provider.redeem({ code, iss, redirectUri, trustsState }, secrets) };
    } catch (error) {
      if (!(error instanceof ServiceUnavailableError)) {
        this.parts.logger.warn({ err: error, request_id: request.requestId }, 'an identity was refused');
        await this.announceFailure(at.context, request);
      }
      throw error;
    }
  }

  /** Ends a flow whose provider returned an error. @returns where the visitor wanted to go */
  async abandon(returned: Pick<Returned, 'state' | 'browser'>, at: Pick<Transaction, 'context' | 'channel'>) {
    return this.parts.transactions.finish(returned.state, returned.browser, at);
  }

  /** Signs in the account of an identity: every rule and further step that follows a password applies (S86). */
  async logIn({ provider, claims, way }: Proven, request: RequestInfo): Promise<AuthenticationOutcome> {
    const accounts = way.context === 'admin' ? this.parts.admins : this.parts.developers;
    const account = await accounts.resolve(provider.settings, claims, request);
    if (maySignIn(account)) return this.parts.flow().continueLogin(account, request);
    await this.announceFailure(way.context, request, account);
    return REFUSED;
  }

  private async announceFailure(context: AuthContext, request: RequestInfo, account?: AuthAccount): Promise<void> {
    const { events, clock } = this.parts;
    const email = account?.email ?? null;
    await events.emit(new LoginFailedEvent({ context, accountId: null, email, request, occurredAt: clock.now() }));
  }
}
