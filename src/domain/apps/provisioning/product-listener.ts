import type { Transaction } from '../../../database/index.js';
import { ConflictError } from '../../../core/index.js';
import { ProductDeletedEvent, ProductUpdatedEvent } from '../../catalog/index.js';
import type { AppParts } from '../app-parts.js';

/** Field of a change → how the API calls it. */
const NAMES = { slug: 'slug', gatewayProductId: 'gateway_product_id' } as const;

/**
 * Keys carry products under their gateway name, and proxies ask for them by slug. While keys carry a product, both names
 * stay and so does the product: anything else would close an API to everybody who uses it, without anybody having said so.
 */
export function listenToProducts(parts: AppParts): void {
  const { events } = parts;
  events.within(ProductUpdatedEvent, async ({ product, changes }, transaction) => {
    const renamed = Object.entries(NAMES).filter(([field]) => changes[field]);
    if (renamed.length === 0) return;
    const keys = await keysOf(parts, product.id, transaction);
    if (keys === null) return;
    const fault = `${keys} this product, so it keeps its slug and gateway_product_id.`;
    throw new ConflictError({ errors: Object.fromEntries(renamed.map(([, name]) => [name, [fault]])) });
  });
  events.within(ProductDeletedEvent, async ({ product }, transaction) => {
    const keys = await keysOf(parts, product.id, transaction);
    if (keys === null) return;
    const fault = `${keys} this product. Take it off them first, or make it a draft to close it.`;
    throw new ConflictError({ errors: { credentials: [fault] } });
  });
}

/** How many keys carry the product, as the beginning of a sentence; null for none. */
async function keysOf({ database }: AppParts, productId: number, transaction: Transaction): Promise<string | null> {
  const sql = 'SELECT COUNT(*) AS total FROM portal_credential_products WHERE product_id = ?';
  const [row] = await database.select<{ total: number }>(sql, [productId], { transaction });
  const total = Number(row?.total ?? 0);
  if (total === 0) return null;
  return total === 1 ? '1 key carries' : `${total} keys carry`;
}
