import type { AccountRepository, AdminActor, AuthAccount, ConsumerActor, RequestInfo } from '../../index.js';
import type { Enrolment } from './enrolment.js';
import type { FactorType, MfaState } from './factor.js';
import type { TotpSetup } from './totp.js';

/** Seconds that a reauthentication is valid for changes of factors (S78). */
export const FRESH = 300;

/** A signed-in developer or admin. */
export type SignedInAccount = ConsumerActor | AdminActor;

/** Factors of signed-in accounts, for the API and the pages alike. */
export class MfaAccounts {
  constructor(
    private readonly enrolment: Enrolment,
    private readonly directory: AccountRepository,
  ) {}

  state(actor: SignedInAccount): Promise<MfaState> {
    return this.enrolment.state(actor);
  }

  async beginTotp(actor: SignedInAccount): Promise<TotpSetup> {
    return this.enrolment.beginTotp(await this.account(actor));
  }

  async beginEmail(actor: SignedInAccount, locale: string): Promise<void> {
    await this.enrolment.beginEmail(await this.account(actor), locale);
  }

  /** @returns recovery codes to show once, null when the account has some. @throws ValidationError on `code` */
  async confirm(
    actor: SignedInAccount,
    factor: FactorType,
    code: string,
    request: RequestInfo,
    locale: string,
  ): Promise<readonly string[] | null> {
    const change = { account: await this.account(actor), sid: actor.sid, request, locale };
    return factor === 'totp' ? this.enrolment.confirmTotp(change, code) : this.enrolment.confirmEmail(change, code);
  }

  /** @throws NotFoundError, ConflictError for the last one where one is required */
  async remove(actor: SignedInAccount, factor: FactorType, request: RequestInfo, locale: string): Promise<void> {
    await this.enrolment.remove({ account: await this.account(actor), sid: actor.sid, request, locale }, factor);
  }

  /** @throws ConflictError without a factor */
  async renewCodes(actor: SignedInAccount, request: RequestInfo, locale: string): Promise<readonly string[]> {
    return this.enrolment.renewCodes({ account: await this.account(actor), sid: actor.sid, request, locale });
  }

  private async account({ context, id }: SignedInAccount): Promise<AuthAccount> {
    return (await this.directory.find({ context, id })).account;
  }
}
