import type { Transaction } from '../../database/index.js';
import type { CallsByDay, ChosenPlan, PlanWish } from '../catalog/index.js';

/** A product that may be put on a key. */
export interface AttachableProduct {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  /** `once`: an admin approves the first key of an account. */
  readonly approval: 'auto' | 'manual' | 'once';
  readonly gatewayProductId: string;
}

/** A product for a key, as somebody asks for it: by slug or id, with the slug of a plan unless the default one will do. */
export type ProductChoice = string | number | { readonly product: string | number; readonly plan?: string | undefined };

/** The plans that products offer; implemented by the catalog. */
export interface PlanAccess {
  /**
   * The plan for each product, by its id; null for one that offers none to anybody.
   * @throws ValidationError on `products` for a plan that this developer may not have, and where one has to be named
   */
  choose(userId: number, wishes: readonly PlanWish[]): Promise<ReadonlyMap<number, ChosenPlan | null>>;
  /** Those of these plans that an account could not choose for the product. */
  findRefused<Wish extends PlanWish>(userId: number, wishes: readonly Wish[]): Promise<readonly Wish[]>;
}

/**
 * The calls of an app to a product that count towards its quotas so far, for each day of any period that may be running.
 * @throws DatabaseUnavailableError
 */
export type CountedCalls = (owner: { readonly appId: number; readonly productId: number }) => Promise<CallsByDay>;

/** What apps need of the catalog. */
export interface ProductAccess {
  /**
   * Splits products by whether the developer may put them on a key, that is, may see them (S57).
   * @param references slugs or ids
   * @returns each product once, in the requested order; `unknown` are the ones they may not use
   */
  splitAttachable(
    userId: number,
    references: readonly (string | number)[],
  ): Promise<{ readonly products: readonly AttachableProduct[]; readonly unknown: readonly string[] }>;
}

/** A product imported along with the keys that carry it; visible to admins only. */
export interface ProductDraft {
  readonly slug: string;
  readonly name: string;
  readonly shortDescription: string;
  readonly visibility: 'draft';
  readonly approval: 'auto';
  readonly gatewayProductId: string;
}

/** What the import needs of the catalog. */
export interface ProductDrafts {
  /** @throws ValidationError for a taken slug or gateway product */
  create(draft: ProductDraft): Promise<{ readonly id: number }>;
}

/** A team that the gateway had before the portal. */
export interface TeamDraft {
  readonly name: string;
  readonly isActive: boolean;
  /** Those with an account. */
  readonly members: readonly { readonly userId: number; readonly isAdmin: boolean }[];
}

/** What the import needs of the teams. */
export interface TeamDrafts {
  /** @returns the account that will own its apps */
  adopt(draft: TeamDraft, transaction: Transaction): Promise<{ readonly id: number; readonly email: string }>;
}

/** Who is in the teams that own apps; implemented by the teams. */
export interface TeamPeople {
  /** Those who can sign in, owners first; nobody for the account of a person. */
  peopleOf(accountId: number): Promise<readonly { readonly email: string; readonly isAdmin: boolean }[]>;
}

/** How much somebody may own; implemented by the teams. */
export interface OwnerLimits {
  /**
   * The limits of the team that an account stands for, which stays locked until the transaction ends; null for a person, who has
   * none.
   */
  lockLimitsOf(
    accountId: number,
    transaction: Transaction,
  ): Promise<{ readonly apps: number; readonly keys: number } | null>;
}
