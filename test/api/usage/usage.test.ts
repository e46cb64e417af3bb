import { Developer, verify } from '../../support/apps.js';
import { createAdmin, createProduct, createRole } from '../../support/factories.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { appIdOf, flushUsage } from '../../support/usage.js';

const ADMIN = '/api/v1/admin/usage';

let test: TestPortal;
let ada: Developer;
let eve: Developer;
let shop: { id: number; key: string };
let second: { id: number; key: string };
let token: string;
let shopId: number;

/** Three days of calls: yesterday 3 + 1 refused, today 2 of another key and product, and one of Eve's. */
beforeAll(async () => {
  test = await startTestPortal({ replicas: 1 });
  await createProduct(test, { slug: 'payments' });
  await createProduct(test, { slug: 'geo' });
  await createProduct(test, { slug: 'secret', visibility: 'private' });
  ada = await Developer.create(test);
  eve = await Developer.create(test);
  shop = await ada.createApp('shop', ['payments']);
  const other = (await ada.post('/shop/credentials', { products: ['geo', 'payments'] })).json.data;
  second = { id: other.id, key: other.consumer_key };
  const foreign = await eve.createApp('shop', ['payments']);
  shopId = await appIdOf(test, 'shop');
  for (let call = 0; call < 3; call += 1) await verify(test, shop.key, 'payments');
  await verify(test, shop.key, 'secret');
  await flushUsage(test);
  test.clock.advance(3_600);
  await verify(test, shop.key, 'geo');
  await verify(test, 'pk_00000000000000000000000000000000', 'payments');
  await flushUsage(test);
  test.clock.advance(86_400 - 3_600);
  await ada.signInAgain();
  await eve.signInAgain();
  await verify(test, second.key, 'geo');
  await verify(test, second.key, 'payments');
  await verify(test, foreign.key, 'payments');
  await flushUsage(test);
  await test.portal.services.rbac.seed();
  token = await signIn(test, await createAdmin(test, { roles: ['auditor'] }));
});
afterAll(() => test.stop());

const own = async (query = '', path = '/shop/usage') => {
  const { status, json } = await ada.get(`${path}${query}`);
  return { status, data: json?.data, errors: json?.errors };
};
const admin = async (path: string) => {
  const { status, json, text, headers } = await test.client.get(`${ADMIN}${path}`, { token });
  return { status, data: json?.data, errors: json?.errors, text, headers };
};
const counts = ({ calls, allowed, refused }: Record<string, number>) => [calls, allowed, refused];
const groups = (data: { groups: { name: string | null; calls: number }[] }) =>
  data.groups.map(({ name, calls }) => [name, calls]);

describe('GET /me/apps/{app}/usage', () => {
  it('shows thirty days up to today, each with what was allowed and refused', async () => {
    const { data } = await own();
    expect([data.interval, data.from, data.to]).toEqual([
      'day',
      '2026-05-04T00:00:00.000Z',
      '2026-06-03T00:00:00.000Z',
    ]);
    expect(counts(data.totals)).toEqual([7, 5, 2]);
    expect(data.points).toHaveLength(30);
    expect(data.points.slice(-3).map(counts)).toEqual([
      [0, 0, 0],
      [5, 3, 2],
      [2, 2, 0],
    ]);
    expect([data.groups, data.rest]).toEqual([null, null]);
  });

  it('is the same before and after the hours were summed up, and when the days are over', async () => {
    const before = (await own()).data;
    await test.portal.services.usage.maintain(new AbortController().signal);
    expect((await own()).data).toEqual(before);
    await test.portal.database.execute("UPDATE portal_usage_days SET calls = calls + 100 WHERE outcome = 'allowed'");
    expect((await own()).data).toEqual(before);
    test.clock.advance(2 * 86_400);
    await ada.signInAgain();
    const later = (await own('?from=2026-06-01&to=2026-06-03')).data;
    expect(counts(later.totals)[0]).toBeGreaterThan(100);
    await test.portal.database.execute("UPDATE portal_usage_days SET calls = calls - 100 WHERE outcome = 'allowed'");
    expect(counts((await own('?from=2026-06-01&to=2026-06-03')).data.totals)).toEqual([7, 5, 2]);
    test.clock.advance(-2 * 86_400);
    await ada.signInAgain();
  });

  it('shows hours', async () => {
    const { data } = await own('?interval=hour&from=2026-06-01T12:30Z&to=2026-06-01T14:00Z');
    expect(data.points.map((point: { start: string }) => point.start)).toEqual([
      '2026-06-01T12:00:00.000Z',
      '2026-06-01T13:00:00.000Z',
    ]);
    expect(data.points.map(counts)).toEqual([
      [4, 3, 1],
      [1, 0, 1],
    ]);
    expect((await own('?interval=hour')).data.points).toHaveLength(24);
  });

  it('tells products, outcomes and keys apart, those with most calls first, with a series of each', async () => {
    expect(groups((await own('?group_by=outcome')).data)).toEqual([
      ['allowed', 5],
      ['product_not_granted', 2],
    ]);
    const { data } = await own('?group_by=credential&from=2026-06-01&to=2026-06-03');
    expect(data.groups.map(({ id, calls, series }: Record<string, unknown>) => [id, calls, series])).toEqual([
      [shop.id, 5, [5, 0]],
      [second.id, 2, [0, 2]],
    ]);
    expect(data.groups[0].name).toMatch(/^.{4}••••.{4}$/);
    expect(counts(data.rest)).toEqual([0, 0, 0]);
    expect(counts((await own(`?credential=${second.id}`)).data.totals)).toEqual([2, 2, 0]);
    expect(counts((await own('?product=geo')).data.totals)).toEqual([2, 1, 1]);
  });

  it('names no product that the developer may not know of (S57)', async () => {
    expect(groups((await own('?group_by=product')).data)).toEqual([
      ['payments', 4],
      ['geo', 2],
      [null, 1],
    ]);
    const missing = await own('?product=missing');
    expect(missing.status).toBe(422);
    expect(await own('?product=secret')).toEqual(missing);
  });

  it('refuses ranges and names that are none', async () => {
    for (const [query, field] of [
      ['?from=2026-06-02&to=2026-06-01', 'from'],
      ['?from=2020-01-01', 'from'],
      ['?interval=hour&from=2026-01-01', 'from'],
      ['?from=yesterday', 'from'],
      ['?from=2026-13-40', 'from'],
      ['?to=0001-01-01', 'to'],
      ['?interval=minute', 'interval'],
      ['?group_by=app', 'group_by'],
      ['?group_by=product&group_by=outcome', 'group_by'],
      ['?credential=1e3', 'credential'],
    ] as const) {
      const { status, errors } = await own(query);
      expect([query, status, Object.keys(errors)]).toEqual([query, 422, [field]]);
    }
  });

  it('is that of the own app alone (S55)', async () => {
    expect(counts((await eve.get('/shop/usage')).json.data.totals)).toEqual([1, 1, 0]);
    expect(counts((await eve.get(`/shop/usage?credential=${shop.id}`)).json.data.totals)).toEqual([0, 0, 0]);
    expect((await eve.get('/missing/usage')).status).toBe(404);
    expect((await test.client.get('/api/v1/me/apps/shop/usage')).status).toBe(401);
  });

  it('is downloaded as CSV', async () => {
    const download = async (query: string) => {
      const path = `/api/v1/me/apps/shop/usage/export?from=2026-06-01&to=2026-06-03${query}`;
      return test.client.get(path, { token: ada.token });
    };
    const { text, headers } = await download('');
    expect(headers.get('content-disposition')).toBe('attachment; filename="usage-2026-06-01-2026-06-03.csv"');
    expect(text.split('\r\n')).toEqual([
      '"start","calls","allowed","refused"',
      '"2026-06-01T00:00:00.000Z","5","3","2"',
      '"2026-06-02T00:00:00.000Z","2","2","0"',
      '',
    ]);
    const grouped = await download('&group_by=product');
    expect(grouped.text).toMatch(/^"start","id","name","calls"\r\n"2026-06-01T00:00:00.000Z","\d+","payments","3"\r\n/);
  });
});

describe('GET /me/apps/{app}/usage/refusals', () => {
  it('says why calls were refused, when last, and with which key', async () => {
    const { data } = await own('', '/shop/usage/refusals');
    const key = { id: shop.id, consumer_key: expect.stringContaining('••••') };
    expect(data).toEqual([
      {
        outcome: 'product_not_granted',
        product: 'geo',
        credential: key,
        calls: 1,
        last_at: '2026-06-01T13:00:00.000Z',
      },
      { outcome: 'product_not_granted', product: null, credential: key, calls: 1, last_at: '2026-06-01T12:00:00.000Z' },
    ]);
    expect((await eve.get('/shop/usage/refusals')).json.data).toEqual([]);
  });
});

describe('GET /admin/usage', () => {
  it('shows the portal, a developer, a product, an app and a key', async () => {
    expect(counts((await admin('')).data.totals)).toEqual([8, 6, 2]);
    expect(counts((await admin(`?user=${eve.user.id}`)).data.totals)).toEqual([1, 1, 0]);
    expect(counts((await admin('?product=payments')).data.totals)).toEqual([5, 5, 0]);
    expect(counts((await admin(`?app=${shopId}`)).data.totals)).toEqual([7, 5, 2]);
    expect(counts((await admin(`?app=${shopId}&credential=${second.id}`)).data.totals)).toEqual([2, 2, 0]);
    expect(groups((await admin('?group_by=app')).data)).toEqual([
      ['shop', 7],
      ['shop', 1],
    ]);
    expect(groups((await admin('?group_by=product')).data)).toEqual([
      ['payments', 5],
      ['geo', 2],
      ['secret', 1],
    ]);
    expect((await admin('/export')).text).toContain('"2026-06-01T00:00:00.000Z","5","3","2"');
    expect((await admin(`/refusals?app=${shopId}`)).data).toHaveLength(2);
    expect((await admin('/refusals')).status).toBe(422);
  });

  it('adds up what is beyond twenty groups', async () => {
    const { database } = test.portal;
    const rows = Array.from({ length: 30 }, (_, index) => `(9999, 494500, ${index + 1}, 0, 0, 'allowed', 1, 1)`);
    await database.execute(`INSERT INTO portal_usage_hours VALUES ${rows.join(', ')}`);
    const { data } = await admin('?app=9999&group_by=credential&from=2026-05-31&to=2026-06-02&interval=hour');
    expect([counts(data.totals), data.groups.length, counts(data.rest)]).toEqual([[30, 30, 0], 20, [10, 10, 0]]);
    await database.execute('DELETE FROM portal_usage_hours WHERE app_id = 9999');
  });

  it('tells calls without a known key apart', async () => {
    expect((await admin('/without-key')).data).toEqual([
      { outcome: 'unknown_key', product: 'payments', network: null, calls: 1, last_at: '2026-06-01T13:00:00.000Z' },
    ]);
    expect((await admin('/without-key?from=2026-06-02')).data).toEqual([]);
  });

  it('asks for portal.usage.read', async () => {
    const role = await createRole(test, ['portal.admin.access', 'portal.apps.view']);
    const blind = await signIn(test, await createAdmin(test, { roles: [role] }));
    for (const path of ['', '/export', `/refusals?app=${shopId}`, '/without-key']) {
      expect([path, (await test.client.get(`${ADMIN}${path}`, { token: blind })).status]).toEqual([path, 403]);
    }
  });
});
