import {
  placeholders,
  selectJoined,
  selectOwned,
  type Dialect,
  type ListScope,
  type SqlValue,
} from '../../../database/index.js';
import { ValidationError, type ListFilter, type ListOptions, type ListQuery } from '../../../core/index.js';
import { PRODUCT_AUDIENCES, PRODUCT_CATEGORIES, PRODUCT_TAGS, PRODUCT_TRANSLATIONS } from './product-sets.js';
import { productRecord, type ProductRow } from './product.js';
import { TranslatedList } from '../translated-list.js';
import { selectVisibleProducts, type Viewer } from '../visibility.js';

/** Tables whose version every catalog change bumps: product totals are recounted only then. */
export const CATALOG_TABLES = ['portal_products'];

const forReaders = new TranslatedList<ProductRow>(
  productRecord.list({
    name: 'products',
    sorts: ['id', 'slug', 'name', 'createdAt', 'updatedAt'],
    filters: ['id', 'slug', 'name', 'approval', 'createdAt', 'updatedAt'],
    search: ['name', 'shortDescription', 'slug'],
    relations: ['categories', 'tags'],
  }),
  PRODUCT_TRANSLATIONS,
);

const forAdmins = new TranslatedList<ProductRow>(
  productRecord.list({
    name: 'admin.products',
    sorts: ['id', 'slug', 'name', 'approval', 'createdAt', 'updatedAt', 'visibility', 'gatewayProductId'],
    search: ['name', 'shortDescription', 'slug', 'gatewayProductId'],
    relations: ['categories', 'tags', 'audiences', 'plans', 'translations'],
  }),
  PRODUCT_TRANSLATIONS,
);

/** Filters on a related table, by its name, slug or tag. */
const RELATED = {
  category: `${selectJoined(PRODUCT_CATEGORIES, 'portal_categories c', 'p.id')} AND c.slug`,
  tag: `${selectOwned(PRODUCT_TAGS, 'p.id')} AND owned.tag`,
  audience: `${selectJoined(PRODUCT_AUDIENCES, 'portal_audiences a', 'p.id')} AND a.name`,
} as const;

/** Public list options. Gateway names and visibility cannot be queried. */
export const productListOptions: ListOptions = {
  ...forReaders.options,
  filters: { ...forReaders.options.filters, category: 'string', tag: 'string' },
};

/** List options for admins. */
export const adminProductListOptions: ListOptions = {
  ...forAdmins.options,
  filters: { ...forAdmins.options.filters, category: 'string', tag: 'string', audience: 'string' },
};

/** The reader of the list, and their locale. */
export interface ProductListReader {
  readonly viewer: Viewer;
  /** null for the default one. */
  readonly locale: string | null;
}

/** The list, query and scope that the engine needs. */
export function productListRun(query: ListQuery, { viewer, locale }: ProductListReader, dialect: Dialect) {
  const related = query.filters.filter(({ field }) => Object.hasOwn(RELATED, field));
  const filters = query.filters.filter((filter) => !related.includes(filter));
  const conditions = [selectVisibleProducts(viewer, 'p'), ...related.map(relationCondition)];
  const scope: ListScope = {
    where: conditions.map(({ where }) => where).join(' AND '),
    values: conditions.flatMap(({ values }) => values),
  };
  const list = viewer.kind === 'admin' ? forAdmins : forReaders;
  const rest = { ...query, filters };
  return { ...list.run(rest, scope, locale, dialect), query: rest };
}

function relationCondition({ field, operator, value }: ListFilter): { where: string; values: SqlValue[] } {
  const values = Array.isArray(value) ? (value as SqlValue[]) : [value as SqlValue];
  const exists = `EXISTS (${RELATED[field as keyof typeof RELATED]} IN (${placeholders(values)}))`;
  if (operator === 'eq' || operator === 'in') return { where: exists, values };
  if (operator === 'ne') return { where: `NOT ${exists}`, values };
  throw new ValidationError({ filters: [`filters.${field} takes the operators eq, ne, in.`] });
}
