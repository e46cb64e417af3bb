import { Admin } from '../../support/admin.js';
import { createAdmin, createRole, createUser } from '../../support/factories.js';
import type { Answer } from '../../support/http-client.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const READ = 'portal.products.view';
const WRITE = 'portal.products.update';
const DAY_S = 86_400;

let test: TestPortal;
let boss: Admin;
beforeAll(async () => {
  test = await startTestPortal();
});
beforeEach(async () => {
  boss = await Admin.create(test);
  await test.portal.database.execute('DELETE FROM portal_service_tokens');
});
afterAll(() => test.stop());

interface Made {
  readonly id: number;
  readonly token: string;
}

async function make(permissions: readonly string[] = [READ], name = 'ci'): Promise<Made> {
  const { status, json } = await boss.post('/service-tokens', { name, permissions });
  expect([status, json.errors]).toEqual([201, undefined]);
  return json.data as Made;
}
/** With a service token. */
const call = (token: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  test.client.send(method, `/api/v1${path}`, { token, ...(body !== undefined && { body }) });
const statusOf = async (token: string, path: string, method = 'GET', body?: unknown) =>
  (await call(token, method, `/admin${path}`, body)).status;

describe('a service token', () => {
  it('is told once, as 256 random bits behind a prefix that scanners find, and kept as a hash', async () => {
    const { id, token } = await make();
    expect(token).toMatch(/^portal_svc_[\w-]{43}$/);
    const shown = await boss.get(`/service-tokens/${id}`);
    expect(shown.json.data).toMatchObject({
      ...{ name: 'ci', state: 'active', ending: token.slice(-4), last_used_at: null },
      permissions: ['portal.admin.access', READ],
    });
    const rows = await test.portal.database.select('SELECT * FROM portal_service_tokens');
    expect(JSON.stringify([shown.json, (await boss.get('/service-tokens')).json, rows])).not.toContain(token);
    const activities = await test.portal.database.select(
      "SELECT * FROM portal_activities WHERE action = 'service_token.created'",
    );
    expect(JSON.stringify(activities)).not.toContain(token);
  });

  it('may do what its permissions say on admin routes, and nothing else', async () => {
    const { token } = await make([READ]);
    expect(await statusOf(token, '/products')).toBe(200);
    expect(await statusOf(token, '/products', 'POST', { slug: 'x', name: 'X' })).toBe(403);
    for (const path of [
      '/users',
      '/settings',
      '/roles',
      '/activities',
      '/service-tokens',
      '/me',
      '/me/sessions',
      '/views?resource=users',
    ])
      expect([path, await statusOf(token, path)]).toEqual([path, 403]);
  });

  it('opens no route of developers, and no page', async () => {
    const { token } = await make();
    expect((await call(token, 'GET', '/me')).status).toBe(401);
    expect((await call(token, 'GET', '/me/apps')).status).toBe(401);
    const page = await test.client.send('GET', '/admin', { token });
    expect([302, 303]).toContain(page.status);
  });

  it('makes changes that the activity log records with the service as actor', async () => {
    await test.portal.services.catalog.categories.create({ slug: 'maps', name: 'Maps' });
    const { id, token } = await make(['portal.categories.view', 'portal.categories.update']);
    const { json } = await call(token, 'GET', '/admin/categories');
    const [category] = json.data as { id: number }[];
    expect(await statusOf(token, `/categories/${category?.id}`, 'PUT', { name: 'Charts' })).toBe(200);
    const log = await boss.get('/activities?order_by=id&direction=desc&per_page=5');
    const entries = log.json.data as { action: string; actor: unknown }[];
    expect(entries.find(({ action }) => action === 'category.updated')?.actor).toEqual({
      ...{ type: 'service', id, name: 'ci', email: null },
    });
  });

  it('is out on every replica at once when it is revoked, also where it was just used', async () => {
    const { id, token } = await make();
    for (let use = 0; use < 4; use += 1) expect(await statusOf(token, '/products')).toBe(200);
    expect((await boss.delete(`/service-tokens/${id}`)).status).toBe(200);
    expect((await boss.get(`/service-tokens/${id}`)).json.data.state).toBe('revoked');
    for (let use = 0; use < 4; use += 1) expect(await statusOf(token, '/products')).toBe(401);
    expect((await boss.post(`/service-tokens/${id}/rotate`)).status).toBe(409);
    // The name is free again.
    await make();
  });

  it('ends at its time, in 90 days when nobody said', async () => {
    const { token } = await make();
    test.clock.advance(90 * DAY_S - 1);
    expect(await statusOf(token, '/products')).toBe(200);
    test.clock.advance(1);
    expect(await statusOf(token, '/products')).toBe(401);
    boss.token = await signIn(test, boss.record);
    const { status, json } = await boss.post('/service-tokens', {
      name: 'x',
      permissions: [READ],
      expires_in: 400 * DAY_S,
    });
    expect([status, Object.keys(json.errors)]).toEqual([422, ['expires_in']]);
  });

  it('is replaced by another one, and the earlier one is out', async () => {
    const { id, token } = await make();
    const { json } = await boss.post(`/service-tokens/${id}/rotate`);
    expect(await statusOf(token, '/products')).toBe(401);
    expect(await statusOf(json.data.token as string, '/products')).toBe(200);
  });

  it('tells to the minute when it was used last', async () => {
    const { id, token } = await make();
    await statusOf(token, '/products');
    const first = test.clock.now().toISOString();
    test.clock.advance(30);
    await statusOf(token, '/products');
    expect((await boss.get(`/service-tokens/${id}`)).json.data.last_used_at).toBe(first);
    test.clock.advance(30);
    await statusOf(token, '/products');
    expect((await boss.get(`/service-tokens/${id}`)).json.data.last_used_at).toBe(test.clock.now().toISOString());
  });

  it('that nobody made is refused like any other bad token', async () => {
    const made = await make();
    for (const token of ['portal_svc_', `portal_svc_${'A'.repeat(43)}`, `${made.token}x`, made.token.toUpperCase()]) {
      const { status, json } = await call(token, 'GET', '/admin/products');
      expect([status, json.message]).toEqual([401, 'Unauthenticated.']);
    }
  });
});

describe('giving permissions to a machine', () => {
  it('takes somebody who holds them (S59)', async () => {
    const maker = await Admin.create(test, ['portal.service_tokens.create', 'portal.service_tokens.update', READ]);
    const body = { name: 'mine', permissions: [READ] };
    expect((await maker.post('/service-tokens', body)).status).toBe(201);
    expect((await maker.post('/service-tokens', { name: 'more', permissions: [READ, WRITE] })).status).toBe(403);
    const strong = await make([WRITE], 'strong');
    expect((await maker.post(`/service-tokens/${strong.id}/rotate`)).status).toBe(403);
    expect(await statusOf(strong.token, '/products/1', 'PUT', {})).not.toBe(401);
  });

  it('takes a fresh sign-in, which a machine never has, whatever it may', async () => {
    const all = (await boss.get('/permissions?per_page=100')).json.data as { name: string }[];
    const { token } = await make(all.map(({ name }) => name));
    const refused = await call(token, 'POST', '/admin/service-tokens', { name: 'child', permissions: [READ] });
    expect([refused.status, refused.json.message]).toEqual([403, 'Re-authentication required.']);
    const role = await call(token, 'POST', '/admin/roles', { name: 'mine', permissions: [] });
    expect([role.status, role.json.message]).toEqual([403, 'Re-authentication required.']);
  });

  it('never passes what only roles pass that bypass every check', async () => {
    const role = await createRole(test, []);
    const admin = await createAdmin(test, { roles: [role] });
    const all = (await boss.get('/permissions?per_page=100')).json.data as { name: string }[];
    const { token } = await make(all.map(({ name }) => name));
    const given = await call(token, 'PUT', `/admin/admins/${admin.id}/roles`, { roles: ['super_admin'] });
    expect(given.status).toBe(403);
    const { id } = await createUser(test);
    expect((await call(token, 'POST', `/admin/users/${id}/view`, { reason: 'x' })).status).toBe(403);
  });

  it('refuses names that are taken and permissions that do not exist', async () => {
    await make();
    const { status, json } = await boss.post('/service-tokens', { name: 'ci', permissions: [READ] });
    expect([status, Object.keys(json.errors)]).toEqual([422, ['name']]);
    const strange = await boss.post('/service-tokens', { name: 'other', permissions: ['portal.nothing'] });
    expect([strange.status, Object.keys(strange.json.errors)]).toEqual([422, ['permissions']]);
  });

  it('keeps a permission from being renamed into another one under its holders', async () => {
    const made = await boss.post('/permissions', { name: 'acme.reports', description: 'x' });
    const { id } = made.json.data as { id: number };
    await make(['acme.reports'], 'reports');
    const weak = await Admin.create(test, ['portal.rbac.manage']);
    expect((await weak.put(`/permissions/${id}`, { name: 'acme.payouts' })).status).toBe(403);
  });
});

describe('with both layers of authorization switched off', () => {
  it('a service token still has exactly its permissions', async () => {
    const open = await startTestPortal({ config: { portalApi: { rbac: { enabled: false }, usePolicies: false } } });
    try {
      await open.portal.services.rbac.seed();
      const { serviceTokens } = open.portal.services.administration;
      const { secret } = await serviceTokens.create({ name: 'ci', permissions: [READ] }, 'operator');
      const status = async (path: string) => (await open.client.get(`/api/v1/admin${path}`, { token: secret })).status;
      expect([await status('/products'), await status('/users'), await status('/settings')]).toEqual([200, 403, 403]);
    } finally {
      await open.stop();
    }
  });
});
