import { resolveConfig, type PortalConfigInput } from '../../../src/config/index.js';
import { defaultRoles, RouteAuthorizer, type Grants } from '../../../src/domain/rbac/index.js';
import { PermissionAuthorizer } from '../../../src/domain/rbac/authorizer.js';
import { ForbiddenError, OWN_ACCOUNT } from '../../../src/core/index.js';

const ADMIN = { id: 1, context: 'admin' };
const CONSUMER = { id: 1, context: 'consumer' };

type Switches = NonNullable<PortalConfigInput['portalApi']>;

function rulesFor(permissions: readonly string[], switches: Switches = {}, bypass = false) {
  const definition = {
    app: { env: 'test', key: `base64:${Buffer.alloc(32, 7).toString('base64')}` },
    portalApi: { jwtSecret: 'x'.repeat(48), ...switches },
  };
  const { portalApi } = resolveConfig({ definition: definition }).config;
  const grants: Grants = { roles: [], permissions: new Set(permissions), bypass };
  const source = { grantsOf: () => Promise.resolve(grants) };
  const policies = new PermissionAuthorizer(source, portalApi);
  return { policies, routes: new RouteAuthorizer(source, policies, portalApi) };
}

async function passes(check: Promise<void>): Promise<boolean> {
  try {
    await check;
    return true;
  } catch (error) {
    if (error instanceof ForbiddenError) return false;
    throw error;
  }
}

const CORE = {
  adminAccess: 'portal.admin.access',
  manageRbac: 'portal.rbac.manage',
  manageAdmins: 'portal.admins.manage',
  viewActivities: 'portal.activities.view',
};

describe('the policy layer', () => {
  // Role → resource → abilities, as c(reate) v(iew) u(pdate) d(elete).
  const table: Record<string, Record<string, string>> = {
    super_admin: {
      users: 'vcud',
      apps: 'vcud',
      products: 'vcud',
      settings: 'vcud',
      admins: 'vcud',
      roles: 'vcud',
      activities: 'vcud',
    },
    admin: {
      users: 'vcud',
      apps: 'vcud',
      products: 'vcud',
      settings: 'vcud',
      admins: '',
      roles: '',
      activities: 'vcud',
    },
    catalog_manager: { users: '', apps: '', products: 'vcud', settings: '', admins: '', roles: '', activities: '' },
    support: { users: 'vcu', apps: 'vcud', products: 'v', settings: '', admins: '', roles: '', activities: '' },
    auditor: { users: 'v', apps: 'v', products: 'v', settings: 'v', admins: 'v', roles: 'v', activities: 'vcud' },
  };
  const cases = Object.entries(table).flatMap(([role, resources]) =>
    Object.entries(resources).map(([resource, abilities]) => [role, resource, abilities] as const),
  );

  it.each(cases)('lets %s on %s do: %s', async (role, resource, expected) => {
    const { policies } = rulesFor(defaultRoles(CORE).find(({ name }) => name === role)?.permissions ?? []);
    let allowed = '';
    for (const ability of ['view', 'create', 'update', 'delete']) {
      if (await passes(policies.authorize(ADMIN, ability, resource))) allowed += ability.charAt(0);
    }
    expect(allowed).toBe(expected);
  });

  it.each([
    ['portal.admins.manage', 'admins'],
    ['portal.rbac.manage', 'roles'],
    ['portal.rbac.manage', 'permissions'],
    ['portal.activities.view', 'activities'],
  ])('lets %s stand for everything on %s and nothing else', async (permission, resource) => {
    const { policies } = rulesFor([permission]);
    expect(await passes(policies.authorize(ADMIN, 'delete', resource))).toBe(true);
    expect(await passes(policies.authorize(ADMIN, 'view', 'users'))).toBe(false);
  });

  it.each(['constructor', '__proto__', 'toString', ''])('knows no resource %j', async (resource) => {
    expect(await passes(rulesFor([]).policies.authorize(ADMIN, 'view', resource))).toBe(false);
  });
});

describe('both layers of an admin route', () => {
  const route = { permission: 'portal.admins.manage', policy: ['view', 'users'] } as const;
  const all = ['portal.admin.access', 'portal.admins.manage', 'portal.users.view'];

  it('ask for access, the permission of the route and its policy', async () => {
    expect(await passes(rulesFor(all).routes.authorize(ADMIN, route))).toBe(true);
    for (const missing of all) {
      const { routes } = rulesFor(all.filter((name) => name !== missing));
      expect(await passes(routes.authorize(ADMIN, route))).toBe(false);
    }
  });

  it('ask for access where a route names a policy only', async () => {
    const policyOnly = { policy: ['view', 'users'] } as const;
    expect(await passes(rulesFor(['portal.users.view']).routes.authorize(ADMIN, policyOnly))).toBe(false);
    const { routes } = rulesFor(['portal.users.view', 'portal.admin.access']);
    expect(await passes(routes.authorize(ADMIN, policyOnly))).toBe(true);
  });

  it('leave an admin their own account', async () => {
    expect(await passes(rulesFor([]).routes.authorize(ADMIN, { permission: OWN_ACCOUNT }))).toBe(true);
  });

  it('let a bypass role pass', async () => {
    expect(await passes(rulesFor([], {}, true).routes.authorize(ADMIN, route))).toBe(true);
  });

  it('can be switched off alone', async () => {
    const withoutRoutes = rulesFor(['portal.users.view'], { rbac: { enabled: false } }).routes;
    expect(await passes(withoutRoutes.authorize(ADMIN, route))).toBe(true);
    expect(await passes(rulesFor([], { rbac: { enabled: false } }).routes.authorize(ADMIN, route))).toBe(false);
    const access = ['portal.admin.access', 'portal.admins.manage'];
    const withoutPolicies = rulesFor(access, { usePolicies: false }).routes;
    expect(await passes(withoutPolicies.authorize(ADMIN, route))).toBe(true);
    expect(await passes(rulesFor([], { usePolicies: false }).routes.authorize(ADMIN, route))).toBe(false);
  });

  it.each([
    ['on', true, true],
    ['without the first', false, true],
    ['without the second', true, false],
    ['off', false, false],
  ])('never open an admin route to a developer: %s (S61)', async (_case, enabled, usePolicies) => {
    const switches = { rbac: { enabled }, usePolicies };
    for (const guarded of [route, { permission: OWN_ACCOUNT }, {}]) {
      expect(await passes(rulesFor(all, switches, true).routes.authorize(CONSUMER, guarded))).toBe(false);
      expect(await passes(rulesFor(all, switches, true).routes.authorize({ id: 1 }, guarded))).toBe(false);
    }
  });

  it('know the four permissions under the names that the host gave them', async () => {
    const permissions = { adminAccess: 'acme.access', manageAdmins: 'acme.admins' };
    const renamed = (held: string[]) => rulesFor(held, { rbac: { permissions } });
    const asked = { permission: 'portal.admins.manage', policy: ['update', 'admins'] } as const;
    expect(await passes(renamed(['acme.access', 'acme.admins']).routes.authorize(ADMIN, asked))).toBe(true);
    const old = ['portal.admin.access', 'portal.admins.manage'];
    expect(await passes(renamed(old).routes.authorize(ADMIN, asked))).toBe(false);
  });
});
