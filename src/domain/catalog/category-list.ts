import { CATEGORY_TRANSLATIONS, categoryRecord, type CategoryRow } from './category.js';
import { TranslatedList } from './translated-list.js';

/** Tables whose version every category change bumps. */
export const CATEGORY_TABLES = ['portal_categories'];

const describeList = (name: string, relations: string[] = []) =>
  categoryRecord.list({
    name,
    relations,
    sorts: ['id', 'name', 'slug', 'createdAt', 'updatedAt'],
    search: ['name', 'shortDescription', 'slug'],
  });

/** The public list. */
export const categoryList = new TranslatedList<CategoryRow>(describeList('categories'), CATEGORY_TRANSLATIONS);

/** The list for admins. */
export const adminCategoryList = new TranslatedList<CategoryRow>(
  describeList('admin.categories', ['translations']),
  CATEGORY_TRANSLATIONS,
);

export const categoryListOptions = categoryList.options;
export const adminCategoryListOptions = adminCategoryList.options;
