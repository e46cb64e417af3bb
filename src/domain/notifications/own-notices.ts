import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { placeholders, type Database, type Lists } from '../../database/index.js';
import { ConflictError, NotFoundError, type Clock, type ListPage, type ListQuery } from '../../core/index.js';
import { appRecord } from '../apps/index.js';
import {
  CHANGE_KINDS,
  deprecationRecord,
  productRecord,
  scopeText,
  type ChangeKind,
  type ChangelogService,
  type ProductRecord,
} from '../catalog/index.js';
import type { Recipients, TeamRecord, TeamServices } from '../teams/index.js';
import {
  acknowledgementRecord,
  changeNoticeRecord,
  noticeList,
  noticeRecord,
  watchRecord,
  type HitApp,
  type Notice,
} from './change-notice.js';
import type { ChangeMails } from './change-mails.js';
import { whereSeen, whereStillSeen } from './reader-queries.js';

interface OwnNoticesParts {
  readonly database: Database;
  readonly lists: Lists;
  readonly recipients: Recipients;
  readonly teams: Pick<TeamServices['teams'], 'findByAccounts'>;
  readonly clock: Clock;
  readonly changelog: Pick<ChangelogService, 'findPublished'>;
  readonly changeMails: Pick<ChangeMails, 'choose'>;
  readonly keys: readonly [KeyObject, ...KeyObject[]];
}

/** An app that a change hits, where it is now. */
export interface NoticedApp extends HitApp {
  /** The team that owns it; null for an app of a developer. */
  readonly team: Pick<TeamRecord, 'id' | 'name'> | null;
}

/** A notice as its developer reads it. */
export interface OwnNotice extends Notice {
  readonly apps: readonly NoticedApp[];
  readonly kind: ChangeKind;
  readonly title: string;
  readonly daysLeft: number | null;
  readonly sunsetAt: Date | null;
  readonly entryId: number | null;
  readonly deprecationId: number | null;
  readonly product: { readonly id: number; readonly slug: string; readonly name: string };
  /** Whether the developer sees the product: some only a team sees, whose apps may use it. */
  readonly isReadable: boolean;
  /** Whether all its apps are said to have moved on. */
  readonly isAcknowledged: boolean;
}

/** A product that a developer set what to hear of. */
export interface OwnWatch {
  readonly product: { readonly id: number; readonly slug: string; readonly name: string };
  readonly kinds: readonly ChangeKind[];
}

/** Notices that the page of an app looks through. */
const MOST_OF_APP = 50;
/** Members of a team whose notices are looked through. */
const MOST_MEMBERS = 10;
const WATCHED = ['id', 'slug', 'name'] as const;
const TOKEN = /^([1-9]\d{0,14})\.(0|[1-9]\d{0,14})\.([\w-]{43})$/;
/** In place of a product, in the tokens of digests. */
const ALL = 0;

/** What developers read of changes that hit them, and of what they want to hear. */
export class OwnNotices {
  constructor(private readonly parts: OwnNoticesParts) {}

  /**
   * Those of products that the developer still sees, or a team whose apps are shown to them.
   * @throws ValidationError naming what the list does not support
   */
  async list(userId: number, query: ListQuery, locale: string): Promise<ListPage<OwnNotice>> {
    const viewers = await this.parts.recipients.accountsOf(userId, 'app.view');
    const page = await this.find([userId], viewers, query);
    return { ...page, items: await this.completeEach(page.items, userId, locale) };
  }

  /**
   * What waits for a digest, the latest first.
   * @param viewers accounts of which one has to see the product @param most how many of them at most
   */
  async findWaiting(userId: number, viewers: readonly number[], most: number, locale: string): Promise<OwnNotice[]> {
    const seen = whereStillSeen(viewers);
    const order = { and: seen, order: 'n.created_at DESC, n.id DESC', limit: most };
    const rows = await noticeRecord.findAll(this.parts.database, { userId, digest: 'waiting' }, order);
    return this.completeEach(rows, userId, locale);
  }

  /**
   * What of changes hits one app, the latest of each change, unless it has moved on. Of an app of a team that is what any
   * member was told, so that all read the same.
   * @param owner account that owns the app @param readerId account that reads the notice
   */
  async ofApp(owner: number, appId: number, readerId: number, locale: string): Promise<OwnNotice[]> {
    const told = (await this.parts.recipients.of(owner, 'apps')).map(({ user }) => user.id);
    if (told.length === 0) return [];
    const perPage = MOST_OF_APP * Math.min(told.length, MOST_MEMBERS);
    const latest = { page: 1, perPage, orderBy: 'created_at', direction: 'DESC' } as const;
    const { items } = await this.find(told, [owner], { ...latest, with: [], filters: [] });
    const hitting = items.filter(({ apps }) => apps.some(({ id }) => id === appId));
    const each = firstOfEach(hitting, ({ changeNoticeId }) => changeNoticeId).slice(0, MOST_OF_APP);
    const notices = await this.completeEach(each, readerId, locale, appId);
    const open = notices.filter(({ isAcknowledged }) => !isAcknowledged);
    return firstOfEach(open, ({ entryId, deprecationId }) => `${entryId} ${deprecationId}`);
  }

  /** @throws NotFoundError also for that of somebody else */
  async read(userId: number, id: number): Promise<void> {
    const { database, clock } = this.parts;
    const notice = await noticeRecord.require(database, { id, userId });
    if (notice.readAt === null) await noticeRecord.update(database, { id }, { readAt: clock.now() });
  }

  async readAll(userId: number): Promise<void> {
    const { database, clock } = this.parts;
    await noticeRecord.update(database, { userId, readAt: null }, { readAt: clock.now() });
  }

  /**
   * Says that the apps of a notice have moved on from what ends: they are reminded no more unless they call again.
   * @throws NotFoundError also for that of somebody else, ConflictError for a notice that is about no deprecation
   */
  async acknowledge(userId: number, id: number): Promise<void> {
    const { database, clock } = this.parts;
    const notice = await noticeRecord.require(database, { id, userId });
    const { deprecationId } = await changeNoticeRecord.require(database, { id: notice.changeNoticeId });
    if (deprecationId === null)
      throw new ConflictError({ errors: { notice: ['Only what ends can be moved on from.'] } });
    const hit = notice.apps.map((app) => app.id);
    const owners = await this.parts.recipients.accountsOf(userId, 'app.update');
    const own = await appRecord.findAll(database, { id: hit, userId: owners }, { only: ['id'] });
    await database.transaction(async (transaction) => {
      const acknowledgedAt = clock.now();
      for (const app of own) {
        const key = { deprecationId, appId: app.id };
        await acknowledgementRecord.remove(database, key, transaction);
        await acknowledgementRecord.insert(database, { ...key, acknowledgedAt }, transaction);
      }
      await noticeRecord.update(database, { id, readAt: null }, { readAt: acknowledgedAt }, transaction);
    });
  }

  /** What was set, for products that the developer still sees. */
  async watches(userId: number, canSee: (productId: number) => Promise<boolean>): Promise<OwnWatch[]> {
    const { database } = this.parts;
    const rows = await watchRecord.findAll(database, { userId }, { order: 'w.product_id' });
    const ids = rows.map(({ productId }) => productId);
    const products = await productRecord.findAll(database, { id: ids }, { only: WATCHED });
    const shown: OwnWatch[] = [];
    for (const { productId, kinds } of rows) {
      const product = products.find(({ id }) => id === productId);
      if (product && (await canSee(productId))) shown.push({ product, kinds });
    }
    return shown;
  }

  /** @param product as the developer sees it @param kinds none: nothing; null: those that hit the developer's apps again */
  async watch(
    userId: number,
    product: Pick<ProductRecord, 'id'>,
    kinds: readonly ChangeKind[] | null,
  ): Promise<readonly ChangeKind[]> {
    const { database, clock } = this.parts;
    const key = { userId, productId: product.id };
    const chosen = CHANGE_KINDS.filter((kind) => kinds?.includes(kind));
    await database.transaction(async (transaction) => {
      await watchRecord.remove(database, key, transaction);
      const row = { ...key, kinds: chosen, updatedAt: clock.now() };
      if (kinds !== null) await watchRecord.insert(database, row, transaction);
    });
    return chosen;
  }

  /** A token that ends mails about a product without a sign-in. @param productId null: the digest of all changes */
  tokenOf(userId: number, productId: number | null): string {
    const [newest] = this.parts.keys;
    const about = productId ?? ALL;
    return `${userId}.${about}.${signatureOf(newest, userId, about)}`;
  }

  /** @returns what ended; null for a token that was not made here, or whose account or product is gone */
  async unsubscribe(token: string): Promise<'product' | 'digest' | null> {
    const { keys, changeMails, database } = this.parts;
    const [, user, product, given = ''] = TOKEN.exec(token) ?? [];
    if (user === undefined || product === undefined) return null;
    const [userId, id] = [Number(user), Number(product)];
    if (!keys.some((key) => isSame(signatureOf(key, userId, id), given))) return null;
    if (id !== ALL && !(await productRecord.has(database, { id }))) return null;
    try {
      if (id === ALL) await changeMails.choose(userId, 'none');
      else await this.watch(userId, { id }, []);
      return id === ALL ? 'digest' : 'product';
    } catch (error) {
      if (error instanceof NotFoundError || error instanceof ConflictError) return null;
      throw error;
    }
  }

  /** Notices to these people about what one of the viewers sees. */
  private find(userIds: readonly number[], viewers: readonly number[], query: ListQuery): Promise<ListPage<Notice>> {
    const seen = whereStillSeen(viewers);
    const where = `n.user_id IN (${placeholders(userIds)}) AND ${seen.where}`;
    const scope = { where, values: [...userIds, ...seen.values] };
    return this.parts.lists.run(noticeList, query, { scope });
  }

  /** @param appId the only app that is meant */
  private async completeEach(notices: readonly Notice[], readerId: number, locale: string, appId?: number) {
    const isMeant = ({ id }: HitApp) => appId === undefined || id === appId;
    const ids = notices.flatMap(({ apps }) => apps.filter(isMeant).map(({ id }) => id));
    const teams = await this.teamsOf([...new Set(ids)]);
    const items: OwnNotice[] = [];
    for (const notice of notices) {
      const apps = notice.apps.filter(isMeant).map((app) => ({ ...app, team: teams.get(app.id) ?? null }));
      items.push(await this.complete({ ...notice, apps }, readerId, locale));
    }
    return items;
  }

  /** The teams that have these apps now, by the ids of the apps. */
  private async teamsOf(ids: readonly number[]): Promise<ReadonlyMap<number, TeamRecord>> {
    if (ids.length === 0) return new Map();
    const apps = await appRecord.findAll(this.parts.database, { id: ids }, { only: ['id', 'userId'] });
    const teams = await this.parts.teams.findByAccounts([...new Set(apps.map(({ userId }) => userId))]);
    return new Map(
      apps.flatMap(({ id, userId }) => {
        const team = teams.get(userId);
        return team ? [[id, team] as const] : [];
      }),
    );
  }

  private async complete(
    notice: Notice & Pick<OwnNotice, 'apps'>,
    readerId: number,
    locale: string,
  ): Promise<OwnNotice> {
    const { database, changelog } = this.parts;
    const change = await changeNoticeRecord.require(database, { id: notice.changeNoticeId });
    const { kind, daysLeft, entryId, deprecationId, productId } = change;
    const product = await productRecord.require(database, { id: productId }, { only: WATCHED });
    const seen = await productRecord.findAll(database, { id: productId }, { only: ['id'], and: whereSeen(readerId) });
    const isReadable = seen.length > 0;
    const about = { ...notice, kind, daysLeft, entryId, deprecationId, product, isReadable };
    if (deprecationId === null) {
      const entry = await changelog.findPublished(product, entryId ?? 0, locale);
      return { ...about, title: entry.name, sunsetAt: null, isAcknowledged: false };
    }
    const deprecation = await deprecationRecord.require(database, { id: deprecationId });
    const ids = notice.apps.map(({ id }) => id);
    const moved = await acknowledgementRecord.findAll(database, { deprecationId, appId: ids }, { only: ['appId'] });
    const isAcknowledged = ids.length > 0 && ids.every((id) => moved.some(({ appId }) => appId === id));
    return { ...about, title: scopeText(deprecation) || product.name, sunsetAt: deprecation.sunsetAt, isAcknowledged };
  }
}

function signatureOf(key: KeyObject, userId: number, productId: number): string {
  return createHmac('sha256', key).update(`unsubscribe ${userId} ${productId}`).digest('base64url');
}

function isSame(expected: string, given: string): boolean {
  return expected.length === given.length && timingSafeEqual(Buffer.from(expected), Buffer.from(given));
}

/** The first that has each key. */
function firstOfEach<T>(items: readonly T[], keyOf: (item: T) => unknown): T[] {
  const keys = new Set<unknown>();
  return items.filter((item) => {
    const key = keyOf(item);
    return !keys.has(key) && Boolean(keys.add(key));
  });
}
