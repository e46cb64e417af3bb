import { changeRecord, lockRecord, Op, type Transaction } from '../../database/index.js';
import {
  NotFoundError,
  requireLocales,
  ValidationError,
  type ExpectedVersion,
  type ListPage,
  type ListQuery,
} from '../../core/index.js';
import {
  changeTranslations,
  productRecord,
  readTranslations,
  replaceTranslations,
  translate,
} from '../catalog/index.js';
import {
  BANNER_LEVELS,
  BANNER_TRANSLATIONS,
  bannerList,
  bannerRecord,
  type AdminBanner,
  type BannerInput,
  type BannerRow,
} from './banner.js';
import { BannerCreatedEvent, BannerDeletedEvent, BannerUpdatedEvent } from './events.js';
import type { ContentParts } from './guide-reader.js';

/** Banners on one page; nobody reads more. */
const MOST_SHOWN = 5;

type NewBanner = BannerInput & Pick<BannerRow, 'level' | 'name'>;

/** Announcements of maintenance and incidents, of a product or the portal. They end by themselves. */
export class BannerService {
  constructor(private readonly parts: ContentParts) {}

  /**
   * What stands on the pages of a product now, or on all of the portal, the worst first, in the reader's language. Callers read the
   * product as its viewer first.
   */
  async listShown(productId: number | null, locale: string): Promise<BannerRow[]> {
    const now = this.parts.clock.now();
    const due = await this.listDue(productId, locale);
    return due.filter((banner) => isShown(banner, now)).slice(0, MOST_SHOWN);
  }

  /** What some products tell now, by their ids, each as {@link listShown} has it; those that tell nothing are absent. */
  async listShownOf(productIds: readonly number[], locale: string): Promise<ReadonlyMap<number, readonly BannerRow[]>> {
    const now = this.parts.clock.now();
    const shown = new Map<number, BannerRow[]>();
    for (const banner of await this.listDue(productIds, locale)) {
      if (banner.productId === null || !isShown(banner, now)) continue;
      const own = shown.get(banner.productId) ?? [];
      if (own.length < MOST_SHOWN) shown.set(banner.productId, [...own, banner]);
    }
    return shown;
  }

  /** Those that {@link listShown} has now or later. */
  async listDue(productId: number | null | readonly number[], locale: string): Promise<BannerRow[]> {
    const { database, clock, defaultLocale } = this.parts;
    const open = { [Op.or]: [null, { [Op.gt]: clock.now() }] };
    const rows = await bannerRecord.findAll(database, { productId, endsAt: open }, { order: 'b.starts_at, b.id' });
    const texts = await this.readTexts(locale === defaultLocale ? [] : rows);
    const worst = (row: BannerRow) => BANNER_LEVELS.indexOf(row.level);
    return rows.map((row) => translate(row, texts.get(row.id)?.[locale])).sort((a, b) => worst(b) - worst(a));
  }

  /** @throws ValidationError naming what the list does not support */
  async list(query: ListQuery): Promise<ListPage<AdminBanner>> {
    const page = await this.parts.lists.run(bannerList, query);
    return { ...page, items: await this.complete(page.items) };
  }

  /** @throws NotFoundError */
  async find(id: number, transaction?: Transaction): Promise<AdminBanner> {
    const rows = await bannerRecord.findAll(this.parts.database, { id }, { transaction });
    const [banner] = await this.complete(rows, transaction);
    if (!banner) throw new NotFoundError();
    return banner;
  }

  /** @throws ValidationError for unknown locales, and for an end that is not behind the start */
  create(productId: number | null, input: NewBanner): Promise<AdminBanner> {
    const { database, events, clock } = this.parts;
    const { translations = {}, startsAt = clock.now(), ...columns } = input;
    requireLocales(translations, this.parts);
    return database.transaction(async (transaction) => {
      const now = clock.now();
      const values = { ...columns, productId, startsAt, endsAt: columns.endsAt ?? null };
      requireOrder(values);
      const id = await bannerRecord.insert(database, { ...values, createdAt: now, updatedAt: now }, transaction);
      await replaceTranslations(this.parts.database, BANNER_TRANSLATIONS, id, translations, transaction);
      const banner = await this.find(id, transaction);
      await events.emit(new BannerCreatedEvent({ banner, occurredAt: now }), transaction);
      return banner;
    });
  }

  /** Changes the given fields; translations are replaced whole. @throws NotFoundError, PreconditionFailedError, and as {@link create} */
  update(id: number, input: BannerInput, expected?: ExpectedVersion): Promise<AdminBanner> {
    const { translations, ...values } = input;
    requireLocales(translations, this.parts);
    return this.parts.database.transaction((transaction) =>
      changeRecord(bannerRecord, this.parts, transaction, {
        id,
        expected,
        plan: async ({ startsAt, endsAt }) => {
          requireOrder({
            startsAt: values.startsAt ?? startsAt,
            endsAt: values.endsAt === undefined ? endsAt : values.endsAt,
          });
          const { database } = this.parts;
          const texts =
            translations && (await changeTranslations(database, BANNER_TRANSLATIONS, id, translations, transaction));
          return { values, elsewhere: texts && { translations: texts } };
        },
        read: () => this.find(id, transaction),
        announce: (banner, changes, occurredAt) => [new BannerUpdatedEvent({ banner, changes, occurredAt })],
      }),
    );
  }

  /** @throws NotFoundError, PreconditionFailedError */
  async delete(id: number, expected?: ExpectedVersion): Promise<void> {
    const { database, events, clock } = this.parts;
    await database.transaction(async (transaction) => {
      await lockRecord(bannerRecord, database, id, expected, transaction);
      const banner = await this.find(id, transaction);
      await events.emit(new BannerDeletedEvent({ banner, occurredAt: clock.now() }), transaction);
      await bannerRecord.remove(database, { id }, transaction);
    });
  }

  private async complete(rows: readonly BannerRow[], transaction?: Transaction): Promise<AdminBanner[]> {
    const ids = rows.map(({ productId }) => productId).filter((id) => id !== null);
    const only = { only: ['id', 'slug', 'name'], transaction } as const;
    const products = await productRecord.findAll(this.parts.database, { id: ids }, only);
    const texts = await this.readTexts(rows, transaction);
    return rows.map((row) => ({
      ...row,
      product: products.find(({ id }) => id === row.productId) ?? null,
      translations: texts.get(row.id) ?? {},
    }));
  }

  private readTexts(rows: readonly BannerRow[], transaction?: Transaction) {
    const ids = rows.map(({ id }) => id);
    return readTranslations(this.parts.database, BANNER_TRANSLATIONS, ids, transaction);
  }
}

/** Whether readers see it at that time. */
export function isShown({ startsAt, endsAt }: Pick<BannerRow, 'startsAt' | 'endsAt'>, now: Date): boolean {
  return startsAt <= now && (endsAt === null || endsAt > now);
}

/** @throws ValidationError */
function requireOrder({ startsAt, endsAt }: Pick<BannerRow, 'startsAt' | 'endsAt'>): void {
  if (endsAt === null || endsAt > startsAt) return;
  throw new ValidationError({ ends_at: ['ends_at must be later than starts_at.'] });
}
