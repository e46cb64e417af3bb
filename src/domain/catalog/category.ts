import { defineRecord, fieldOf, times, type OwnedRows, type RowOf } from '../../database/index.js';
import { refuseMissingFile } from './pictures.js';
import type { Translations } from './translation.js';

export const categoryRecord = defineRecord({
  name: 'Category',
  table: 'portal_categories',
  alias: 'c',
  noun: 'category',
  refusal: refuseMissingFile,
  fields: {
    id: fieldOf.id(),
    slug: fieldOf.text(100).unique(),
    name: fieldOf.text(200),
    shortDescription: fieldOf.text(500).default(''),
    description: fieldOf.longText().default(''),
    /** An address, or `files/…` for an uploaded picture. */
    thumbnailUrl: fieldOf.text(2048).nullable(),
    thumbnailFile: fieldOf.text(64).nullable().hidden(),
    ...times,
  },
});

/** The columns of a category, texts in the default locale. */
export type CategoryRow = RowOf<typeof categoryRecord>;

/** A category as readers get it: texts in their locale where translated. */
export interface CategoryRecord extends CategoryRow {
  /** Number of its products that the reader may see. */
  readonly productsCount: number;
  readonly translations: Translations;
}

export interface CategoryInput {
  readonly slug: string;
  readonly name: string;
  readonly shortDescription?: string;
  readonly description?: string;
  readonly thumbnailUrl?: string | null;
  readonly translations?: Translations;
}

export const CATEGORY_TRANSLATIONS: OwnedRows = { table: 'portal_category_translations', owner: 'category_id' };
