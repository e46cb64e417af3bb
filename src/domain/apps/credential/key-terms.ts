import { addSeconds, ValidationError } from '../../../core/index.js';
import type { AppsConfig } from '../config.js';
import type { AttachableProduct, ProductAccess } from '../contracts.js';

/**
 * When a new key ends.
 * @param expiresIn seconds; undefined: the maximum lifetime
 * @throws ValidationError on `expires_in` beyond `apps.keyLifetime`
 */
export function keyEnd(expiresIn: number | undefined, { keyLifetime }: AppsConfig, now: Date): Date | null {
  if (keyLifetime !== undefined && expiresIn !== undefined && expiresIn > keyLifetime) {
    throw new ValidationError({ expires_in: [`Keys live at most ${keyLifetime} seconds here.`] });
  }
  const seconds = expiresIn ?? keyLifetime;
  return seconds === undefined ? null : addSeconds(now, seconds);
}

/**
 * The products to put on a key, without duplicates. @throws ValidationError on `products` naming those that the
 * developer may not use
 */
export async function requireProducts(
  access: ProductAccess,
  userId: number,
  references: readonly (string | number)[],
): Promise<readonly AttachableProduct[]> {
  const { products, unknown } = await access.splitAttachable(userId, references);
  if (unknown.length === 0) return products;
  throw new ValidationError({ products: unknown.map((name) => `There is no product ${JSON.stringify(name)}.`) });
}
