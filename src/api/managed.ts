/**
 * Operations that change what files in a repository say of a record, with its kind: where edits of managed records are
 * forbidden, an admin is refused them. What files say nothing of, such as versions and changes of a product, is not among them.
 */
const CHANGES: Readonly<Record<string, readonly string[]>> = {
  roles: ['updateRole', 'deleteRole', 'setRolePermissions'],
  settings: ['updateSetting', 'deleteSetting'],
  categories: ['updateCategory', 'deleteCategory', 'setCategoryThumbnail', 'deleteCategoryThumbnail'],
  audiences: ['updateAudience', 'deleteAudience'],
  plans: [
    ...['updatePlan', 'deletePlan', 'archivePlan', 'restorePlan'],
    ...['createPlanVersion', 'updatePlanVersion', 'activatePlanVersion'],
  ],
  products: [
    ...['updateProduct', 'deleteProduct', 'setProductSpec', 'deleteProductSpec', 'setProductThumbnail'],
    ...['setProductWorkflows', 'deleteProductWorkflows'],
    ...['deleteProductThumbnail', 'setProductCategories', 'setProductAudiences', 'setProductPlans'],
  ],
  guides: ['updateGuide', 'deleteGuide'],
  menus: ['updateMenu', 'deleteMenu', 'createMenuItem', 'updateMenuItem', 'deleteMenuItem'],
  webhooks: ['updateWebhook', 'deleteWebhook'],
};

export type ManagedKind =
  'roles' | 'settings' | 'categories' | 'audiences' | 'plans' | 'products' | 'guides' | 'menus' | 'webhooks';

/** Kinds of records that files can describe. */
export const MANAGED_KINDS = Object.keys(CHANGES) as readonly ManagedKind[];

const KIND_OF = new Map(Object.entries(CHANGES).flatMap(([kind, names]) => names.map((name) => [name, kind] as const)));

/** The kind of record that an operation changes as files would; undefined for every other operation. */
export function managedKindOf(operation: string): string | undefined {
  return KIND_OF.get(operation);
}

/** @param found what the route found at its path. @returns the id of the record that files describe */
export function managedIdOf(found: unknown, params: Readonly<Record<string, unknown>>): number {
  if (params.menu !== undefined) return Number(params.menu);
  // A version of a plan belongs to what files say of the plan.
  const { planId, id } = found as { readonly planId?: number; readonly id: number };
  return planId ?? id;
}
