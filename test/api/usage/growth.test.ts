import { Developer, verify } from '../../support/apps.js';
import { AdminClient } from '../../support/admin-client.js';
import { createProduct, createUser } from '../../support/factories.js';
import { openConsole } from '../../support/console.js';
import { decoded, type PageClient } from '../../support/page-client.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { appIdOf, flushUsage, seedCalls } from '../../support/usage.js';

const DAY_S = 86_400;

let test: TestPortal;
let admin: AdminClient;
let page: PageClient;
let product: number;

/** Four sign-ups in an hour: one without an app, one with an app, one with a key, and one who called two hours later. */
beforeAll(async () => {
  test = await startTestPortal({ replicas: 1 });
  product = (await createProduct(test, { slug: 'payments' })).id;
  await createUser(test);
  const [, keyed, caller] = [
    await (await Developer.create(test)).post('', { name: 'keyless', products: [] }),
    await Developer.create(test),
    await Developer.create(test),
  ];
  await keyed.createApp('keyed', ['payments']);
  const { key } = await caller.createApp('calling', ['payments']);
  test.clock.advance(7_200);
  await verify(test, key, 'payments');
  await flushUsage(test);
  admin = await AdminClient.create(test);
  page = await openConsole(test);
});
afterAll(() => test.stop());

const open = async (path: string) => decoded((await page.get(path)).html);
const textOf = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

describe('the way to the first call', () => {
  it('tells how many developers came how far, and the median time', async () => {
    const { json, status } = await admin.get('/usage/funnel');
    expect([status, json.data]).toMatchObject([
      200,
      { signed_up: 4, app: 3, key: 2, first_call: 1, median_seconds: 7_200 },
    ]);
  });

  it('takes the developers of a range of days, and has no median without a call', async () => {
    const { json } = await admin.get('/usage/funnel?from=2026-01-01&to=2026-02-01');
    expect(json.data).toMatchObject({ signed_up: 0, app: 0, key: 0, first_call: 0, median_seconds: null });
    expect((await admin.get('/usage/funnel?from=2026-02-01&to=2026-01-01')).status).toBe(422);
  });

  it('has a page whose numbers lead to the lists of these developers', async () => {
    const html = await open('/admin/usage/funnel');
    expect(textOf(html)).toContain('Signed up 4 100% – Made an app 3 75% 75% Has a key 2 50% 66.7%');
    expect(textOf(html)).toContain('Median time to first call 2 hours');
    const links = [...html.matchAll(/number-cell"><a href="([^"]+)">(\d+)</g)];
    expect(links.map(([, , number]) => number)).toEqual(['4', '3', '2', '1']);
    for (const [, href = '', number] of links) {
      expect([...(await open(href)).matchAll(/<tr[^>]* data-row/g)]).toHaveLength(Number(number));
    }
    expect(textOf(await open('/admin/usage/funnel?from=2026-01-01&to=2026-01-31'))).toContain('Signed up 0 0%');
  });
});

describe('what is called more, or less, than before', () => {
  let ids: Record<'keyed' | 'calling', number>;
  beforeAll(async () => {
    ids = { keyed: await appIdOf(test, 'keyed'), calling: await appIdOf(test, 'calling') };
    const back = (days: number) => new Date(test.clock.now().getTime() - days * DAY_S * 1_000);
    const calls = { credentialId: 1, productId: product };
    await seedCalls(test, [
      { ...calls, appId: ids.keyed, at: back(9), calls: 10 },
      { ...calls, appId: ids.keyed, at: back(1), calls: 4 },
      { ...calls, appId: ids.calling, at: back(3), calls: 20 },
      { ...calls, appId: ids.calling, at: back(0), calls: 500 },
    ]);
  });

  it('compares whole days before today with as many before them', async () => {
    const { json } = await admin.get('/usage/movers');
    expect(json.data).toMatchObject({
      since: '2026-05-18T00:00:00.000Z',
      from: '2026-05-25T00:00:00.000Z',
      to: '2026-06-01T00:00:00.000Z',
      movers: [
        { id: ids.calling, name: 'calling', calls: 20, before: 0, change: 20 },
        { id: ids.keyed, name: 'keyed', calls: 4, before: 10, change: -6 },
      ],
    });
    const products = await admin.get('/usage/movers?group_by=product&days=1');
    expect(products.json.data.movers).toEqual([{ id: product, name: 'payments', calls: 4, before: 0, change: 4 }]);
    expect((await admin.get('/usage/movers?days=0')).status).toBe(422);
  });

  it('has a page that leads to the calls', async () => {
    const html = await open('/admin/usage/movers');
    expect(textOf(html)).toContain('calling 20 0 +20 new keyed 4 10 -6 -60%');
    const [, href = ''] = /href="([^"]+)"><bdi>keyed/.exec(html) ?? [];
    expect(await open(href)).toContain('App: <bdi>keyed</bdi>');
    expect(textOf(await open('/admin/usage/movers?by=product&days=30'))).toContain('payments 34 0 +34 new');
  });
});
