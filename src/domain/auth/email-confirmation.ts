import { ValidationError, type RequestInfo } from '../../core/index.js';
import { addressUser, fullName, requireEmail, type UserRecord } from '../accounts/index.js';
import { RESET_LIFETIME_S, type RecoveryParts } from './password-reset.js';

const LIFETIME_S = 60 * 60;

/** Confirms e-mail addresses: the one given at sign-up, and later changes (S10, S70). */
export class EmailConfirmation {
  constructor(private readonly parts: RecoveryParts) {}

  /** Mails the confirmation link of a new account, unless the address got too many recently. */
  async send(user: UserRecord, locale: string): Promise<void> {
    const { database, emailTokens, limits, mail, pages } = this.parts;
    const { id: userId, email } = user;
    if (!(await limits.mayMail(email))) return;
    await database.transaction(async (transaction) => {
      const token = await emailTokens.issue({ userId, purpose: 'verify-email', email }, LIFETIME_S, transaction);
      const values = { url: pages.verifyEmail(token), minutes: LIFETIME_S / 60 };
      const letter = { to: email, isUnproved: true, locale, name: fullName(user) };
      await mail.queue({ template: 'verify-email', ...letter, values }, transaction);
    });
  }

  /** Tells the owner of an address that somebody tried to sign up with it; the response reveals nothing. */
  async notifyOwner(typed: string, locale: string): Promise<void> {
    const { users, limits, mail, pages } = this.parts;
    const found = await users.findByEmail(typed);
    if (!found) return;
    const { user } = found;
    if (!(await limits.mayMail(user.email))) return;
    if (user.emailVerifiedAt === null) return this.mailReset(user, locale);
    const letter = { ...addressUser(user), locale: user.locale ?? locale };
    await mail.queue({ template: 'account-exists', ...letter, values: { url: pages.signIn() } });
  }

  // Either of the two who signed up may be the owner. A confirmation link would open the account to whoever knows the
  // first password; a password reset confirms the address too, and only the owner gets it.
  private async mailReset({ id: userId, email }: UserRecord, locale: string): Promise<void> {
    const { database, emailTokens, mail, pages } = this.parts;
    await database.transaction(async (transaction) => {
      await emailTokens.revoke(userId, ['verify-email'], transaction);
      const token = await emailTokens.issue(
        { userId, purpose: 'password-reset', email },
        RESET_LIFETIME_S,
        transaction,
      );
      const values = { url: pages.resetPassword(token), minutes: RESET_LIFETIME_S / 60 };
      await mail.queue({ template: 'account-unconfirmed', to: email, isUnproved: true, locale, values }, transaction);
    });
  }

  /**
   * Sends the confirmation link of a new account again; the response is the same for every address. @throws
   * TooManyAttemptsError
   */
  async resend(typed: string, locale: string, request: RequestInfo): Promise<void> {
    const { limits, background, users } = this.parts;
    await limits.countForgotten(request);
    background.start('a confirmation mail', async () => {
      const found = await users.findByEmail(typed);
      if (!found || found.user.emailVerifiedAt !== null || found.user.status === 'inactive') return;
      await this.send(found.user, locale);
    });
  }

  /**
   * Mails the new address to ask its owner. Until they agree, it is pending and has no effect. Only its owner learns
   * that it is taken, or was mailed too often recently.
   * @throws ValidationError on `email` if it is not an address, TooManyAttemptsError: nobody may have strangers mailed
   *   at will
   */
  async requestChange(user: UserRecord, typed: string, locale: string): Promise<UserRecord> {
    const { addresses, emailTokens, limits, mail, pages } = this.parts;
    await limits.countAddressChange(user.id);
    const mayMail = await limits.mayMail(requireEmail(typed));
    return addresses.setPending(user.id, typed, async (email, transaction) => {
      if (!mayMail) return;
      const token = await emailTokens.issue(
        { userId: user.id, purpose: 'email-change', email },
        LIFETIME_S,
        transaction,
      );
      const values = { url: pages.verifyEmail(token), minutes: LIFETIME_S / 60 };
      const letter = { to: email, isUnproved: true, locale, name: fullName(user) };
      await mail.queue({ template: 'email-change', ...letter, values }, transaction);
    });
  }

  /**
   * Redeems a link of either kind.
   * @throws ValidationError on `token`; of concurrent calls with one token exactly one succeeds
   */
  async confirm(token: string, locale: string): Promise<void> {
    const { emailTokens, addresses, mail } = this.parts;
    const emailToken = await emailTokens.find(token, ['verify-email', 'email-change']);
    if (!emailToken) throw refuseToken();
    const { userId, purpose, email } = emailToken;
    await addresses.confirm(userId, email, async (before, transaction) => {
      // The account must still have, or want, the address that the link was sent to.
      const expected = purpose === 'verify-email' ? before.email : before.pendingEmail;
      if (expected !== email || !(await emailTokens.redeem(token, transaction))) throw refuseToken();
      if (purpose !== 'email-change') return;
      const letter = { ...addressUser(before), locale: before.locale ?? locale };
      await mail.queue({ template: 'email-changed', ...letter, values: { email } }, transaction);
    });
  }
}

function refuseToken(): ValidationError {
  return new ValidationError({ token: ['Invalid or expired link.'] });
}
