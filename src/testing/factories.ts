import { randomUUID } from 'node:crypto';
import type { AdminRecord, UserRecord, UserStatus } from '../domain/accounts/index.js';
import type { ProductInput, ProductRecord } from '../domain/catalog/index.js';
import type { TestPortal } from './test-portal.js';

/** Default password of accounts made here. */
export const TEST_PASSWORD = 'correct horse battery 9';

const unique = (): string => randomUUID().slice(0, 8);

export interface DeveloperOverrides {
  readonly email?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly password?: string;
  readonly status?: UserStatus;
}

/** Creates a developer with a confirmed address through the services. */
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
  /** Names of roles; the shipped ones exist. */
  readonly roles?: readonly string[];
}

/** Creates an admin through the services, without permissions unless `roles` are given. */
export async function createAdmin({ portal }: TestPortal, over: AdminOverrides = {}): Promise<AdminRecord> {
  const { roles = [], ...fields } = over;
  const { accounts, rbac } = portal.services;
  const defaults = { email: `admin-${unique()}@example.com`, name: 'Grace Hopper', password: TEST_PASSWORD };
  const admin = await accounts.admins.create({ ...defaults, ...fields });
  if (roles.length === 0) return admin;
  await rbac.seed();
  return rbac.assignRoles({ adminId: admin.id, roles, by: 'operator' });
}

/** Creates a public product that needs no approval through the services. */
export function createProduct({ portal }: TestPortal, over: Partial<ProductInput> = {}): Promise<ProductRecord> {
  const slug = over.slug ?? `product-${unique()}`;
  const defaults = { slug, name: `Product ${slug}`, visibility: 'public', approval: 'auto' } as const;
  return portal.services.catalog.products.create({ ...defaults, gatewayProductId: `gateway-${slug}`, ...over });
}

/** Signs in through the API. @returns the access token */
export async function signIn(
  { api, portal }: TestPortal,
  account: UserRecord | AdminRecord,
  password = TEST_PASSWORD,
): Promise<string> {
  const apiPrefix = 'firstName' in account ? '' : `/${portal.config.portalApi.adminPrefix}`;
  const answer = await api('post', `${apiPrefix}/auth/login`, { body: { email: account.email, password } });
  const body = answer.body as { readonly data: { readonly access_token: string } };
  if (answer.status === 200) return body.data.access_token;
  throw new Error(`the login of ${account.email} answered ${answer.status}: ${JSON.stringify(body)}`);
}
