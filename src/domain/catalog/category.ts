import {
  DataTypes,
  defineModel,
  TIMESTAMP,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from '../../database/index.js';
import type { Translations, TranslationTable } from './translation.js';

/** The columns of a category, texts in the default locale. */
export interface CategoryRow {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly shortDescription: string;
  readonly description: string;
  /** An address, or `files/…` for an uploaded picture. */
  readonly thumbnailUrl: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A category as readers get it: texts in their locale where translated. */
export interface CategoryRecord extends CategoryRow {
  /** Products of it that the reader may see. */
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

/** Row of `portal_categories`. */
export interface Category extends Model<InferAttributes<Category>, InferCreationAttributes<Category>> {
  id: CreationOptional<number>;
  slug: string;
  name: string;
  shortDescription: string;
  description: string;
  thumbnailUrl: string | null;
  thumbnailFile: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export const categoryModel = defineModel<Category>('Category', 'portal_categories', {
  id: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
  slug: DataTypes.STRING(100),
  name: DataTypes.STRING(200),
  shortDescription: DataTypes.STRING(500),
  description: DataTypes.TEXT('medium'),
  thumbnailUrl: DataTypes.STRING(2048),
  thumbnailFile: DataTypes.STRING(64),
  createdAt: TIMESTAMP,
  updatedAt: TIMESTAMP,
});

export const CATEGORY_TRANSLATIONS: TranslationTable = { table: 'portal_category_translations', owner: 'category_id' };

/** Name of a {@link CategoryRow} → SQL over `portal_categories AS c`. */
export const CATEGORY_COLUMNS: Readonly<Record<keyof CategoryRow, string>> = {
  id: 'c.id',
  slug: 'c.slug',
  name: 'c.name',
  shortDescription: 'c.short_description',
  description: 'c.description',
  thumbnailUrl: 'c.thumbnail_url',
  createdAt: 'c.created_at',
  updatedAt: 'c.updated_at',
};

export const CATEGORY_DECODE = { createdAt: 'date', updatedAt: 'date' } as const;
