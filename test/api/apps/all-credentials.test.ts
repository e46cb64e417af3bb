import { Developer } from '../../support/apps.js';
import { createAdmin, createProduct, createRole } from '../../support/factories.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const KEYS = '/api/v1/admin/credentials';

let test: TestPortal;
let token: string;
let ada: Developer;
let bob: Developer;
let keys: Record<'shop' | 'bank' | 'till', { id: number; key: string }>;
beforeAll(async () => {
  test = await startTestPortal();
  await test.portal.services.rbac.seed();
  await createProduct(test, { slug: 'payments', name: 'Payments' });
  ada = await Developer.create(test, { email: 'ada@example.com' });
  bob = await Developer.create(test, { email: 'bob@example.com' });
  const shop = await ada.createApp('shop', ['payments']);
  test.clock.advance(1);
  const bank = await ada.createApp('bank', ['payments']);
  test.clock.advance(1);
  keys = { shop, bank, till: await bob.createApp('till', ['payments']) };
  token = await signIn(test, await createAdmin(test, { roles: ['super_admin'] }));
});
afterAll(() => test.stop());

const filters = (value: unknown) => `?filters=${encodeURIComponent(JSON.stringify(value))}`;
const ask = (query = '') => test.client.get(KEYS + query, { token });
const apps = async (query = ''): Promise<string[]> =>
  (await ask(query)).json.data.map(({ app }: { app: { name: string } }) => app.name);

describe('GET /admin/credentials', () => {
  it('finds a key by its last four characters, with its app and developer, and never shows it', async () => {
    const { id, key } = keys.bank;
    const { json, text } = await ask(filters({ ending: key.slice(-4) }));
    expect(json.data).toEqual([
      {
        ...{ id, consumer_key: `${key.slice(0, 4)}••••${key.slice(-4)}`, status: 'approved', status_reason: null },
        ...{ revoked_by: null, issued_at: '2026-06-01T12:00:01.000Z', expires_at: null },
        replaced_by: null,
        app: { name: 'bank', display_name: 'bank', status: 'approved' },
        user: { id: ada.user.id, email: 'ada@example.com', full_name: expect.any(String), status: 'active' },
        team: null,
      },
    ]);
    expect(text).not.toContain(key);
    expect(text).not.toMatch(/key_ref|gateway|secret/);
    expect(await apps(filters({ ending: [keys.shop.key.slice(-4), keys.till.key.slice(-4)] }))).toEqual([
      'till',
      'shop',
    ]);
    expect(await apps(filters({ ending: 'none' }))).toEqual([]);
    expect(await apps(filters({ ending: key.slice(0, 4) }))).toEqual([]);
  });

  it('lists all keys, newest first, filtered by developer and sorted by what a key has', async () => {
    expect(await apps()).toEqual(['till', 'bank', 'shop']);
    expect(await apps('?order_by=issued_at')).toEqual(['shop', 'bank', 'till']);
    expect(await apps(filters({ user: ada.user.id }))).toEqual(['bank', 'shop']);
    expect(await apps(filters({ user: { ne: ada.user.id } }))).toEqual(['till']);
    const { json } = await ask('?with=products&per_page=1');
    expect(json.data[0].products).toMatchObject([{ slug: 'payments', name: 'Payments', status: 'approved' }]);
    expect(json.meta.pagination.total).toBe(3);
    for (const query of [
      filters({ status: { gt: 'a' } }),
      filters({ key_hint: 'x' }),
      '?q=x',
      '?with=gateway_key_ref',
    ]) {
      expect([query, (await ask(query)).status]).toEqual([query, 422]);
    }
  });

  it('filters by the state that it shows, expired ones included', async () => {
    const { database } = test.portal;
    const past = new Date(test.clock.now().getTime() - 1_000);
    await database.execute('UPDATE portal_credentials SET expires_at = ? WHERE id = ?', [past, keys.shop.id]);
    await bob.post(`/till/credentials/${keys.till.id}/revoke`);
    for (const [status, app] of [
      ['expired', 'shop'],
      ['approved', 'bank'],
      ['revoked', 'till'],
    ]) {
      const { json } = await ask(filters({ status }));
      expect(json.data).toMatchObject([{ status, app: { name: app } }]);
    }
    expect(await apps(filters({ status: ['expired', 'revoked'] }))).toEqual(['till', 'shop']);
    expect(await apps(filters({ status: { ne: 'revoked' } }))).toEqual(['bank', 'shop']);
    expect(await apps(filters({ status: 'pending' }))).toEqual([]);
  });

  it('filters by a product that is approved on the key, and by whether the key was replaced', async () => {
    const { database } = test.portal;
    const { id } = await createProduct(test, { slug: 'loans', name: 'Loans' });
    const found = () => apps(filters({ product: id }));
    expect(await found()).toEqual([]);
    await ada.createApp('desk', ['loans']);
    expect(await found()).toEqual(['desk']);
    expect(await apps(filters({ product: { ne: id } }))).toEqual(['till', 'bank', 'shop']);
    await database.execute("UPDATE portal_credential_products SET status = 'revoked' WHERE product_id = ?", [id]);
    expect(await found()).toEqual([]);
    await database.execute('UPDATE portal_credentials SET replaced_by = ? WHERE id = ?', [keys.bank.id, keys.shop.id]);
    expect(await apps(filters({ replaced: true }))).toEqual(['shop']);
    expect(await apps(filters({ replaced: false }))).toEqual(['desk', 'till', 'bank']);
    expect(await apps(filters({ replaced: { ne: true } }))).toEqual(['desk', 'till', 'bank']);
    expect((await ask(filters({ replaced: 'perhaps' }))).status).toBe(422);
  });

  it('asks for portal.apps.view', async () => {
    const as = async (...permissions: string[]) => {
      const role = await createRole(test, ['portal.admin.access', ...permissions]);
      const own = await signIn(test, await createAdmin(test, { roles: [role] }));
      return (await test.client.get(KEYS, { token: own })).status;
    };
    expect(await as()).toBe(403);
    expect(await as('portal.apps.view')).toBe(200);
    expect((await test.client.get(KEYS)).status).toBe(401);
    expect((await test.client.get(KEYS, { token: ada.token })).status).toBe(401);
  });
});
