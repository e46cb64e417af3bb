/** Why a key was refused; sent to proxies as `X-Auth-Reason`. */
export type DenialReason =
  | 'missing_key'
  | 'malformed_key'
  | 'unknown_key'
  | 'pending_key'
  | 'revoked_key'
  | 'expired_key'
  | 'pending_app'
  | 'revoked_app'
  | 'inactive_developer'
  | 'no_product'
  | 'product_not_granted'
  | 'product_pending'
  | 'product_revoked'
  | 'product_retired'
  | 'version_retired'
  | 'operation_retired'
  | 'brownout';

export interface KeyAdmission {
  readonly allowed: true;
  /** The portal's id of the developer. */
  readonly developer: string;
  /** Name of the app, unique for the developer. */
  readonly app: string;
  /** The portal's id of the credential. */
  readonly keyId: string;
  /** The portal's id of the app; calls are counted where it is told. */
  readonly appId?: string;
  /** Slugs of the products that the key grants, in alphabetical order. */
  readonly products: readonly string[];
  /** Plan of the product that was asked for, or of the only one that the key grants; absent without one. */
  readonly plan?: string;
  /** The portal's id of that product. If it is given, calls are limited by their plan. */
  readonly productId?: string;
}

export interface Denial {
  readonly allowed: false;
  readonly reason: DenialReason;
  /** Of a key that is known: the portal's ids of credential and app, by which the refusal is counted. */
  readonly keyId?: string;
  readonly appId?: string;
}

export type KeyDecision = KeyAdmission | Denial;

/** Decides about one call to an API. */
export interface KeyVerifier {
  /**
   * @param key as the client sent it; null when none was sent
   * @param product slug of the product that the call needs; null: any that the key has
   * @throws DatabaseUnavailableError; the caller must then deny access
   */
  verify(key: string | null, product: string | null): Promise<KeyDecision>;
}
