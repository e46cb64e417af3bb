import { defineList, type ListScope, type SqlValue } from '../../database/index.js';
import { ValidationError, type ListFilter, type ListOptions, type ListQuery } from '../../kernel/index.js';
import { PRODUCT_COLUMNS, PRODUCT_DECODE, type ProductRow } from './product.js';
import { visibleProducts, type Viewer } from './visibility.js';

/** What every change of the catalog touches: the totals of products are counted again after it, and only then. */
export const CATALOG_TABLES = ['portal_products'];

const column = {
  slug: { column: 'p.slug', type: 'string' },
  name: { column: 'p.name', type: 'string' },
  approval: { column: 'p.approval', type: 'string' },
  created_at: { column: 'p.created_at', type: 'date' },
  updated_at: { column: 'p.updated_at', type: 'date' },
} as const;

const { slug, name, created_at, updated_at } = column;
const texts = ['p.name', 'p.short_description', 'p.slug'];

const definition = {
  table: 'portal_products',
  alias: 'p',
  columns: PRODUCT_COLUMNS,
  decode: PRODUCT_DECODE,
  sorts: { name, slug, created_at, updated_at },
  filters: column,
  search: texts,
  relations: ['categories', 'tags'],
  countedBy: CATALOG_TABLES,
};

/** The list in the default locale, and the one that also looks through the translation joined by the scope. */
const plainList = defineList<ProductRow>({ ...definition, name: 'products' });
const translatedList = defineList<ProductRow>({
  ...definition,
  name: 'products.translated',
  search: [...texts, 'texts.name', 'texts.short_description'],
});

/** Filters that look into another table, by the name or slug there. */
const RELATED: Readonly<Record<string, string>> = {
  category: `SELECT 1 FROM portal_category_products link JOIN portal_categories c ON c.id = link.category_id
    WHERE link.product_id = p.id AND c.slug`,
  tag: 'SELECT 1 FROM portal_product_tags tagged WHERE tagged.product_id = p.id AND tagged.tag',
};

/** What everybody may do with the list of products. The gateway's names and the visibility are not theirs to ask for. */
export const productListOptions: ListOptions = {
  ...plainList.options,
  filters: { ...plainList.options.filters, category: 'string', tag: 'string' },
};

/**
 * The list, query and scope that the engine needs.
 * @param locale null for the default one
 */
export function productListRun(query: ListQuery, viewer: Viewer, locale: string | null) {
  const related = query.filters.filter(({ field }) => Object.hasOwn(RELATED, field));
  const filters = query.filters.filter((filter) => !related.includes(filter));
  const conditions = [visibleProducts(viewer, 'p'), ...related.map(relatedCondition)];
  const searchesTranslation = query.q !== undefined && locale !== null;
  const scope: ListScope = {
    where: conditions.map(({ where }) => where).join(' AND '),
    values: [...(searchesTranslation ? [locale] : []), ...conditions.flatMap(({ values }) => values)],
    ...(searchesTranslation && {
      join: 'LEFT JOIN portal_product_translations texts ON texts.product_id = p.id AND texts.locale = ?',
    }),
  };
  return { list: searchesTranslation ? translatedList : plainList, query: { ...query, filters }, scope };
}

function relatedCondition({ field, operator, value }: ListFilter): { where: string; values: SqlValue[] } {
  const values = Array.isArray(value) ? (value as SqlValue[]) : [value as SqlValue];
  const exists = `EXISTS (${RELATED[field] ?? ''} IN (${values.map(() => '?').join(', ')}))`;
  if (operator === 'eq' || operator === 'in') return { where: exists, values };
  if (operator === 'ne') return { where: `NOT ${exists}`, values };
  throw new ValidationError({ filters: [`filters.${field} takes the operators eq, ne, in.`] });
}
