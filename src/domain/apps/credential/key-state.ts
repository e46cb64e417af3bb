import type { ApprovalStatus } from '../app/approval.js';
import type { CredentialStatus } from './credential.js';

/** What opens and closes a key: its app, itself, and the products on it. */
interface KeyParts {
  readonly app: ApprovalStatus;
  readonly key: CredentialStatus;
  readonly products: readonly ApprovalStatus[];
}

/**
 * What a key really is: the worst of its app and itself, and, where it holds products, no better than the best of them. What
 * is approved opens something.
 */
export function keyState({ app, key, products }: KeyParts): CredentialStatus {
  const alone = worse(app, key);
  if (alone !== 'approved' || products.length === 0 || products.includes('approved')) return alone;
  return products.includes('pending') ? 'pending' : 'revoked';
}

/** What a product on a key really is. */
export function productState({ app, key }: Omit<KeyParts, 'products'>, product: ApprovalStatus): CredentialStatus {
  return worse(worse(app, key), product);
}

const WORST_FIRST: readonly CredentialStatus[] = ['revoked', 'expired', 'pending', 'approved'];

function worse(a: CredentialStatus, b: CredentialStatus): CredentialStatus {
  return WORST_FIRST.find((status) => status === a || status === b) ?? 'revoked';
}
