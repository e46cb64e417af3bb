/** The two management APIs: X (and hybrid), and Edge (and private cloud). */
export type ApigeeFlavour = 'x' | 'edge';

export interface FakeApigeeAttribute {
  readonly name: string;
  readonly value: string;
}

export type ApprovalState = 'pending' | 'approved' | 'revoked';

export interface FakeApigeeProduct {
  /** Internal name, as used in keys and paths. */
  readonly name: string;
  readonly displayName?: string;
  readonly description?: string;
  /** With `manual`, the product is pending on a new key. `auto` by default. */
  readonly approvalType?: 'auto' | 'manual';
  readonly attributes?: readonly FakeApigeeAttribute[];
}

export interface KeyState {
  readonly consumerKey: string;
  readonly consumerSecret: string;
  status: ApprovalState;
  readonly issuedAt: number;
  /** Milliseconds since 1970; -1: never. Fixed once the key exists. */
  readonly expiresAt: number;
  attributes: readonly FakeApigeeAttribute[];
  scopes: readonly string[];
  /** Product name → state on this key. */
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
  /** By case-sensitive name. */
  readonly apps: Map<string, AppState>;
}

/** An app group of X, or a company of Edge. Its apps hold `group:` and its name for the id of a developer. */
export interface GroupState {
  readonly name: string;
  displayName: string;
  status: 'active' | 'inactive';
  attributes: readonly FakeApigeeAttribute[];
  /** Of a company; app groups have none. */
  members?: readonly { readonly email: string; readonly role: string }[];
  readonly createdAt: number;
  lastModifiedAt: number;
  readonly apps: Map<string, AppState>;
}

/** Who owns apps. */
export type OwnerState = DeveloperState | GroupState;

/** Calls of proxies, as Apigee's analytics know them. */
export interface FakeApigeeTraffic {
  readonly environment: string;
  readonly at: Date;
  /** Missing for calls without a good key, like app and product. */
  readonly developerId?: string;
  readonly app?: string;
  readonly product?: string;
  /** Of the answer that the caller got. */
  readonly status: number;
  readonly calls: number;
}

/** What differs between organizations, or is unclear from Apigee's documentation. */
export interface OrganizationOptions {
  readonly flavour: ApigeeFlavour;
  /** Name of the organization; `acme` by default. */
  readonly organization?: string;
  readonly products?: readonly FakeApigeeProduct[];
  /** `features.keymanagement.disable.unbounded.permissions`: no app and no key without a product. */
  readonly productsRequired?: boolean;
  /** Edge: `features.isCpsEnabled`. Without it lists are complete, ignoring `count`. On by default. */
  readonly cps?: boolean;
  /** X: seconds until the keys of a deleted app or developer stop working. 0 by default. */
  readonly deletionDelay?: number;
  /** Status of a request with an unknown product: 404 by default; 400 has been seen too. */
  readonly unknownProductStatus?: 400 | 404;
  /** Some runtimes of X refuse to change an e-mail (`rest.interceptor.name_mismatch`). */
  readonly fixedEmails?: boolean;
  /** Seconds until a call shows in the analytics. 0 by default. */
  readonly statisticsDelay?: number;
  /** Whether adding a product that is already on the key makes it pending again. Off by default. */
  readonly addingResetsApproval?: boolean;
}
