import { AdminClient } from '../../support/admin-client.js';
import { Developer } from '../../support/apps.js';
import { createProduct, createUser } from '../../support/factories.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { issueTokens } from '../../support/tokens.js';

const DAY_S = 86_400;
const paths = Object.fromEntries(
  ['/payments/{id}', '/payments/latest', '/files/{name}.json'].map((path) => [path, { get: {}, post: {} }]),
);
const SPEC = {
  ...{ openapi: '3.1.0', info: { title: 'x', version: '1' } },
  ...{ servers: [{ url: 'https://api.example.com/v1/' }], paths },
};

let test: TestPortal;
let admin: AdminClient;
let ada: Developer;
let key: string;
let count = 0;
let slug: string;
beforeAll(async () => {
  test = await startTestPortal();
});
beforeEach(async () => {
  count += 1;
  slug = `product-${count}`;
  test.clock.advance(5);
  admin = await AdminClient.create(test, ['catalog_manager']);
  ada = await Developer.create(test);
  await createProduct(test, { slug }, SPEC);
  ({ key } = await ada.createApp('shop', [slug]));
});
afterAll(() => test.stop());

const inDays = (days: number) => {
  const at = new Date(test.clock.now().getTime() + days * DAY_S * 1_000);
  return `${at.toISOString().slice(0, 10)}T00:00Z`;
};
const drafted = async (body: object = {}) => {
  const answer = await admin.post(`/products/${slug}/deprecations`, { sunset_at: inDays(100), ...body });
  expect([answer.status, answer.json.errors]).toEqual([201, undefined]);
  return `/products/${slug}/deprecations/${answer.json.data.id as number}`;
};
const announced = async (body: object = {}) => {
  const path = await drafted(body);
  const answer = await admin.post(`${path}/announce`, { notice: false });
  expect([answer.status, answer.json.data.state]).toEqual([200, 'announced']);
  test.clock.advance(2);
  return path;
};
/** Asks as a proxy does. */
const ask = (method = 'GET', uri = '/v1/payments/7', name = slug) =>
  test.client.get(`/gateway/verify/${name}`, {
    headers: { 'X-API-Key': key, 'X-Forwarded-Method': method, 'X-Forwarded-Uri': uri },
  });
const askLifecycle = async (...call: Parameters<typeof ask>) => {
  const { headers } = await ask(...call);
  return headers.get('x-auth-reason') ?? headers.get('x-portal-lifecycle');
};

describe('a deprecation', () => {
  it('is drafted, announced, put off and taken back by admins; readers see it once it is announced', async () => {
    const terms = { guide_url: 'https://docs.example.com/<m>', replacement_url: 'https://docs.example.com/v3' };
    const path = await drafted({ ...terms, description: 'Use **v3**.', version: null });
    const shown = async () => (await test.client.get(`/api/v1/api-products/${slug}`)).json.data.deprecation;
    const listed = async () => (await test.client.get(`/api/v1/api-products/${slug}/deprecations`)).json.data;
    expect([await shown(), await listed(), await askLifecycle()]).toEqual([null, [], 'current']);
    expect((await admin.post(`${path}/announce`, { notice: false })).json.data.state).toBe('announced');
    expect((await admin.post(`${path}/announce`)).status).toBe(409);
    test.clock.advance(2);
    const expected = { state: 'announced', sunset_at: new Date(inDays(100)).toISOString(), description: 'Use **v3**.' };
    expect(await shown()).toMatchObject({ ...expected, guide_url: 'https://docs.example.com/%3Cm%3E' });
    expect(await listed()).toMatchObject([{ ...expected, version: null, method: null, path: null, brownouts: [] }]);
    expect((await admin.put(path, { sunset_at: inDays(200) })).status).toBe(200);
    expect((await admin.post(`${path}/retire`)).status).toBe(409);
    expect((await admin.delete(path)).status).toBe(200);
    test.clock.advance(2);
    expect([await shown(), await listed(), await askLifecycle()]).toEqual([null, [], 'current']);
  });

  it('is told to callers in headers that standards name, and by a word to proxies', async () => {
    const terms = { deprecated_at: '2026-01-01', guide_url: 'https://a.example/guide' };
    await announced({ ...terms, replacement_url: 'https://a.example/v3', sunset_at: '2030-01-01' });
    const { headers, status } = await ask();
    const seen = ['deprecation', 'sunset', 'link', 'x-portal-lifecycle'].map((name) => headers.get(name));
    expect([status, ...seen]).toEqual([
      ...[200, '@1767225600', 'Tue, 01 Jan 2030 00:00:00 GMT'],
      '<https://a.example/guide>; rel="deprecation"; type="text/html", ' +
        '<https://a.example/guide>; rel="sunset"; type="text/html", <https://a.example/v3>; rel="successor-version"',
      'sunset',
    ]);
    const authz = await test.client.get(`/gateway/ext-authz/${slug}/v1/x`, { headers: { 'X-API-Key': key } });
    expect([authz.status, authz.headers.get('deprecation')]).toEqual([200, '@1767225600']);
    // Whose key does not open is told nothing.
    const wrong = await test.client.get(`/gateway/verify/${slug}`, { headers: { 'X-API-Key': 'x'.repeat(40) } });
    expect(wrong.headers.get('deprecation')).toBeNull();
  });

  it('without a date or a guide leads to the page of the product', async () => {
    await announced({ sunset_at: null });
    const { headers } = await ask();
    expect([headers.get('sunset'), headers.get('x-portal-lifecycle')]).toEqual([null, 'deprecated']);
    expect(headers.get('link')).toContain(`/portal/products/${slug}>; rel="deprecation"`);
  });

  it('closes in the second of its sunset, whether or not a job has run, which records it then', async () => {
    const path = await announced();
    const sunset = new Date(inDays(100)).getTime();
    test.clock.advance((sunset - test.clock.now().getTime()) / 1_000 - 1);
    expect(await askLifecycle()).toBe('sunset');
    test.clock.advance(1);
    const { status, headers, json } = await ask();
    expect([status, headers.get('x-auth-reason'), json]).toEqual([
      403,
      'product_retired',
      { error: 'product_retired' },
    ]);
    expect([headers.get('sunset'), headers.get('retry-after')]).toEqual([new Date(sunset).toUTCString(), null]);
    expect(await askLifecycle('GET', '/', '-')).toBe('product_retired');
    await test.portal.jobs.run('sunsets');
    admin = await AdminClient.create(test, ['catalog_manager']);
    expect((await admin.get(path)).json.data).toMatchObject({
      state: 'retired',
      retired_at: new Date(sunset).toISOString(),
    });
    expect((await admin.put(path, { sunset_at: inDays(100) })).status).toBe(409);
    expect((await admin.delete(path)).status).toBe(200);
    test.clock.advance(2);
    expect(await askLifecycle()).toBe('current');
  });

  it('is known to the verify endpoint from memory: asked about twice a second, read anew once it changed', async () => {
    test.pin(true);
    const path = await announced();
    expect(await askLifecycle()).toBe('sunset');
    const { database } = test.portal;
    const select = database.select.bind(database);
    const asked: string[] = [];
    database.select = (sql, ...rest) => {
      asked.push(...['portal_deprecations', 'portal_table_versions'].filter((table) => String(sql).includes(table)));
      return select(sql, ...rest);
    };
    const since = () => asked.splice(0);
    try {
      await Promise.all(Array.from({ length: 20 }, () => askLifecycle()));
      expect(since()).toEqual([]);
      for (const seconds of [0.6, 5]) {
        test.clock.advance(seconds);
        expect(await askLifecycle()).toBe('sunset');
        await askLifecycle();
        expect(since()).toEqual(['portal_table_versions']);
      }
      expect((await admin.post(`${path}/retire`, { early: true })).status).toBe(200);
      since();
      test.clock.advance(1);
      expect(await askLifecycle()).toBe('product_retired');
      expect(since()).toEqual(['portal_table_versions', 'portal_deprecations']);
    } finally {
      database.select = select;
      test.pin(false);
    }
  });

  it('waits for an admin where it says so', async () => {
    const path = await announced({ closes: 'manual' });
    test.clock.advance(101 * DAY_S);
    await test.portal.jobs.run('sunsets');
    expect(await askLifecycle()).toBe('sunset');
    admin = await AdminClient.create(test, ['catalog_manager']);
    expect((await admin.post(`${path}/retire`)).json.data.state).toBe('retired');
    test.clock.advance(2);
    expect(await askLifecycle()).toBe('product_retired');
  });

  it('of an operation closes that one, however its path is written, and none beside it', async () => {
    await announced({ method: 'GET', path: '/payments/{id}' });
    test.clock.advance(101 * DAY_S);
    const closed = [
      ...['/v1/payments/7', '/payments/7', '/v1//payments/./7/', '/v1/payments/7?latest', '/v1/%70ayments/7'],
      ...['/v1/x/../payments/7', '/v1/payments/7#latest', '/v1/payments/a%2Fb'],
    ];
    for (const uri of closed) expect([uri, await askLifecycle('GET', uri)]).toEqual([uri, 'operation_retired']);
    expect(await askLifecycle('HEAD')).toBe('operation_retired');
    const open = ['/v1/payments/latest', '/v1/payments', '/v1/payments/7/refunds', '/v2/payments/7', '', '/%zz', '?x'];
    for (const uri of open) expect([uri, await askLifecycle('GET', uri)]).toEqual([uri, 'current']);
    expect(await askLifecycle('POST')).toBe('current');
    expect(await askLifecycle('')).toBe('current');
    const authz = (uri: string) =>
      test.client.get(`/gateway/ext-authz/${slug}${uri}`, { headers: { 'X-API-Key': key } });
    expect((await authz('/v1/payments/7')).headers.get('x-auth-reason')).toBe('operation_retired');
    expect((await authz('/v1/payments/latest')).status).toBe(200);
  });

  it('of a version closes the checks that name it', async () => {
    await announced({ version: 'v1' });
    expect([
      await askLifecycle('GET', '/', `${slug}@v1`),
      await askLifecycle(),
      await askLifecycle('GET', '/', `${slug}@v2`),
    ]).toEqual([...['sunset', 'current', 'current']]);
    test.clock.advance(101 * DAY_S);
    expect([await askLifecycle('GET', '/', `${slug}@v1`), await askLifecycle()]).toEqual([
      'version_retired',
      'current',
    ]);
  });

  it('closes for a while in a brownout, and says until when', async () => {
    const from = `${inDays(10).slice(0, 10)}T10:00Z`;
    await announced({ brownouts: [{ from, to: from.replace('10:00', '10:30') }] });
    test.clock.advance((Date.parse(from) - test.clock.now().getTime()) / 1_000);
    const { status, headers } = await ask();
    expect([status, headers.get('x-auth-reason'), headers.get('retry-after')]).toEqual([403, 'brownout', '1800']);
    test.clock.advance(1_800);
    expect(await askLifecycle()).toBe('sunset');
  });

  it('leaves a check without a product what goes on', async () => {
    await createProduct(test, { slug: `other-${count}` });
    ({ key } = await ada.createApp('both', [slug, `other-${count}`]));
    await announced();
    test.clock.advance(101 * DAY_S);
    const { status, headers } = await ask('GET', '/', '-');
    expect([status, headers.get('x-portal-products')]).toEqual([200, `other-${count}`]);
  });

  it('refuses dates, parts and addresses that cannot be', async () => {
    const create = (body: object) => admin.post(`/products/${slug}/deprecations`, body);
    const wrong = {
      sunset_at: [{ sunset_at: inDays(89) }, { deprecated_at: inDays(50), sunset_at: inDays(120) }],
      path: [{ method: 'GET' }, { method: 'GET', path: '/gone' }, { method: 'GET', path: 'x y' }],
      method: [{ path: '/payments/{id}' }, { method: 'BREW', path: '/payments/{id}' }],
      version: [{ version: 'a b' }, { version: '../x' }, { version: '' }],
      guide_url: [
        { guide_url: 'javascript:alert(1)' },
        { guide_url: 'https://u:p@a.example' },
        { guide_url: 'http://a.example' },
      ],
      replacement_url: [{ replacement_url: 'x' }],
      brownouts: [
        { brownouts: [{ from: inDays(3), to: inDays(5) }] },
        { brownouts: [{ from: inDays(3), to: inDays(2) }] },
      ],
    };
    for (const [field, bodies] of Object.entries(wrong))
      for (const body of bodies) {
        const { status, json } = await create(body);
        expect([body, status, Object.keys(json.errors as object)]).toEqual([body, 422, [field]]);
      }
    // Line breaks do not survive in an address.
    const split = await create({ guide_url: 'https://a.example/x\r\nSet-Cookie:a=b' });
    expect([split.status, split.json.data.guide_url]).toEqual([201, 'https://a.example/xSet-Cookie:a=b']);
    expect((await create({ sunset_at: inDays(100) })).status).toBe(409);
  });

  it('of a private product is hidden like the product, and drafts and changes are for admins who may', async () => {
    const member = await createUser(test);
    const { audiences } = test.portal.services.catalog;
    await audiences.create({ name: `beta-${count}`, users: [member.email] });
    const { id } = await createProduct(test, {
      slug: `closed-${count}`,
      visibility: 'private',
      audiences: [`beta-${count}`],
    });
    slug = `closed-${count}`;
    await announced();
    const read = async (token?: string) =>
      (await test.client.get(`/api/v1/api-products/${slug}/deprecations`, token === undefined ? {} : { token })).status;
    const { accessToken } = await issueTokens(test, member.id);
    expect([await read(accessToken), await read(), await read(ada.token)]).toEqual([200, 404, 404]);
    const path = await drafted({ version: 'v1' });
    const reader = await AdminClient.create(test, ['auditor']);
    expect((await reader.get(path)).status).toBe(200);
    for (const refused of [reader.post(`${path}/announce`), reader.post(`${path}/retire`), reader.delete(path)])
      expect((await refused).status).toBe(403);
    expect((await admin.get(path.replace(slug, `product-${count}`))).status).toBe(404);
    await test.portal.services.catalog.products.delete(id);
    expect((await admin.get(path)).status).toBe(404);
  });
});

describe('a version of a product and its deprecation', () => {
  const versions = () => `/products/${slug}/versions`;
  const stateOf = async (name: string) => (await admin.get(`${versions()}/${name}`)).json.data.state as string;
  const bring = (name: string, state: string) => admin.put(`${versions()}/${name}`, { state });
  const all = async () =>
    (await admin.get(`/products/${slug}/deprecations`)).json.data as { id: number; [field: string]: unknown }[];
  const at = (name: string) => askLifecycle('GET', '/', `${slug}@${name}`);
  const settle = () => test.clock.advance(2);
  beforeEach(async () => {
    await admin.post(versions(), { name: 'v1' });
    await admin.post(versions(), { name: 'v2', state: 'current' });
  });

  it('agree: callers are told with the state, refused with the reason once it is retired, and let in again', async () => {
    expect((await bring('v2', 'deprecated')).status).toBe(200);
    settle();
    expect(await all()).toMatchObject([{ version: 'v2', state: 'announced', sunset_at: null }]);
    expect([await at('v2'), await at('v1'), await askLifecycle()]).toEqual(['deprecated', 'current', 'current']);
    expect((await bring('v2', 'retired')).status).toBe(200);
    settle();
    const refused = await ask('GET', '/', `${slug}@v2`);
    expect([refused.status, refused.json, refused.headers.get('x-auth-reason')]).toEqual([
      ...[403, { error: 'version_retired' }, 'version_retired'],
    ]);
    expect([await at('v1'), await askLifecycle()]).toEqual(['current', 'current']);
    // What was linked stays.
    expect((await test.client.get(`/portal/products/${slug}@v2`)).status).toBe(200);
    await bring('v2', 'deprecated');
    settle();
    expect([await all(), await at('v2')]).toMatchObject([[{ state: 'announced', retired_at: null }], 'deprecated']);
    await bring('v2', 'current');
    settle();
    expect([await all(), await at('v2')]).toEqual([[], 'current']);
  });

  it('agree the other way: announcing, ending and taking back a deprecation moves the version', async () => {
    const path = await announced({ version: 'v2', sunset_at: inDays(100) });
    expect(await stateOf('v2')).toBe('deprecated');
    const early = await bring('v2', 'retired');
    expect([early.status, Object.keys(early.json.errors as object)]).toEqual([409, ['state']]);
    test.clock.advance((new Date(inDays(100)).getTime() - test.clock.now().getTime()) / 1_000 - 1);
    expect(await at('v2')).toBe('sunset');
    test.clock.advance(1);
    expect(await at('v2')).toBe('version_retired');
    await test.portal.jobs.run('sunsets');
    admin = await AdminClient.create(test, ['catalog_manager']);
    expect([await stateOf('v2'), (await admin.get(path)).json.data.state]).toEqual(['retired', 'retired']);
    expect((await admin.delete(path)).status).toBe(200);
    settle();
    expect([await stateOf('v2'), await at('v2')]).toEqual(['current', 'current']);
  });

  it('of the default one hands its place to the latest that goes on, and keeps it where there is none', async () => {
    const path = await announced({ version: 'v1', sunset_at: null });
    expect((await admin.post(`${path}/retire`, { early: true })).status).toBe(200);
    const [second, first] = (await admin.get(`${versions()}?order_by=created_at&direction=DESC`)).json.data as object[];
    expect([first, second]).toMatchObject([
      { name: 'v1', state: 'retired', is_default: false },
      { name: 'v2', is_default: true },
    ]);
    const last = await announced({ version: 'v2', sunset_at: null });
    expect((await admin.post(`${last}/retire`, { early: true })).status).toBe(200);
    settle();
    expect([await stateOf('v2'), await at('v2')]).toEqual(['deprecated', 'version_retired']);
  });

  it('are of a version that readers know, and of an operation leave its state alone', async () => {
    await admin.post(versions(), { name: 'v3' });
    for (const version of ['v3', 'v9']) {
      const { status, json } = await admin.post(`/products/${slug}/deprecations`, { version });
      expect([version, status, Object.keys(json.errors as object)]).toEqual([version, 422, ['version']]);
    }
    await announced({ version: 'v2', method: 'GET', path: '/payments/latest' });
    expect(await stateOf('v2')).toBe('current');
  });
});
