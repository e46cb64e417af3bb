import type { Database, Transaction } from '../../database/index.js';
import type { MailQueue } from '../../mail/index.js';
import { ValidationError, type Background, type Clock, type EventBus, type RequestInfo } from '../../core/index.js';
import {
  addressUser,
  PasswordChangedEvent,
  UserUpdatedEvent,
  type UserAddresses,
  type UserService,
} from '../accounts/index.js';
import type { EmailTokens } from './email-tokens.js';
import type { AccountPages } from './contracts.js';
import { PasswordResetRequestedEvent } from './events.js';
import type { AttemptLimits } from './attempt-limits.js';
import type { RequestLimits } from './request-limits.js';

/** Lifetime of a reset link in seconds (S07). */
export const RESET_LIFETIME_S = 30 * 60;

export interface RecoveryParts {
  readonly database: Database;
  readonly users: UserService;
  readonly addresses: UserAddresses;
  readonly emailTokens: EmailTokens;
  readonly limits: RequestLimits;
  readonly attempts: AttemptLimits;
  readonly mail: MailQueue;
  readonly pages: AccountPages;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly background: Background;
}

/** Password reset by a mailed link. It never signs anybody in. */
export class PasswordReset {
  constructor(private readonly parts: RecoveryParts) {}

  /**
   * Mails a link to the stored address, if its account may sign in. Neither the response nor its timing reveals that:
   * everything that depends on the account happens in the background (S09).
   * @throws TooManyAttemptsError for the address of the client
   */
  async request(email: string, locale: string, request: RequestInfo): Promise<void> {
    const { limits, background } = this.parts;
    await limits.countForgotten(request);
    background.start('a password reset', () => this.send(email, locale, request));
  }

  /**
   * Sets a new password; every session of the account ends. The link came from the mailbox, so this also confirms the
   * address; for an account whose address was unconfirmed, see `UserReclaimedEvent`.
   * @throws ValidationError on `token` or `password`, TooManyAttemptsError; of concurrent calls with one token exactly
   *   one succeeds
   */
  async reset(token: string, password: string): Promise<void> {
    const { emailTokens, users, attempts } = this.parts;
    const emailToken = await emailTokens.find(token, ['password-reset']);
    if (!emailToken) throw refuseToken();
    const first = async (transaction: Transaction): Promise<void> => {
      if (!(await emailTokens.redeem(token, transaction))) throw refuseToken();
    };
    const owner = { context: 'consumer', id: emailToken.userId } as const;
    await attempts.newPassword(owner, () =>
      users.changePassword(emailToken.userId, password, { first, proves: emailToken.email }),
    );
  }

  /** Voids links once the password or the address they were made for changes (S07). */
  listen(): void {
    const { events, emailTokens } = this.parts;
    events.within(PasswordChangedEvent, async ({ context, accountId }, transaction) => {
      if (context === 'consumer') await emailTokens.revoke(accountId, ['password-reset', 'email-change'], transaction);
    });
    events.within(UserUpdatedEvent, async ({ user, changes }, transaction) => {
      if (changes.email)
        await emailTokens.revoke(user.id, ['password-reset', 'verify-email', 'email-change'], transaction);
    });
  }

  private async send(typed: string, locale: string, request: RequestInfo): Promise<void> {
    const { users, limits, emailTokens, mail, pages, database, events, clock } = this.parts;
    const found = await users.findByEmail(typed);
    if (!found || found.user.status === 'inactive' || !(await limits.mayMail(found.user.email))) return;
    const { id: userId, email } = found.user;
    await database.transaction(async (transaction) => {
      const token = await emailTokens.issue(
        { userId, purpose: 'password-reset', email },
        RESET_LIFETIME_S,
        transaction,
      );
      const values = { url: pages.resetPassword(token), minutes: RESET_LIFETIME_S / 60 };
      await mail.queue({ template: 'password-reset', ...addressUser(found.user), locale, values }, transaction);
      const fact = { context: 'consumer', accountId: userId, email, request, occurredAt: clock.now() } as const;
      await events.emit(new PasswordResetRequestedEvent(fact), transaction);
    });
  }
}

function refuseToken(): ValidationError {
  return new ValidationError({ token: ['Invalid reset token.'] });
}
