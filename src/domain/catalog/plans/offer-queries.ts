import { placeholders, selectOwned, type Database, type SqlValue, type Transaction } from '../../../database/index.js';
import type { OfferedPlan } from '../products/product.js';
import type { Viewer } from '../visibility.js';
import { planRecord, type PlanRow } from './plan.js';

/** The plans that products offer, whatever their status, in the order in which readers see them. */
export async function readOffers(
  database: Database,
  productIds: readonly number[],
  transaction?: Transaction,
): Promise<ReadonlyMap<number, readonly OfferedPlan[]>> {
  const found = new Map<number, OfferedPlan[]>(productIds.map((id) => [id, []]));
  if (productIds.length === 0) return found;
  const { id, slug, name, status, isKeyless } = planRecord.columns;
  const columns = { id, slug, name, status, isKeyless };
  const rows = await selectOffered<OfferedPlan>(
    database,
    columns,
    productIds,
    { where: '1 = 1', values: [] },
    transaction,
  );
  for (const { productId, ...plan } of rows) found.get(productId)?.push(plan);
  return found;
}

type OfferedRow = PlanRow & { readonly productId: number; readonly isDefault: boolean };

/** The active plans that products offer to a reader, in their order. */
export function findOffers(database: Database, productIds: readonly number[], viewer: Viewer): Promise<OfferedRow[]> {
  return selectOffered<PlanRow>(database, planRecord.columns, productIds, selectVisiblePlans(viewer));
}

function selectOffered<T>(
  database: Database,
  columns: Readonly<Record<string, string>>,
  productIds: readonly number[],
  { where, values }: ReturnType<typeof selectVisiblePlans>,
  transaction?: Transaction,
): Promise<(T & { readonly productId: number; readonly isDefault: boolean })[]> {
  const selected = Object.entries(columns).map(([name, sql]) => `${sql} AS \`${name}\``);
  return database.select(
    `SELECT ${selected.join(', ')}, pp.product_id AS productId, pp.is_default AS isDefault
     FROM portal_product_plans pp JOIN portal_plans pl ON pl.id = pp.plan_id
     WHERE pp.product_id IN (${placeholders(productIds)}) AND ${where} ORDER BY pl.position, pl.id`,
    [...productIds, ...values],
    { decode: { ...planRecord.decode, isDefault: 'boolean' }, transaction },
  );
}

/** Those of the products that are only to be had with a plan: one that hides its plans from somebody is not free. */
export async function findLimitedProducts(
  database: Database,
  productIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (productIds.length === 0) return new Set();
  const rows = await database.select<{ id: number }>(
    `SELECT DISTINCT pp.product_id AS id FROM portal_product_plans pp
     JOIN portal_plans pl ON pl.id = pp.plan_id AND pl.is_keyless = 0
     JOIN portal_plan_versions pv ON pv.plan_id = pp.plan_id AND pv.status <> 'draft'
     WHERE pp.product_id IN (${placeholders(productIds)})`,
    productIds,
  );
  return new Set(rows.map(({ id }) => id));
}

/** A product that everybody sees, with the version of its plan for calls without a key; undefined for none. */
export async function findKeylessOffer(
  database: Database,
  slug: string,
): Promise<{ readonly productId: number; readonly versionId: number } | undefined> {
  const [found] = await database.select<{ productId: number; versionId: number }>(
    `SELECT p.id AS productId, pv.id AS versionId FROM portal_products p
     JOIN portal_product_plans pp ON pp.product_id = p.id
     JOIN portal_plans pl ON pl.id = pp.plan_id AND pl.is_keyless = 1 AND pl.status = 'active'
     JOIN portal_plan_versions pv ON pv.plan_id = pl.id AND pv.status = 'active'
     WHERE p.slug = ? AND p.visibility = 'public'`,
    [slug],
  );
  return found;
}

/** The single rule for who may have which active plan: everybody, or only the members of its audiences. */
function selectVisiblePlans(viewer: Viewer): { readonly where: string; readonly values: readonly SqlValue[] } {
  const restricted = selectOwned({ table: 'portal_plan_audiences', owner: 'plan_id' }, 'pl.id');
  const member = `SELECT 1 FROM portal_plan_audiences offered
    JOIN portal_audience_users member ON member.audience_id = offered.audience_id
    WHERE offered.plan_id = pl.id AND member.user_id = ?`;
  const active = "pl.status = 'active'";
  switch (viewer.kind) {
    case 'admin':
      return { where: active, values: [] };
    case 'anonymous':
      return { where: `${active} AND NOT EXISTS (${restricted})`, values: [] };
    case 'developer':
      return {
        where: `${active} AND (NOT EXISTS (${restricted}) OR EXISTS (${member}))`,
        values: [viewer.userId],
      };
  }
}
