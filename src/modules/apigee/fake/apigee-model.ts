/** The two management APIs: X (hybrid too) and Edge (private cloud too). */
export type ApigeeFlavour = 'x' | 'edge';

export interface FakeApigeeAttribute {
  readonly name: string;
  readonly value: string;
}

export type ApprovalState = 'pending' | 'approved' | 'revoked';

export interface FakeApigeeProduct {
  /** Internal name: what keys and paths call it. */
  readonly name: string;
  readonly displayName?: string;
  readonly description?: string;
  /** With manual, a key gets it as pending. `auto` by default. */
  readonly approvalType?: 'auto' | 'manual';
  readonly attributes?: readonly FakeApigeeAttribute[];
}

export interface KeyState {
  readonly consumerKey: string;
  readonly consumerSecret: string;
  status: ApprovalState;
  readonly issuedAt: number;
  /** Milliseconds since 1970, -1: never. Nothing changes it once the key is there. */
  readonly expiresAt: number;
  attributes: readonly FakeApigeeAttribute[];
  scopes: readonly string[];
  /** Name of a product → its state on this key. */
  readonly products: Map<string, ApprovalState>;
}

export interface AppState {
  readonly appId: string;
  readonly name: string;
  readonly developerId: string;
  status: ApprovalState;
  callbackUrl: string | undefined;
  attributes: readonly FakeApigeeAttribute[];
  scopes: readonly string[];
  readonly createdAt: number;
  lastModifiedAt: number;
  readonly keys: KeyState[];
}

export interface DeveloperState {
  readonly developerId: string;
  email: string;
  firstName: string;
  lastName: string;
  userName: string;
  status: 'active' | 'inactive';
  attributes: readonly FakeApigeeAttribute[];
  readonly createdAt: number;
  lastModifiedAt: number;
  /** By name, which is case sensitive. */
  readonly apps: Map<string, AppState>;
}

/** What differs between organizations, and what nobody outside of Apigee could tell for certain. */
export interface OrganizationOptions {
  readonly flavour: ApigeeFlavour;
  /** Name of the organization; `acme` by default. */
  readonly organization?: string;
  readonly products?: readonly FakeApigeeProduct[];
  /** `features.keymanagement.disable.unbounded.permissions`: no app and no key without a product. */
  readonly productsRequired?: boolean;
  /** Edge: `features.isCpsEnabled`. Without it lists come whole, whatever `count` says. On by default. */
  readonly cps?: boolean;
  /** X: seconds until the keys of a deleted app or developer stop to open. 0 by default. */
  readonly deletionDelay?: number;
  /** Status of a request that names a product which does not exist; 404 by default, 400 was seen too. */
  readonly unknownProductStatus?: 400 | 404;
  /** Some runtimes of X refuse to change an e-mail (`rest.interceptor.name_mismatch`). */
  readonly fixedEmails?: boolean;
  /** Whether adding a product that a key has already asks for a new approval. Off by default. */
  readonly addingResetsApproval?: boolean;
}
