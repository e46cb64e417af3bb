import type { AccountRef, MailQueue, Transaction } from '../../index.js';
import { fullNameOf, type MailedAccount } from './factor.js';
import { CHALLENGE_LIFETIME } from './challenges.js';

/** What changed; also the messages `mail.mfa-changed.<change>`. */
export type FactorChange =
  'totp-added' | 'email-added' | 'totp-removed' | 'email-removed' | 'codes-renewed' | 'reset' | 'reclaimed';

interface MailParts {
  readonly mail: MailQueue;
  /** Address of the page where the owner manages factors; null if there is none. */
  readonly settingsPage: (owner: AccountRef) => string | null;
  readonly defaultLocale: string;
}

export class MfaMails {
  constructor(private readonly parts: MailParts) {}

  async sendCode(account: MailedAccount, code: string, locale?: string): Promise<void> {
    const values = { code, minutes: CHALLENGE_LIFETIME / 60 };
    await this.queue('mfa-code', account, values, locale);
  }

  /** Queues the mail in the transaction of the change. */
  async sendChange(
    account: MailedAccount,
    change: FactorChange,
    transaction: Transaction,
    locale?: string,
  ): Promise<void> {
    await this.queue(`mfa-${change}`, account, { url: this.parts.settingsPage(account) }, locale, transaction);
  }

  private async queue(
    template: string,
    account: MailedAccount,
    values: Readonly<Record<string, string | number | null>>,
    locale?: string,
    transaction?: Transaction,
  ): Promise<void> {
    const user = account.context === 'consumer' ? account.user : null;
    const isUnproved = user !== null && user.emailVerifiedAt === null;
    const spoken = locale ?? user?.locale ?? this.parts.defaultLocale;
    const letter = { to: account.email, locale: spoken, name: fullNameOf(account), isUnproved };
    await this.parts.mail.queue({ template, ...letter, values }, transaction);
  }
}
