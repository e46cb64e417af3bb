import { defineRecord, fieldOf, mergeRows, type Database, type Transaction } from '../../database/index.js';
import { addSeconds, type Clock } from '../../core/index.js';
import { noticeRecord } from './change-notice.js';
import type { NotificationsConfig } from './config.js';

/** How a developer hears of changes by mail: of each when it is published, of all once a day, or not at all. */
export const DELIVERIES = ['at_once', 'daily', 'none'] as const;

export type Delivery = (typeof DELIVERIES)[number];

/** The choice of a developer, with their digests; without a row it is `at_once`. */
export const changeMailRecord = defineRecord({
  name: 'ChangeMail',
  table: 'portal_change_mails',
  alias: 'cm',
  fields: {
    userId: fieldOf.reference().key(),
    delivery: fieldOf.text<Delivery>(16),
    /** Null while nothing waits for a digest. */
    digestDueAt: fieldOf.time().nullable(),
    /** When the last digest was sent. */
    digestedAt: fieldOf.time().nullable(),
    updatedAt: fieldOf.time(),
  },
});

interface ChangeMailsParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly config: { readonly notices: Pick<NotificationsConfig, 'digestHour'> };
}

const DAY_S = 86_400;

/** How developers want to hear of changes by mail, and when the next digest of each is due. */
export class ChangeMails {
  constructor(private readonly parts: ChangeMailsParts) {}

  async find(userId: number): Promise<Delivery> {
    const choice = await changeMailRecord.find(this.parts.database, { userId });
    return choice?.delivery ?? 'at_once';
  }

  /**
   * Notices that wait for a digest still come with it, unless mails are switched off.
   * @throws ConflictError for a deleted account
   */
  async choose(userId: number, delivery: Delivery): Promise<void> {
    const { database, clock } = this.parts;
    await database.transaction(async (transaction) => {
      const row = { userId, delivery, updatedAt: clock.now() };
      await mergeRows(database, changeMailRecord, [row], { delivery: 'replace', updatedAt: 'replace' }, transaction);
      if (delivery !== 'none') return;
      await changeMailRecord.update(database, { userId }, { digestDueAt: null }, transaction);
      await noticeRecord.update(database, { userId, digest: 'waiting' }, { digest: null }, transaction);
    });
  }

  /**
   * How to mail a notice that the caller's transaction is about to write. Where it waits for a digest, one becomes due, and the row
   * stays locked: a digest that is sent meanwhile would otherwise take the turn of a notice that it does not see yet.
   */
  async take(userId: number, transaction: Transaction): Promise<Delivery> {
    const { database } = this.parts;
    // Most have none, and the lock of a row that is not there would keep others from adding theirs.
    if (!(await changeMailRecord.has(database, { userId }, transaction))) return 'at_once';
    const choice = await changeMailRecord.find(database, { userId }, { transaction, lock: true });
    if (choice?.delivery === 'daily' && choice.digestDueAt === null) {
      await this.expectDigest(userId, choice.digestedAt, transaction);
    }
    return choice?.delivery ?? 'at_once';
  }

  /** @param last when the last digest was sent: there is one on each day at most, in UTC */
  async expectDigest(userId: number, last: Date | null, transaction: Transaction): Promise<void> {
    const { database, clock, config } = this.parts;
    const now = clock.now();
    const today = new Date(now);
    today.setUTCHours(config.notices.digestHour, 0, 0, 0);
    const isPast = today <= now || (last !== null && dayOf(last) === dayOf(today));
    const digestDueAt = isPast ? addSeconds(today, DAY_S) : today;
    await changeMailRecord.update(database, { userId }, { digestDueAt }, transaction);
  }
}

/** In UTC. */
function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
