import {
  DataTypes,
  defineModel,
  TIMESTAMP,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from '../../../database/index.js';
import type { AudienceReference } from '../audience.js';
import type { Translations } from '../translation.js';

export const VISIBILITIES = ['public', 'private', 'draft'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** `manual`: an admin opens the product for each credential. */
export const APPROVALS = ['auto', 'manual'] as const;
export type Approval = (typeof APPROVALS)[number];

/** How slugs of the catalog look. */
export const SLUG = /^[a-z][a-z0-9-]{0,99}$/;

/** The columns of a product, texts in the default locale. */
export interface ProductRow {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly shortDescription: string;
  /** Markdown. */
  readonly description: string;
  readonly visibility: Visibility;
  readonly approval: Approval;
  /** What the gateway calls it; never shown outside admin routes. */
  readonly gatewayProductId: string;
  /** An address, or `files/…` for an uploaded picture. */
  readonly thumbnailUrl: string | null;
  readonly customAttributes: Readonly<Record<string, unknown>>;
  /** SHA-256 of the OpenAPI document in hexadecimal; null without one. */
  readonly specHash: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface CategoryLink {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
}

/** A product as readers get it: texts in their locale where translated, categories by name, tags by alphabet. */
export interface ProductRecord extends ProductRow {
  readonly categories: readonly CategoryLink[];
  readonly tags: readonly string[];
}

/** A product as admins get it: texts of the default locale, with all others beside them, so that it can be written back. */
export interface AdminProductRecord extends ProductRecord {
  /** By name. */
  readonly audiences: readonly AudienceReference[];
  readonly translations: Translations;
}

/** Row of `portal_products`. */
export interface Product extends Model<InferAttributes<Product>, InferCreationAttributes<Product>> {
  id: CreationOptional<number>;
  slug: string;
  name: string;
  shortDescription: string;
  description: string;
  visibility: Visibility;
  approval: Approval;
  gatewayProductId: string;
  thumbnailUrl: string | null;
  /** Hash of the uploaded picture that `thumbnailUrl` names. */
  thumbnailFile: string | null;
  customAttributes: Record<string, unknown>;
  specHash: CreationOptional<string | null>;
  createdAt: Date;
  updatedAt: Date;
}

export const productModel = defineModel<Product>('Product', 'portal_products', {
  id: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
  slug: DataTypes.STRING(100),
  name: DataTypes.STRING(200),
  shortDescription: DataTypes.STRING(500),
  description: DataTypes.TEXT('medium'),
  visibility: DataTypes.STRING(16),
  approval: DataTypes.STRING(16),
  gatewayProductId: DataTypes.STRING(100),
  thumbnailUrl: DataTypes.STRING(2048),
  thumbnailFile: DataTypes.STRING(64),
  customAttributes: DataTypes.JSON,
  specHash: DataTypes.STRING(64),
  createdAt: TIMESTAMP,
  updatedAt: TIMESTAMP,
});

/** Name of a {@link ProductRow} → SQL over `portal_products AS p`; decode with {@link PRODUCT_DECODE}. */
export const PRODUCT_COLUMNS: Readonly<Record<keyof ProductRow, string>> = {
  id: 'p.id',
  slug: 'p.slug',
  name: 'p.name',
  shortDescription: 'p.short_description',
  description: 'p.description',
  visibility: 'p.visibility',
  approval: 'p.approval',
  gatewayProductId: 'p.gateway_product_id',
  thumbnailUrl: 'p.thumbnail_url',
  customAttributes: 'p.custom_attributes',
  specHash: 'p.spec_hash',
  createdAt: 'p.created_at',
  updatedAt: 'p.updated_at',
};

export const PRODUCT_DECODE = { customAttributes: 'json', createdAt: 'date', updatedAt: 'date' } as const;
