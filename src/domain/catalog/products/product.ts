import { defineRecord, fieldOf, times, type RowOf } from '../../../database/index.js';
import type { AudienceReference } from '../audience.js';
import type { Deprecation } from '../versions/deprecation.js';
import { refuseMissingFile } from '../pictures.js';
import type { Translations } from '../translation.js';
import type { ProductVersion } from '../versions/product-version.js';

export const VISIBILITIES = ['public', 'private', 'draft'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** `manual`: an admin approves the product for each credential. */
export const APPROVALS = ['auto', 'manual'] as const;
export type Approval = (typeof APPROVALS)[number];

/** `once`: an admin approves the first key of a team or a developer; their further ones need no approval. */
export const PRODUCT_APPROVALS = [...APPROVALS, 'once'] as const;
export type ProductApproval = (typeof PRODUCT_APPROVALS)[number];

/** Format of catalog slugs. */
export const SLUG = /^[a-z][a-z0-9-]{0,99}$/;

export const productRecord = defineRecord({
  name: 'Product',
  table: 'portal_products',
  alias: 'p',
  noun: 'product',
  refusal: refuseMissingFile,
  fields: {
    id: fieldOf.id(),
    slug: fieldOf.text(100).unique(),
    name: fieldOf.text(200),
    shortDescription: fieldOf.text(500).default(''),
    /** Markdown. */
    description: fieldOf.longText().default(''),
    visibility: fieldOf.text<Visibility>(16),
    approval: fieldOf.text<ProductApproval>(16),
    /** Its name at the gateway; only admin routes show it. */
    gatewayProductId: fieldOf.text(100).unique(),
    /** An address, or `files/…` for an uploaded picture. */
    thumbnailUrl: fieldOf.text(2048).nullable(),
    /** Hash of the uploaded picture that `thumbnailUrl` names. */
    thumbnailFile: fieldOf.text(64).nullable().hidden(),
    customAttributes: fieldOf.json<Readonly<Record<string, unknown>>>().default({}),
    /** False hides it from every text and tool for agents. */
    isForAgents: fieldOf.boolean().named('for_agents').default(true),
    /** SHA-256 of the OpenAPI document in hexadecimal; null without one. */
    specHash: fieldOf.text(64).nullable(),
    /** The same of its Arazzo document. */
    workflowsHash: fieldOf.text(64).nullable(),
    ...times,
  },
});

/** The columns of a product, texts in the default locale. */
export type ProductRow = RowOf<typeof productRecord>;

export interface ProductCategory {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
}

/** A plan that a product offers, as its record names it. */
export interface OfferedPlan {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly status: 'draft' | 'active' | 'archived';
  /** What a key gets when nobody names another. */
  readonly isDefault: boolean;
  /** For calls without a key. */
  readonly isKeyless: boolean;
}

/** That a product ends, for its readers. */
export type ProductDeprecation = Pick<
  Deprecation,
  'state' | 'deprecatedAt' | 'sunsetAt' | 'replacementUrl' | 'guideUrl' | 'description'
>;

/** A product for readers: texts in their locale where translated, categories by name, tags in alphabetical order. */
export interface ProductRecord extends ProductRow {
  readonly categories: readonly ProductCategory[];
  readonly tags: readonly string[];
  /** The announced end of the whole product. */
  readonly deprecation: ProductDeprecation | null;
}

/** A product as one of its versions: `specHash` is of that one's document; the default one alone has workflows. */
export interface ViewedProduct extends ProductRecord {
  /** Its part of an address: the slug, with the version that was named. */
  readonly address: string;
  /** The one that was named, or the default one; null for a product without versions. */
  readonly version: ProductVersion | null;
  /** Those that the viewer knows of, the latest first. */
  readonly versions: readonly ProductVersion[];
}

/** A product for admins: texts in the default locale plus all translations, so that it can be written back. */
export interface AdminProductRecord extends ProductRecord {
  /** By name. */
  readonly audiences: readonly AudienceReference[];
  /** In the order in which readers see them. */
  readonly plans: readonly OfferedPlan[];
  readonly translations: Translations;
}
