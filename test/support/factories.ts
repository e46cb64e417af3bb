import { DEPOT } from './documents.js';
import { adminRecord, userRecord, type AdminRecord, type UserRecord } from '../../src/domain/accounts/index.js';
import type {
  PlanInput,
  PlanLimits,
  PlanRecord,
  ProductInput,
  ProductRecord,
  SpecSource,
} from '../../src/domain/catalog/index.js';
import type { TestPortal } from './test-portal.js';

/** The password of every account made here. */
export const PASSWORD = 'correct horse battery staple';
/** Its hash, made once: hashing costs a test 30 ms for each account. */
const PASSWORD_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$cArBsM0NIWmK/DSm+cX9LA$g3VioDum7u+jIr+fYdfuSqQStP7UZM1HAYWqYApdaIA';

let count = 0;

type UserOverrides = Partial<
  Pick<UserRecord, 'email' | 'firstName' | 'lastName' | 'status' | 'emailVerifiedAt' | 'customAttributes'>
> & { passwordHash?: string };

/** A developer, written past the services. */
export async function createUser({ portal, clock }: TestPortal, overrides: UserOverrides = {}): Promise<UserRecord> {
  count += 1;
  const id = await userRecord.insert(portal.database, {
    email: `developer${count}@example.com`,
    firstName: 'Ada',
    lastName: `Lovelace ${count}`,
    passwordHash: PASSWORD_HASH,
    status: 'active',
    customAttributes: {},
    createdAt: clock.now(),
    updatedAt: clock.now(),
    ...overrides,
  });
  return portal.services.accounts.users.find(id);
}

type AdminOverrides = Partial<Pick<AdminRecord, 'email' | 'name' | 'status'>> & { roles?: readonly string[] };

/** An admin, written past the services; `roles` asks for a portal whose `services.rbac.seed()` ran. */
export async function createAdmin(
  { portal, clock }: TestPortal,
  { roles = [], ...overrides }: AdminOverrides = {},
): Promise<AdminRecord> {
  count += 1;
  const id = await adminRecord.insert(portal.database, {
    name: `Grace Hopper ${count}`,
    email: `admin${count}@example.com`,
    passwordHash: PASSWORD_HASH,
    status: 'active',
    createdAt: clock.now(),
    updatedAt: clock.now(),
    ...overrides,
  });
  const { rbac, accounts } = portal.services;
  if (roles.length > 0) await rbac.assignRoles({ adminId: id, roles, by: 'operator' });
  return accounts.admins.find(id);
}

/** A role with exactly these permissions. @returns its name */
export async function createRole({ portal, clock }: TestPortal, permissions: readonly string[]): Promise<string> {
  count += 1;
  const name = `role${count}`;
  const now = clock.now();
  const insert = 'INSERT INTO portal_roles (name, label, created_at, updated_at) VALUES (?, ?, ?, ?)';
  const { insertId } = await portal.database.execute(insert, [name, name, now, now]);
  for (const permission of new Set(permissions)) {
    await portal.database.execute(
      'INSERT INTO portal_role_permissions (role_id, permission_id) SELECT ?, id FROM portal_permissions WHERE name = ?',
      [insertId, permission],
    );
  }
  portal.services.rbac.refresh();
  return name;
}

/** A plan with one active version, through the services. */
export async function createPlan(
  { portal }: TestPortal,
  { slug = `plan-${(count += 1)}`, ...overrides }: Partial<PlanInput> = {},
  limits: Partial<PlanLimits> = {},
): Promise<PlanRecord> {
  const { plans, planVersions } = portal.services.catalog;
  const plan = await plans.create({ slug, name: slug, approval: 'auto', ...overrides });
  await planVersions.activate(await planVersions.create(plan, limits));
  return plans.find(plan.id);
}

/** A public product that needs no approval, through the service. */
export async function createProduct(
  { portal }: TestPortal,
  overrides: Partial<ProductInput> = {},
  spec?: SpecSource,
): Promise<ProductRecord> {
  count += 1;
  const slug = overrides.slug ?? `product-${count}`;
  const defaults = { slug, name: `Product ${count}`, visibility: 'public', approval: 'auto' } as const;
  const input = { ...defaults, gatewayProductId: `gateway-${slug}`, ...overrides };
  return portal.services.catalog.products.create(input, spec);
}

/** A product with a document that no upload would take. @returns its slug */
export async function storePastTheUpload(test: TestPortal, document: object | string): Promise<string> {
  const slug = `hostile-${count + 1}`;
  const { id } = await createProduct(test, { slug, name: slug }, { ...DEPOT, host: `${slug}.example` });
  await test.portal.database.execute('UPDATE portal_product_specs SET document = ? WHERE product_id = ?', [
    typeof document === 'string' ? document : JSON.stringify(document),
    id,
  ]);
  return slug;
}

/** A guide of the portal, and what its history holds of it. */
export async function createGuide(
  { portal }: TestPortal,
  slug: string,
  visibility: 'public' | 'draft',
): Promise<{ id: number; version: number }> {
  const { guides } = portal.services.content;
  const { id } = await guides.create({ kind: 'guide', productId: null }, { slug, name: slug, visibility });
  const latest = { page: 1, perPage: 1, orderBy: 'created_at', direction: 'DESC', with: [], filters: [] } as const;
  const [version] = (await guides.history.list({ id }, latest)).items;
  return { id, version: version?.id ?? 0 };
}
