import {
  TooManyAttemptsError,
  type AccountRef,
  type AttemptLimits,
  type AuthAccount,
  type Clock,
  type EventBus,
  type RequestInfo,
  type Transaction,
  LoginFailedEvent,
} from '../../index.js';
import { CHALLENGE_LIFETIME, type Challenge, type Challenges } from './challenges.js';
import { MfaRecoveryCodeUsedEvent } from './events.js';
import { accountKey, type ProofType } from './factor.js';
import type { Factors } from './factors.js';
import type { RecoveryCodes } from './recovery-codes.js';

const TRIES_PER_CHALLENGE = 5;
const TRIES_PER_ACCOUNT = 10;
const WINDOW = 900;

interface CheckParts {
  readonly factors: Factors;
  readonly recovery: RecoveryCodes;
  readonly challenges: Challenges;
  readonly attempts: AttemptLimits;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
}

export interface Attempt {
  readonly account: AuthAccount;
  readonly code: string;
  /** Kind of code; inferred from its format if omitted. */
  readonly factor?: ProofType | undefined;
  /** Has its own attempt counter, and holds the mailed code. */
  readonly challenge?: Challenge | undefined;
  /** The session, if the account is already signed in. */
  readonly sid?: string | undefined;
}

/** The only place that checks codes; attempts count across every factor, challenge and page of an account (S75). */
export class CodeCheck {
  constructor(private readonly parts: CheckParts) {}

  /** Whether a code of a confirmed factor, or a recovery code, is right; uses it up. @throws TooManyAttemptsError */
  verify(attempt: Attempt, request: RequestInfo): Promise<boolean> {
    return this.countAttempt(attempt, request, () => this.redeem(attempt, request));
  }

  /** The same for a code that confirms a new factor. */
  async countAttempt(attempt: Attempt, request: RequestInfo, judge: () => Promise<boolean>): Promise<boolean> {
    const { account, challenge } = attempt;
    const outcome = await this.parts.attempts.guess(rulesOf(account, challenge), async () => {
      const right = await judge();
      return { result: right, outcome: right ? 'passed' : 'failed' };
    });
    if (outcome.limited) throw new TooManyAttemptsError(outcome.retryAfter);
    if (!outcome.result) await this.announceFailure(attempt, request);
    return outcome.result;
  }

  private async redeem({ account, code, factor, challenge }: Attempt, request: RequestInfo): Promise<boolean> {
    const { factors, recovery, challenges, events, clock } = this.parts;
    const asDigits = code.replace(/\s/g, '');
    const isDigits = /^\d{6}$/.test(asDigits);
    if (factor === 'totp' || (factor === undefined && isDigits)) {
      if (await factors.redeemTotp(account, asDigits)) return true;
    }
    if (factor === 'email' || (factor === undefined && isDigits)) {
      // The factor may have been removed since the mail was sent.
      const sent = challenge !== undefined && challenges.isCode(challenge, asDigits);
      return sent && (await factors.list(account)).some(({ type }) => type === 'email');
    }
    if (factor === 'totp' || !(await recovery.redeem(account, code))) return false;
    const { context, id: accountId, email } = account;
    const used = { context, accountId, email, request, occurredAt: clock.now() };
    await events.emit(new MfaRecoveryCodeUsedEvent(used));
    return true;
  }

  private async announceFailure({ account, sid }: Attempt, request: RequestInfo): Promise<void> {
    const { events, clock } = this.parts;
    const { context, id: accountId, email } = account;
    await events.emit(
      new LoginFailedEvent({ context, accountId, email, sid: sid ?? null, request, occurredAt: clock.now() }),
    );
  }
}

// Never cleared by a success: the owner's right code must not give an attacker ten more tries.
function rulesOf(owner: AccountRef, challenge: Challenge | undefined) {
  const account = { key: `mfa:${accountKey(owner)}`, max: TRIES_PER_ACCOUNT, window: WINDOW, clearedBySuccess: false };
  if (!challenge) return [account];
  const own = { max: TRIES_PER_CHALLENGE, window: CHALLENGE_LIFETIME, clearedBySuccess: false };
  return [account, { key: `mfa-challenge:${challenge.id}`, ...own }];
}
