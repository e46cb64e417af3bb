import { AdminClient } from '../support/admin-client.js';
import { Developer } from '../support/apps.js';
import { describeWith } from '../support/describe-with.js';
import { createPlan, createProduct } from '../support/factories.js';
import { startReplicas, type Replicas } from '../support/replicas.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';
import { countedCalls, flushUsage } from '../support/usage.js';

const SECRET = 'the-verify-secret-of-this-test-and-no-other';
const config = { verify: { secret: SECRET } };
const FIRST = '203.0.113.9';
const SECOND = '203.0.113.10';

/** Asks as a proxy that was called from an address, and in between says what the client claims. */
const ask = ({ client }: TestPortal, product: string, caller: string | null, key?: string) =>
  client.get(`/gateway/verify/${product}`, {
    headers: {
      'X-Portal-Verify-Secret': SECRET,
      ...(caller !== null && { 'X-Forwarded-For': caller }),
      ...(key !== undefined && { 'X-API-Key': key }),
    },
  });
async function statuses(test: TestPortal, calls: number, caller: string | null, product = 'weather') {
  const seen: number[] = [];
  for (let call = 0; call < calls; call += 1) seen.push((await ask(test, product, caller)).status);
  return seen;
}

describe('calls without a key', () => {
  let test: TestPortal;
  let ada: Developer;
  let admin: AdminClient;
  beforeAll(async () => {
    test = await startTestPortal({ config, replicas: 1 });
    admin = await AdminClient.create(test);
    ada = await Developer.create(test);
    await createPlan(test, { slug: 'anonymous', name: 'Anonymous', isKeyless: true }, { quotaPerDay: 2 });
    await createPlan(test, { slug: 'pro' }, { quotaPerDay: 1_000 });
    await createProduct(test, { slug: 'weather', plans: ['anonymous', 'pro'] });
    await createProduct(test, { slug: 'closed', plans: ['pro'] });
    await createProduct(test, { slug: 'private', plans: ['anonymous'], visibility: 'private' });
  });
  afterAll(() => test.stop());
  beforeEach(() => void test.clock.advance(86_400));
  beforeEach(async () => {
    await ada.signInAgain();
    admin = await AdminClient.create(test);
  });

  it('pass where a product offers a plan for them, each network up to its limits, and say so', async () => {
    const answer = await ask(test, 'weather', FIRST);
    expect(answer.status).toBe(200);
    const said = ['x-portal-products', 'x-portal-app', 'x-portal-developer', 'x-portal-key-id', 'x-portal-limit'];
    expect(said.map((name) => answer.headers.get(name))).toEqual(['weather', '', '', '', 'within']);
    expect(answer.headers.get('ratelimit-policy')).toBe('"daily";q=2;w=86400');
    expect(await statuses(test, 2, FIRST)).toEqual([200, 403]);
    const refused = await ask(test, 'weather/429', FIRST);
    expect([refused.status, refused.headers.get('x-auth-reason')]).toEqual([429, 'quota_exceeded']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await statuses(test, 2, SECOND)).toEqual([200, 200]);
  });

  it('count for the address that the proxy has added, whatever a client puts before it', async () => {
    expect(await statuses(test, 1, `198.51.100.1, ${FIRST}`)).toEqual([200]);
    expect(await statuses(test, 2, `198.51.100.2, ${FIRST}`)).toEqual([200, 403]);
    expect(await statuses(test, 1, '::ffff:203.0.113.9')).toEqual([403]);
    expect(await statuses(test, 2, '2001:db8:0:1::7')).toEqual([200, 200]);
    expect(await statuses(test, 1, '2001:db8:0:1:ffff::9')).toEqual([403]);
    expect(await statuses(test, 1, '2001:db8:0:2::7')).toEqual([200]);
    // Whom the proxy does not tell counts as one.
    expect([await statuses(test, 1, null), await statuses(test, 2, 'unknown')]).toEqual([[200], [200, 403]]);
  });

  it('need a key everywhere else, and a bad key is refused as ever', async () => {
    const reason = async (product: string, key?: string) => {
      const { status, headers } = await ask(test, product, FIRST, key);
      return [status, headers.get('x-auth-reason')];
    };
    for (const product of ['closed', 'private', 'nowhere', '-', 'WEATHER'])
      expect(await reason(product)).toEqual([401, 'missing_key']);
    expect(await reason('weather', 'pk_00000000000000000000000000000000')).toEqual([403, 'unknown_key']);
    const { key } = await ada.createApp('own', ['weather']);
    await statuses(test, 3, FIRST);
    const answer = await ask(test, 'weather', FIRST, key);
    expect([answer.status, answer.headers.get('ratelimit-policy')]).toEqual([200, '"daily";q=1000;w=86400']);
  });

  it('are counted without an address when they pass, by network when they are refused', async () => {
    await flushUsage(test);
    const before = (await countedCalls(test.portal.database, 0))['weather allowed'] ?? 0;
    await statuses(test, 5, FIRST);
    await flushUsage(test);
    expect((await countedCalls(test.portal.database, 0))['weather allowed']).toBe(before + 2);
    const { json } = await admin.get('/usage/without-key');
    expect(json.data).toContainEqual(
      expect.objectContaining({ outcome: 'quota_exceeded', product: 'weather', network: '203.0.113.0/24' }),
    );
    const products = (await admin.get('/usage', { group_by: 'product' })).json.data.groups as { name: string }[];
    expect(products.map(({ name }) => name)).toContain('weather');
    const apps = (await admin.get('/usage', { group_by: 'app' })).json.data.groups as { id: number | null }[];
    expect(apps.map(({ id }) => id)).toContain(null);
    const rows = await test.portal.database.select<{ network: string }>('SELECT network FROM portal_usage_refusals');
    expect(rows.every(({ network }) => /^$|\/24$|\/48$/.test(network))).toBe(true);
  });

  it('follow the plan and the product within a second', async () => {
    await createPlan(test, { slug: 'opened', isKeyless: true });
    const { id } = await createProduct(test, { slug: 'later' });
    const reason = async () => {
      test.clock.advance(1);
      return (await ask(test, 'later', FIRST)).status;
    };
    expect(await reason()).toBe(401);
    await admin.put(`/products/${id}/plans`, { plans: ['opened'] });
    expect(await reason()).toBe(200);
    await admin.put('/products/later', { visibility: 'private' });
    expect(await reason()).toBe(401);
    await admin.put('/products/later', { visibility: 'public' });
    expect(await reason()).toBe(200);
    await admin.post('/plans/opened/archive', {});
    expect(await reason()).toBe(401);
  });

  it('have a plan that no key gets and no product has as its default, with nothing that belongs to keys', async () => {
    const { id } = await createProduct(test, { slug: 'only', plans: ['anonymous'] });
    const key = await ada.createApp('free', ['only']);
    expect((await ada.get('/free')).json.data.credentials[0].products[0].plan).toBeNull();
    expect((await ask(test, 'only', FIRST, key.key)).headers.get('x-portal-limit')).toBe('none');
    const refused = await ada.post('/free/credentials', { products: [{ slug: 'only', plan: 'anonymous' }] });
    expect(refused.status).toBe(422);
    const faults = [
      await admin.put(`/products/${id}/plans`, { plans: ['anonymous'], default_plan: 'anonymous' }),
      await admin.put(`/products/${id}/plans`, { plans: ['anonymous', 'opened'] }),
      await admin.post('/plans', { slug: 'a', name: 'A', keyless: true, approval: 'manual' }),
      await admin.post('/plans', { slug: 'b', name: 'B', keyless: true, key_lifetime: 3_600 }),
      await admin.put('/plans/anonymous', { approval: 'manual' }),
    ];
    expect(faults.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422]);
    expect((await admin.put('/plans/pro', { keyless: true })).json.data).toMatchObject({ keyless: false });
    expect((await admin.put('/plans/anonymous', { name: 'Everybody' })).json.data).toMatchObject({ keyless: true });
  });

  it('are told of by the API and the page of the product', async () => {
    const { json } = await test.client.get('/api/v1/api-products/weather/plans');
    expect(json.data).toMatchObject([
      { slug: 'anonymous', keyless: true, is_default: false },
      { slug: 'pro', keyless: false, is_default: true },
    ]);
    const { text } = await test.client.get('/portal/products/weather');
    expect(text).toContain('No key is needed, so the request goes out as it is:');
    expect(text).not.toContain('YOUR_KEY');
    expect((await test.client.get('/portal/products/closed')).text).toContain('YOUR_KEY');
  });
});

describeWith('redis', 'calls without a key over two replicas with Redis', () => {
  let replicas: Replicas;
  beforeAll(async () => {
    replicas = await startReplicas({ config, replicas: 1 });
    const limits = { quotaPerDay: 40, ratePerMinute: 1_000 };
    await createPlan(replicas.one, { slug: 'anonymous', isKeyless: true }, limits);
    await createProduct(replicas.one, { slug: 'weather', plans: ['anonymous'] });
  });
  afterAll(() => replicas.stop());
  afterEach(() => replicas.redis.mend());

  it('pass exactly as often as the plan says for each network, and go on while Redis is away', async () => {
    const both = [replicas.one, replicas.two] as const;
    const passed = async (caller: string) => {
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, call) => ask(both[call % 2 ? 0 : 1], 'weather', caller)),
      );
      return answers.filter(({ status }) => status === 200).length;
    };
    expect([await passed(FIRST), await passed(SECOND)]).toEqual([40, 40]);
    await replicas.redis.kill();
    // Each for itself, beginning anew.
    expect(await passed(FIRST)).toBe(80);
  });
});
