import { adminListReply, adminReply } from '../../../src/api/accounts/admin-schema.js';
import { AdminDeletedEvent, AdminUpdatedEvent, type AdminRecord } from '../../../src/domain/accounts/index.js';
import { TokenRevokedEvent } from '../../../src/domain/auth/index.js';
import { AdminRolesChangedEvent } from '../../../src/domain/rbac/index.js';
import { PortalEvent } from '../../../src/core/index.js';
import { createAdmin, createUser, PASSWORD } from '../../support/factories.js';
import type { Call } from '../../support/http-client.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const ADMINS = '/api/v1/admin/admins';
const ME = '/api/v1/admin/me';
const NEW_PASSWORD = 'seven blue bicycles at noon';

let test: TestPortal;
let root: AdminRecord;
let token: string;
const seen: PortalEvent[] = [];
beforeAll(async () => {
  test = await startTestPortal();
  await test.portal.services.rbac.seed();
  root = await createAdmin(test, { name: 'Root', roles: ['super_admin'] });
  token = await signIn(test, root);
  test.portal.events.on(PortalEvent, (event) => void seen.push(event));
});
afterAll(() => test.stop());
beforeEach(() => void (seen.length = 0));

const post = (body: unknown, call: Call = {}) => test.client.post(ADMINS, body, { token, ...call });
const put = (path: string | number, body: unknown, call: Call = {}) =>
  test.client.put(`${ADMINS}/${path}`, body, { token, ...call });
const remove = (id: number, call: Call = {}) => test.client.delete(`${ADMINS}/${id}`, { token, ...call });
const show = (id: number) => test.client.get(`${ADMINS}/${id}`, { token });
const login = (email: string, password: string) => test.client.post('/api/v1/admin/auth/login', { email, password });
const roles = (admin: { roles: { name: string }[] }) => admin.roles.map(({ name }) => name);

let count = 0;
const newAdmin = (overrides: object = {}) => {
  count += 1;
  return { name: 'Joan Clarke', email: `joan${count}@example.com`, password: NEW_PASSWORD, ...overrides };
};

describe('POST /admin/admins', () => {
  it('creates an admin who can sign in, with roles by name and id', async () => {
    const [{ id: support } = { id: 0 }] = (await test.portal.services.rbac.roles()).filter(
      ({ name }) => name === 'support',
    );
    const { status, json, text } = await post(newAdmin({ email: ' JOAN@Example.com', roles: ['auditor', support] }));
    expect(status).toBe(201);
    expect(adminReply.validate(json.data, { convert: false }).error).toBeUndefined();
    expect(json.data).toMatchObject({ email: 'joan@example.com', status: 'active', last_login_at: null });
    expect(roles(json.data)).toEqual(['auditor', 'support']);
    expect(text).not.toMatch(/argon2|password/);
    expect((await login('joan@example.com', NEW_PASSWORD)).status).toBe(200);
    expect(seen.map(({ constructor }) => constructor.name).slice(0, 2)).toEqual([
      'AdminCreatedEvent',
      'AdminRolesChangedEvent',
    ]);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'a'.repeat(201) }, 'name'],
    [{ name: 'a\nb' }, 'name'],
    [{ name: undefined }, 'name'],
    [{ email: 'x' }, 'email'],
    [{ email: 1 }, 'email'],
    [{ password: 'eleven char' }, 'password'],
    [{ password: null }, 'password'],
    [{ status: 'pending' }, 'status'],
    [{ roles: 'support' }, 'roles'],
    [{ roles: ['root', 99_999] }, 'roles'],
    [{ roles: [true] }, 'roles.0'],
  ])('refuses %j on %s and creates nobody', async (wrong, field) => {
    const before = await test.portal.services.accounts.admins.count();
    const { status, json } = await post(newAdmin(wrong));
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
    expect(await test.portal.services.accounts.admins.count()).toBe(before);
  });

  it('refuses a taken address on its field', async () => {
    const { status, json } = await post(newAdmin({ email: root.email }));
    expect([status, json.errors]).toEqual([422, { email: ['The e-mail address is already taken.'] }]);
  });

  it('takes no column that is not offered (S52)', async () => {
    const extra = { id: 1, last_login_at: '2026-01-01T00:00:00Z', auth_epoch: 9, password_hash: 'x' };
    const { status, json } = await post(newAdmin(extra));
    expect([status, Object.keys(json.errors).sort()]).toEqual([422, Object.keys(extra).sort()]);
  });
});

describe('PUT /admin/admins/{id}', () => {
  it('changes what is given, tells what changed, and ends sign-ins with a new password or when disabled', async () => {
    const admin = await createAdmin(test, { roles: ['support'] });
    let bearer = await signIn(test, admin);
    seen.length = 0;
    const body = { name: 'Joan', email: 'Joan.C@example.com', roles: ['auditor'], password: NEW_PASSWORD };
    const { status, json, headers } = await put(admin.id, body);
    expect(status).toBe(200);
    expect(adminReply.validate(json.data, { convert: false }).error).toBeUndefined();
    expect(json.data).toMatchObject({ name: 'Joan', email: 'joan.c@example.com', status: 'active' });
    expect(roles(json.data)).toEqual(['auditor']);
    expect(headers.get('etag')).toBe((await show(admin.id)).headers.get('etag'));
    const updated = seen.find((event) => event instanceof AdminUpdatedEvent);
    const changedRoles = seen.find((event) => event instanceof AdminRolesChangedEvent);
    expect(updated?.changes).toEqual({ name: [admin.name, 'Joan'], email: [admin.email, 'joan.c@example.com'] });
    expect(changedRoles?.changes).toEqual({ roles: [['support'], ['auditor']] });
    expect(JSON.stringify(seen)).not.toContain(NEW_PASSWORD);
    expect((await test.client.get(ME, { token: bearer })).status).toBe(401);
    bearer = (await login('joan.c@example.com', NEW_PASSWORD)).json.data.access_token as string;
    expect((await put(admin.id, { status: 'inactive' })).json.data.status).toBe('inactive');
    expect((await test.client.get(ME, { token: bearer })).status).toBe(401);
    expect((await login('joan.c@example.com', NEW_PASSWORD)).status).toBe(401);
  });

  it('without a change changes nothing', async () => {
    const admin = await createAdmin(test, { roles: ['support'] });
    const { headers } = await show(admin.id);
    seen.length = 0;
    const same = {
      name: admin.name,
      email: admin.email.toUpperCase(),
      status: 'active',
      roles: ['support', 'support'],
    };
    const answer = await put(admin.id, same);
    expect([answer.status, answer.headers.get('etag'), seen]).toEqual([200, headers.get('etag'), []]);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ email: 'x' }, 'email'],
    [{ password: 'short' }, 'password'],
    [{ status: 'gone' }, 'status'],
    [{ roles: ['root'] }, 'roles'],
  ])('refuses %j and changes nothing', async (wrong, field) => {
    const admin = await createAdmin(test);
    const before = (await show(admin.id)).json.data;
    const { status, json } = await put(admin.id, { name: 'Changed', ...wrong });
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
    expect((await show(admin.id)).json.data).toEqual(before);
  });

  it('takes If-Match, also for the roles, whose change is one of the record', async () => {
    const admin = await createAdmin(test);
    const headers = { 'if-match': (await show(admin.id)).headers.get('etag') ?? '' };
    const first = await put(`${admin.id}/roles`, { roles: ['auditor'] }, { headers });
    expect([first.status, roles(first.json.data)]).toEqual([200, ['auditor']]);
    for (const late of [
      await put(`${admin.id}/roles`, { roles: [] }, { headers }),
      await put(admin.id, { name: 'Late' }, { headers }),
      await remove(admin.id, { headers }),
    ]) {
      expect(late.status).toBe(412);
    }
    expect((await show(admin.id)).json.data).toMatchObject({ name: admin.name });
  });

  it('leaves the own password, address and roles to doors that ask for more than a token', async () => {
    const [{ status, json }, address] = [
      await put(root.id, { password: NEW_PASSWORD, name: 'Changed' }),
      await put(root.id, { email: 'thief@example.com' }),
    ];
    expect([status, Object.keys(json.errors)]).toEqual([403, ['password']]);
    expect([address.status, Object.keys(address.json.errors)]).toEqual([403, ['email']]);
    expect((await put(`${root.id}/roles`, { roles: ['super_admin', 'support'] })).status).toBe(403);
    const same = { name: 'Root', email: root.email, status: 'active', roles: ['super_admin'] };
    expect((await put(root.id, same)).status).toBe(200);
  });

  it('asks for a recent sign-in where it is about access (S80)', async () => {
    const admin = await createAdmin(test);
    test.clock.advance(14 * 60);
    const pair = (await login(root.email, PASSWORD)).json.data;
    test.clock.advance(16 * 60);
    const refreshed = await test.client.post('/api/v1/admin/auth/refresh', { refresh_token: pair.refresh_token });
    const old = { token: refreshed.json.data.access_token as string };
    for (const answer of [
      await post(newAdmin(), old),
      await put(admin.id, { password: NEW_PASSWORD }, old),
      await put(`${admin.id}/roles`, { roles: ['support'] }, old),
      await remove(admin.id, old),
    ]) {
      expect([answer.status, answer.json.message]).toEqual([403, 'Re-authentication required.']);
    }
    expect((await put(admin.id, { name: 'Only a name' }, old)).status).toBe(200);
    token = await signIn(test, root);
  });
});

describe('GET /admin/admins', () => {
  const list = (query: Record<string, string> = {}) =>
    test.client.get(`${ADMINS}?${new URLSearchParams(query).toString()}`, { token });

  it('lists admins with their roles and without secrets', async () => {
    const { status, json, text } = await list({ per_page: '100' });
    expect(status).toBe(200);
    expect(adminListReply.validate(json.data, { convert: false }).error).toBeUndefined();
    expect(json.data.find(({ id }: { id: number }) => id === root.id).roles).toMatchObject([{ name: 'super_admin' }]);
    expect(text).not.toMatch(/argon2|password|epoch/);
  });

  it('takes every sort, filter and relation that it declares', async () => {
    const { adminList } = await import('../../../src/domain/accounts/index.js');
    for (const order_by of adminList.options.sorts) expect((await list({ order_by })).status).toBe(200);
    for (const [name, type] of Object.entries(adminList.options.filters)) {
      const value = { integer: 1, string: 'a', date: '2026-01-01', boolean: true }[type];
      expect((await list({ filters: JSON.stringify({ [name]: value }) })).status).toBe(200);
    }
    expect((await list({ with: 'roles', q: 'root' })).json.meta.pagination.total).toBe(1);
    const { json } = await list({ filters: '{"role":"super_admin"}' });
    expect(json.data.map(({ id }: { id: number }) => id)).toEqual([root.id]);
  });

  it('is walked by its cursor, also along a time that some do not have', async () => {
    const total = (await list()).json.meta.pagination.total as number;
    for (const direction of ['ASC', 'DESC']) {
      const ids = new Set<number>();
      for (let cursor: string | null = null, page = 0; page === 0 || cursor !== null; page += 1) {
        const query = { per_page: '2', order_by: 'last_login_at', direction, ...(cursor === null ? {} : { cursor }) };
        const { json } = await list(query);
        for (const { id } of json.data as { id: number }[]) ids.add(id);
        cursor = json.meta.pagination.next_cursor as string | null;
      }
      expect(ids.size).toBe(total);
    }
  });

  it.each([
    ['order_by', 'password_hash'],
    ['filters', '{"auth_epoch":1}'],
    ['with', 'sessions'],
  ])('refuses %s=%s (S53)', async (name, value) => {
    expect((await list({ [name]: value })).status).toBe(422);
  });
});

describe('DELETE /admin/admins/{id}', () => {
  it('ends the account with its sign-ins', async () => {
    const admin = await createAdmin(test, { roles: ['support'] });
    const bearer = await signIn(test, admin);
    seen.length = 0;
    expect((await remove(admin.id)).json.data).toEqual({});
    expect(seen.map(({ constructor }) => constructor)).toEqual([TokenRevokedEvent, AdminDeletedEvent]);
    expect((await show(admin.id)).status).toBe(404);
    expect((await remove(admin.id)).status).toBe(404);
    expect((await test.client.get(ME, { token: bearer })).status).toBe(401);
  });
});

describe('the last active super administrator (S60)', () => {
  it.each([
    ['disable themselves', () => put(root.id, { status: 'inactive' })],
    ['delete themselves', () => remove(root.id)],
  ])('cannot %s, though there is an inactive one', async (_case, attempt) => {
    await createAdmin(test, { roles: ['super_admin'], status: 'inactive' });
    const { status, json } = await attempt();
    expect([status, json.message, Object.keys(json.errors)]).toEqual([409, 'Conflict.', ['status']]);
    expect((await show(root.id)).json.data.status).toBe('active');
  });

  it('may go once there is another', async () => {
    const second = await createAdmin(test, { roles: ['super_admin'] });
    const bearer = { token: await signIn(test, second) };
    expect((await put(second.id, { status: 'inactive' }, bearer)).status).toBe(200);
    expect((await remove(second.id)).status).toBe(200);
  });

  it('is there after two have taken it from each other at once, whichever way, 50 times', async () => {
    const ways: ((target: AdminRecord, call: Call) => Promise<{ status: number }>)[] = [
      ({ id }, call) => put(`${id}/roles`, { roles: ['support'] }, call),
      ({ id }, call) => put(id, { status: 'inactive' }, call),
      ({ id }, call) => put(id, { roles: [], name: 'Nobody' }, call),
      ({ id }, call) => remove(id, call),
    ];
    const { rbac } = test.portal.services;
    const one = await createAdmin(test, { roles: ['super_admin'] });
    await rbac.assignRoles({ adminId: root.id, roles: [], by: 'operator' });
    let [left, right] = [one, await createAdmin(test, { roles: ['super_admin'] })];
    for (let round = 0; round < 50; round += 1) {
      const tokens = [await signIn(test, left), await signIn(test, right)] as const;
      const [first, second] = [ways[round % 4], ways[(round * 3 + 1) % 4]] as const;
      const answers = await Promise.all([first?.(right, { token: tokens[0] }), second?.(left, { token: tokens[1] })]);
      // The other one lost the rights or the sign-in before its turn, or would have been the last.
      const statuses = answers.map((answer) => answer?.status ?? 0);
      expect(statuses).toContain(200);
      expect(statuses.every((status) => [200, 401, 403, 404, 409].includes(status))).toBe(true);
      const holders = await test.portal.database.select<{ id: number }>(
        `SELECT a.id AS id FROM portal_admins a JOIN portal_admin_roles ar ON ar.admin_id = a.id
          JOIN portal_roles r ON r.id = ar.role_id WHERE r.name = 'super_admin' AND a.status = 'active'`,
      );
      expect(holders).toHaveLength(1);
      const survivor = holders[0]?.id === left.id ? left : right;
      [left, right] = [survivor, await createAdmin(test, { roles: ['super_admin'] })];
      test.clock.advance(61);
    }
  });
});

it('knows nobody of the other context', async () => {
  const user = await createUser(test);
  const bearer = { token: await signIn(test, user) };
  expect((await test.client.get(ADMINS, bearer)).status).toBe(401);
});
