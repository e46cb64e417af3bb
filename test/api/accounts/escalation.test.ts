import { addSeconds } from '../../../src/index.js';
import type { AdminRecord } from '../../../src/domain/accounts/index.js';
import { createAdmin, createRole } from '../../support/factories.js';
import { UNLIMITED } from '../../support/project.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const BASE = '/api/v1/admin';
const NEW_PASSWORD = 'seven blue bicycles at noon';

let test: TestPortal;
/** Somebody with every right, and somebody with a few that the attacker lacks. */
let root: AdminRecord;
let helper: AdminRecord;
let accomplice: AdminRecord;
let held: number;
/** Roles of the host: with a right that the attacker lacks, and two with less that others hold beside more. */
let stronger: number;
let shared: number;
let chiefs: number;
let attacker: AdminRecord;
let token: string;
let count = 0;
beforeAll(async () => {
  test = await startTestPortal({
    config: { limits: UNLIMITED, portalApi: { rbac: { bypassRoles: ['super_admin', 'owner'] } } },
  });
  await test.portal.services.rbac.seed();
  root = await createAdmin(test, { roles: ['super_admin'] });
  helper = await createAdmin(test, { roles: ['support'] });
  accomplice = await createAdmin(test);
  const [more, some, few] = [
    await createRole(test, ['portal.admin.access', 'portal.users.view']),
    await createRole(test, ['portal.admin.access']),
    await createRole(test, ['portal.admin.access']),
  ];
  await createAdmin(test, { roles: [some, more] });
  await createAdmin(test, { roles: [few, 'super_admin'] });
  [stronger, shared, chiefs] = [
    await idOf('roles', await createRole(test, ['portal.admin.access', 'portal.users.view'])),
    await idOf('roles', some),
    await idOf('roles', few),
  ];
  held = (await test.portal.services.administration.permissions.create({ name: 'acme.held' })).id;
});
afterAll(() => test.stop());

const put = (path: string, body: unknown) => test.client.put(`${BASE}${path}`, body, { token });
const post = (path: string, body: unknown) => test.client.post(`${BASE}${path}`, body, { token });

async function idOf(table: 'roles' | 'permissions', name: string): Promise<number> {
  const sql = `SELECT id FROM portal_${table} WHERE name = ?`;
  const [row] = await test.portal.database.select<{ id: number }>(sql, [name]);
  return row?.id ?? 0;
}

/** Rows of everything that decides about rights, to be the same after an attempt. */
async function rights(): Promise<unknown[]> {
  const { database } = test.portal;
  return Promise.all([
    database.select('SELECT id, name, email, password_hash, status FROM portal_admins ORDER BY id'),
    database.select('SELECT admin_id, role_id FROM portal_admin_roles ORDER BY admin_id, role_id'),
    database.select('SELECT id, name, label FROM portal_roles ORDER BY id'),
    database.select('SELECT role_id, permission_id FROM portal_role_permissions ORDER BY role_id, permission_id'),
    database.select('SELECT id, name FROM portal_permissions ORDER BY id'),
  ]);
}

type Attempt = () => Promise<{ status: number }>;

async function refused(attempt: Attempt): Promise<void> {
  const before = await rights();
  expect((await attempt()).status).toBe(403);
  expect(await rights()).toEqual(before);
}

async function become(...permissions: string[]): Promise<void> {
  attacker = await createAdmin(test, { roles: [await createRole(test, ['portal.admin.access', ...permissions])] });
  token = await signIn(test, attacker);
}

const ownRole = async (): Promise<number> =>
  (await test.portal.services.rbac.rolesOf([attacker.id])).get(attacker.id)?.[0]?.id ?? 0;
const newcomer = (roles: unknown[]) => {
  count += 1;
  return { name: 'Accomplice', email: `accomplice${count}@example.com`, password: NEW_PASSWORD, roles };
};

describe('an admin who may only manage admins cannot get further (S59)', () => {
  beforeEach(() => become('portal.admins.manage'));

  it.each<[string, Attempt]>([
    ['give themselves a role', () => put(`/admins/${attacker.id}/roles`, { roles: ['super_admin'] })],
    ['give themselves a role with the rest of their record', () => put(`/admins/${attacker.id}`, { roles: ['admin'] })],
    ['create a super administrator', () => post('/admins', newcomer(['super_admin']))],
    [
      'create one by the number of the role',
      async () => post('/admins', newcomer([await idOf('roles', 'super_admin')])),
    ],
    ['create an admin with one right more', () => post('/admins', newcomer(['auditor']))],
    ['make an accomplice one', () => put(`/admins/${accomplice.id}/roles`, { roles: ['owner'] })],
    ['set the password of a super administrator', () => put(`/admins/${root.id}`, { password: NEW_PASSWORD })],
    ['set the password of somebody with a right more', () => put(`/admins/${helper.id}`, { password: NEW_PASSWORD })],
    ['redirect the mail of a super administrator', () => put(`/admins/${root.id}`, { email: 'me@example.com' })],
    ['disable a super administrator', () => put(`/admins/${root.id}`, { status: 'inactive' })],
    ['take the role of a super administrator', () => put(`/admins/${root.id}/roles`, { roles: [] })],
    ['delete a super administrator', () => test.client.delete(`${BASE}/admins/${root.id}`, { token })],
    ['open a role', async () => put(`/roles/${await ownRole()}/permissions`, { permissions: ['portal.rbac.manage'] })],
  ])('%s', (_path, attempt) => refused(attempt));

  it('and yet may do what their rights are for', async () => {
    const created = await post('/admins', newcomer([await ownRole()]));
    expect(created.status).toBe(201);
    const path = `/admins/${created.json.data.id}`;
    expect((await put(path, { password: 'green trains leave at seven', status: 'inactive' })).status).toBe(200);
    expect((await put(`${path}/roles`, { roles: [] })).status).toBe(200);
    expect((await test.client.delete(BASE + path, { token })).status).toBe(200);
  });
});

describe('an admin who may only manage roles and permissions cannot get further (S59)', () => {
  beforeEach(() => become('portal.rbac.manage', 'acme.held'));

  it.each<[string, Attempt]>([
    [
      'open their own role',
      async () => put(`/roles/${await ownRole()}/permissions`, { permissions: ['portal.admins.manage'] }),
    ],
    [
      'open it with the rest of its record',
      async () => put(`/roles/${await ownRole()}`, { permissions: ['portal.users.delete'] }),
    ],
    ['create a role that holds more', () => post('/roles', { name: 'more', permissions: ['portal.admins.manage'] })],
    [
      'create a role under the name of one that passes every check',
      () => post('/roles', { name: 'owner', permissions: [] }),
    ],
    ['rename their own role to one', async () => put(`/roles/${await ownRole()}`, { name: 'owner' })],
    [
      'open a role that somebody else holds',
      async () => put(`/roles/${await idOf('roles', 'support')}`, { permissions: ['portal.admins.manage'] }),
    ],
    [
      'empty a role that holds more',
      async () => put(`/roles/${await idOf('roles', 'support')}/permissions`, { permissions: [] }),
    ],
    [
      'change the role that passes every check',
      async () => put(`/roles/${await idOf('roles', 'super_admin')}/permissions`, { permissions: [] }),
    ],
    ['rename a role that holds more', () => put(`/roles/${stronger}`, { name: 'mine' })],
    ['relabel one', () => put(`/roles/${stronger}`, { label: 'Harmless' })],
    ['delete one', () => test.client.delete(`${BASE}/roles/${stronger}`, { token })],
    [
      'take out of one what they hold themselves, so that its holders are locked out',
      () => put(`/roles/${stronger}/permissions`, { permissions: ['portal.users.view'] }),
    ],
    [
      'put into one what they hold themselves',
      () =>
        put(`/roles/${stronger}/permissions`, {
          permissions: ['portal.admin.access', 'portal.users.view', 'portal.rbac.manage'],
        }),
    ],
    [
      'change a role that holds less, but that somebody with more rights holds',
      () => put(`/roles/${shared}/permissions`, { permissions: [] }),
    ],
    ['change a role that a super administrator holds as well', () => put(`/roles/${chiefs}`, { label: 'Mine' })],
    [
      'say something else of a permission that they do not hold',
      async () => put(`/permissions/${await idOf('permissions', 'portal.users.delete')}`, { description: 'Harmless' }),
    ],
    ['give themselves a role', () => put(`/admins/${attacker.id}/roles`, { roles: ['super_admin'] })],
    ['create an admin', () => post('/admins', newcomer([]))],
    [
      'rename a permission that they hold to one that a route asks for',
      () => put(`/permissions/${held}`, { name: 'acme.wanted' }),
    ],
    [
      'give away a permission that they have just made',
      async () => {
        count += 1;
        const name = `acme.made${count}`;
        const made = await post('/permissions', { name });
        expect(made.status).toBe(201);
        const answer = await put(`/roles/${await ownRole()}/permissions`, {
          permissions: ['portal.admin.access', 'portal.rbac.manage', name],
        });
        await test.client.delete(`${BASE}/permissions/${made.json.data.id}`, { token });
        return answer;
      },
    ],
  ])('%s', (_path, attempt) => refused(attempt));

  it('and yet may do what their rights are for', async () => {
    const created = await post('/roles', { name: 'helpers', permissions: ['portal.admin.access'] });
    expect(created.status).toBe(201);
    expect((await put(`/roles/${created.json.data.id}`, { permissions: ['portal.rbac.manage'] })).status).toBe(200);
    const path = `/roles/${created.json.data.id}`;
    expect((await put(path, { name: 'assistants', label: 'Assistants' })).status).toBe(200);
    expect((await test.client.delete(BASE + path, { token })).status).toBe(200);
  });

  it('and every change asks for a recent sign-in', async () => {
    const role = (await post('/roles', { name: 'late', permissions: [] })).json.data.id as number;
    const permission = (await post('/permissions', { name: 'acme.late' })).json.data.id as number;
    const sid = await test.portal.services.auth.sessions.list({ context: 'admin', id: attacker.id });
    await test.portal.database.execute('UPDATE portal_sessions SET auth_time = ? WHERE sid = ?', [
      addSeconds(test.clock.now(), -16 * 60),
      sid[0]?.sid ?? '',
    ]);
    const answers = [
      await post('/roles', { name: 'later', permissions: [] }),
      await put(`/roles/${role}`, { name: 'renamed' }),
      await put(`/roles/${role}`, { label: 'Relabelled' }),
      await put(`/roles/${role}/permissions`, { permissions: ['portal.admin.access'] }),
      await test.client.delete(`${BASE}/roles/${role}`, { token }),
      await post('/permissions', { name: 'acme.later' }),
      await put(`/permissions/${permission}`, { description: 'Described' }),
      await test.client.delete(`${BASE}/permissions/${permission}`, { token }),
    ];
    expect(answers.map(({ status, json }) => [status, json.message])).toEqual(
      answers.map(() => [403, 'Re-authentication required.']),
    );
  });
});

it('a role that passes every check exists once it is seeded, with the name from the configuration', async () => {
  expect(await idOf('roles', 'owner')).toBeGreaterThan(0);
  const owner = await createAdmin(test, { roles: ['owner'] });
  expect((await test.portal.services.rbac.grantsOf(owner.id)).bypass).toBe(true);
});
