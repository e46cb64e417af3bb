import { addSeconds, ValidationError } from '../../../core/index.js';
import type { Database } from '../../../database/index.js';
import type { AppsConfig } from '../config.js';
import type { ChosenPlan } from '../../catalog/index.js';
import type { AppParts } from '../app-parts.js';
import { appRecord } from '../app/app.js';
import type { AttachableProduct, ProductChoice } from '../contracts.js';
import { credentialRecord } from './credential.js';
import { grantRecord } from './grant.js';

/** A plan may limit how long keys live. */
interface Planned {
  readonly plan: Pick<ChosenPlan, 'keyLifetime'> | null;
}

/** A product for a key with the plan that it gets; null for one without plans. */
export interface PlannedProduct extends Omit<AttachableProduct, 'approval'> {
  readonly approval: 'auto' | 'manual';
  readonly plan: ChosenPlan | null;
}

/**
 * When a new key ends.
 * @param expiresIn seconds; undefined: the maximum lifetime
 * @param products those of the key
 * @throws ValidationError on `expires_in` beyond `apps.keyLifetime` and what the plans allow
 */
export function keyEnd(
  expiresIn: number | undefined,
  { keyLifetime }: AppsConfig,
  now: Date,
  products: readonly Planned[],
): Date | null {
  const lifetimes = [keyLifetime, ...products.map(({ plan }) => plan?.keyLifetime)].filter((one) => one != null);
  const longest = lifetimes.length === 0 ? undefined : Math.min(...lifetimes);
  if (longest !== undefined && expiresIn !== undefined && expiresIn > longest) {
    throw new ValidationError({ expires_in: [`Keys live at most ${longest} seconds here.`] });
  }
  const seconds = expiresIn ?? longest;
  return seconds === undefined ? null : addSeconds(now, seconds);
}

/**
 * A key gets no plan that it would outlive.
 * @throws ValidationError on `products`
 */
export function requireLifetime(
  products: readonly Planned[],
  { expiresAt }: { readonly expiresAt: Date | null },
  now: Date,
): void {
  const faults = products.flatMap(({ plan }) => {
    const seconds = plan?.keyLifetime ?? null;
    if (seconds === null || (expiresAt !== null && expiresAt <= addSeconds(now, seconds))) return [];
    return [`A key with this plan lives at most ${seconds} seconds. Make a new key for it.`];
  });
  if (faults.length > 0) throw new ValidationError({ products: faults });
}

/**
 * The products to put on a key with their plans, without duplicates. @throws ValidationError on `products` naming those
 * that the developer may not use, and plans that they may not have
 */
export async function requireProducts(
  { database, products: access, plans }: Pick<AppParts, 'database' | 'products' | 'plans'>,
  userId: number,
  choices: readonly ProductChoice[],
): Promise<readonly PlannedProduct[]> {
  const { products, unknown } = await access.splitAttachable(userId, choices.map(productOf));
  if (unknown.length === 0) {
    const wanted = (product: AttachableProduct) =>
      choices.find((choice) => isChoiceOf(choice, { ...product, productId: product.id }));
    const wishes = products.map((product) => ({ ...product, plan: planIn(wanted(product)) }));
    const chosen = await plans.choose(userId, wishes);
    const once = products.flatMap(({ id, approval }) => (approval === 'once' ? id : []));
    const approved = once.length === 0 ? new Set<number>() : await findApproved(database, userId, once);
    return products.map(({ approval: asked, ...product }) => {
      const approval = asked === 'once' ? (approved.has(product.id) ? 'auto' : 'manual') : asked;
      return { ...product, approval, plan: chosen.get(product.id) ?? null };
    });
  }
  throw new ValidationError({ products: unknown.map((name) => `There is no product ${JSON.stringify(name)}.`) });
}

function productOf(choice: ProductChoice): string | number {
  return typeof choice === 'object' ? choice.product : choice;
}

/** Whether somebody asks for a product, by its slug or id. */
export function isChoiceOf(
  choice: ProductChoice,
  product: { readonly slug: string; readonly productId: number },
): boolean {
  return [product.slug, String(product.productId)].includes(String(productOf(choice)));
}

function planIn(choice: ProductChoice | undefined): string | undefined {
  return typeof choice === 'object' ? choice.plan : undefined;
}

/**
 * Those of these products that a key of the account has been given while its app was theirs, and that an admin has taken from none of
 * them. What was approved for an earlier owner holds for its key alone.
 */
async function findApproved(database: Database, userId: number, productIds: readonly number[]): Promise<Set<number>> {
  const apps = await appRecord.findAll(database, { userId }, { only: ['id', 'ownedSince'] });
  const since = new Map(apps.map(({ id, ownedSince }) => [id, ownedSince]));
  const keys = await credentialRecord.findAll(database, { appId: [...since.keys()] }, { only: ['id', 'appId'] });
  const theirsSince = new Map(keys.map(({ id, appId }) => [id, since.get(appId) ?? null]));
  const held = { credentialId: keys.map(({ id }) => id), productId: productIds };
  const grants = await grantRecord.findAll(database, held, {
    only: ['credentialId', 'productId', 'status', 'revokedBy', 'approvedAt'],
  });
  const refused = new Set(grants.flatMap((grant) => (grant.revokedBy === 'admin' ? grant.productId : [])));
  const approved = grants.flatMap(({ credentialId, productId, status, approvedAt }) => {
    const start = theirsSince.get(credentialId) ?? null;
    const isTheirs = start === null || (approvedAt !== null && approvedAt > start);
    return status === 'approved' && isTheirs ? productId : [];
  });
  return new Set(approved.filter((id) => !refused.has(id)));
}
