import { CATEGORY_COLUMNS, CATEGORY_DECODE, CATEGORY_TRANSLATIONS, type CategoryRow } from './category.js';
import { TranslatedList } from './translated-list.js';

/** What every change of a category touches. */
export const CATEGORY_TABLES = ['portal_categories'];

const column = {
  id: { column: 'c.id', type: 'integer' },
  name: { column: 'c.name', type: 'string' },
  slug: { column: 'c.slug', type: 'string', unique: true },
  created_at: { column: 'c.created_at', type: 'date' },
  updated_at: { column: 'c.updated_at', type: 'date' },
} as const;

const common = {
  table: 'portal_categories',
  alias: 'c',
  columns: CATEGORY_COLUMNS,
  decode: CATEGORY_DECODE,
  sorts: column,
  filters: column,
  search: ['c.name', 'c.short_description', 'c.slug'],
};

/** The list of everybody. */
export const categoryList = new TranslatedList<CategoryRow>({ ...common, name: 'categories' }, CATEGORY_TRANSLATIONS);

/** The list of admins. */
export const adminCategoryList = new TranslatedList<CategoryRow>(
  { ...common, name: 'admin.categories', relations: ['translations'] },
  CATEGORY_TRANSLATIONS,
);

export const categoryListOptions = categoryList.options;
export const adminCategoryListOptions = adminCategoryList.options;
