import type { PasswordHasher } from '../accounts/index.js';
import type { Transaction } from '../../database/index.js';
import type { Clock, EventBus, Logger, RequestInfo } from '../../core/index.js';
import type { AccountRepository, StoredAccount } from './account-repository.js';
import { maySignIn, type AccountRef, type AuthAccount } from './account.js';
import type { AuthContext } from './actor.js';
import type { Attempted, AttemptLimits } from './attempt-limits.js';
import type { KnownDevices } from './known-devices.js';
import type {
  AuthenticationOutcome,
  AuthFlowInterface,
  LoginChallenge,
  LoginInput,
  LoginOutcome,
  LoginRefusal,
  LoginStep,
  RegistrationCandidate,
  RegistrationVerdict,
  TokenPair,
  TokenServiceInterface,
} from './contracts.js';
import { LoginAttemptedEvent, LoginFailedEvent, LoginSucceededEvent } from './events.js';
import { LoginAnnouncement } from './login-announcement.js';

export interface AuthFlowParts {
  readonly directory: AccountRepository;
  readonly hasher: PasswordHasher;
  readonly limits: AttemptLimits;
  readonly devices: KnownDevices;
  readonly tokens: TokenServiceInterface;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** `accounts.verifyEmail`. */
  readonly verifyEmail: boolean;
  /** Further steps added by modules, in order. */
  readonly steps: readonly LoginStep[];
}

/**
 * Signing in, as named steps that a host can override individually: verify credentials, check the account, further
 * steps, complete. Both the API and the theme use it.
 */
export class AuthFlow implements AuthFlowInterface {
  constructor(protected readonly parts: AuthFlowParts) {}

  mayRegister(_candidate: RegistrationCandidate, _request: RequestInfo): Promise<RegistrationVerdict> {
    return Promise.resolve(true);
  }

  async authenticate(
    input: LoginInput,
    context: AuthContext,
    request: RequestInfo,
    login?: LoginAnnouncement,
  ): Promise<AuthenticationOutcome> {
    const account = await this.verifyCredentials(input, context, request);
    return 'kind' in account ? account : this.continueLogin(account, request, login);
  }

  async continueLogin(
    account: AuthAccount,
    request: RequestInfo,
    login?: LoginAnnouncement,
  ): Promise<AuthenticationOutcome> {
    const obstacle = await this.obstacleTo(account, request);
    if (obstacle) {
      // A challenge decides nothing yet; a refusal does, although the password was right.
      if (obstacle.kind === 'refused') await this.announceRefusal(account, request);
      return obstacle;
    }
    await this.completeLogin(account, request, login);
    return { kind: 'account', account };
  }

  async obstacleTo(account: AuthAccount, request: RequestInfo): Promise<LoginChallenge | LoginRefusal | null> {
    return this.checkAccount(account) ?? (await this.takeFurtherSteps(account, request));
  }

  async attemptLogin(input: LoginInput, context: AuthContext, request: RequestInfo): Promise<LoginOutcome> {
    const login = new LoginAnnouncement(this.parts.events);
    try {
      const outcome = await this.authenticate(input, context, request, login);
      if (outcome.kind !== 'account') return outcome;
      const { account } = outcome;
      return { kind: 'tokens', account, tokens: await this.issueForUser(account, request, login) };
    } finally {
      // For a login without tokens, or with a token service that ignores the announcement.
      await login.announce();
    }
  }

  issueForUser(account: AuthAccount, request: RequestInfo, login?: LoginAnnouncement): Promise<TokenPair> {
    return this.parts.tokens.issue(account, request, login);
  }

  refresh(refreshToken: string, context: AuthContext, request: RequestInfo): Promise<TokenPair> {
    return this.parts.tokens.refresh(refreshToken, context, request);
  }

  async logout(refreshToken: string, owner: AccountRef, request: RequestInfo): Promise<void> {
    await this.parts.tokens.revoke(refreshToken, owner, request);
  }

  async completeLogin(account: AuthAccount, request: RequestInfo, login?: LoginAnnouncement): Promise<void> {
    const { directory, events, clock } = this.parts;
    const { context, id: accountId, email } = account;
    await directory.recordLogin(account);
    const event = new LoginSucceededEvent({ context, accountId, email, request, occurredAt: clock.now() });
    if (login) login.complete(event);
    else await events.emit(event);
  }

  /** The first step: address and password, under the limits of S13 and S14. */
  protected async verifyCredentials(
    input: LoginInput,
    context: AuthContext,
    request: RequestInfo,
  ): Promise<AuthAccount | LoginRefusal> {
    const { limits, devices, events, clock } = this.parts;
    const device = await devices.recognise(context, input.email, input.device);
    const typed = { context, accountId: null, email: input.email.slice(0, 254), request };
    const judge = async (): Promise<Attempted<AuthAccount | null>> => {
      await events.emit(new LoginAttemptedEvent({ ...typed, occurredAt: clock.now() }));
      const account = await this.findByPassword(input, context);
      return { result: account, outcome: account ? 'passed' : 'failed' };
    };
    const attempt = await limits.password(context, input.email, request, judge, device);
    if (attempt.limited) return { kind: 'refused', reason: 'limited', retryAfter: attempt.retryAfter };
    if (attempt.result) return attempt.result;
    await events.emit(new LoginFailedEvent({ ...typed, occurredAt: clock.now() }));
    return { kind: 'refused', reason: 'credentials' };
  }

  /**
   * The account for an address and password, if it may sign in. Takes the same time whether the address is unknown, the
   * password wrong or the account inactive (S08).
   */
  protected async findByPassword({ email, password }: LoginInput, context: AuthContext): Promise<AuthAccount | null> {
    const { directory, hasher } = this.parts;
    const stored = await directory.findByEmail(context, email);
    if (!stored) {
      await hasher.verifyNothing(password);
      return null;
    }
    const { matches, outdated } = await hasher.verify(password, stored.passwordHash);
    if (!matches || !maySignIn(stored.account)) return null;
    if (outdated) await this.renewHash(stored, password);
    return stored.account;
  }

  /** The second step: reasons to refuse a proven account, however it proved itself. */
  protected checkAccount(account: AuthAccount): LoginRefusal | null {
    const unverified = account.context === 'consumer' && account.user.emailVerifiedAt === null;
    return this.parts.verifyEmail && unverified ? { kind: 'refused', reason: 'email-not-verified' } : null;
  }

  /** The third step: the first step that challenges or refuses decides. */
  protected async takeFurtherSteps(
    account: AuthAccount,
    request: RequestInfo,
  ): Promise<LoginChallenge | LoginRefusal | null> {
    for (const step of this.parts.steps) {
      const obstacle = await step(account, request);
      if (obstacle) return obstacle;
    }
    return null;
  }

  private async announceRefusal({ context, email }: AuthAccount, request: RequestInfo): Promise<void> {
    const { events, clock } = this.parts;
    await events.emit(new LoginFailedEvent({ context, accountId: null, email, request, occurredAt: clock.now() }));
  }

  // A login must not fail just because its outdated hash could not be renewed.
  private async renewHash(stored: StoredAccount, password: string): Promise<void> {
    try {
      await this.parts.directory.rehash(stored, password);
    } catch (error) {
      this.parts.logger.warn({ err: error, account: stored.account.id }, 'an outdated hash was not renewed');
    }
  }
}
