import { Op, type Database, type Transaction } from '../../database/index.js';
import type { Clock } from '../../core/index.js';
import type { MailQueue, MailSection } from '../../mail/index.js';
import { addressUser, userRecord } from '../accounts/index.js';
import type { AccountPages } from '../auth/index.js';
import { findProductName, type ChangeKind } from '../catalog/index.js';
import type { Recipients } from '../teams/index.js';
import { changeMailRecord, type ChangeMails } from './change-mails.js';
import { noticeRecord, watchRecord } from './change-notice.js';
import { titleFor } from './notifications.js';
import type { OwnNotice, OwnNotices } from './own-notices.js';
import { whereStillSeen, type NotifiedReader } from './reader-queries.js';

interface ChangeDigestsParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly mail: MailQueue;
  readonly recipients: Recipients;
  readonly notices: Pick<OwnNotices, 'findWaiting'>;
  readonly changeMails: Pick<ChangeMails, 'expectDigest'>;
  readonly pages: AccountPages & { page(path: string): string };
  readonly defaultLocale: string;
  readonly formatDate: (date: Date, locale: string) => string;
  /** Address that takes a POST without a sign-in and ends the digests of a developer. */
  readonly unsubscribe: (userId: number, productId: null) => string;
}

/** The part of a digest that is prepared before its transaction, which must not wait for another connection. */
interface Draft {
  readonly reader: NotifiedReader;
  readonly locale: string;
  readonly viewers: readonly number[];
  readonly notices: readonly OwnNotice[];
}

const BATCH = 50;
/** Changes in one mail; the pages list the rest. */
const MOST_CHANGES = 50;
const MOST_NAMES = 5;
const ADDRESS = ['id', 'email', 'firstName', 'lastName', 'emailVerifiedAt', 'locale'] as const;

/**
 * Mails developers who want a digest what changed, at most once a day. Being due, the notices in it and the mail are one
 * transaction, so each notice comes with exactly one of them, whatever dies and on any number of replicas.
 */
export class ChangeDigests {
  constructor(private readonly parts: ChangeDigestsParts) {}

  /** Safe to repeat. */
  async run(stopping?: AbortSignal): Promise<void> {
    const { database, clock } = this.parts;
    const next = { only: ['userId'], order: 'cm.digest_due_at, cm.user_id', limit: BATCH } as const;
    for (;;) {
      const found = await changeMailRecord.findAll(database, { digestDueAt: { [Op.lte]: clock.now() } }, next);
      for (const { userId } of found) {
        if (stopping?.aborted) return;
        await this.send(userId);
      }
      if (found.length < BATCH) return;
    }
  }

  private async send(userId: number): Promise<void> {
    const { database, clock, changeMails } = this.parts;
    const [newest] = await noticeRecord.findAll(database, whereWaiting(userId), { order: 'n.id DESC', limit: 1 });
    const draft = await this.prepare(userId);
    await database.transaction(async (transaction) => {
      const now = clock.now();
      const isDue = { userId, digestDueAt: { [Op.lte]: now } };
      // Sent by another replica, or not wanted any more.
      if ((await changeMailRecord.update(database, isDue, { digestDueAt: null }, transaction)) === 0) return;
      const meant = draft ? await this.selectStillMeant(draft, transaction) : [];
      const told = { ...whereWaiting(userId), id: { [Op.lte]: newest?.id ?? 0 } };
      await noticeRecord.update(database, told, { digest: 'sent' }, transaction);
      if (draft && meant.length > 0) {
        await changeMailRecord.update(database, { userId }, { digestedAt: now }, transaction);
        await this.mail(draft, meant, transaction);
      }
      // What was noted since it was prepared comes with the next one.
      if (await noticeRecord.has(database, whereWaiting(userId), transaction)) {
        await changeMails.expectDigest(userId, now, transaction);
      }
    });
  }

  private async prepare(userId: number): Promise<Draft | null> {
    const { database, notices, recipients, defaultLocale } = this.parts;
    const reader = await userRecord.find(database, { id: userId, status: 'active' }, { only: ADDRESS });
    if (!reader) return null;
    const locale = reader.locale ?? defaultLocale;
    const viewers = await recipients.accountsOf(userId, 'app.view');
    // One more, to know whether there are others.
    return { reader, locale, viewers, notices: await notices.findWaiting(userId, viewers, MOST_CHANGES + 1, locale) };
  }

  /** Those that the developer sees and wants to hear of at this moment. */
  private async selectStillMeant({ reader, viewers, notices }: Draft, transaction: Transaction): Promise<OwnNotice[]> {
    const { database } = this.parts;
    const where = { ...whereWaiting(reader.id), id: notices.map(({ id }) => id) };
    const seen = await noticeRecord.findAll(database, where, {
      and: whereStillSeen(viewers),
      only: ['id'],
      transaction,
    });
    const ids = new Set(seen.map(({ id }) => id));
    const isActive = await userRecord.has(database, { id: reader.id, status: 'active' }, transaction);
    const watches = await watchRecord.findAll(database, { userId: reader.id }, { transaction });
    const kinds = new Map(watches.map((watch) => [watch.productId, watch.kinds]));
    return notices.filter((notice) => isActive && ids.has(notice.id) && isMeant(notice, kinds.get(notice.product.id)));
  }

  private async mail({ reader, locale }: Draft, meant: readonly OwnNotice[], transaction: Transaction): Promise<void> {
    const { mail, pages, unsubscribe } = this.parts;
    const shown = meant.slice(0, MOST_CHANGES);
    const sections = await this.sectionsOf(shown, locale, transaction);
    const to = { ...addressUser(reader), locale, unsubscribe: unsubscribe(reader.id, null) };
    const values = {
      ...{ count: shown.length, products: joinNames(sections.map(({ title }) => title)) },
      more: Number(meant.length > shown.length),
      ...{ url: pages.page('/dashboard'), profile: pages.page('/profile'), unsubscribe: to.unsubscribe },
    };
    await mail.queue({ template: 'changes-digest', ...to, values, sections }, transaction);
  }

  /** By product, in the order of the latest change of each. */
  private async sectionsOf(notices: readonly OwnNotice[], locale: string, transaction: Transaction) {
    const sections: MailSection[] = [];
    for (const id of new Set(notices.map(({ product }) => product.id))) {
      const own = notices.filter(({ product }) => product.id === id);
      const [first] = own;
      if (!first) continue;
      const { slug, name } = first.product;
      const title = (await findProductName(this.parts.database, slug, locale, transaction)) ?? name;
      sections.push({ title, url: this.pageFor(first), lines: own.map((notice) => this.lineOf(notice, locale)) });
    }
    return sections;
  }

  private lineOf(notice: OwnNotice, locale: string) {
    const { kind, title, sunsetAt, entryId, apps } = notice;
    return {
      ...{ kind, title, url: this.pageFor(notice, entryId === null ? '' : `/changes/${entryId}`) },
      date: sunsetAt && this.parts.formatDate(sunsetAt, locale),
      apps: apps.length > 0 ? joinNames(apps.map(({ name, team }) => titleFor(name, team))) : null,
    };
  }

  // If only a team sees the product, its members find the change on the app's page.
  private pageFor({ isReadable, product, apps }: OwnNotice, path = ''): string {
    const { pages } = this.parts;
    const [app] = apps;
    if (!isReadable && app) return pages.app(app.name, app.team?.id ?? null);
    return pages.page(`/products/${product.slug}${path}`);
  }
}

function joinNames(names: readonly string[]): string {
  return names.slice(0, MOST_NAMES).join(', ') + (names.length > MOST_NAMES ? ', …' : '');
}

const whereWaiting = (userId: number) => ({ userId, digest: 'waiting' }) as const;

/** @param watched the kinds of changes that are wanted of the product; undefined: those that hit an app */
function isMeant(notice: OwnNotice, watched: readonly ChangeKind[] | undefined): boolean {
  const { kind, apps, daysLeft, isReadable, isAcknowledged } = notice;
  if ((daysLeft !== null && isAcknowledged) || (!isReadable && apps.length === 0)) return false;
  return watched ? watched.includes(kind) : apps.length > 0;
}
