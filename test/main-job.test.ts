import { fileURLToPath } from 'node:url';
import type { Dialect } from '../src/database/index.js';
import { onDatabaseUnderTest } from './support/databases.js';
import { startTestPortal, type TestPortal } from './support/test-portal.js';

const DEMO = fileURLToPath(new URL('../../templates/demo', import.meta.url));
const PASSWORD = 'correct horse battery 9';
const API = '/api/v1';

/** What every developer comes for, told as one story; each step needs the one before it. */
function mainJob(dialect: Dialect): void {
  let test: TestPortal;
  let token = '';
  let key = '';
  let credential = 0;
  const ask = (path: string, consumerKey?: string) =>
    test.client.get(
      `/gateway/verify${path}`,
      consumerKey === undefined ? {} : { headers: { 'x-api-key': consumerKey } },
    );

  beforeAll(async () => {
    test = await startTestPortal({ dialect });
    await test.portal.services.catalog.demo.run(DEMO);
  });
  afterAll(() => test.stop());

  it('registers a developer and signs them in', async () => {
    const person = { first_name: 'Zoë', last_name: 'Meyer 🚀', email: 'Zoe.Meyer@Example.com' };
    const answer = await test.client.post(`${API}/auth/register`, {
      ...person,
      password: PASSWORD,
      password_confirmation: PASSWORD,
    });
    expect(answer.status).toBe(201);
    expect(answer.json.data).toEqual({
      token_type: 'Bearer',
      access_token: expect.any(String),
      expires_in: 900,
      refresh_token: expect.any(String),
    });
    token = answer.json.data.access_token;
    const me = await test.client.get(`${API}/me`, { token });
    expect(me.json.data).toMatchObject({ email: 'zoe.meyer@example.com', full_name: 'Zoë Meyer 🚀', status: 'active' });
  });

  it('shows the public products, and the document of one', async () => {
    const list = await test.client.get(`${API}/api-products?order_by=slug`, { token });
    expect(list.json.data.map(({ slug }: { slug: string }) => slug)).toEqual([
      'account-information',
      'card-issuing',
      'exchange-rates',
      'payments',
    ]);
    expect(list.json.meta.pagination).toMatchObject({ total: 4, count: 4, current_page: 1, total_pages: 1 });
    const spec = await test.client.get(`${API}/api-products/exchange-rates/spec`);
    expect(JSON.parse(spec.text)).toMatchObject({ openapi: expect.stringMatching(/^3\./), paths: expect.any(Object) });
  });

  it('creates an app with its first key, shown in full this once', async () => {
    const answer = await test.client.post(
      `${API}/me/apps`,
      { name: 'trip-planner', display_name: 'Trip planner', products: ['exchange-rates'] },
      { token },
    );
    expect(answer.status).toBe(201);
    const [first] = answer.json.data.credentials;
    expect(first).toMatchObject({ status: 'approved', products: [{ slug: 'exchange-rates', status: 'approved' }] });
    key = first.consumer_key;
    credential = first.id;
    expect(key).toMatch(/^[A-Za-z0-9_-]{27,}$/);
    const shown = await test.client.get(`${API}/me/apps/trip-planner`, { token });
    expect(shown.text).not.toContain(key);
    expect(shown.json.data.credentials[0].consumer_key).toBe(`${key.slice(0, 4)}••••${key.slice(-4)}`);
  });

  it('opens the gateway to that key, for that product only', async () => {
    const open = await ask('/exchange-rates', key);
    expect([open.status, open.headers.get('x-portal-app')]).toEqual([200, 'trip-planner']);
    expect((await ask('/exchange-rates')).status).toBe(401);
    expect((await ask('/exchange-rates', 'not-a-key')).status).toBe(403);
    const other = await ask('/payments', key);
    expect([other.status, other.headers.get('x-auth-reason')]).toEqual([403, 'product_not_granted']);
  });

  it('rotates: the new key opens at once, the old one until the overlap ends', async () => {
    const path = `${API}/me/apps/trip-planner/credentials/${credential}/rotate`;
    const answer = await test.client.post(path, { overlap: 3600 }, { token });
    expect(answer.status).toBe(201);
    const old = key;
    key = answer.json.data.consumer_key;
    credential = answer.json.data.id;
    expect((await ask('/exchange-rates', key)).status).toBe(200);
    expect((await ask('/exchange-rates', old)).status).toBe(200);
    test.clock.advance(3601);
    expect((await ask('/exchange-rates', key)).status).toBe(200);
    expect((await ask('/exchange-rates', old)).status).toBe(403);
  });

  it('closes the gateway when the key is revoked', async () => {
    const login = await test.client.post(`${API}/auth/login`, { email: ' ZOE.MEYER@example.com', password: PASSWORD });
    token = login.json.data.access_token;
    const answer = await test.client.post(
      `${API}/me/apps/trip-planner/credentials/${credential}/revoke`,
      {},
      { token },
    );
    expect([answer.status, answer.json.data.status]).toEqual([200, 'revoked']);
    expect((await ask('/exchange-rates', key)).status).toBe(403);
  });
}

onDatabaseUnderTest('the main job', ({ dialect }) => mainJob(dialect));
