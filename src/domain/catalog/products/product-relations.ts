import { placeholders, type Database, type Transaction } from '../../../database/index.js';
import { deprecationRecord } from '../versions/deprecation.js';
import { productRecord, type ProductCategory, type ProductRecord, type ProductRow } from './product.js';
import { PRODUCT_TRANSLATIONS } from './product-sets.js';
import { readTranslations, translate, type Translation } from '../translation.js';
import { selectVisibleProducts, type Viewer } from '../visibility.js';

interface RelationRow {
  readonly productId: number;
  readonly kind: 'category' | 'tag' | 'translation' | 'deprecation';
  readonly id: number | null;
  /** Slug of the category, or the tag itself: both columns have an exact collation, which a UNION on MySQL needs. */
  readonly slug: string | null;
  readonly name: string | null;
  /** These two only if a translation was requested. */
  readonly shortDescription?: string | null;
  readonly description?: string | null;
}

interface Relations {
  readonly categories: ProductCategory[];
  readonly tags: string[];
  translation?: Translation;
}

/** Deprecations of whole products; those of parts are shown with the part. */
const WHOLE = { version: null, method: null, state: ['announced', 'retired'] } as const;
const SHOWN = [
  ...(['productId', 'state', 'deprecatedAt', 'sunsetAt'] as const),
  ...(['replacementUrl', 'guideUrl', 'description'] as const),
];
/** The same rows as {@link WHOLE}. */
const ENDING = "version IS NULL AND method IS NULL AND state IN ('announced', 'retired')";

/**
 * Loads categories, tags, translations and the deprecation for a page of products: in one statement, unless a product is
 * deprecated.
 * @param locale null for the texts as they are in the row
 */
export async function withRelations(
  database: Database,
  rows: readonly ProductRow[],
  locale: string | null,
  transaction?: Transaction,
): Promise<ProductRecord[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const found = await readRelations(database, ids, locale, transaction);
  const ending = found.filter(({ kind }) => kind === 'deprecation').map(({ productId }) => productId);
  const deprecations = await readDeprecations(database, ending, transaction);
  const byProduct = new Map<number, Relations>(ids.map((id) => [id, { categories: [], tags: [] }]));
  for (const relation of found) collect(byProduct.get(relation.productId), relation);
  return rows.map((row) => {
    const { categories = [], tags = [], translation } = byProduct.get(row.id) ?? {};
    categories.sort((a, b) => (a.name < b.name ? -1 : 1));
    // Mutated in place: copying a row costs more than reading it, and nobody else holds these.
    return Object.assign(translate(row, translation), {
      categories,
      tags: tags.sort(),
      deprecation: deprecations.get(row.id) ?? null,
    });
  });
}

async function readDeprecations(database: Database, ids: readonly number[], transaction: Transaction | undefined) {
  if (ids.length === 0) return new Map<number, never>();
  const rows = await deprecationRecord.findAll(database, { productId: ids, ...WHOLE }, { only: SHOWN, transaction });
  return new Map(rows.map(({ productId, ...deprecation }) => [productId, deprecation]));
}

function readRelations(
  database: Database,
  ids: readonly number[],
  locale: string | null,
  transaction: Transaction | undefined,
): Promise<RelationRow[]> {
  const those = `(${placeholders(ids)})`;
  const links = 'portal_category_products link JOIN portal_categories c ON c.id = link.category_id';
  if (locale === null) {
    const sql = `SELECT link.product_id AS productId, 'category' AS kind, c.id AS id, c.slug AS slug, c.name AS name
        FROM ${links} WHERE link.product_id IN ${those}
      UNION ALL SELECT product_id, 'tag', NULL, tag, NULL FROM portal_product_tags WHERE product_id IN ${those}
      UNION ALL SELECT product_id, 'deprecation', NULL, NULL, NULL
        FROM portal_deprecations WHERE product_id IN ${those} AND ${ENDING}`;
    return database.select<RelationRow>(sql, [...ids, ...ids, ...ids], { transaction });
  }
  const sql = `SELECT link.product_id AS productId, 'category' AS kind, c.id AS id, c.slug AS slug,
        COALESCE(texts.name, c.name) AS name, NULL AS shortDescription, NULL AS description
      FROM ${links} LEFT JOIN portal_category_translations texts ON texts.category_id = c.id AND texts.locale = ?
      WHERE link.product_id IN ${those}
    UNION ALL SELECT product_id, 'tag', NULL, tag, NULL, NULL, NULL
      FROM portal_product_tags WHERE product_id IN ${those}
    UNION ALL SELECT product_id, 'translation', NULL, NULL, name, short_description, description
      FROM portal_product_translations WHERE product_id IN ${those} AND locale = ?
    UNION ALL SELECT product_id, 'deprecation', NULL, NULL, NULL, NULL, NULL
      FROM portal_deprecations WHERE product_id IN ${those} AND ${ENDING}`;
  return database.select<RelationRow>(sql, [locale, ...ids, ...ids, ...ids, locale, ...ids], { transaction });
}

function collect(relations: Relations | undefined, row: RelationRow): void {
  if (!relations || row.kind === 'deprecation') return;
  if (row.kind === 'translation') relations.translation = row;
  else if (row.kind === 'tag') relations.tags.push(row.slug ?? '');
  else relations.categories.push({ id: row.id ?? 0, slug: row.slug ?? '', name: row.name ?? '' });
}

/**
 * The number of products that a viewer sees in each category; categories without any are absent.
 * @param ids of the categories; all of them when absent
 */
export async function countByCategory(
  database: Database,
  viewer: Viewer,
  ids?: readonly number[],
  transaction?: Transaction,
): Promise<Map<number, number>> {
  const visible = selectVisibleProducts(viewer, 'p');
  const those = ids ? `link.category_id IN (${placeholders(ids)}) AND` : '';
  const rows = await database.select<{ id: number; products: number }>(
    `SELECT link.category_id AS id, COUNT(*) AS products
     FROM portal_category_products link JOIN portal_products p ON p.id = link.product_id
     WHERE ${those} ${visible.where} GROUP BY link.category_id`,
    [...(ids ?? []), ...visible.values],
    { transaction },
  );
  return new Map(rows.map(({ id, products }) => [id, Number(products)]));
}

/** The name of a product in a locale, by its slug; undefined if there is none. */
export async function findProductName(
  database: Database,
  slug: string,
  locale: string,
  transaction: Transaction,
): Promise<string | undefined> {
  const product = await productRecord.find(database, { slug }, { only: ['id', 'name'], transaction });
  if (!product) return undefined;
  const translations = await readTranslations(database, PRODUCT_TRANSLATIONS, [product.id], transaction);
  return translations.get(product.id)?.[locale]?.name ?? product.name;
}
