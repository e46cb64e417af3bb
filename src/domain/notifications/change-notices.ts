import { Op, UniqueViolationError, type Database, type Transaction } from '../../database/index.js';
import { addSeconds, type Clock, type EventBus } from '../../core/index.js';
import type { MailQueue } from '../../mail/index.js';
import { addressUser } from '../accounts/index.js';
import { appRecord } from '../apps/index.js';
import type { AccountPages } from '../auth/index.js';
import {
  ChangePublishedEvent,
  DeprecationAnnouncedEvent,
  deprecationRecord,
  findProductName,
  productRecord,
  scopeText,
  type ChangelogService,
  type Deprecation,
  type PublishedEntry,
} from '../catalog/index.js';
import type { Recipients, TeamRecord } from '../teams/index.js';
import type { CallersReader, CallingApp } from '../usage/index.js';
import { AppChangeAnnouncedEvent } from './events.js';
import type { ChangeMails } from './change-mails.js';
import { changeNoticeRecord, noticeRecord, PUBLISHED, watchRecord, type ChangeNotice } from './change-notice.js';
import { titleFor } from './notifications.js';
import { findReader, type NotifiedReader } from './reader-queries.js';

export interface ChangeNoticesParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly mail: MailQueue;
  readonly recipients: Recipients;
  readonly pages: AccountPages & { page(path: string): string };
  readonly changelog: Pick<ChangelogService, 'findPublished'>;
  readonly callers: Pick<CallersReader, 'ofProduct' | 'ofDeprecation'>;
  readonly changeMails: Pick<ChangeMails, 'take'>;
  readonly defaultLocale: string;
  readonly locales: readonly string[];
  readonly formatDate: (date: Date, locale: string) => string;
  /** Address that takes a POST without a sign-in and ends the mails about a product. */
  readonly unsubscribe: (userId: number, productId: number) => string;
}

/** An app that a change hits, with the team that has it; null: the developer who is told has it. */
interface Hit extends CallingApp {
  readonly team: TeamRecord | null;
}

/** A change with what it is about. */
interface Source {
  readonly notice: ChangeNotice;
  readonly slug: string;
  readonly deprecation: Deprecation | null;
  /** The entry of the changelog by locale; empty for a deprecation. */
  readonly entries: ReadonlyMap<string, PublishedEntry>;
}

interface Letter {
  readonly reader: NotifiedReader;
  readonly apps: readonly Hit[];
  /** Whether the reader does, and not only a team that they are in. */
  readonly seesProduct: boolean;
}

const DAY_MS = 86_400_000;
/** Days before a sunset on which those who still call are reminded. */
const REMINDERS = [90, 30, 7, 1] as const;
/** Reminders with as many days left, or fewer, are mailed at once whatever was chosen: a digest could come too late. */
const URGENT_DAYS = 7;
const BATCH = 50;
const MOST_NAMES = 5;

/**
 * Tells developers of changes that hit them: by mail, at once or in a digest, on their pages and by webhook, each once. What is to
 * be told is noted in the transaction that publishes it; a notice, its mail and its events are one transaction for each
 * developer, whatever dies.
 */
export class ChangeNotices {
  private wake: () => void = () => undefined;

  constructor(private readonly parts: ChangeNoticesParts) {}

  listen(): void {
    const { events } = this.parts;
    events.within(ChangePublishedEvent, async ({ product, entry, hasNotice }, transaction) => {
      if (hasNotice) await this.queue({ productId: product.id, kind: entry.kind, entryId: entry.id }, transaction);
    });
    events.within(DeprecationAnnouncedEvent, async ({ product, deprecation, hasNotice }, transaction) => {
      const about = { productId: product.id, kind: 'deprecation', deprecationId: deprecation.id } as const;
      if (hasNotice) await this.queue(about, transaction);
    });
  }

  /** Registers the function that wakes the job. */
  onQueued(wake: () => void): void {
    this.wake = wake;
  }

  /** Sends what is noted, and notes reminders that are due. Safe to repeat, and on any number of replicas. */
  async run(stopping?: AbortSignal): Promise<void> {
    await this.remind();
    const waiting = { order: 'cn.id', limit: BATCH };
    for (const notice of await changeNoticeRecord.findAll(this.parts.database, { state: 'queued' }, waiting)) {
      if (!(await this.deliver(notice, stopping))) return;
    }
  }

  private async queue(
    about: Pick<ChangeNotice, 'productId' | 'kind'> & { readonly entryId?: number; readonly deprecationId?: number },
    transaction: Transaction,
    stage: Pick<ChangeNotice, 'stage' | 'daysLeft'> = { stage: PUBLISHED, daysLeft: null },
  ): Promise<void> {
    const { database, clock } = this.parts;
    const row = { ...about, ...stage, state: 'queued', createdAt: clock.now() } as const;
    await changeNoticeRecord.insert(database, row, transaction);
    transaction.afterCommit(() => this.wake());
  }

  /** Of stages that passed meanwhile, the last; of none that had passed when it was announced. */
  private async remind(): Promise<void> {
    const { database, clock } = this.parts;
    const now = clock.now();
    const near = { [Op.gt]: now, [Op.lte]: addSeconds(now, REMINDERS[0] * (DAY_MS / 1_000)) };
    for (const deprecation of await deprecationRecord.findAll(database, { state: 'announced', sunsetAt: near })) {
      const { id, productId, sunsetAt, announcedAt } = deprecation;
      if (sunsetAt === null || announcedAt === null) continue;
      const left = (sunsetAt.getTime() - now.getTime()) / DAY_MS;
      const days = REMINDERS.findLast((stage) => left <= stage);
      if (days === undefined || sunsetAt.getTime() - days * DAY_MS <= announcedAt.getTime()) continue;
      const stage = `${days}@${sunsetAt.toISOString().slice(0, 10)}`;
      const about = { productId, kind: 'deprecation', deprecationId: id } as const;
      try {
        await database.transaction(async (transaction) => {
          if (await changeNoticeRecord.has(database, { deprecationId: id, stage }, transaction)) return;
          await this.queue(about, transaction, { stage, daysLeft: days });
        });
      } catch (error) {
        if (!(error instanceof UniqueViolationError)) throw error;
      }
    }
  }

  /** @returns false when it was stopped before its end */
  private async deliver(notice: ChangeNotice, stopping?: AbortSignal): Promise<boolean> {
    const { database } = this.parts;
    const product = await productRecord.find(database, { id: notice.productId }, { only: ['slug'] });
    const deprecation =
      notice.deprecationId === null ? null : await deprecationRecord.find(database, { id: notice.deprecationId });
    // Either went together with the notice.
    if (!product || (notice.deprecationId !== null && !deprecation)) return true;
    const source = { notice, slug: product.slug, deprecation, entries: await this.readEntries(notice) };
    const told = await noticeRecord.findAll(database, { changeNoticeId: notice.id }, { only: ['userId', 'apps'] });
    const isTold = new Set(told.map(({ userId }) => userId));
    const announced = new Set(told.flatMap(({ apps }) => apps.map(({ id }) => id)));
    for (const [userId, apps] of await this.recipientsOf(source)) {
      if (stopping?.aborted) return false;
      if (!isTold.has(userId)) await this.tell(source, userId, apps, announced);
    }
    await changeNoticeRecord.update(database, { id: notice.id }, { state: 'done' });
    return true;
  }

  // Before any transaction, which must not wait for another connection.
  private async readEntries({ productId, entryId }: ChangeNotice): Promise<Map<string, PublishedEntry>> {
    const { locales, changelog } = this.parts;
    const entries = new Map<string, PublishedEntry>();
    if (entryId === null) return entries;
    for (const locale of locales) {
      entries.set(locale, await changelog.findPublished({ id: productId }, entryId, locale));
    }
    return entries;
  }

  /** Whom it hits unless they want to hear nothing of the kind, and who watches the product; reminders are for the former. */
  private async recipientsOf({ notice, deprecation }: Source): Promise<Map<number, Hit[]>> {
    const { database, callers } = this.parts;
    const { kind, productId, daysLeft } = notice;
    const watches = await watchRecord.findAll(database, { productId });
    const wanted = new Map(watches.map(({ userId, kinds }) => [userId, kinds.includes(kind)]));
    const isHitting = kind === 'breaking' || kind === 'deprecation';
    const { apps } = deprecation ? await callers.ofDeprecation(deprecation) : await callers.ofProduct(productId);
    const recipients = new Map<number, Hit[]>();
    for (const app of isHitting ? apps : []) {
      if (daysLeft !== null && hasMovedOn(app)) continue;
      for (const { user, team } of await this.parts.recipients.of(app.userId, 'apps')) {
        const hits = recipients.get(user.id) ?? [];
        if (wanted.get(user.id) !== false) recipients.set(user.id, [...hits, { ...app, team }]);
      }
    }
    if (daysLeft !== null) return recipients;
    for (const [userId, isWanted] of wanted) {
      if (isWanted && !recipients.has(userId)) recipients.set(userId, []);
    }
    return recipients;
  }

  /** @param announced apps that an event was emitted about: of a team, several people hear */
  private async tell(source: Source, userId: number, apps: readonly Hit[], announced: Set<number>): Promise<void> {
    const { database, clock } = this.parts;
    const { notice } = source;
    try {
      await database.transaction(async (transaction) => {
        const told = { userId, productId: notice.productId };
        const own = await findReader(database, { ...told, owners: [] }, transaction);
        const owners = apps.map((app) => app.userId);
        const reader = own ?? (await findReader(database, { ...told, owners }, transaction));
        if (!reader) return;
        const hit = apps.map(({ appId: id, app: name }) => ({ id, name }));
        const delivery = isUrgent(notice) ? 'at_once' : await this.parts.changeMails.take(userId, transaction);
        const digest = delivery === 'daily' ? 'waiting' : null;
        const row = { userId, changeNoticeId: notice.id, apps: hit, createdAt: clock.now(), digest } as const;
        await noticeRecord.insert(database, row, transaction);
        const letter = { reader, apps, seesProduct: own !== null };
        if (delivery === 'at_once') await this.mail(source, letter, transaction);
        for (const { appId } of apps) {
          if (!announced.has(appId)) await this.emit(source, appId, transaction);
        }
      });
      for (const { appId } of apps) announced.add(appId);
    } catch (error) {
      // Told by another replica meanwhile.
      if (!(error instanceof UniqueViolationError)) throw error;
    }
  }

  private async mail(source: Source, { reader, apps, ...told }: Letter, transaction: Transaction) {
    const { database, mail, defaultLocale, formatDate, unsubscribe } = this.parts;
    const { notice, slug, deprecation, entries } = source;
    const locale = reader.locale ?? defaultLocale;
    const names = apps.slice(0, MOST_NAMES).map(({ displayName, team }) => titleFor(displayName, team));
    const pageOf = (path: string) => this.pageFor({ reader, apps, ...told }, path);
    const product = (await findProductName(database, slug, locale, transaction)) ?? slug;
    const about = {
      product,
      apps: names.length > 0 ? names.join(', ') + (apps.length > MOST_NAMES ? ', …' : '') : null,
      unsubscribe: unsubscribe(reader.id, notice.productId),
    };
    const to = { ...addressUser(reader), locale, unsubscribe: about.unsubscribe };
    if (deprecation) {
      const { sunsetAt, description } = deprecation;
      const date = sunsetAt && formatDate(sunsetAt, locale);
      const part = scopeText(deprecation) || product;
      const url = pageOf(`/products/${slug}`);
      const template = notice.daysLeft === null ? 'deprecation-announced' : 'sunset-near';
      const values = { ...about, part, date, description, count: notice.daysLeft, url };
      await mail.queue({ template, ...to, values }, transaction);
      return;
    }
    const entry = entries.get(locale) ?? entries.get(defaultLocale);
    if (!entry) return;
    const url = pageOf(`/products/${slug}/changes/${entry.id}`);
    const values = { ...about, title: entry.name, summary: entry.shortDescription, url };
    await mail.queue({ template: 'change-published', ...to, values }, transaction);
  }

  // Where only a team sees the product, its members read of it on the page of the app.
  private pageFor({ apps, seesProduct }: Letter, path: string): string {
    const { pages } = this.parts;
    const [first] = apps;
    return seesProduct || !first ? pages.page(path) : pages.app(first.app, first.team?.id ?? null);
  }

  private async emit({ notice, slug, deprecation }: Source, appId: number, transaction: Transaction): Promise<void> {
    const { database, events, clock } = this.parts;
    const app = await appRecord.find(database, { id: appId }, { transaction });
    if (!app) return;
    const { kind, entryId, deprecationId, daysLeft } = notice;
    const about = { product: slug, kind, entryId, deprecationId, daysLeft, sunsetAt: deprecation?.sunsetAt ?? null };
    await events.emit(new AppChangeAnnouncedEvent({ app, ...about, occurredAt: clock.now() }), transaction);
  }
}

function isUrgent({ daysLeft }: ChangeNotice): boolean {
  return daysLeft !== null && daysLeft <= URGENT_DAYS;
}

/** Said to have moved on, and on no later day called again. */
function hasMovedOn({ acknowledgedAt, lastAt }: CallingApp): boolean {
  return acknowledgedAt !== null && Math.floor(lastAt / DAY_MS) <= Math.floor(acknowledgedAt.getTime() / DAY_MS);
}
