import { randomUUID } from 'node:crypto';
import type { AdminRecord, UserRecord, UserStatus } from '../domain/accounts/index.js';
import type { ProductInput, ProductRecord } from '../domain/catalog/index.js';
import type { TestPortal } from './test-portal.js';

/** The password of every account that is made without one. */
export const TEST_PASSWORD = 'correct horse battery 9';

const unique = (): string => randomUUID().slice(0, 8);

export interface DeveloperOverrides {
  readonly email?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly password?: string;
  readonly status?: UserStatus;
}

/** A developer with a confirmed address, through the services. */
export function createDeveloper({ portal, clock }: TestPortal, over: DeveloperOverrides = {}): Promise<UserRecord> {
  return portal.services.accounts.users.create({
    email: `developer-${unique()}@example.com`,
    firstName: 'Ada',
    lastName: 'Lovelace',
    password: TEST_PASSWORD,
    status: 'active',
    emailVerifiedAt: clock.now(),
    ...over,
  });
}

export interface AdminOverrides {
  readonly email?: string;
  readonly name?: string;
  readonly password?: string;
  /** Names of roles; the ones that ship are seeded. */
  readonly roles?: readonly string[];
}

/** An admin, through the services; without `roles` one who may do nothing. */
export async function createAdmin({ portal }: TestPortal, over: AdminOverrides = {}): Promise<AdminRecord> {
  const { roles = [], ...fields } = over;
  const { accounts, rbac } = portal.services;
  const defaults = { email: `admin-${unique()}@example.com`, name: 'Grace Hopper', password: TEST_PASSWORD };
  const admin = await accounts.admins.create({ ...defaults, ...fields });
  if (roles.length === 0) return admin;
  await rbac.seed();
  return rbac.assignRoles({ adminId: admin.id, roles, by: 'operator' });
}

/** A public product that needs no approval, through the services. */
export function createProduct({ portal }: TestPortal, over: Partial<ProductInput> = {}): Promise<ProductRecord> {
  const slug = over.slug ?? `product-${unique()}`;
  const defaults = { slug, name: `Product ${slug}`, visibility: 'public', approval: 'auto' } as const;
  return portal.services.catalog.products.create({ ...defaults, gatewayProductId: `gateway-${slug}`, ...over });
}

/** Signs in through the API, as a client would. @returns the access token */
export async function signIn(
  { api, portal }: TestPortal,
  account: UserRecord | AdminRecord,
  password = TEST_PASSWORD,
): Promise<string> {
  const door = 'firstName' in account ? '' : `/${portal.config.portalApi.adminPrefix}`;
  const answer = await api('post', `${door}/auth/login`, { body: { email: account.email, password } });
  if (answer.status === 200) return (answer.body as { data: { access_token: string } }).data.access_token;
  throw new Error(`the login of ${account.email} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
}
