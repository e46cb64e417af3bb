import {
  fullName,
  type AccountRef,
  type AuthAccount,
  type MailQueue,
  type Transaction,
  type UserRecord,
} from '../../index.js';

/** The owner of an account, as mails need it. */
export interface Owner extends AccountRef {
  readonly email: string;
  readonly name: string;
  /** null: none chosen. */
  readonly locale: string | null;
}

export function developerOwner(user: UserRecord): Owner {
  return { context: 'consumer', id: user.id, email: user.email, name: fullName(user), locale: user.locale };
}

export function ownerOf(account: AuthAccount): Owner {
  if (account.context === 'consumer') return developerOwner(account.user);
  const { id, email, name } = account.admin;
  return { context: 'admin', id, email, name, locale: null };
}

interface MailParts {
  readonly mail: MailQueue;
  /** Display name of a provider. */
  readonly labelOf: (provider: string) => string;
  /** Address of the page where developers manage their identities. */
  readonly settingsPage: () => string;
  readonly defaultLocale: string;
}

/** Mails to owners about linked and unlinked identities, queued in the transaction of the change. */
export class LinkMails {
  constructor(private readonly parts: MailParts) {}

  async tell(
    change: 'linked' | 'unlinked',
    { context, email: to, name, locale }: Owner,
    provider: string,
    transaction: Transaction,
  ): Promise<void> {
    const { mail, labelOf, settingsPage, defaultLocale } = this.parts;
    const values = { provider: labelOf(provider), url: context === 'consumer' ? settingsPage() : null };
    await mail.queue({ template: `oidc-${change}`, to, locale: locale ?? defaultLocale, name, values }, transaction);
  }
}
