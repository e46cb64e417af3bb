import { ConflictError, ValidationError } from '../../../core/index.js';
import type { Database } from '../../../database/index.js';
import { productRecord } from '../../catalog/index.js';
import type { AppParts } from '../app-parts.js';
import type { OwnedApp, OwnedGrant } from './app-reader.js';

interface LimitedProduct {
  readonly product: { readonly id: number; readonly slug: string };
  /** On all keys of the app that the gateway has. */
  readonly grants: readonly OwnedGrant[];
}

/**
 * A product whose limits for an app are to change.
 * @param reference slug or id
 * @throws ValidationError on `product` for one that no key has, ConflictError for keys without a plan, which have no limits
 */
export async function findLimitedProduct(
  { database, reader }: AppParts,
  owned: OwnedApp,
  reference: string,
): Promise<LimitedProduct> {
  const where = /^[1-9]\d{0,14}$/.test(reference) ? { id: Number(reference) } : { slug: reference };
  const product = await productRecord.find(database, where, { only: ['id', 'slug'] });
  const grants = product ? await reader.grantsOfProduct(owned, product.id) : [];
  if (!product || grants.length === 0) {
    const fault = `No key of this app has the product ${JSON.stringify(reference)}.`;
    throw new ValidationError({ product: [fault] });
  }
  if (grants.some(({ grant }) => grant.planVersionId !== null)) return { product, grants };
  const fault = 'No key of this app has a plan for this product, so it has no limits.';
  throw new ConflictError({ errors: { product: [fault] } });
}

/** The slugs of products by their ids. */
export async function slugsOf(
  database: Database,
  records: readonly { readonly productId: number }[],
): Promise<ReadonlyMap<number, string>> {
  const ids = [...new Set(records.map(({ productId }) => productId))];
  const products = await productRecord.findAll(database, { id: ids }, { only: ['id', 'slug'] });
  return new Map(products.map(({ id, slug }) => [id, slug]));
}
