import {
  AdminUnlockedEvent,
  UserUnlockedEvent,
  type AdminRecord,
  type PasswordHasher,
  type UserRecord,
} from '../accounts/index.js';
import type { Transaction } from '../../database/index.js';
import {
  TooManyAttemptsError,
  ValidationError,
  type Clock,
  type EventBus,
  type RequestInfo,
} from '../../core/index.js';
import type { AccountRepository } from './account-repository.js';
import type { AdminActor, ConsumerActor } from './actor.js';
import type { Attempted, AttemptLimits } from './attempt-limits.js';
import type { RequestLimits } from './request-limits.js';
import type { LoginExtensions, StepUp } from './contracts.js';
import { LoginFailedEvent } from './events.js';
import type { SessionService } from './session-service.js';

interface AccountSecurityParts {
  readonly directory: AccountRepository;
  readonly hasher: PasswordHasher;
  readonly limits: AttemptLimits;
  readonly requestLimits: RequestLimits;
  readonly sessions: SessionService;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly extensions: Pick<LoginExtensions, 'stepUps'>;
}

/** What an account submits to reauthenticate. */
export interface Proof {
  readonly password?: string | undefined;
  /** One code for each module that asks for one. */
  readonly codes?: readonly string[];
}

/** Password actions of a signed-in account. A wrong password counts as a failed login (S06). */
export class AccountSecurity {
  constructor(private readonly parts: AccountSecurityParts) {}

  /** Whether this is the account's password. @throws TooManyAttemptsError */
  async confirmPassword(actor: ConsumerActor | AdminActor, password: string, request: RequestInfo): Promise<boolean> {
    const { directory, hasher, limits, requestLimits, events, clock } = this.parts;
    const { context, id: accountId, sid } = actor;
    await requestLimits.countConfirmations(request);
    const { account, passwordHash } = await directory.find(actor);
    const judge = async (): Promise<Attempted<boolean>> => {
      const { matches } = await hasher.verify(password, passwordHash);
      return { result: matches, outcome: matches ? 'passed' : 'failed' };
    };
    // A signed-in account is not held back by guesses made elsewhere.
    const attempt = await limits.password(context, account.email, request, judge, sid);
    if (attempt.limited) throw new TooManyAttemptsError(attempt.retryAfter);
    if (!attempt.result) {
      const { email } = account;
      await events.emit(new LoginFailedEvent({ context, accountId, email, sid, request, occurredAt: clock.now() }));
    }
    return attempt.result;
  }

  /** Lifts the lock caused by failed guesses (S13). */
  async unlock(user: UserRecord): Promise<void> {
    const { limits, events, clock } = this.parts;
    await limits.unlock('consumer', user.email);
    await events.emit(new UserUnlockedEvent({ user, occurredAt: clock.now() }));
  }

  /** The same for an admin. */
  async unlockAdmin(admin: AdminRecord): Promise<void> {
    const { limits, events, clock } = this.parts;
    await limits.unlock('admin', admin.email);
    await events.emit(new AdminUnlockedEvent({ admin, occurredAt: clock.now() }));
  }

  /** What the account must prove besides its password, as message keys; empty if nothing. May send a code. */
  async questions(actor: ConsumerActor | AdminActor): Promise<readonly string[]> {
    const questions = await Promise.all(this.parts.extensions.stepUps.map((stepUp) => stepUp.question(actor)));
    return questions.flatMap((question) => (question ? [question.words] : []));
  }

  /**
   * Renews the `auth_time` of this session (S80). An account with a step-up must answer that; it may then omit a
   * password it does not know, for example when it signs in through an identity provider.
   * @returns the session's `sid` from now on: a browser session gets a new one
   * @throws ValidationError on `password` or `code`, TooManyAttemptsError
   */
  async reauthenticate(actor: ConsumerActor | AdminActor, proof: Proof, request: RequestInfo): Promise<string> {
    const { password } = proof;
    const codes = (proof.codes ?? []).filter((code) => code !== '');
    if (password !== undefined && !(await this.confirmPassword(actor, password, request))) {
      throw new ValidationError({ password: ['The password is not correct.'] });
    }
    const { answered, open } = await this.judge(actor, codes, request);
    if (open > 0) {
      const fault = codes.length === 0 ? 'A verification code is needed.' : 'Invalid verification code.';
      throw new ValidationError({ code: [fault] });
    }
    if (answered === 0 && password === undefined) {
      throw new ValidationError({ password: ['Please give your password.'] });
    }
    return this.parts.sessions.renewAuthTime(actor, request);
  }

  // Asked only if no code was right: asking may send a new code, which voids the one submitted.
  private async judge(actor: ConsumerActor | AdminActor, codes: readonly string[], request: RequestInfo) {
    const total = { answered: 0, open: 0 };
    for (const stepUp of this.parts.extensions.stepUps) {
      if (await isAnswered(stepUp, actor, codes, request)) total.answered += 1;
      else if (await stepUp.question(actor)) total.open += 1;
    }
    return total;
  }

  /**
   * Sets a new password; every other session of the account ends, this one continues. It does not count as a recent
   * sign-in afterwards, since only the password was proved.
   * @returns the session's `sid` from now on: a browser session gets a new one, in the transaction of the new password
   * @throws ValidationError on `current_password` or `password`, TooManyAttemptsError
   */
  async changePassword(
    actor: ConsumerActor | AdminActor,
    change: { readonly currentPassword: string; readonly password: string },
    request: RequestInfo,
  ): Promise<string> {
    if (!(await this.confirmPassword(actor, change.currentPassword, request))) {
      throw new ValidationError({ current_password: ['The current password is not correct.'] });
    }
    const { directory, limits, sessions } = this.parts;
    const renewedSid = sessions.successorOf(actor);
    const kept = { keepSid: actor.sid, renewedSid };
    await limits.newPassword(actor, () => directory.changePassword(actor, change.password, kept));
    return renewedSid;
  }
}

async function isAnswered(
  stepUp: StepUp,
  actor: ConsumerActor | AdminActor,
  codes: readonly string[],
  request: RequestInfo,
): Promise<boolean> {
  for (const code of codes) if (await stepUp.verify(actor, code, request)) return true;
  return false;
}
