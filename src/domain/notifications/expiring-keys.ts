import type { Database, Transaction } from '../../database/index.js';
import { addSeconds, type Clock, type EventBus } from '../../core/index.js';
import type { MailQueue } from '../../mail/index.js';
import {
  appRecord,
  CredentialExpiringEvent,
  credentialRecord,
  findExpiringKeys,
  maskKey,
  type ExpiringKey,
} from '../apps/index.js';
import { addressUser } from '../accounts/index.js';
import { titleFor } from './notifications.js';
import type { AccountPages } from '../auth/index.js';
import type { Recipients } from '../teams/index.js';

/** Keys are announced a week before they end. */
const NOTICE_S = 7 * 86_400;
const BATCH = 200;

interface ExpiringKeyParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly mail: MailQueue;
  readonly recipients: Recipients;
  readonly pages: AccountPages;
  readonly clock: Clock;
  readonly defaultLocale: string;
  readonly formatDate: (date: Date, locale: string) => string;
}

/** Mails whoever can do something about it once before a key ends, unless it was rotated already. */
export class ExpiringKeys {
  constructor(private readonly parts: ExpiringKeyParts) {}

  async announce(): Promise<void> {
    const { database, clock } = this.parts;
    for (;;) {
      const now = clock.now();
      const keys = await findExpiringKeys(database, now, addSeconds(now, NOTICE_S), BATCH);
      for (const key of keys) await this.tell(key);
      if (keys.length < BATCH) return;
    }
  }

  private async tell({ id, keyHint, expiresAt, app, title, ownerId }: ExpiringKey): Promise<void> {
    const { database, mail, pages, clock, defaultLocale, formatDate, recipients } = this.parts;
    await database.transaction(async (transaction) => {
      const reminded = { expiryNoticedAt: clock.now() };
      const isFirst = await credentialRecord.update(database, { id, expiryNoticedAt: null }, reminded, transaction);
      if (isFirst === 0) return;
      for (const { user, team } of await recipients.of(ownerId, 'keys', transaction)) {
        const locale = user.locale ?? defaultLocale;
        const about = { app: titleFor(title, team), url: pages.app(app, team?.id ?? null) };
        const values = { ...about, key: maskKey(keyHint), date: formatDate(expiresAt, locale) };
        await mail.queue({ template: 'key-expiring', ...addressUser(user), locale, values }, transaction);
      }
      await this.emit(id, transaction);
    });
  }

  private async emit(id: number, transaction: Transaction): Promise<void> {
    const { database, events, clock } = this.parts;
    const credential = await credentialRecord.require(database, { id }, { transaction });
    const owning = await appRecord.require(database, { id: credential.appId }, { transaction });
    const by = { type: 'system', id: null } as const;
    await events.emit(
      new CredentialExpiringEvent({ app: owning, by, credential, occurredAt: clock.now() }),
      transaction,
    );
  }
}
