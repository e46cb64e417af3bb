import { createHash } from 'node:crypto';
import type { AttemptOutcome, AttemptRule, LimitStore } from '../../limits/index.js';
import { TooManyAttemptsError, type RequestInfo } from '../../core/index.js';
import { normaliseEmail } from '../accounts/index.js';
import type { AccountRef } from './account.js';
import type { AuthContext } from './actor.js';
import type { LimitConfig } from './config.js';
import { limitedNetworkOf } from './network.js';

/** The result of an attempt, and how the counters should treat it. */
export interface Attempted<T> {
  readonly result: T;
  readonly outcome: AttemptOutcome;
}

export type Limited<T> =
  { readonly limited: false; readonly result: T } | { readonly limited: true; readonly retryAfter: number };

/** Limits on guesses: passwords per account, accounts per client address, registered addresses found by probing. */
export class AttemptLimits {
  constructor(
    private readonly store: LimitStore,
    private readonly config: LimitConfig,
  ) {}

  /**
   * Evaluates a password under the limits of S13 and S14; unknown accounts count like known ones.
   * @param evaluate runs only once a slot is free; when it throws nothing is counted
   * @param device one where the account has signed in before. It has its own limits, so that strangers' guesses do not
   *   block it; its failures count towards the strangers' limits too.
   */
  async password<T>(
    context: AuthContext,
    email: string,
    request: RequestInfo,
    evaluate: () => Promise<Attempted<T>>,
    device: string | null = null,
  ): Promise<Limited<T>> {
    const { ip } = this.config;
    const account = accountKey(context, email);
    const network = limitedNetworkOf(request.ip);
    const strangers = [
      ...this.guesses(`login:${account}:${network}`, lockKey(account)),
      { key: `login-spray:${network}`, ...ip.failingAccounts, member: account, clearedBySuccess: false },
    ];
    if (device === null) return this.guard(strangers, evaluate);
    let hasFailed = false;
    const known = this.guesses(`login-device:${device}`, `login-device-lock:${device}`);
    const outcome = await this.guard(known, async () => {
      const attempted = await evaluate();
      hasFailed = attempted.outcome === 'failed';
      return attempted;
    });
    if (hasFailed) await this.note(strangers);
    return outcome;
  }

  private guesses(key: string, lock: string): AttemptRule[] {
    const { perAccountAndIp, perAccount, lockout, maxConsecutive } = this.config.login;
    const { initial, max: longest } = lockout;
    return [
      { key, ...perAccountAndIp, clearedBySuccess: true },
      { key: lock, ...perAccount, clearedBySuccess: true, lockout: { initial, longest, maxInARow: maxConsecutive } },
    ];
  }

  // Counts a failure that other rules let through. Rules that are already full need not count it.
  private async note(rules: readonly AttemptRule[]): Promise<void> {
    const place = await this.store.reserve(rules);
    if (place.granted) await this.store.settle(place.reservation, 'failed');
  }

  /** Evaluates a registration under S10: only responses that reveal a taken address count as `failed`. */
  async registration<T>({ ip }: RequestInfo, evaluate: () => Promise<Attempted<T>>): Promise<T> {
    const { perHour, perDay } = this.config.register;
    const key = `register:${limitedNetworkOf(ip)}`;
    const outcome = await this.guard(
      [
        { key: `${key}:hour`, max: perHour, window: 3_600, clearedBySuccess: false },
        { key: `${key}:day`, max: perDay, window: 86_400, clearedBySuccess: false },
      ],
      evaluate,
    );
    if (outcome.limited) throw new TooManyAttemptsError(outcome.retryAfter);
    return outcome.result;
  }

  /** Lifts the lock of an account: after a password reset, or by an admin (S13). */
  async unlock(context: AuthContext, email: string): Promise<void> {
    await this.store.clear([lockKey(accountKey(context, email))]);
  }

  /**
   * Evaluates another kind of guess, for example a second-factor code, under its own rules.
   * @param evaluate runs only once a slot is free; when it throws nothing is counted
   */
  guess<T>(rules: readonly AttemptRule[], evaluate: () => Promise<Attempted<T>>): Promise<Limited<T>> {
    return this.guard(rules, evaluate);
  }

  /**
   * Runs CPU-heavy work such as hashing: one job per account at a time, and a limited number per window.
   * @param work counted when it succeeds, not when it throws
   * @throws TooManyAttemptsError at once, without waiting for a running job
   */
  async runCostly<T>(
    key: string,
    often: { readonly max: number; readonly window: number },
    work: () => Promise<T>,
  ): Promise<T> {
    const rules = [{ key, ...often, atOnce: 1, clearedBySuccess: false }];
    const done = await this.guard(rules, async () => ({ result: await work(), outcome: 'failed' }));
    if (done.limited) throw new TooManyAttemptsError(done.retryAfter);
    return done.result;
  }

  /** Runs work that sets an account's password, under `limits.password`. @throws TooManyAttemptsError */
  newPassword<T>({ context, id }: AccountRef, work: () => Promise<T>): Promise<T> {
    return this.runCostly(`new-password:${context}:${id}`, this.config.password.changes, work);
  }

  private async guard<T>(rules: readonly AttemptRule[], evaluate: () => Promise<Attempted<T>>): Promise<Limited<T>> {
    const place = await this.store.reserve(rules);
    if (!place.granted) return { limited: true, retryAfter: place.retryAfter };
    let outcome: AttemptOutcome = 'dropped';
    try {
      const attempted = await evaluate();
      outcome = attempted.outcome;
      return { limited: false, result: attempted.result };
    } finally {
      await this.store.settle(place.reservation, outcome);
    }
  }
}

function lockKey(account: string): string {
  return `login-lock:${account}`;
}

/**
 * One counter for every spelling of an address: case, spaces, compatibility forms and accents are folded, so that they
 * cannot evade a limit. Hashed, so that keys are short and a shared store holds no addresses.
 */
function accountKey(context: AuthContext, email: string): string {
  const plain = email
    .normalize('NFKD')
    .replace(/[\p{M}\s]/gu, '')
    .toLowerCase();
  const account = normaliseEmail(plain) ?? plain;
  return createHash('sha256').update(`${context}:${account}`).digest('base64url');
}

/** The same per mailbox: `a.da+1@` and `ada@` are one mailbox at many providers. */
export function mailboxKey(email: string): string {
  const at = email.lastIndexOf('@');
  const local = email.slice(0, Math.max(at, 0));
  const box = local.replace(/\+.*$/s, '').replaceAll('.', '');
  return accountKey('consumer', `${box === '' ? local : box}${email.slice(Math.max(at, 0))}`);
}
