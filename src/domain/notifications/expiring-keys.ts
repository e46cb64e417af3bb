import type { Database } from '../../database/index.js';
import { addSeconds, type Clock } from '../../core/index.js';
import type { MailQueue } from '../../mail/index.js';
import { credentialRecord, maskedKey } from '../apps/index.js';
import { addressUser } from '../accounts/index.js';
import type { AccountPages } from '../auth/index.js';

/** Keys are announced a week before they end. */
const NOTICE_S = 7 * 86_400;
const BATCH = 200;

interface ExpiringKey {
  readonly id: number;
  readonly keyHint: string;
  readonly expiresAt: Date;
  readonly app: string;
  readonly title: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly language: string | null;
  readonly emailVerifiedAt: Date | null;
}

interface ExpiringKeyParts {
  readonly database: Database;
  readonly mail: MailQueue;
  readonly pages: AccountPages;
  readonly clock: Clock;
  readonly defaultLocale: string;
  readonly formatDate: (date: Date, locale: string) => string;
}

/** Mails each developer once before one of their keys ends, unless it was rotated already. */
export class ExpiringKeys {
  constructor(private readonly parts: ExpiringKeyParts) {}

  async announce(): Promise<void> {
    for (;;) {
      const keys = await this.find();
      for (const key of keys) await this.tell(key);
      if (keys.length < BATCH) return;
    }
  }

  private find(): Promise<ExpiringKey[]> {
    const now = this.parts.clock.now();
    return this.parts.database.select<ExpiringKey>(
      `SELECT c.id AS id, c.key_hint AS keyHint, c.expires_at AS expiresAt, a.name AS app, a.display_name AS title,
         u.email AS email, u.first_name AS firstName, u.last_name AS lastName, u.locale AS language,
         u.email_verified_at AS emailVerifiedAt
       FROM portal_credentials c JOIN portal_apps a ON a.id = c.app_id JOIN portal_users u ON u.id = a.user_id
       WHERE c.expires_at > ? AND c.expires_at <= ? AND c.expiry_noticed_at IS NULL AND c.replaced_by IS NULL
         AND c.status = 'approved' AND u.status = 'active' ORDER BY c.expires_at, c.id LIMIT ${BATCH}`,
      [now, addSeconds(now, NOTICE_S)],
      { decode: { expiresAt: 'date', emailVerifiedAt: 'date' } },
    );
  }

  private async tell({ id, keyHint, expiresAt, app, title, language, ...user }: ExpiringKey): Promise<void> {
    const { database, mail, pages, clock, defaultLocale, formatDate } = this.parts;
    const locale = language ?? defaultLocale;
    await database.transaction(async (transaction) => {
      const noticed = { expiryNoticedAt: clock.now() };
      const isFirst = await credentialRecord.update(database, { id, expiryNoticedAt: null }, noticed, transaction);
      if (isFirst === 0) return;
      const values = { app: title, key: maskedKey(keyHint), date: formatDate(expiresAt, locale), url: pages.app(app) };
      await mail.queue({ template: 'key-expiring', ...addressUser(user), locale, values }, transaction);
    });
  }
}
