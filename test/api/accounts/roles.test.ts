import { permissionListReply, permissionReply } from '../../../src/api/accounts/permission-schema.js';
import { roleListReply, roleReply } from '../../../src/api/accounts/role-schema.js';
import { permissionList, roleList } from '../../../src/domain/rbac/index.js';
import { PortalEvent } from '../../../src/core/index.js';
import { createAdmin } from '../../support/factories.js';
import type { Call } from '../../support/http-client.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const BASE = '/api/v1/admin';

let test: TestPortal;
let token: string;
const seen: PortalEvent[] = [];
beforeAll(async () => {
  test = await startTestPortal({ config: { portalApi: { rbac: { bypassRoles: ['super_admin', 'owner'] } } } });
  await test.portal.services.rbac.seed();
  token = await signIn(test, await createAdmin(test, { roles: ['super_admin'] }));
  test.portal.events.on(PortalEvent, (event) => void seen.push(event));
});
afterAll(() => test.stop());
beforeEach(() => void (seen.length = 0));

const get = (path: string) => test.client.get(`${BASE}${path}`, { token });
const post = (path: string, body: unknown) => test.client.post(`${BASE}${path}`, body, { token });
const put = (path: string, body: unknown, call: Call = {}) =>
  test.client.put(`${BASE}${path}`, body, { token, ...call });
const remove = (path: string, call: Call = {}) => test.client.delete(`${BASE}${path}`, { token, ...call });
const events = () => seen.map((event) => [event.constructor.name, (event as { changes?: unknown }).changes]);

async function idOf(kind: 'roles' | 'permissions', name: string): Promise<number> {
  const { json } = await get(`/${kind}?filters=${encodeURIComponent(JSON.stringify({ name }))}`);
  return json.data[0].id as number;
}

let count = 0;
const newRole = async (overrides: object = {}) => {
  count += 1;
  const { json } = await post('/roles', { name: `made_${count}`, permissions: ['portal.users.view'], ...overrides });
  seen.length = 0;
  return json.data as { id: number; name: string; label: string; permissions: string[] };
};

describe('roles', () => {
  it('are created with permissions by name and id, each once and in order', async () => {
    const id = await idOf('permissions', 'portal.apps.view');
    const body = {
      name: 'partner_manager',
      label: 'Partners',
      permissions: ['portal.users.view', id, 'portal.users.view'],
    };
    const { status, json } = await post('/roles', body);
    expect(status).toBe(201);
    expect(roleReply.validate(json.data, { convert: false }).error).toBeUndefined();
    expect(json.data).toMatchObject({ label: 'Partners', permissions: ['portal.apps.view', 'portal.users.view'] });
    expect(events()).toEqual([['RoleCreatedEvent', undefined]]);
    expect((await get(`/roles/${json.data.id}`)).json.data).toEqual(json.data);
  });

  it.each([
    [{ name: 'Upper' }, 'name'],
    [{ name: '1st' }, 'name'],
    [{ name: 'a b' }, 'name'],
    [{ name: 'a'.repeat(101) }, 'name'],
    [{ name: undefined }, 'name'],
    [{ name: 7 }, 'name'],
    [{ name: 'partner_manager' }, 'name'],
    [{ name: 'support' }, 'name'],
    [{ label: '' }, 'label'],
    [{ label: 'a'.repeat(201) }, 'label'],
    [{ label: 'a\u0007' }, 'label'],
    [{ permissions: 'portal.users.view' }, 'permissions'],
    [{ permissions: ['portal.nothing', 99_999] }, 'permissions'],
    [{ permissions: [null] }, 'permissions.0'],
  ])('refuse %j on %s', async (wrong, field) => {
    const { status, json } = await post('/roles', { name: 'another', ...wrong });
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
    expect(events()).toEqual([]);
  });

  it('change what is given, tell what changed, and nothing without a change', async () => {
    const role = await newRole();
    const change = { label: 'New', permissions: ['portal.apps.view', 'portal.users.view'] };
    const { status, json } = await put(`/roles/${role.id}`, change);
    expect([status, json.data]).toEqual([200, expect.objectContaining({ ...change, name: role.name })]);
    const permissions = [['portal.users.view'], ['portal.apps.view', 'portal.users.view']];
    expect(events()).toEqual([['RoleUpdatedEvent', { label: [role.name, 'New'], permissions }]]);
    seen.length = 0;
    const again = await put(`/roles/${role.id}`, { ...change, name: role.name });
    expect([again.json.data.updated_at, events()]).toEqual([json.data.updated_at, []]);
    const renamed = await put(`/roles/${role.id}`, { name: `${role.name}-x` });
    expect(renamed.json.data.name).toBe(`${role.name}-x`);
  });

  it('take If-Match, also for their permissions', async () => {
    const role = await newRole();
    const headers = { 'if-match': (await get(`/roles/${role.id}`)).headers.get('etag') ?? '' };
    const path = `/roles/${role.id}/permissions`;
    const first = await put(path, { permissions: [] }, { headers });
    expect([first.status, first.json.data.permissions]).toEqual([200, []]);
    expect((await put(path, { permissions: ['portal.users.view'] }, { headers })).status).toBe(412);
    expect((await put(`/roles/${role.id}`, { label: 'Late' }, { headers })).status).toBe(412);
    expect((await remove(`/roles/${role.id}`, { headers })).status).toBe(412);
    expect((await put(path, {})).json.errors).toHaveProperty('permissions');
  });

  it('that ship, and that pass every check, keep their names and stay; their labels may change', async () => {
    for (const name of ['support', 'super_admin', 'owner']) {
      const id = await idOf('roles', name);
      for (const answer of [await put(`/roles/${id}`, { name: 'other_name' }), await remove(`/roles/${id}`)]) {
        expect([answer.status, answer.json.errors]).toEqual([
          409,
          { name: ['A role that ships is never renamed or deleted.'] },
        ]);
      }
      expect((await put(`/roles/${id}`, { label: 'Ours', name })).status).toBe(200);
    }
  });

  it('go when nobody holds them, and say how many do', async () => {
    const role = await newRole();
    const holders = [await createAdmin(test, { roles: [role.name] }), await createAdmin(test, { roles: [role.name] })];
    const { status, json } = await remove(`/roles/${role.id}`);
    expect([status, json.errors]).toEqual([409, { admins: ['2 admins hold this role. Take it from them first.'] }]);
    for (const { id } of holders) await put(`/admins/${id}/roles`, { roles: [] });
    seen.length = 0;
    expect((await remove(`/roles/${role.id}`)).json.data).toEqual({});
    expect(events()).toEqual([['RoleDeletedEvent', undefined]]);
    expect((await remove(`/roles/${role.id}`)).status).toBe(404);
  });
});

describe('permissions of the host', () => {
  it('are created, described anew, renamed while nobody holds them, and deleted', async () => {
    const { status, json } = await post('/permissions', { name: 'acme.reports.view', description: 'See reports' });
    expect(status).toBe(201);
    expect(permissionReply.validate(json.data, { convert: false }).error).toBeUndefined();
    const path = `/permissions/${json.data.id}`;
    const headers = { 'if-match': (await get(path)).headers.get('etag') ?? '' };
    const changed = await put(path, { name: 'acme.reports.read', description: '' }, { headers });
    expect(changed.json.data).toMatchObject({ name: 'acme.reports.read', description: '' });
    expect((await put(path, { description: 'Late' }, { headers })).status).toBe(412);
    expect((await remove(path, { headers })).status).toBe(412);
    expect((await remove(path)).json.data).toEqual({});
    expect((await get(path)).status).toBe(404);
    const changes = { name: ['acme.reports.view', 'acme.reports.read'], description: ['See reports', ''] };
    expect(events()).toEqual([
      ['PermissionCreatedEvent', undefined],
      ['PermissionUpdatedEvent', changes],
      ['PermissionDeletedEvent', undefined],
    ]);
  });

  it.each([
    [{ name: 'single' }, 'name'],
    [{ name: 'Acme.Reports' }, 'name'],
    [{ name: 'acme..x' }, 'name'],
    [{ name: `acme.${'x'.repeat(100)}` }, 'name'],
    [{ name: undefined }, 'name'],
    [{ name: 'portal.users.view' }, 'name'],
    [{ description: 'x'.repeat(501) }, 'description'],
    [{ description: 'a\nb' }, 'description'],
    [{ description: 5 }, 'description'],
  ])('refuse %j on %s', async (wrong, field) => {
    const { status, json } = await post('/permissions', { name: 'acme.other', ...wrong });
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
  });

  it('refuse a taken name, also that of one that ships and was not seeded yet', async () => {
    expect((await post('/permissions', { name: 'acme.taken' })).status).toBe(201);
    expect((await post('/permissions', { name: 'acme.taken' })).json.errors).toEqual({
      name: ['The name is already taken by another permission.'],
    });
    await test.portal.database.execute("DELETE FROM portal_permissions WHERE name = 'portal.menus.delete'");
    expect((await post('/permissions', { name: 'portal.menus.delete' })).status).toBe(422);
    await test.portal.services.rbac.seed();
  });

  it('that ship keep their names and stay; their descriptions may change', async () => {
    const id = await idOf('permissions', 'portal.users.view');
    for (const answer of [await put(`/permissions/${id}`, { name: 'acme.x' }), await remove(`/permissions/${id}`)]) {
      expect([answer.status, Object.keys(answer.json.errors)]).toEqual([409, ['name']]);
    }
    expect((await put(`/permissions/${id}`, { description: 'Ours' })).status).toBe(200);
  });

  it('of a role stay until the role gives them up', async () => {
    const { json } = await post('/permissions', { name: 'acme.held' });
    const role = await newRole({ permissions: ['acme.held'] });
    const path = `/permissions/${json.data.id}`;
    const { status, json: refused } = await remove(path);
    expect([status, refused.errors.roles]).toEqual([409, ['1 role holds this permission. Take it out of them first.']]);
    await put(`/roles/${role.id}/permissions`, { permissions: [] });
    expect((await remove(path)).status).toBe(200);
  });
});

describe.each([
  ['roles', roleList, roleListReply, { permission: 'portal.rbac.manage' }, ['super_admin', 'owner']],
  ['permissions', permissionList, permissionListReply, { role: 'nobody' }, []],
] as const)('the list of %s', (kind, list, reply, related, expected) => {
  const ask = (query: Record<string, string>) => get(`/${kind}?${new URLSearchParams(query).toString()}`);

  it('takes every sort, filter and relation that it declares', async () => {
    const { json } = await ask({ per_page: '100' });
    expect(reply.validate(json.data, { convert: false }).error).toBeUndefined();
    for (const order_by of list.options.sorts) {
      for (const direction of ['ASC', 'desc']) expect((await ask({ order_by, direction })).status).toBe(200);
    }
    for (const [name, type] of Object.entries(list.options.filters)) {
      const value = { integer: 1, string: 'a', date: '2026-01-01', boolean: true }[type];
      for (const wish of [value, { ne: value }, { in: [value] }, { null: true }]) {
        expect((await ask({ filters: JSON.stringify({ [name]: wish }) })).status).toBe(200);
      }
    }
    for (const relation of list.options.relations) expect((await ask({ with: relation })).status).toBe(200);
    expect((await ask({ q: "x' OR 1=1 --" })).json.meta.pagination.total).toBe(0);
    const found = (await ask({ filters: JSON.stringify(related) })).json.data.map(({ name }: { name: string }) => name);
    expect(found.sort()).toEqual([...expected].sort());
  });

  it.each([
    ['order_by', 'secret'],
    ['filters', '{"secret":1}'],
    ['with', 'admins'],
  ])('refuses %s=%s (S53)', async (name, value) => {
    expect((await ask({ [name]: value })).status).toBe(422);
  });
});
