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
  /** How authenticator apps name the portal. */
  readonly issuer: string;
  readonly isRequired: (owner: AccountRef) => boolean;
}

/** Who changes something, and through which sign-in; that one lives on, all others end (S78). */
export interface EnrolmentChange {
  readonly account: AuthAccount;
  /** None at a login, which opens its sign-in afterwards. */
  readonly sid?: string | undefined;
  readonly request: RequestInfo;
  readonly locale?: string | undefined;
}

/** Recovery codes to be shown once; null when the account keeps those it has. */
type NewCodes = readonly string[] | null;

/** Setting factors up and taking them away. That the account proved itself shortly before is the caller's part (S78). */
export class Enrolment {
  constructor(private readonly parts: EnrolmentParts) {}

  async state(owner: AccountRef): Promise<MfaState> {
    const { factors, recovery, isRequired } = this.parts;
    const list = await factors.list(owner);
    const recoveryCodesLeft = list.length > 0 ? await recovery.left(owner) : 0;
    return { factors: list, required: isRequired(owner), recoveryCodesLeft };
  }

  /** Draws the secret of a new authenticator, which counts for nothing until its first code has come. */
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
    const isRight = await codes.counted(attempt, change.request, async () => {
      step = await factors.pendingStep(change.account, code.replace(/\s/g, ''));
      return step !== null;
    });
    if (!isRight || step === null) throw new InvalidCodeError();
    const right: number = step;
    return this.add(change, 'totp', (transaction) => factors.confirmTotp(change.account, right, transaction));
  }

  /** Mails a code to the address of a signed-in account. @throws TooManyAttemptsError */
  async beginEmail(account: AuthAccount, locale?: string): Promise<void> {
    const { challenges, mails } = this.parts;
    const challenge = (await challenges.newest('email', account)) ?? (await challenges.issue('email', account));
    await mails.sendCode(account, await challenges.drawCode(challenge, account), locale);
  }

  /** @throws ValidationError on `code`, TooManyAttemptsError */
  async confirmEmail(change: EnrolmentChange, code: string, enrolling?: Challenge): Promise<NewCodes> {
    const { challenges, codes, factors } = this.parts;
    const { account, sid, request } = change;
    const challenge = enrolling ?? (await challenges.newest('email', account)) ?? undefined;
    const isRight = await codes.counted({ account, code, challenge, sid }, request, async () => {
      const matches = challenge !== undefined && challenges.isCode(challenge, code.replace(/\s/g, ''));
      // The challenge of a login is used up by the login.
      return matches && (enrolling !== undefined || (await challenges.redeem(challenge)));
    });
    if (!isRight) throw new InvalidCodeError();
    return this.add(change, 'email', (transaction) => factors.confirmEmail(account, transaction));
  }

  /** @throws NotFoundError, ConflictError for the last factor where one is required */
  async remove(change: EnrolmentChange, type: FactorType): Promise<void> {
    const { factors, recovery, isRequired } = this.parts;
    const { account } = change;
    await this.changed(change, `${type}-removed`, async (transaction, fact) => {
      if (!(await factors.remove(account, type, transaction))) throw new NotFoundError();
      if ((await factors.list(account, transaction)).length === 0) {
        if (isRequired(account)) throw new ConflictError({ errors: { factor: [LAST] } });
        await recovery.forget(account, transaction);
      }
      return new MfaFactorRemovedEvent({ ...fact, factor: type });
    });
  }

  /** Voids the recovery codes of an account and draws ten others. @throws ConflictError without a factor, TooManyAttemptsError */
  async renewCodes(change: EnrolmentChange): Promise<readonly string[]> {
    const { recovery } = this.parts;
    const { account } = change;
    await this.requireFactor(account);
    const drawn = await recovery.drawFor(account, (codes) =>
      this.changed(change, 'codes-renewed', async (transaction, fact) => {
        await this.requireFactor(account, transaction);
        await recovery.replace(account, codes, transaction);
        return new MfaRecoveryCodesRenewedEvent(fact);
      }),
    );
    return drawn.map(({ code }) => code);
  }

  /** Takes everything away from somebody who lost it; every sign-in ends. Who may do this is the caller's part. */
  async reset(change: Omit<EnrolmentChange, 'sid'>): Promise<void> {
    const { account } = change;
    await this.changed(change, 'reset', async (transaction, fact) => {
      await this.forget(account, transaction);
      return new MfaFactorsResetEvent(fact);
    });
  }

  /** Takes away what whoever made an account had set up before its owner took it over; the sign-ins have ended. */
  async reclaim(user: UserRecord, transaction: Transaction): Promise<void> {
    const { factors, events, mails, clock } = this.parts;
    const { id: accountId, email } = user;
    const account = { context: 'consumer', id: accountId, email, user } as const;
    const had = await factors.list(account, transaction);
    await this.forget(account, transaction);
    if (had.length === 0) return;
    await mails.tellChange(account, 'reclaimed', transaction);
    const request = currentActorContext().request ?? NO_REQUEST;
    const fact = { context: 'consumer', accountId, email, request, occurredAt: clock.now() } as const;
    await events.emit(new MfaFactorsResetEvent(fact), transaction);
  }

  /** Of an account that is being deleted. */
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
      this.changed(change, `${factor}-added`, async (transaction, fact) => {
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
    // Drawn before it is known for certain; kept when this turns out to be the first factor.
    const drawn = await recovery.drawFor(account, add);
    return isFirst ? drawn.map(({ code }) => code) : null;
  }

  private async requireFactor(account: AccountRef, transaction?: Transaction): Promise<void> {
    if ((await this.parts.factors.list(account, transaction)).length > 0) return;
    throw new ConflictError({ errors: { recovery_codes: ['Set up a factor first.'] } });
  }

  // The sign-ins first: that locks the account, so that changes of its factors follow one another.
  private async changed(
    { account, sid, request, locale }: EnrolmentChange,
    mail: Parameters<MfaMails['tellChange']>[1],
    write: (transaction: Transaction, fact: Fact) => Promise<MfaFactorAddedEvent | MfaRecoveryCodesRenewedEvent>,
  ): Promise<void> {
    const { database, sessions, events, mails, clock } = this.parts;
    const { context, id: accountId, email } = account;
    await database.transaction(async (transaction) => {
      await sessions.endAll(account, sid, transaction);
      const fact = { context, accountId, email, sid: sid ?? null, request, occurredAt: clock.now() };
      const event = await write(transaction, fact);
      await mails.tellChange(account, mail, transaction, locale);
      await events.emit(event, transaction);
    });
  }
}

type Fact = ConstructorParameters<typeof MfaRecoveryCodesRenewedEvent>[0];

/** For what no request did. */
const NO_REQUEST: RequestInfo = { requestId: '', ip: '', userAgent: '' };

const LAST = 'A second factor is required here. Add another one before you remove this one.';
