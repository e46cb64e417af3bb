import { Admin } from '../../support/admin.js';
import { createAdmin, createRole } from '../../support/factories.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

let test: TestPortal;
let boss: Admin;
let ada: Admin;
beforeAll(async () => {
  test = await startTestPortal();
  boss = await Admin.create(test);
  ada = await Admin.create(test, []);
});
afterAll(() => test.stop());

const waiting = { resource: 'users', name: 'Waiting', query: 'filters=%7B%22status%22%3A%22pending%22%7D' };
const roleId = async (name: string) => (await test.portal.services.rbac.roles()).find((role) => role.name === name)?.id;
const names = async (admin: Admin, resource = 'users') =>
  ((await admin.get(`/views?resource=${resource}`)).json.data as { name: string }[]).map(({ name }) => name);

describe('saved views', () => {
  it('are kept for the admin who saved them, pinned ones first, for one list or for all', async () => {
    const answer = await ada.post('/views', waiting);
    expect([answer.status, answer.json.data]).toMatchObject([
      201,
      { ...waiting, pinned: false, is_default: false, role_id: null, own: true },
    ]);
    await ada.post('/views', { ...waiting, name: 'Pinned', pinned: true });
    await ada.post('/views', { ...waiting, resource: 'apps', name: 'Apps' });
    expect(await names(ada)).toEqual(['Pinned', 'Waiting']);
    expect((await ada.get('/views')).json.data).toHaveLength(3);
    expect(await names(boss)).toEqual([]);
  });

  it('are renamed, pinned and deleted by their owner; to others they do not exist', async () => {
    const { id } = (await ada.post('/views', { ...waiting, resource: 'roles' })).json.data as { id: number };
    expect((await boss.put(`/views/${id}`, { name: 'Mine' })).status).toBe(404);
    expect((await boss.delete(`/views/${id}`)).status).toBe(404);
    const changed = await ada.put(`/views/${id}`, { name: 'Other', pinned: true });
    expect(changed.json.data).toMatchObject({ name: 'Other', pinned: true, query: waiting.query });
    expect((await ada.delete(`/views/${id}`)).status).toBe(200);
    expect(await names(ada, 'roles')).toEqual([]);
  });

  it('are the default one at a time', async () => {
    const of = { ...waiting, resource: 'menus', is_default: true };
    await ada.post('/views', { ...of, name: 'First' });
    await ada.post('/views', { ...of, name: 'Second' });
    const { views } = test.portal.services.console;
    expect(await views.findDefault(ada.record.id, 'menus')).toMatchObject({ name: 'Second' });
    const [first] = (await ada.get('/views?resource=menus')).json.data as { id: number; is_default: boolean }[];
    expect(first?.is_default).toBe(false);
    await ada.put(`/views/${first?.id}`, { is_default: true });
    expect(await views.findDefault(ada.record.id, 'menus')).toMatchObject({ name: 'First' });
    expect(await views.findDefault(boss.record.id, 'menus')).toBeNull();
  });

  it('are shared with a role by who may manage roles, and then changed by nobody else', async () => {
    const role = await createRole(test, ['portal.admin.access']);
    const id = await roleId(role);
    const shared = { ...waiting, resource: 'products', name: 'For all of us', role_id: id };
    expect((await ada.post('/views', shared)).status).toBe(403);
    const made = (await boss.post('/views', shared)).json.data as { id: number };
    expect(await names(ada, 'products')).toEqual([]);
    const record = await createAdmin(test, { roles: [role] });
    const token = await signIn(test, record);
    const call = { token };
    const seen = (await boss.get('/views?resource=products')).json.data;
    expect(seen).toMatchObject([{ own: true, role_id: id }]);
    const read = await test.client.send('GET', '/api/v1/admin/views?resource=products', call);
    expect(read.json.data).toMatchObject([{ name: 'For all of us', own: false }]);
    const path = `/api/v1/admin/views/${made.id}`;
    expect((await test.client.send('PUT', path, { ...call, body: { name: 'Mine' } })).status).toBe(403);
    expect((await test.client.send('DELETE', path, call)).status).toBe(403);
    expect((await boss.delete(`/views/${made.id}`)).status).toBe(200);
  });

  it('keep a query as an address has it, and refuse what is none', async () => {
    for (const query of ['a b', 'x'.repeat(2001), 'a\n', 'ü']) {
      expect((await ada.post('/views', { ...waiting, query })).status).toBe(422);
    }
    expect((await ada.post('/views', { ...waiting, resource: '../users' })).status).toBe(422);
    expect((await boss.post('/views', { ...waiting, role_id: 4711 })).status).toBe(422);
  });

  it('are recorded without their name and their query, which may be about somebody', async () => {
    const { id } = (await ada.post('/views', { ...waiting, name: 'ada@example.com' })).json.data as { id: number };
    await ada.put(`/views/${id}`, { query: 'q=ada%40example.com', name: 'grace@example.com' });
    await ada.delete(`/views/${id}`);
    const sql = "SELECT action, changes FROM portal_activities WHERE subject_type = 'saved_view' AND subject_id = ?";
    const rows = await test.portal.database.select(sql, [String(id)]);
    expect(rows.map(({ action }) => action)).toEqual([
      'saved_view.created',
      'saved_view.updated',
      'saved_view.deleted',
    ]);
    expect(JSON.stringify(rows)).not.toContain('example.com');
  });
});
