import { GatewayUnavailableError, type GatewayContext } from '../../../src/gateway/index.js';
import { AdminClient } from '../../support/admin-client.js';
import { Developer, verify } from '../../support/apps.js';
import { createPlan, createProduct, PASSWORD } from '../../support/factories.js';
import { FlakyGateway } from '../../support/flaky-gateway.js';
import { Mailbox } from '../../support/mailbox.js';
import { PageClient } from '../../support/page-client.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { flushUsage } from '../../support/usage.js';

let test: TestPortal;
let admin: AdminClient;
let ada: Developer;
let gateway: FlakyGateway;
const mailbox = new Mailbox();
const REASON = 'Our outage used them up.';

const resetsOf = (app: string) => `/users/${ada.user.id}/apps/${app}/quota-resets`;
const reset = (app: string, body: object = {}) =>
  admin.post(resetsOf(app), { product: 'maps', reason: REASON, ...body });
/** How many of so many calls pass. */
async function passed(key: string, calls: number): Promise<number> {
  let count = 0;
  for (let call = 0; call < calls; call += 1) if ((await verify(test, key, 'maps')).status === 200) count += 1;
  return count;
}
/** What its developer is shown of the quotas. */
async function quotas(app: string) {
  await flushUsage(test);
  const { json } = await ada.get(`/${app}/usage/quotas`);
  return json.data[0].quotas as { period: string; used: number; reset: { at: string; reason: string } | null }[];
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
  await createPlan(test, { slug: 'few' }, { quotaPerDay: 3, quotaPerMonth: 5 });
  await createPlan(test, { slug: 'rate' }, { ratePerMinute: 50 });
  await createProduct(test, { slug: 'maps', name: 'Maps', plans: ['few', 'rate'] });
  await createProduct(test, { slug: 'plain' });
});
afterAll(() => test.stop());
beforeEach(() => void test.clock.advance(1));
afterEach(() => gateway.mend());

describe('resetting the used quotas of an app for a product', () => {
  it('gives each of them anew with its answer, on every key, and neither more nor less', async () => {
    const { key } = await ada.createApp('shop', ['maps']);
    const second = (await ada.post('/shop/credentials', { products: ['maps'] })).json.data.consumer_key as string;
    const other = await ada.createApp('other', ['maps']);
    expect([await passed(key, 5), await passed(other.key, 2)]).toEqual([3, 2]);
    const { status, json } = await reset('shop');
    expect([status, json.data]).toMatchObject([201, { product: 'maps', reason: REASON }]);
    const at = test.clock.now().toISOString();
    expect(await quotas('shop')).toMatchObject([
      { period: 'day', used: 0, reset: { at, reason: REASON } },
      { period: 'month', used: 0, reset: { at, reason: REASON } },
    ]);
    expect([await passed(key, 2), await passed(second, 3), await passed(other.key, 5)]).toEqual([2, 1, 1]);
    expect(await quotas('shop')).toMatchObject([{ used: 3 }, { used: 3 }]);
    // What was called stays counted.
    const usage = await ada.get('/shop/usage');
    expect(usage.json.data.totals).toMatchObject({ allowed: 6 });
  });

  it('holds for keys that are made, and rotated, afterwards', async () => {
    const { id, key } = await ada.createApp('keys', ['maps']);
    expect(await passed(key, 3)).toBe(3);
    await reset('keys');
    const made = (await ada.post('/keys/credentials', { products: ['maps'] })).json.data.consumer_key as string;
    const rotated = (await ada.post(`/keys/credentials/${id}/rotate`)).json.data.consumer_key as string;
    expect([await passed(made, 1), await passed(rotated, 5)]).toEqual([1, 2]);
  });

  it('stays while limits are raised, end and plans change, and counts from the last one', async () => {
    const { id, key } = await ada.createApp('both', ['maps']);
    expect(await passed(key, 4)).toBe(3);
    await reset('both');
    const raised = await admin.post(`/users/${ada.user.id}/apps/both/overrides`, {
      ...{ product: 'maps', quota_per_day: 4, reason: REASON },
    });
    expect(await passed(key, 6)).toBe(4);
    await admin.post(`/users/${ada.user.id}/apps/both/overrides/${raised.json.data.id}/end`, {});
    expect(await passed(key, 1)).toBe(0);
    await ada.put(`/both/credentials/${id}/products/maps/plan`, { plan: 'rate' });
    await ada.put(`/both/credentials/${id}/products/maps/plan`, { plan: 'few' });
    expect(await passed(key, 1)).toBe(0);
    await reset('both');
    expect(await passed(key, 5)).toBe(3);
    const { json } = await admin.get(resetsOf('both'), { order_by: 'id', direction: 'asc' });
    expect(json.data).toHaveLength(2);
    const [first] = json.data as { id: number }[];
    expect((await admin.get(`${resetsOf('both')}/${first?.id}`)).json.data).toMatchObject({ product: 'maps' });
  });

  it('counts from there in every period that is running, and in none that begins later', async () => {
    const { key } = await ada.createApp('days', ['maps']);
    expect(await passed(key, 4)).toBe(3);
    await reset('days');
    expect(await passed(key, 2)).toBe(2);
    await flushUsage(test);
    test.clock.advance(86_400);
    await signInAgain();
    // Of the five of the month two are used since the reset; the day is new.
    expect(await quotas('days')).toMatchObject([
      { period: 'day', used: 0, reset: null },
      { period: 'month', used: 2, reset: { reason: REASON } },
    ]);
    expect(await passed(key, 5)).toBe(3);
    await flushUsage(test);
    test.clock.advance(30 * 86_400);
    await signInAgain();
    expect(await quotas('days')).toMatchObject([
      { used: 0, reset: null },
      { used: 0, reset: null },
    ]);
    expect(await passed(key, 5)).toBe(3);
  });

  it('has alerts told again', async () => {
    const alert = async () => {
      await flushUsage(test);
      test.clock.advance(60);
      await test.portal.jobs.run('usage-alerts');
      return (await mailbox.take(test, 'bob@example.com')).map(({ subject }) => subject);
    };
    ada = await Developer.create(test, { email: 'bob@example.com' });
    const { key } = await ada.createApp('told', ['maps']);
    await passed(key, 3);
    expect(await alert()).toEqual(['told has used up its quota of Maps']);
    await reset('told');
    expect(await alert()).toEqual(['The quota of told for Maps starts anew']);
    await passed(key, 3);
    expect(await alert()).toEqual(['told has used up its quota of Maps']);
    expect(await alert()).toEqual([]);
  });

  it('is what the page of the app told of: a quota that is nearly or wholly used up, soft or not', async () => {
    await createPlan(test, { slug: 'soft' }, { quotaPerDay: 3, enforcement: 'soft' });
    await createProduct(test, { slug: 'roads', name: 'Roads', plans: ['soft'] });
    ada = await Developer.create(test, { email: 'eve@example.com' });
    const { key } = await ada.createApp('warned', ['maps', 'roads']);
    const page = new PageClient(test.client);
    await page.submit('/portal/login', { email: 'eve@example.com', password: PASSWORD });
    const warnings = async () => {
      await flushUsage(test);
      const { html } = await page.get('/portal/apps/warned');
      return ['Maps', 'Roads'].filter((name) => html.includes(`A quota of ${name} is used up.`));
    };
    await passed(key, 2);
    expect(await warnings()).toEqual([]);
    await passed(key, 1);
    for (let call = 0; call < 4; call += 1) await verify(test, key, 'roads');
    expect(await warnings()).toEqual(['Maps', 'Roads']);
    await reset('warned');
    expect(await warnings()).toEqual(['Roads']);
  });

  it('is in the activity log with its reason', async () => {
    const { data } = (await admin.get('/activities', { per_page: '20' })).json;
    expect(data).toContainEqual(
      expect.objectContaining({
        ...{ action: 'app.quota_reset', changes: { product: ['maps', 'maps'], reason: [null, REASON] } },
      }),
    );
  });

  it('is refused without a reason, where there is no quota, and to admins who may not change apps', async () => {
    await ada.createApp('refused', ['plain']);
    await ada.createApp('rated', [{ slug: 'maps', plan: 'rate' }]);
    expect((await reset('refused', { reason: '' })).status).toBe(422);
    expect((await reset('refused')).status).toBe(422);
    expect([(await reset('refused', { product: 'plain' })).status, (await reset('rated')).status]).toEqual([409, 409]);
    const reader = await AdminClient.create(test, ['catalog_manager']);
    expect((await reader.post(resetsOf('rated'), { product: 'maps', reason: REASON })).status).toBe(403);
    expect((await admin.get(resetsOf('rated'))).json.data).toEqual([]);
  });

  it('changes nothing when the gateway fails', async () => {
    const { key } = await ada.createApp('flaky', ['maps']);
    await passed(key, 3);
    gateway.cut(new GatewayUnavailableError(7), 'before', 'keyProducts.add');
    expect((await reset('flaky')).status).toBe(503);
    gateway.mend();
    expect((await admin.get(resetsOf('flaky'))).json.data).toEqual([]);
    test.clock.advance(60);
    await test.portal.services.apps.recovery.run();
    expect(await passed(key, 1)).toBe(0);
    expect((await quotas('flaky'))[0]).toMatchObject({ used: 3, reset: null });
    expect(await test.portal.database.select("SELECT id FROM portal_quota_resets WHERE state = 'starting'")).toEqual(
      [],
    );
  });
});
