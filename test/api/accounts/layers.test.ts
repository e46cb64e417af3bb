import { Joi, defineRoute, type ApiAuthorizer } from '../../../src/index.js';
import { ForbiddenError } from '../../../src/core/index.js';
import { createAdmin, createRole, createUser } from '../../support/factories.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal, type TestPortalOptions } from '../../support/test-portal.js';

const USERS = '/api/v1/admin/users';
const REPORTS = '/api/v1/admin/reports';

const started: TestPortal[] = [];
afterEach(async () => {
  for (const test of started.splice(0).reverse()) await test.stop();
});

async function start(options: TestPortalOptions = {}): Promise<TestPortal> {
  const test = await startTestPortal(options);
  started.push(test);
  if (options.databaseUrl === undefined) await test.portal.services.rbac.seed();
  return test;
}

const reports = (guards: { permission?: string; policy?: readonly [string, string] }) => () => [
  defineRoute({
    context: 'admin',
    method: 'get',
    path: '/reports',
    ...guards,
    operation: 'listReports',
    tag: 'Reports',
    summary: 'Reports of the host',
    reply: { 200: Joi.object() },
    handle: () => ({}),
  }),
];

describe('an authorizer of the host', () => {
  it('is asked with admin, ability and subject, on lists of the portal and on routes of the host', async () => {
    const asked: unknown[] = [];
    class AcmeAuthorizer implements ApiAuthorizer {
      async authorize(admin: { readonly id: number }, ability: string, subject: string): Promise<void> {
        asked.push([admin.id, ability, subject]);
        if (ability !== 'view' || subject === 'products') throw new ForbiddenError();
      }
    }
    const test = await start({
      extensions: { authorizer: () => new AcmeAuthorizer(), routes: reports({ policy: ['view', 'reports'] }) },
    });
    const admin = await createAdmin(test, { roles: [await createRole(test, ['portal.admin.access'])] });
    const token = await signIn(test, admin);
    const { client } = test;
    expect((await client.get(USERS, { token })).status).toBe(200);
    expect((await client.get(REPORTS, { token })).status).toBe(200);
    expect((await client.post(USERS, {}, { token })).status).toBe(403);
    expect(asked).toEqual([
      [admin.id, 'view', 'users'],
      [admin.id, 'view', 'reports'],
      [admin.id, 'create', 'users'],
    ]);
    // The first layer stays the portal's: without its permission nobody is asked.
    const nobody = await signIn(test, await createAdmin(test));
    expect((await client.get(REPORTS, { token: nobody })).status).toBe(403);
    expect(asked).toHaveLength(3);
  });
});

describe('a permission of the host', () => {
  it.each([
    ['named by the route', 'acme.reports.view', { permission: 'acme.reports.view' }],
    ['asked for by the policy', 'portal.reports.view', { policy: ['view', 'reports'] as const }],
  ])('%s opens its route to who was given it', async (_case, name, guards) => {
    const test = await start({ extensions: { routes: reports(guards) } });
    const root = await signIn(test, await createAdmin(test, { roles: ['super_admin'] }));
    const role = await createRole(test, ['portal.admin.access']);
    const token = await signIn(test, await createAdmin(test, { roles: [role] }));
    const status = async () => (await test.client.get(REPORTS, { token })).status;
    expect(await status()).toBe(403);
    const made = await test.client.post('/api/v1/admin/permissions', { name }, { token: root });
    expect(made.status).toBe(201);
    const known = (await test.client.get('/api/v1/admin/roles?per_page=100', { token: root })).json.data;
    const { id } = known.find((each: { name: string }) => each.name === role);
    const permissions = ['portal.admin.access', name];
    await test.client.put(`/api/v1/admin/roles/${id}/permissions`, { permissions }, { token: root });
    // Another replica may know it a second later (S61).
    test.clock.advance(1);
    expect(await status()).toBe(200);
  });
});

describe('a change of rights through one replica', () => {
  it('acts within a second on another (S61)', async () => {
    const one = await start();
    const two = await start({ databaseUrl: one.databaseUrl, clock: one.clock });
    const root = await signIn(one, await createAdmin(one, { roles: ['super_admin'] }));
    const role = await createRole(one, ['portal.admin.access', 'portal.users.view']);
    const admin = await createAdmin(one, { roles: [role] });
    const token = await signIn(one, admin);
    const statuses = async () => [
      (await one.client.get(USERS, { token })).status,
      (await two.client.get(USERS, { token })).status,
    ];
    const { client, clock } = one;
    const roles = (await client.get('/api/v1/admin/roles?per_page=100', { token: root })).json.data;
    const { id } = roles.find(({ name }: { name: string }) => name === role);
    const change = (path: string, body: unknown) => client.put(`/api/v1/admin/${path}`, body, { token: root });

    expect(await statuses()).toEqual([200, 200]);
    await change(`roles/${id}/permissions`, { permissions: ['portal.admin.access'] });
    clock.advance(0.9);
    expect(await statuses()).toEqual([403, 403]);
    await change(`roles/${id}/permissions`, { permissions: ['portal.admin.access', 'portal.users.view'] });
    clock.advance(0.9);
    expect(await statuses()).toEqual([200, 200]);
    await change(`admins/${admin.id}/roles`, { roles: [] });
    clock.advance(0.9);
    expect(await statuses()).toEqual([403, 403]);
    await change(`admins/${admin.id}`, { status: 'inactive' });
    expect(await statuses()).toEqual([401, 401]);
  });
});

describe('the switches of the layers (S61)', () => {
  it('open no admin route to a developer, not even both of them', async () => {
    const test = await start({ config: { portalApi: { rbac: { enabled: false }, usePolicies: false } } });
    const token = await signIn(test, await createUser(test));
    for (const path of ['users', 'admins', 'roles', 'permissions']) {
      expect((await test.client.get(`/api/v1/admin/${path}`, { token })).status).toBe(401);
      expect((await test.client.post(`/api/v1/admin/${path}`, {}, { token })).status).toBe(401);
    }
  });

  it('do not switch off that nobody gives what they lack', async () => {
    const test = await start({ config: { portalApi: { rbac: { enabled: false }, usePolicies: false } } });
    const token = await signIn(test, await createAdmin(test));
    const body = { name: 'Mallory', email: 'm@example.com', password: 'seven blue bicycles', roles: ['super_admin'] };
    expect((await test.client.post('/api/v1/admin/admins', body, { token })).status).toBe(403);
  });

  it('warn at the start when both are off', async () => {
    const { resolveConfig } = await import('../../../src/config/index.js');
    const warnings = (enabled: boolean, usePolicies: boolean) => {
      const definition = {
        app: { env: 'test', key: `base64:${Buffer.alloc(32, 7).toString('base64')}` },
        portalApi: { jwtSecret: 'a'.repeat(20) + 'bcdefghijklmnopqrstuvwxyz', rbac: { enabled }, usePolicies },
      } as const;
      return resolveConfig({ definition }).warnings.filter((warning) =>
        JSON.stringify(warning).includes('usePolicies'),
      );
    };
    expect(warnings(false, false)).toHaveLength(1);
    expect([...warnings(true, false), ...warnings(false, true)]).toEqual([]);
  });
});
