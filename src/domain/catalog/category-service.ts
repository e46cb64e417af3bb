import { defineList, UniqueViolationError, type ListScope } from '../../database/index.js';
import { NotFoundError, ValidationError, type ListQuery, type Page } from '../../kernel/index.js';
import {
  CATEGORY_COLUMNS,
  CATEGORY_TRANSLATIONS,
  categoryModel,
  type CategoryInput,
  type CategoryRecord,
  type CategoryRow,
} from './category.js';
import { CategoryCreatedEvent } from './events.js';
import type { CatalogParts } from './contracts.js';
import { CATALOG_TABLES } from './product-list.js';
import { byReference } from './reference.js';
import { readTranslations, replaceTranslations, translated } from './translation.js';
import { visibleProducts, type Viewer } from './visibility.js';

const CATEGORY_TABLES = ['portal_categories'];

const column = {
  name: { column: 'c.name', type: 'string' },
  slug: { column: 'c.slug', type: 'string' },
  created_at: { column: 'c.created_at', type: 'date' },
  updated_at: { column: 'c.updated_at', type: 'date' },
} as const;

const list = defineList<CategoryRow>({
  name: 'categories',
  table: 'portal_categories',
  alias: 'c',
  columns: CATEGORY_COLUMNS,
  sorts: column,
  filters: column,
  search: ['c.name', 'c.short_description', 'c.slug'],
  countedBy: CATEGORY_TABLES,
});

export const categoryListOptions = list.options;

/** The categories of the catalog, each with the number of its products that the reader may see. */
export class CategoryService {
  private publicCounts: { readonly version: number; readonly counts: ReadonlyMap<number, number> } | undefined;

  constructor(private readonly parts: CatalogParts) {}

  /** @throws ValidationError naming what the list does not offer */
  async list(query: ListQuery, viewer: Viewer, locale: string): Promise<Page<CategoryRecord>> {
    const page = await this.parts.lists.run(list, query);
    return { ...page, items: await this.complete(page.items, viewer, locale) };
  }

  /** @param reference id or slug. @throws NotFoundError */
  async find(reference: number | string, viewer: Viewer, locale: string): Promise<CategoryRecord> {
    const by = byReference(reference);
    if (!by) throw new NotFoundError();
    const scope: ListScope = { where: `c.${by.column} = ?`, values: [by.value] };
    const only: ListQuery = { page: 1, perPage: 1, direction: 'DESC', with: [], filters: [] };
    const { items } = await this.parts.lists.run(list, only, { scope });
    const [category] = await this.complete(items, viewer, locale);
    if (!category) throw new NotFoundError();
    return category;
  }

  /** @throws ValidationError for a taken slug */
  async create(input: CategoryInput): Promise<CategoryRow> {
    const { database, events, versions, clock } = this.parts;
    return database.transaction(async (transaction) => {
      const now = clock.now();
      const columns = {
        slug: input.slug,
        name: input.name,
        shortDescription: input.shortDescription ?? '',
        description: input.description ?? '',
        thumbnailUrl: input.thumbnailUrl ?? null,
      };
      const model = categoryModel(database);
      const row = await model
        .create({ ...columns, createdAt: now, updatedAt: now }, { transaction })
        .catch(refuseTakenSlug);
      const id = Number(row.id);
      await replaceTranslations(database, CATEGORY_TRANSLATIONS, id, input.translations ?? {}, transaction);
      const category = { id, ...columns };
      await events.emit(new CategoryCreatedEvent({ category, occurredAt: now }), transaction);
      await versions.touch(CATEGORY_TABLES, transaction);
      return category;
    });
  }

  private async complete(rows: readonly CategoryRow[], viewer: Viewer, locale: string): Promise<CategoryRecord[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const [counts, translations] = await Promise.all([
      this.countProducts(ids, viewer),
      readTranslations(this.parts.database, CATEGORY_TRANSLATIONS, ids),
    ]);
    return rows.map((row) => {
      const texts = translations.get(row.id) ?? {};
      const local = locale !== this.parts.defaultLocale && Object.hasOwn(texts, locale) ? texts[locale] : undefined;
      return { ...translated(row, local), productsCount: counts.get(row.id) ?? 0, translations: texts };
    });
  }

  // Counting reads every link of a category. What everybody sees is counted once per change of the catalog.
  private async countProducts(ids: readonly number[], viewer: Viewer): Promise<ReadonlyMap<number, number>> {
    if (viewer.kind !== 'anonymous') return this.readCounts(viewer, ids);
    const version = await this.parts.versions.current(CATALOG_TABLES);
    if (this.publicCounts?.version !== version) {
      this.publicCounts = { version, counts: await this.readCounts(viewer) };
    }
    return this.publicCounts.counts;
  }

  /** @param ids of the categories; all of them when absent */
  private async readCounts(viewer: Viewer, ids?: readonly number[]): Promise<Map<number, number>> {
    const visible = visibleProducts(viewer, 'p');
    const those = ids ? `link.category_id IN (${ids.map(() => '?').join(', ')}) AND` : '';
    const rows = await this.parts.database.select<{ id: number; products: number }>(
      `SELECT link.category_id AS id, COUNT(*) AS products
       FROM portal_category_products link JOIN portal_products p ON p.id = link.product_id
       WHERE ${those} ${visible.where} GROUP BY link.category_id`,
      [...(ids ?? []), ...visible.values],
    );
    return new Map(rows.map(({ id, products }) => [id, Number(products)]));
  }
}

function refuseTakenSlug(error: unknown): never {
  if (!(error instanceof UniqueViolationError)) throw error;
  throw new ValidationError({ slug: ['This value is already taken by another category.'] }, { cause: error });
}
