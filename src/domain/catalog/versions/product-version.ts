import { defineList, defineRecord, fieldOf, times, type Database, type RowOf } from '../../../database/index.js';
import type { Viewer } from '../visibility.js';

/** `draft`: only admins see it. `retired`: still listed, but no longer documented. */
export const PRODUCT_VERSION_STATES = ['draft', 'current', 'deprecated', 'retired'] as const;
export type ProductVersionState = (typeof PRODUCT_VERSION_STATES)[number];

/** Format of names: `v2`, `2024-10`. They stand in addresses, after an `@`. */
export const VERSION_NAME = /^[a-z0-9][a-z0-9._-]{0,39}$/;

/** What readers have seen never becomes a draft again, and is deprecated before it is retired. */
const NEXT_STATES: Readonly<Record<ProductVersionState, readonly ProductVersionState[]>> = {
  draft: ['current'],
  current: ['deprecated'],
  deprecated: ['current', 'retired'],
  retired: ['deprecated'],
};

export function mayBecome(from: ProductVersionState, to: ProductVersionState): boolean {
  return from === to || NEXT_STATES[from].includes(to);
}

/** The states that a version can be brought to from this one. */
export function listNextStates(from: ProductVersionState): readonly ProductVersionState[] {
  return NEXT_STATES[from];
}

export const productVersionRecord = defineRecord({
  name: 'ProductVersion',
  table: 'portal_product_versions',
  alias: 'ver',
  noun: 'version',
  fields: {
    id: fieldOf.id(),
    productId: fieldOf.reference(),
    /** Unique in its product, and versions are listed for one product. */
    name: fieldOf.text(40).unique(),
    state: fieldOf.text<ProductVersionState>(16),
    /** Exactly one of a product that has versions: what its address without a version shows. */
    isDefault: fieldOf.boolean(),
    /** SHA-256 of its document; null without one. */
    specHash: fieldOf.text(64).nullable(),
    ...times,
  },
});

export type ProductVersion = RowOf<typeof productVersionRecord>;

export interface ProductVersionInput {
  readonly name: string;
  /** Default `draft`; the first version of a product is `current`. */
  readonly state?: ProductVersionState | undefined;
  /** Makes it the default instead of the one that is. */
  readonly isDefault?: boolean | undefined;
}

/** The versions of a product, as admins list them. */
export const productVersionList = defineList<ProductVersion>(
  productVersionRecord.list({
    name: 'product-versions',
    sorts: ['name', 'createdAt', 'updatedAt'],
    filters: ['id', 'name', 'state', 'createdAt', 'updatedAt'],
  }),
);

/** The versions of a product that a reader knows of, the latest first. */
export function readVersions(database: Database, productId: number, viewer: Viewer): Promise<ProductVersion[]> {
  const shown = PRODUCT_VERSION_STATES.filter((state) => viewer.kind === 'admin' || state !== 'draft');
  return productVersionRecord.findAll(database, { productId, state: shown }, { order: 'ver.id DESC' });
}

/** `payments@v2` is a version of the product `payments`; null for none, and undefined for a name that none can have. */
export function splitReference(reference: number | string): {
  readonly product: number | string;
  readonly version: string | null | undefined;
} {
  const [product = '', version, ...rest] = String(reference).split('@');
  if (version === undefined) return { product: reference, version: null };
  return { product, version: rest.length === 0 && VERSION_NAME.test(version) ? version : undefined };
}
