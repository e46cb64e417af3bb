import type { Transaction } from '../../database/index.js';
import { ConflictError } from '../../kernel/index.js';
import { ProductDeletedEvent, ProductUpdatedEvent } from '../catalog/index.js';
import type { AppParts } from './app-parts.js';

/**
 * Keys carry products under their gateway name, and proxies ask for them by slug. While keys carry a product, both names
 * stay and so does the product: anything else would close an API to everybody who uses it, without anybody having said so.
 */
export function listenToProducts(parts: AppParts): void {
  const { events } = parts;
  events.within(ProductUpdatedEvent, async ({ product, changes }, transaction) => {
    if (!changes.slug && !changes.gatewayProductId) return;
    const message = (keys: string) => `${keys} this product, so slug and gateway_product_id stay as they are.`;
    await requireNoKeys(parts, product.id, message, transaction);
  });
  events.within(ProductDeletedEvent, async ({ product }, transaction) => {
    const message = (keys: string) => `${keys} this product. Take it off them first, or make it a draft to close it.`;
    await requireNoKeys(parts, product.id, message, transaction);
  });
}

async function requireNoKeys(
  { database }: AppParts,
  productId: number,
  message: (keys: string) => string,
  transaction: Transaction,
): Promise<void> {
  const sql = 'SELECT COUNT(*) AS total FROM portal_credential_products WHERE product_id = ?';
  const [row] = await database.select<{ total: number }>(sql, [productId], { transaction });
  const total = Number(row?.total ?? 0);
  if (total > 0) throw new ConflictError({ message: message(total === 1 ? '1 key carries' : `${total} keys carry`) });
}
