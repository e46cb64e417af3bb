import { GatewayTimeoutError, GatewayUnavailableError, type GatewayContext } from '../../../src/gateway/index.js';
import { AdminClient } from '../../support/admin-client.js';
import { Developer, verify } from '../../support/apps.js';
import { createPlan, createProduct } from '../../support/factories.js';
import { FlakyGateway } from '../../support/flaky-gateway.js';
import { Mailbox } from '../../support/mailbox.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

let test: TestPortal;
let admin: AdminClient;
let ada: Developer;
let gateway: FlakyGateway;
const mailbox = new Mailbox();
/** The clock begins on the 1st of June, at noon. */
const TOMORROW = '2026-06-02T12:00:00.000Z';
const REASON = 'Their sale of the year.';
const DAY_S = 86_400;

const overridesOf = (app: string) => `/users/${ada.user.id}/apps/${app}/overrides`;
const raise = (app: string, body: object) => admin.post(overridesOf(app), { product: 'maps', reason: REASON, ...body });

/** The quota of a day by which the verify endpoints decide; null for none. */
async function quotaOf(key: string, product = 'maps'): Promise<number | null> {
  const { status, headers } = await verify(test, key, product);
  expect(status).toBe(200);
  const [, quota] = /q=(\d+);w=86400/.exec(headers.get('ratelimit-policy') ?? '') ?? [];
  return quota === undefined ? null : Number(quota);
}

/** What its developer is shown. */
async function shown(app: string) {
  const { json } = await ada.get(`/${app}`);
  return json.data.credentials[0].products[0] as {
    plan: { quota_per_day: number } | null;
    override: { quota_per_day: number | null; ends_at: string | null; reason: string } | null;
  };
}

async function signInAgain(): Promise<void> {
  await ada.signInAgain();
  admin = await AdminClient.create(test);
}

beforeAll(async () => {
  test = await startTestPortal({
    config: { gateway: { driver: 'flaky' }, verify: { enabled: true } },
    extensions: {
      mailer: () => mailbox,
      gatewayDrivers: { flaky: async (context: GatewayContext) => (gateway = await FlakyGateway.open(context)) },
    },
  });
  admin = await AdminClient.create(test);
  ada = await Developer.create(test, { email: 'ada@example.com' });
  await createPlan(test, { slug: 'free' }, { quotaPerDay: 100, ratePerMinute: 50 });
  await createPlan(test, { slug: 'pro' }, { quotaPerDay: 10_000 });
  await createProduct(test, { slug: 'maps', name: 'Maps', plans: ['free', 'pro'] });
  await createProduct(test, { slug: 'news', plans: ['free'] });
  await createProduct(test, { slug: 'plain' });
});
afterAll(() => test.stop());
beforeEach(() => void test.clock.advance(1));
afterEach(() => gateway.mend());

describe('raising the limits of an app for a product', () => {
  it('holds with its answer on all of its keys, on new and rotated ones, and on nothing else', async () => {
    const first = await ada.createApp('shop', ['maps', 'news']);
    const other = await ada.createApp('other', ['maps']);
    const second = await ada.post('/shop/credentials', { products: ['maps'] });
    const raised = await raise('shop', { quota_per_day: 500 });
    expect([raised.status, raised.json.data]).toMatchObject([
      201,
      { product: 'maps', status: 'active', quota_per_day: 500, rate_per_second: null, exempt: false, ends_at: null },
    ]);
    expect([await quotaOf(first.key), await quotaOf(second.json.data.consumer_key)]).toEqual([500, 500]);
    expect([await quotaOf(first.key, 'news'), await quotaOf(other.key)]).toEqual([100, 100]);
    const third = await ada.post('/shop/credentials', { products: ['maps'] });
    const rotated = await ada.post(`/shop/credentials/${first.id}/rotate`);
    expect([await quotaOf(third.json.data.consumer_key), await quotaOf(rotated.json.data.consumer_key)]).toEqual([
      500, 500,
    ]);
    const late = await ada.post('/shop/credentials', { products: ['news'] });
    await ada.post(`/shop/credentials/${late.json.data.id}/products`, { products: ['maps'] });
    expect(await quotaOf(late.json.data.consumer_key)).toBe(500);
    expect((await verify(test, first.key, 'maps')).status).toBe(200);
  });

  it('is shown to the developer, with its reason and end', async () => {
    await ada.createApp('told', ['maps']);
    await raise('told', { quota_per_day: 300, ends_at: TOMORROW });
    const { plan, override } = await shown('told');
    expect([plan?.quota_per_day, override]).toMatchObject([
      100,
      { quota_per_day: 300, rate_per_minute: 50, ends_at: TOMORROW, reason: REASON },
    ]);
  });

  it('never takes anything away: of plan and override the larger limit holds', async () => {
    const { id, key } = await ada.createApp('large', [{ slug: 'maps', plan: 'pro' }]);
    await raise('large', { quota_per_day: 500 });
    expect(await quotaOf(key)).toBe(10_000);
    await ada.put(`/large/credentials/${id}/products/maps/plan`, { plan: 'free' });
    expect(await quotaOf(key)).toBe(500);
  });

  it('lifts all limits for who is exempt', async () => {
    const { key } = await ada.createApp('exempt', ['maps']);
    await raise('exempt', { exempt: true });
    expect(await quotaOf(key)).toBeNull();
    expect((await shown('exempt')).override).toMatchObject({
      exempt: true,
      quota_per_day: null,
      rate_per_second: null,
    });
  });

  it('lets calls pass that the plan alone would refuse, on every replica at once', async () => {
    await createPlan(test, { slug: 'tiny' }, { quotaPerDay: 2 });
    await createProduct(test, { slug: 'tiny', plans: ['tiny'] });
    const { key } = await ada.createApp('calling', ['tiny']);
    const call = async () => (await verify(test, key, 'tiny')).status;
    expect([await call(), await call(), await call()]).toEqual([200, 200, 403]);
    await raise('calling', { product: 'tiny', quota_per_day: 3 });
    expect([await call(), await call()]).toEqual([200, 403]);
    // What the page of the app draws.
    const { apps, usage } = test.portal.services;
    const [view] = await usage.quotas.ofApp((await apps.apps.find(ada.user, 'calling')).app.id);
    expect(view?.quotas).toMatchObject([{ period: 'day', limit: 3 }]);
    await raise('calling', { product: 'tiny', exempt: true });
    expect([await call(), await call()]).toEqual([200, 200]);
  });

  it('takes the place of what was raised before', async () => {
    const { key } = await ada.createApp('again', ['maps']);
    await raise('again', { quota_per_day: 500 });
    await raise('again', { quota_per_day: 200 });
    expect(await quotaOf(key)).toBe(200);
    const { json } = await admin.get(overridesOf('again'), { order_by: 'id', direction: 'asc' });
    expect(json.data).toMatchObject([
      { quota_per_day: 500, status: 'ended' },
      { quota_per_day: 200, status: 'active' },
    ]);
  });

  it('ends by itself to the second, without a job', async () => {
    const { key } = await ada.createApp('ending', ['maps']);
    await raise('ending', { quota_per_day: 500, ends_at: '2026-06-05' });
    const left = Date.parse('2026-06-05') - test.clock.now().getTime();
    test.clock.advance(left / 1_000 - 1);
    expect(await quotaOf(key)).toBe(500);
    test.clock.advance(1);
    expect(await quotaOf(key)).toBe(100);
    await signInAgain();
    expect((await shown('ending')).override).toBeNull();
    expect((await admin.get(overridesOf('ending'))).json.data).toMatchObject([{ status: 'ended' }]);
  });

  it('is ended by an admin, at once and once', async () => {
    const { key } = await ada.createApp('ended', ['maps']);
    const { json } = await raise('ended', { quota_per_day: 500 });
    const path = `${overridesOf('ended')}/${json.data.id}`;
    const ended = await admin.post(`${path}/end`, { reason: 'The sale is over.' });
    expect([ended.status, ended.json.data.status, await quotaOf(key)]).toEqual([200, 'ended', 100]);
    expect((await shown('ended')).override).toBeNull();
    expect((await admin.post(`${path}/end`, {})).status).toBe(409);
  });

  it('is refused without a reason, for the past, for nothing, and where there is nothing to raise', async () => {
    await ada.createApp('refused', ['plain']);
    await createPlan(test, { slug: 'late' });
    const faults = [
      [{ quota_per_day: 5, reason: '' }, 422, 'reason'],
      [{ quota_per_day: 5, ends_at: '2026-06-01' }, 422, 'ends_at'],
      [{ quota_per_day: 5, ends_at: 'soon' }, 422, 'ends_at'],
      [{ quota_per_day: 0 }, 422, 'quota_per_day'],
      [{}, 422, 'exempt'],
      [{ exempt: true }, 422, 'product'],
      [{ exempt: true, product: 'nothing' }, 422, 'product'],
      [{ exempt: true, product: 'plain' }, 409, 'product'],
    ] as const;
    for (const [body, status, field] of faults) {
      const { json, ...answer } = await raise('refused', body);
      expect([answer.status, Object.keys(json.errors)]).toEqual([status, [field]]);
    }
    expect((await admin.get(overridesOf('refused'))).json.data).toEqual([]);
    await admin.post(`/users/${ada.user.id}/apps/refused/revoke`, {});
    expect((await raise('refused', { exempt: true, product: 'plain' })).status).toBe(409);
  });

  it('is for admins who may change apps, and each override belongs to its app', async () => {
    await ada.createApp('mine', ['maps']);
    const { json } = await raise('mine', { exempt: true });
    expect((await admin.get(`${overridesOf('shop')}/${json.data.id}`)).status).toBe(404);
    const reader = await AdminClient.create(test, ['catalog_manager']);
    const answers = [
      await reader.get(overridesOf('mine')),
      await reader.post(overridesOf('mine'), { product: 'maps', exempt: true, reason: REASON }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
  });

  it('is in the activity log with its reason, and told by mail', async () => {
    // Somebody new: nobody gets any number of mails.
    ada = await Developer.create(test, { email: 'eve@example.com' });
    await ada.createApp('logged', ['maps']);
    const { json } = await raise('logged', { quota_per_day: 500, ends_at: '2026-07-01' });
    await admin.post(`${overridesOf('logged')}/${json.data.id}/end`, { reason: 'Enough.' });
    const { data } = (await admin.get('/activities', { per_page: '2' })).json;
    expect(data).toMatchObject([
      { action: 'app.limits_restored', changes: { product: ['maps', 'maps'], reason: [null, 'Enough.'] } },
      { action: 'app.limits_raised', changes: { quota_per_day: [null, 500], reason: [null, REASON] } },
    ]);
    const [raised, ended] = await mailbox.take(test, 'eve@example.com');
    expect(raised?.text).toMatch(/raised the limits of your app logged for Maps[^]*from Jul 1, 2026[^]*Their sale/);
    expect(ended?.text).toMatch(/the limits of the plan hold again[^]*Enough/);
  });
});

describe('raising limits at a gateway that fails', () => {
  it('changes nothing: keys that were told already are told again', async () => {
    const first = await ada.createApp('flaky', ['maps']);
    await ada.post('/flaky/credentials', { products: ['maps'] });
    let calls = 0;
    gateway.cutWhen(new GatewayUnavailableError(7), 'keyProducts.add', () => (calls += 1) === 2);
    expect((await raise('flaky', { quota_per_day: 500 })).status).toBe(503);
    expect([await quotaOf(first.key), calls]).toEqual([100, 4]);
    expect((await admin.get(overridesOf('flaky'))).json.data).toEqual([]);
    gateway.mend();
    expect((await raise('flaky', { quota_per_day: 500 })).status).toBe(201);
    expect(await quotaOf(first.key)).toBe(500);
  });

  it('is settled by recovery when it broke off', async () => {
    const { key } = await ada.createApp('broken', ['maps']);
    await raise('broken', { quota_per_day: 200 });
    gateway.cut(new GatewayTimeoutError(), 'after', 'keyProducts.add');
    expect((await raise('broken', { quota_per_day: 500 })).status).toBe(504);
    gateway.mend();
    test.clock.advance(DAY_S);
    await test.portal.services.apps.recovery.run();
    expect(await quotaOf(key)).toBe(200);
    const rows = await test.portal.database.select("SELECT id FROM portal_plan_overrides WHERE state = 'starting'");
    expect(rows).toEqual([]);
  });
});

describe('the page of a product', () => {
  it('says that plans are for information where the gateway keeps none', async () => {
    const says = async () =>
      (await test.client.get('/portal/products/maps')).text.includes('For information: the gateway');
    expect(await says()).toBe(false);
    gateway.capabilities = { ...gateway.capabilities, plans: false };
    expect(await says()).toBe(true);
  });
});
