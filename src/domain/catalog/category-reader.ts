import type { Transaction } from '../../database/index.js';
import { BoundedCache, NotFoundError, type ListPage, type ListQuery } from '../../core/index.js';
import { CATEGORY_TRANSLATIONS, categoryRecord, type CategoryRecord, type CategoryRow } from './category.js';
import { adminCategoryList, categoryList } from './category-list.js';
import type { CatalogParts } from './contracts.js';
import { CATALOG_TABLES } from './products/product-list.js';
import { countByCategory } from './products/product-relations.js';
import { PublicCache } from './products/public-cache.js';
import { byReference } from './reference.js';
import { readTranslations, translate } from './translation.js';
import { ADMIN, type Viewer } from './visibility.js';

/** The categories of the catalog, each with the number of products that the reader may see. */
export class CategoryReader {
  private readonly publicPages: PublicCache<ListPage<CategoryRecord>>;
  private readonly publicCounts = new BoundedCache<ReadonlyMap<number, number>>({ entries: 1 });

  constructor(protected readonly parts: CatalogParts) {
    this.publicPages = new PublicCache(parts.versions, parts.clock);
  }

  /**
   * Names are sorted, filtered and searched in the reader's locale.
   * @throws ValidationError naming what the list does not support
   */
  async list(query: ListQuery, viewer: Viewer, locale: string): Promise<ListPage<CategoryRecord>> {
    const read = () => this.readPage(query, viewer, locale);
    const isKept = viewer.kind === 'anonymous' && query.cursor === undefined;
    return isKept ? this.publicPages.get([locale, query], read) : read();
  }

  private async readPage(query: ListQuery, viewer: Viewer, locale: string): Promise<ListPage<CategoryRecord>> {
    const { lists, database } = this.parts;
    const { list, scope } = categoryList.run(query, undefined, this.localeUnlessDefault(locale), database.dialect);
    const page = await lists.run(list, query, { scope });
    return { ...page, items: await this.complete(page.items, viewer, this.localeUnlessDefault(locale)) };
  }

  /**
   * The same order and search, but records in the default locale, so that they can be written back.
   * @throws ValidationError naming what the list does not support
   */
  async listAll(query: ListQuery, locale: string): Promise<ListPage<CategoryRecord>> {
    const { lists, database } = this.parts;
    const { list, scope } = adminCategoryList.run(query, undefined, this.localeUnlessDefault(locale), database.dialect);
    const page = await lists.run(list, query, { scope });
    return { ...page, items: await this.complete(page.items, ADMIN, null) };
  }

  /** @param reference id or slug. @throws NotFoundError */
  find(reference: number | string, viewer: Viewer, locale: string): Promise<CategoryRecord> {
    return this.record(reference, viewer, this.localeUnlessDefault(locale));
  }

  /** In the default locale. @param reference id or slug. @throws NotFoundError */
  findForAdmin(reference: number | string): Promise<CategoryRecord> {
    return this.record(reference, ADMIN, null);
  }

  protected async record(
    reference: number | string,
    viewer: Viewer,
    locale: string | null,
    transaction?: Transaction,
  ): Promise<CategoryRecord> {
    const by = byReference(reference);
    if (!by) throw new NotFoundError();
    const where = by.column === 'id' ? { id: by.value } : { slug: by.value };
    const rows = await categoryRecord.findAll(this.parts.database, where, { transaction });
    const [category] = await this.complete(rows, viewer, locale, transaction);
    if (!category) throw new NotFoundError();
    return category;
  }

  private localeUnlessDefault(locale: string): string | null {
    return locale === this.parts.defaultLocale ? null : locale;
  }

  private async complete(
    rows: readonly CategoryRow[],
    viewer: Viewer,
    locale: string | null,
    transaction?: Transaction,
  ): Promise<CategoryRecord[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const [counts, translations] = await Promise.all([
      this.countProducts(ids, viewer, transaction),
      readTranslations(this.parts.database, CATEGORY_TRANSLATIONS, ids, transaction),
    ]);
    return rows.map((row) => {
      const texts = translations.get(row.id) ?? {};
      const local = locale !== null && Object.hasOwn(texts, locale) ? texts[locale] : undefined;
      return { ...translate(row, local), productsCount: counts.get(row.id) ?? 0, translations: texts };
    });
  }

  // Counting reads every link of a category. Public counts are cached until the catalog changes.
  private async countProducts(
    ids: readonly number[],
    viewer: Viewer,
    transaction?: Transaction,
  ): Promise<ReadonlyMap<number, number>> {
    const { database, versions } = this.parts;
    if (viewer.kind !== 'anonymous') return countByCategory(database, viewer, ids, transaction);
    const version = await versions.current(CATALOG_TABLES);
    return this.publicCounts.read('all', () => countByCategory(database, viewer), version);
  }
}
