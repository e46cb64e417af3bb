import { defineRecord, fieldOf, type Database, type Transaction } from '../../../database/index.js';
import { ValidationError, type Changes } from '../../../core/index.js';
import { isAmong, replaceJoinRows, type JoinTable, type RecordReference } from '../join-table.js';
import type { OfferedPlan } from '../products/product.js';
import { readOffers } from './offer-queries.js';

export const productPlanRecord = defineRecord({
  name: 'ProductPlan',
  table: 'portal_product_plans',
  alias: 'pp',
  fields: {
    productId: fieldOf.reference().key(),
    planId: fieldOf.reference().key(),
    isDefault: fieldOf.boolean().default(false),
  },
});

const PRODUCT_PLANS: JoinTable = {
  table: 'portal_product_plans',
  owner: 'product_id',
  key: 'plan_id',
  target: { table: 'portal_plans', name: 'slug' },
  what: 'plan',
};

interface Offers {
  /** Slugs or ids. */
  readonly plans?: readonly RecordReference[] | undefined;
  readonly defaultPlan?: RecordReference | undefined;
}

/**
 * Replaces the plans that a product offers, or its default plan. Who offers any has a default one: the first, unless
 * another is named.
 * @returns what changed; null for nothing
 * @throws ValidationError naming plans that do not exist, and a default one that is not offered
 */
export async function replaceOffers(
  database: Database,
  productId: number,
  { plans, defaultPlan }: Offers,
  transaction: Transaction,
): Promise<Changes | null> {
  const old = await offersOf(database, productId, transaction);
  const joined = plans && (await replaceJoinRows(database, PRODUCT_PLANS, 'plans', productId, plans, transaction));
  const offered = await offersOf(database, productId, transaction);
  const before = old.find(({ isDefault }) => isDefault);
  const kept = offered.find(({ isDefault }) => isDefault);
  const isWanted = (reference: RecordReference) => (plan: OfferedPlan) =>
    !plan.isKeyless && isAmong([{ id: plan.id, name: plan.slug }], reference);
  const wanted = defaultPlan ?? kept?.id ?? plans?.find((reference) => offered.some(isWanted(reference)));
  const chosen = wanted === undefined ? undefined : offered.find(isWanted(wanted));
  if (offered.filter(({ isKeyless }) => isKeyless).length > 1) {
    throw new ValidationError({ plans: ['A product has one plan for calls without a key.'] });
  }
  if (defaultPlan !== undefined && !chosen) {
    throw new ValidationError({
      default_plan: [`The product does not offer the plan ${JSON.stringify(defaultPlan)}.`],
    });
  }
  if (chosen && !chosen.isDefault) {
    await productPlanRecord.update(database, { productId, isDefault: true }, { isDefault: false }, transaction);
    await productPlanRecord.update(database, { productId, planId: chosen.id }, { isDefault: true }, transaction);
  }
  const [from, to] = [before?.slug ?? null, chosen?.slug ?? null];
  if (!joined && from === to) return null;
  return { ...(joined && { plans: joined.names }), ...(from !== to && { defaultPlan: [from, to] }) };
}

async function offersOf(
  database: Database,
  productId: number,
  transaction: Transaction,
): Promise<readonly OfferedPlan[]> {
  return (await readOffers(database, [productId], transaction)).get(productId) ?? [];
}
