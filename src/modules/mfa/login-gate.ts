import { nullIfMissing } from '../../core/index.js';
import {
  AdminDeletedEvent,
  ConflictError,
  maySignIn,
  SessionOpeningEvent,
  SessionRenewingEvent,
  UserDeletedEvent,
  UserReclaimedEvent,
  type AccountRepository,
  type AccountRef,
  type AuthAccount,
  type AuthContext,
  type AuthFlowInterface,
  type EventBus,
  type LoginChallenge,
  type RequestInfo,
  type Transaction,
  type AccountGate,
  type GateRefusal,
} from '../../index.js';
import { CHALLENGE_LIFETIME, type Challenge, type ChallengePurpose, type Challenges } from './challenges.js';
import type { CodeCheck } from './code-check.js';
import type { Enrolment } from './enrolment.js';
import { InvalidChallengeError, InvalidCodeError, MfaRequiredError, MfaEnrolmentRequiredError } from './errors.js';
import { FACTOR_TYPES, type FactorType, type ProofType } from './factor.js';
import type { Factors } from './factors.js';
import type { MfaMails } from './mfa-mails.js';
import type { ProvenFactors } from './proven-factors.js';
import type { TotpSetup } from './totp.js';
import type { SignedInAccount } from './mfa-accounts.js';

interface GateParts {
  readonly factors: Factors;
  readonly proofs: ProvenFactors;
  readonly challenges: Challenges;
  readonly codes: CodeCheck;
  readonly enrolment: Enrolment;
  readonly mails: MfaMails;
  readonly directory: AccountRepository;
  readonly flow: () => AuthFlowInterface;
  readonly isRequired: (owner: AccountRef) => boolean;
}

/** An open challenge with the account's present record. */
interface Half {
  readonly challenge: Challenge;
  readonly account: AuthAccount;
}

export interface Enrolled {
  readonly account: AuthAccount;
  /** To be shown once. */
  readonly recoveryCodes: readonly string[] | null;
}

/**
 * The second step of every login. {@link step} asks for it; {@link listen} closes every way around it: a session that
 * begins, or counts as recent again, for an account with a factor that was not proved in the same request, is refused
 * where sessions are written (S79, S80).
 */
export class LoginGate {
  constructor(private readonly parts: GateParts) {}

  /** @returns the challenge between password and session; null lets the login continue */
  async step(account: AuthAccount): Promise<LoginChallenge | null> {
    const types = await this.factorsOf(account);
    if (types.length === 0)
      return this.parts.isRequired(account) ? this.challenge(account, 'enrol', FACTOR_TYPES) : null;
    return this.challenge(account, 'login', types);
  }

  listen(events: EventBus<Transaction>): void {
    const { factors, proofs, isRequired, enrolment } = this.parts;
    events.within(SessionOpeningEvent, async ({ account, request }, transaction) => {
      if (proofs.has(account, request)) return;
      if (isRequired(account) || (await factors.list(account, transaction)).length > 0) throw new MfaRequiredError();
    });
    // An account that must have a factor but has none proves its password only, to set one up.
    events.within(SessionRenewingEvent, async ({ context, accountId: id, request }, transaction) => {
      const owner = { context, id };
      if (proofs.has(owner, request)) return;
      if ((await factors.list(owner, transaction)).length > 0) throw new MfaRequiredError();
    });
    events.within(UserDeletedEvent, ({ user }, transaction) =>
      enrolment.forget({ context: 'consumer', id: user.id }, transaction),
    );
    events.within(UserReclaimedEvent, ({ user }, transaction) => enrolment.reclaim(user, transaction));
    events.within(AdminDeletedEvent, ({ admin }, transaction) =>
      enrolment.forget({ context: 'admin', id: admin.id }, transaction),
    );
  }

  /** Opens a challenge, with the ways to meet it. @throws ValidationError on `challenge_token` */
  async open(token: string, purpose: ChallengePurpose, context: AuthContext): Promise<Half> {
    const challenge = await this.parts.challenges.find(token, purpose, context);
    const account = challenge ? await this.accountOf(challenge) : null;
    if (!challenge || !account) throw new InvalidChallengeError();
    return { challenge, account };
  }

  /**
   * Meets a challenge. @returns the account, which may sign in now
   * @throws ValidationError on `challenge_token` or `code`, TooManyAttemptsError
   */
  async verify(
    half: Half,
    proof: { readonly code: string; readonly factor?: ProofType | undefined },
    request: RequestInfo,
  ): Promise<AuthAccount> {
    const { codes } = this.parts;
    if (!(await codes.verify({ ...half, ...proof }, request))) throw new InvalidCodeError();
    return this.admit(half, half.account, request);
  }

  async factorsOf(owner: AccountRef): Promise<readonly FactorType[]> {
    return (await this.parts.factors.list(owner)).map(({ type }) => type);
  }

  /** Mails another code at a login. @throws ConflictError if the account has no mail factor, TooManyAttemptsError */
  async resend(half: Half, locale?: string): Promise<void> {
    if (!(await this.factorsOf(half.account)).includes('email')) {
      throw new ConflictError({ errors: { factor: ['This account does not take codes by mail.'] } });
    }
    await this.send(half, locale);
  }

  /** Mails a new code. @throws TooManyAttemptsError */
  async send({ challenge, account }: Half, locale?: string): Promise<void> {
    const { challenges, mails } = this.parts;
    await mails.sendCode(account, await challenges.drawCode(challenge, account), locale);
  }

  beginTotp({ account }: Half): Promise<TotpSetup> {
    return this.parts.enrolment.beginTotp(account);
  }

  /** Confirms the first factor of an account that must have one, and lets it in. @throws as {@link verify} */
  async enrol(half: Half, factor: FactorType, code: string, request: RequestInfo, locale?: string): Promise<Enrolled> {
    const { enrolment, directory } = this.parts;
    const { challenge, account } = half;
    const change = { account, request, locale };
    const recoveryCodes =
      factor === 'totp'
        ? await enrolment.confirmTotp(change, code, challenge)
        : await enrolment.confirmEmail(change, code, challenge);
    // Read after the change, which ended every earlier session.
    const { account: present } = await directory.find(account);
    return { account: await this.admit(half, present, request), recoveryCodes };
  }

  private async admit({ challenge }: Half, account: AuthAccount, request: RequestInfo): Promise<AuthAccount> {
    if (!(await this.parts.challenges.redeem(challenge))) throw new InvalidChallengeError();
    this.parts.proofs.add(account, request);
    await this.parts.flow().completeLogin(account, request);
    return account;
  }

  private async challenge(
    account: AuthAccount,
    purpose: 'login' | 'enrol',
    factors: readonly FactorType[],
  ): Promise<LoginChallenge> {
    const { challenges, mails } = this.parts;
    const { id, token } = await challenges.issue(purpose, account);
    // Mailed at once if there is no other factor: the user would only have to request it.
    if (purpose === 'login' && !factors.includes('totp')) {
      await mails.sendCode(account, await challenges.drawCode({ id }, account));
    }
    return {
      kind: 'challenge',
      message: 'MFA challenge required.',
      data: {
        challenge_token: token,
        expires_in: CHALLENGE_LIFETIME,
        enrolment_required: purpose === 'enrol',
        factors: purpose === 'login' ? [...factors, 'recovery_code'] : [...factors],
      },
      page: { path: purpose === 'login' ? '/login/mfa' : '/login/mfa/enrol', token, lifetime: CHALLENGE_LIFETIME },
    };
  }

  // A changed password, reset factors or a disabled account void the challenge.
  private async accountOf({ owner, authEpoch }: Challenge): Promise<AuthAccount | null> {
    const found = await this.parts.directory.find(owner).catch(nullIfMissing);
    return found && maySignIn(found.account) && found.account.authEpoch === authEpoch ? found.account : null;
  }
}

/** Number of sessions remembered as passed; forgetting one costs a query. */
const REMEMBERED = 10_000;

/**
 * Blocks sessions that predate the factor requirement until a factor is set up (S79). Later sessions have met it at
 * login. Routes and pages that remain reachable declare it (`exemptFromGates`): to manage factors, to reauthenticate for that,
 * and to sign out.
 */
export class EnrolmentGate {
  private readonly cleared = new Set<string>();

  constructor(
    private readonly factors: Factors,
    private readonly isRequired: (owner: AccountRef) => boolean,
  ) {}

  readonly gate: AccountGate = async (actor, entrance) => {
    if (entrance.exemptFromGates || !this.isRequired(actor)) return null;
    return (await this.isMet(actor)) ? null : refusal();
  };

  // Losing the last factor ends every session, so a session that passed stays valid.
  private async isMet(actor: SignedInAccount): Promise<boolean> {
    if (this.cleared.has(actor.sid)) return true;
    if ((await this.factors.list(actor)).length === 0) return false;
    if (this.cleared.size >= REMEMBERED) this.cleared.clear();
    this.cleared.add(actor.sid);
    return true;
  }
}

function refusal(): GateRefusal {
  return { error: new MfaEnrolmentRequiredError(), page: '/settings/mfa' };
}
