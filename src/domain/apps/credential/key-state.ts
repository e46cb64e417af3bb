import type { ApprovalStatus } from '../app/approval.js';
import type { CredentialStatus } from './credential.js';

/** What determines whether a key works: its app, itself, its products. */
interface KeyParts {
  readonly app: ApprovalStatus;
  readonly key: CredentialStatus;
  readonly products: readonly ApprovalStatus[];
}

/**
 * Effective state of a key: the worst of the app's and its own; with products, no better than the best of theirs. An
 * approved key opens at least one product.
 */
export function keyState({ app, key, products }: KeyParts): CredentialStatus {
  const alone = pickWorse(app, key);
  if (alone !== 'approved' || products.length === 0 || products.includes('approved')) return alone;
  return products.includes('pending') ? 'pending' : 'revoked';
}

/** Effective state of a product on a key. */
export function productState({ app, key }: Omit<KeyParts, 'products'>, product: ApprovalStatus): CredentialStatus {
  return pickWorse(pickWorse(app, key), product);
}

const WORST_FIRST: readonly CredentialStatus[] = ['revoked', 'expired', 'pending', 'approved'];

function pickWorse(a: CredentialStatus, b: CredentialStatus): CredentialStatus {
  return WORST_FIRST.find((status) => status === a || status === b) ?? 'revoked';
}
