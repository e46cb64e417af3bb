import { defineList, defineRecord, fieldOf, times, type RowOf } from '../../../database/index.js';
import { approvalFields, type SyncState } from '../app/app.js';
import type { ApprovalStatus } from '../app/approval.js';

export const credentialRecord = defineRecord({
  name: 'Credential',
  table: 'portal_credentials',
  alias: 'c',
  fields: {
    id: fieldOf.id(),
    appId: fieldOf.reference(),
    /** First and last four characters of the key. */
    keyHint: fieldOf.text(16),
    /** The driver's reference, encrypted: for some gateways it is the key itself. */
    gatewayKeyRef: fieldOf.longText().nullable(),
    ...approvalFields,
    /** Null unless revoked, and for keys that were revoked before this was kept. */
    revokedAt: fieldOf.time().nullable(),
    issuedAt: fieldOf.time(),
    expiresAt: fieldOf.time().nullable(),
    /** The credential that replaced it by rotation. */
    replacedBy: fieldOf.reference().nullable(),
    syncState: fieldOf.text<SyncState>(16),
    /** When its owner was told that it is about to end. */
    expiryNoticedAt: fieldOf.time().nullable().hidden(),
    ...times,
  },
});

/** A key of an app. The key itself stays with the gateway; this row never holds it. */
export type CredentialRecord = RowOf<typeof credentialRecord>;

/** Credentials of an app. No filter by status: `expired` depends on the clock and is not stored. */
export const credentialList = defineList<CredentialRecord>(
  credentialRecord.list({ name: 'credentials', sorts: ['id', 'issuedAt', 'expiresAt', 'createdAt', 'updatedAt'] }),
);

export type CredentialStatus = ApprovalStatus | 'expired';

/** The displayed state: `expired` once its time is over, unless it was revoked. */
export function credentialStatus(
  { status, expiresAt }: Pick<CredentialRecord, 'status' | 'expiresAt'>,
  now: Date,
): CredentialStatus {
  return status !== 'revoked' && expiresAt !== null && expiresAt <= now ? 'expired' : status;
}

/** The part of a key that the portal stores, to tell keys apart. */
export function keyHint(consumerKey: string): string {
  return consumerKey.slice(0, 4) + consumerKey.slice(-4);
}

/** Encryption context of a credential's key reference (S71). */
export function keyRefContext(id: number): string {
  return `portal_credentials:${id}:gateway_key_ref`;
}

/** A key for display: its first four characters, a mask, its last four. @param hint from {@link keyHint} */
export function maskKey(hint: string): string {
  return `${hint.slice(0, 4)}••••${hint.slice(4)}`;
}

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
