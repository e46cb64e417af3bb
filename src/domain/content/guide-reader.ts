import { findJoined, type Database, type Lists, type Transaction } from '../../database/index.js';
import { NotFoundError, type Clock, type EventBus, type ListPage, type ListQuery } from '../../core/index.js';
import { audienceRecord, productRecord, readTranslations, SLUG, translate, type Viewer } from '../catalog/index.js';
import {
  addressOf,
  adminGuideList,
  GUIDE_AUDIENCES,
  GUIDE_TRANSLATIONS,
  guideList,
  guideRecord,
  selectVisibleGuides,
  type AdminGuide,
  type Guide,
  type GuideKind,
  type GuidePlace,
  type GuideProduct,
  type GuideRow,
} from './guide.js';

/** Dependencies of this domain's services. */
export interface ContentParts {
  readonly database: Database;
  readonly lists: Lists;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  /** Locale of the texts in the rows; the others are translations. */
  readonly defaultLocale: string;
  readonly locales: readonly string[];
}

/** A guide in the navigation: everything but its text. */
export interface GuideEntry extends Omit<Guide, 'description'> {
  /** Its group in the default language, the same for all that stand below one heading. */
  readonly shelf: string;
}

/** Guides of one navigation; the others are found by their address, by lists and by the search. */
const MOST_LISTED = 500;

/** Reads guides and news, limited in the query to what a viewer may see. */
export class GuideReader {
  constructor(protected readonly parts: ContentParts) {}

  /** @throws ValidationError naming what the list does not support */
  async list(query: ListQuery, viewer: Viewer, locale: string): Promise<ListPage<Guide>> {
    const page = await this.parts.lists.run(guideList, query, { scope: selectVisibleGuides(viewer, 'g') });
    return { ...page, items: await this.localize(page.items, locale) };
  }

  /** The navigation of a product, or of the portal: its visible guides without their texts, in their order. */
  async listEntries(place: GuidePlace, viewer: Viewer, locale: string): Promise<GuideEntry[]> {
    return this.entries(place, { viewer, locale, most: MOST_LISTED });
  }

  /** The visible guides of some products in the order of their navigations. @param most of all of them */
  async listEntriesOf(
    productIds: readonly number[],
    viewer: Viewer,
    locale: string,
    most: number,
  ): Promise<GuideEntry[]> {
    return this.entries({ kind: 'guide', productId: productIds }, { viewer, locale, most });
  }

  /**
   * @param reference id
   * @throws NotFoundError for a guide that is missing or hidden from this viewer
   */
  find(reference: number, viewer: Viewer, locale: string): Promise<Guide> {
    return this.findBy({ id: reference }, viewer, locale);
  }

  /** @throws NotFoundError for a guide that is missing or hidden from this viewer */
  async findBySlug(place: GuidePlace, slug: string, viewer: Viewer, locale: string): Promise<Guide> {
    // The form is checked because MySQL ignores trailing spaces in comparisons.
    if (!SLUG.test(slug)) throw new NotFoundError();
    return this.findBy({ address: addressOf(place, slug) }, viewer, locale);
  }

  /** How many guides of a kind a viewer sees, of the portal and of all products. */
  async count(kind: GuideKind, viewer: Viewer): Promise<number> {
    const counts = await guideRecord.countBy(
      this.parts.database,
      'kind',
      { kind },
      { and: selectVisibleGuides(viewer, 'g') },
    );
    return counts.get(kind) ?? 0;
  }

  /** Drafts included. @throws ValidationError naming what the list does not support */
  async listForAdmin(query: ListQuery): Promise<ListPage<AdminGuide>> {
    const page = await this.parts.lists.run(adminGuideList, query);
    return { ...page, items: await this.complete(page.items, query.with) };
  }

  /** @throws NotFoundError */
  findForAdmin(id: number): Promise<AdminGuide> {
    return this.record({ id });
  }

  protected async record(where: { readonly id: number }, transaction?: Transaction): Promise<AdminGuide> {
    const rows = await guideRecord.findAll(this.parts.database, where, { transaction });
    const [guide] = await this.complete(rows, ['audiences', 'translations'], transaction);
    if (!guide) throw new NotFoundError();
    return guide;
  }

  private async entries(
    where: { readonly kind: GuideKind; readonly productId: number | null | readonly number[] },
    { viewer, locale, most }: { readonly viewer: Viewer; readonly locale: string; readonly most: number },
  ): Promise<GuideEntry[]> {
    const { description: _, ...columns } = guideRecord.columns;
    const found = await guideRecord.findAll(this.parts.database, where, {
      and: selectVisibleGuides(viewer, 'g'),
      only: Object.keys(columns) as (keyof typeof columns)[],
      order: 'g.position, g.name, g.id',
      limit: most,
    });
    const rows = found.map((row) => ({ ...row, description: '' }));
    const entries = await this.localize(rows, locale);
    return entries.map((entry, at) => ({ ...entry, shelf: rows[at]?.group ?? '' }));
  }

  private async findBy(
    by: { readonly id: number } | { readonly address: string },
    viewer: Viewer,
    locale: string,
  ): Promise<Guide> {
    const rows = await guideRecord.findAll(this.parts.database, by, { and: selectVisibleGuides(viewer, 'g') });
    const [guide] = await this.localize(rows, locale);
    if (!guide) throw new NotFoundError();
    return guide;
  }

  private async localize(rows: readonly GuideRow[], locale: string): Promise<Guide[]> {
    const { database, defaultLocale } = this.parts;
    const products = await this.productsOf(rows);
    const foreign = locale !== defaultLocale;
    const texts = await readTranslations(database, GUIDE_TRANSLATIONS, foreign ? rows.map(({ id }) => id) : []);
    return rows.map((row) => ({
      ...translate(row, texts.get(row.id)?.[locale]),
      product: row.productId === null ? null : (products.get(row.productId) ?? null),
    }));
  }

  private async complete(
    rows: readonly GuideRow[],
    relations: readonly string[],
    transaction?: Transaction,
  ): Promise<AdminGuide[]> {
    const { database } = this.parts;
    const ids = rows.map(({ id }) => id);
    const products = await this.productsOf(rows, transaction);
    const withTexts = relations.includes('translations');
    const texts = await readTranslations(database, GUIDE_TRANSLATIONS, withTexts ? ids : [], transaction);
    const options = { only: ['id', 'name'], order: 'a.name, a.id', transaction } as const;
    const wanted = relations.includes('audiences') ? ids : [];
    const audiences = await findJoined(database, GUIDE_AUDIENCES, audienceRecord, wanted, options);
    return rows.map((row) => ({
      ...row,
      product: row.productId === null ? null : (products.get(row.productId) ?? null),
      audiences: audiences.get(row.id) ?? [],
      translations: texts.get(row.id) ?? {},
    }));
  }

  private async productsOf(
    rows: readonly GuideRow[],
    transaction?: Transaction,
  ): Promise<ReadonlyMap<number, GuideProduct>> {
    const ids = [...new Set(rows.map(({ productId }) => productId).filter((id) => id !== null))];
    const options = { only: ['id', 'slug', 'name'], transaction } as const;
    const products = await productRecord.findAll(this.parts.database, { id: ids }, options);
    return new Map(products.map((product) => [product.id, product]));
  }
}
