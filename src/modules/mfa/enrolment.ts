import {
  ConflictError,
  currentActorContext,
  NotFoundError,
  type AccountRef,
  type AuthAccount,
  type Clock,
  type Database,
  type EventBus,
  type RequestInfo,
  type SessionService,
  type Transaction,
  type UserRecord,
} from '../../index.js';
import type { Challenge, Challenges } from './challenges.js';
import type { CodeCheck } from './code-check.js';
import { InvalidCodeError } from './errors.js';
import {
  MfaFactorAddedEvent,
  MfaFactorRemovedEvent,
  MfaFactorsResetEvent,
  MfaRecoveryCodesRenewedEvent,
} from './events.js';
import type { FactorType, MfaState } from './factor.js';
import type { Confirmed, Factors } from './factors.js';
import type { MfaMails } from './mfa-mails.js';
import type { DrawnCode, RecoveryCodes } from './recovery-codes.js';
import { describeTotp, newTotpSecret, type TotpSetup } from './totp.js';

export interface EnrolmentParts {
  readonly database: Database;
  readonly factors: Factors;
  readonly recovery: RecoveryCodes;
  readonly challenges: Challenges;
  readonly codes: CodeCheck;
  readonly mails: MfaMails;
  readonly sessions: SessionService;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  /** The portal's name in authenticator apps. */
  readonly issuer: string;
  readonly isRequired: (owner: AccountRef) => boolean;
}

/** Who changes a factor, and in which session; that one continues, all others end (S78). */
export interface EnrolmentChange {
  readonly account: AuthAccount;
  /** Omitted at a login, which opens its session afterwards. */
  readonly sid?: string | undefined;
  readonly request: RequestInfo;
  readonly locale?: string | undefined;
}

/** Recovery codes to show once; null when the account keeps its present ones. */
type NewCodes = readonly string[] | null;

/** Adds and removes factors. The caller ensures a recent reauthentication (S78). */
export class Enrolment {
  constructor(private readonly parts: EnrolmentParts) {}

  async state(owner: AccountRef): Promise<MfaState> {
    const { factors, recovery, isRequired } = this.parts;
    const list = await factors.list(owner);
    const recoveryCodesLeft = list.length > 0 ? await recovery.countLeft(owner) : 0;
    return { factors: list, required: isRequired(owner), recoveryCodesLeft };
  }

  /** Generates the secret of a new authenticator, which has no effect until confirmed by its first code. */
  async beginTotp(account: AuthAccount): Promise<TotpSetup> {
    const secret = newTotpSecret();
    await this.parts.factors.keepPending(account, secret);
    return describeTotp(secret, this.parts.issuer, account.email);
  }

  /** @throws ValidationError on `code`, TooManyAttemptsError */
  async confirmTotp(change: EnrolmentChange, code: string, challenge?: Challenge): Promise<NewCodes> {
    const { factors, codes } = this.parts;
    let step: number | null = null;
    const attempt = { account: change.account, code, challenge, sid: change.sid };
    const isRight = await codes.countAttempt(attempt, change.request, async () => {
      step = await factors.findPendingStep(change.account, code.replace(/\s/g, ''));
      return step !== null;
    });
    if (!isRight || step === null) throw new InvalidCodeError();
    const right: number = step;
    return this.add(change, 'totp', (transaction) => factors.confirmTotp(change.account, right, transaction));
  }

  /** Mails a code to the address of a signed-in account. @throws TooManyAttemptsError */
  async beginEmail(account: AuthAccount, locale?: string): Promise<void> {
    const { challenges, mails } = this.parts;
    const challenge = (await challenges.findNewest('email', account)) ?? (await challenges.issue('email', account));
    await mails.sendCode(account, await challenges.drawCode(challenge, account), locale);
  }

  /** @throws ValidationError on `code`, TooManyAttemptsError */
  async confirmEmail(change: EnrolmentChange, code: string, enrolling?: Challenge): Promise<NewCodes> {
    const { challenges, codes, factors } = this.parts;
    const { account, sid, request } = change;
    const challenge = enrolling ?? (await challenges.findNewest('email', account)) ?? undefined;
    const isRight = await codes.countAttempt({ account, code, challenge, sid }, request, async () => {
      const matches = challenge !== undefined && challenges.isCode(challenge, code.replace(/\s/g, ''));
      // A login redeems its challenge itself.
      return matches && (enrolling !== undefined || (await challenges.redeem(challenge)));
    });
    if (!isRight) throw new InvalidCodeError();
    return this.add(change, 'email', (transaction) => factors.confirmEmail(account, transaction));
  }

  /** @throws NotFoundError, ConflictError for the last factor where one is required */
  async remove(change: EnrolmentChange, type: FactorType): Promise<void> {
    const { factors, recovery, isRequired } = this.parts;
    const { account } = change;
    await this.applyChange(change, `${type}-removed`, async (transaction, fact) => {
      if (!(await factors.remove(account, type, transaction))) throw new NotFoundError();
      if ((await factors.list(account, transaction)).length === 0) {
        if (isRequired(account)) throw new ConflictError({ errors: { factor: [LAST] } });
        await recovery.forget(account, transaction);
      }
      return new MfaFactorRemovedEvent({ ...fact, factor: type });
    });
  }

  /**
   * Replaces the recovery codes of an account by ten new ones. @throws ConflictError without a factor,
   * TooManyAttemptsError
   */
  async renewCodes(change: EnrolmentChange): Promise<readonly string[]> {
    const { recovery } = this.parts;
    const { account } = change;
    await this.requireFactor(account);
    const drawn = await recovery.drawFor(account, (codes) =>
      this.applyChange(change, 'codes-renewed', async (transaction, fact) => {
        await this.requireFactor(account, transaction);
        await recovery.replace(account, codes, transaction);
        return new MfaRecoveryCodesRenewedEvent(fact);
      }),
    );
    return drawn.map(({ code }) => code);
  }

  /** Removes all factors of somebody who lost them; every session ends. The caller checks permissions. */
  async reset(change: Omit<EnrolmentChange, 'sid'>): Promise<void> {
    const { account } = change;
    await this.applyChange(change, 'reset', async (transaction, fact) => {
      await this.forget(account, transaction);
      return new MfaFactorsResetEvent(fact);
    });
  }

  /** Removes the factors that whoever made an account set up before its owner took it over; the sessions have ended. */
  async reclaim(user: UserRecord, transaction: Transaction): Promise<void> {
    const { factors, events, mails, clock } = this.parts;
    const { id: accountId, email } = user;
    const account = { context: 'consumer', id: accountId, email, user } as const;
    const had = await factors.list(account, transaction);
    await this.forget(account, transaction);
    if (had.length === 0) return;
    await mails.sendChange(account, 'reclaimed', transaction);
    const request = currentActorContext().request ?? NO_REQUEST;
    const fact = { context: 'consumer', accountId, email, request, occurredAt: clock.now() } as const;
    await events.emit(new MfaFactorsResetEvent(fact), transaction);
  }

  /** Removes the data of an account that is being deleted. */
  async forget(owner: AccountRef, transaction: Transaction): Promise<void> {
    await this.parts.factors.removeAll(owner, transaction);
    await this.parts.recovery.forget(owner, transaction);
  }

  private async add(
    change: EnrolmentChange,
    factor: FactorType,
    confirm: (transaction: Transaction) => Promise<Confirmed>,
  ): Promise<NewCodes> {
    const { account } = change;
    const { recovery, factors } = this.parts;
    let isFirst = false;
    const add = (drawn?: readonly DrawnCode[]): Promise<void> =>
      this.applyChange(change, `${factor}-added`, async (transaction, fact) => {
        const { done, before } = await confirm(transaction);
        if (!done) throw new InvalidCodeError();
        isFirst = before.length === 0;
        if (isFirst && drawn) await recovery.replace(account, drawn, transaction);
        return new MfaFactorAddedEvent({ ...fact, factor, replaced: before.some(({ type }) => type === factor) });
      });
    if ((await factors.list(account)).length > 0) {
      await add();
      return null;
    }
    // Generated in advance; stored only if this turns out to be the first factor.
    const drawn = await recovery.drawFor(account, add);
    return isFirst ? drawn.map(({ code }) => code) : null;
  }

  private async requireFactor(account: AccountRef, transaction?: Transaction): Promise<void> {
    if ((await this.parts.factors.list(account, transaction)).length > 0) return;
    throw new ConflictError({ errors: { recovery_codes: ['Set up a factor first.'] } });
  }

  // Sessions first: that locks the account and so serialises changes of its factors.
  private async applyChange(
    { account, sid, request, locale }: EnrolmentChange,
    mail: Parameters<MfaMails['sendChange']>[1],
    write: (transaction: Transaction, fact: Fact) => Promise<MfaFactorAddedEvent | MfaRecoveryCodesRenewedEvent>,
  ): Promise<void> {
    const { database, sessions, events, mails, clock } = this.parts;
    const { context, id: accountId, email } = account;
    await database.transaction(async (transaction) => {
      await sessions.endAll(account, sid, transaction);
      const fact = { context, accountId, email, sid: sid ?? null, request, occurredAt: clock.now() };
      const event = await write(transaction, fact);
      await mails.sendChange(account, mail, transaction, locale);
      await events.emit(event, transaction);
    });
  }
}

type Fact = ConstructorParameters<typeof MfaRecoveryCodesRenewedEvent>[0];

/** For changes made outside of a request. */
const NO_REQUEST: RequestInfo = { requestId: '', ip: '', userAgent: '' };

const LAST = 'A second factor is required here. Add another one before you remove this one.';
