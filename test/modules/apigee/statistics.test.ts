import type { FakeApigee, FakeApigeeTraffic } from '../../../src/modules/apigee/index.js';
import { Developer } from '../../support/apps.js';
import { openConsole } from '../../support/console.js';
import { createAdmin, createProduct, PASSWORD } from '../../support/factories.js';
import { FakeClock } from '../../support/fake-clock.js';
import { PageClient } from '../../support/page-client.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { countedCalls } from '../../support/usage.js';
import { FLAVOURS, startApigee, startFakeApigee } from './support.js';

const MINUTE_MS = 60_000;
const stopping = new AbortController().signal;

describe.each(FLAVOURS)('the calls that Apigee counts (%s)', (flavour) => {
  let fake: FakeApigee;
  let test: TestPortal;
  let ada: Developer;
  let developerId: string;

  beforeAll(async () => {
    const clock = new FakeClock();
    fake = await startFakeApigee(flavour, clock, { statisticsDelay: 720 });
    const apigee = { ...fake.settings(flavour === 'x' ? 'service-account' : 'oauth'), environments: ['prod', 'eu'] };
    test = await startTestPortal({ clock, replicas: 1, config: { gateway: { driver: 'apigee', apigee } } });
    for (const slug of ['one', 'two']) await createProduct(test, { slug, gatewayProductId: `gw-${slug}` });
    ada = await Developer.create(test);
    await ada.createApp('checkout', ['one', 'two']);
    developerId = [...fake.organization.developers.keys()][0] ?? '';
  });
  beforeEach(async () => {
    fake.organization.traffic.length = 0;
    for (const table of ['usage_hours', 'usage_days', 'answer_hours', 'answer_days', 'usage_readings']) {
      await test.portal.database.execute(`DELETE FROM portal_${table}`);
    }
    await ada.signInAgain();
  });
  afterEach(() => {
    fake.mend();
    test.clock.advance(11);
  });
  afterAll(async () => {
    await test.stop();
    await fake.stop();
  });

  const ago = (minutes: number) => new Date(test.clock.now().getTime() - minutes * MINUTE_MS);
  const add = (traffic: Partial<FakeApigeeTraffic> = {}) =>
    fake.organization.traffic.push({
      ...{ environment: 'prod', at: ago(60), developerId, app: 'checkout', product: 'gw-one' },
      ...{ status: 200, calls: 5, ...traffic },
    });
  const read = () => test.portal.services.usage.traffic.run(stopping);
  /** As often as it takes: a run asks for ten pages. */
  const readAll = async () => {
    for (let round = 0; round < 12; round += 1) await read();
  };
  const asked = () => fake.requests.filter(({ path }) => path.includes('/stats/'));

  it('are the usage of apps and products, in all environments, with their status and until when they are known', async () => {
    add();
    add({ environment: 'eu', product: 'gw-two', status: 503, calls: 2 });
    add({ product: 'gw-unknown', status: 404, calls: 1, at: ago(26 * 60) });
    await readAll();
    const { data } = (await ada.get('/checkout/usage?group_by=product&from=2026-05-30')).json;
    expect([data.totals, data.as_of]).toEqual([{ calls: 8, allowed: 8, refused: 0 }, ago(15).toISOString()]);
    expect(data.groups.map(({ name, calls }: Record<string, unknown>) => [name, calls])).toEqual([
      ['one', 5],
      ['two', 2],
      [null, 1],
    ]);
    const answers = (await ada.get('/checkout/usage/answers?from=2026-05-30')).json.data;
    expect(answers.totals).toMatchObject({
      answers: 8,
      successes: 5,
      client_errors: 1,
      server_errors: 2,
      latency: null,
    });
    expect((await ada.get('/checkout')).json.data.first_called_at).not.toBeNull();
  });

  it('replace what was known of an hour, however often it is read, and come late', async () => {
    add({ at: ago(20) });
    await readAll();
    const before = asked().length;
    await read();
    expect(asked().length - before).toBeLessThanOrEqual(4);
    expect(await countedCalls(test.portal.database)).toEqual({ 'one allowed': 5 });
    add({ at: ago(5), calls: 7 });
    await read();
    expect(await countedCalls(test.portal.database)).toEqual({ 'one allowed': 5 });
    test.clock.advance(900);
    await read();
    await read();
    expect(await countedCalls(test.portal.database)).toEqual({ 'one allowed': 12 });
    await test.portal.services.usage.maintain(stopping);
    expect(await countedCalls(test.portal.database, undefined, 'days')).toEqual({ 'one allowed': 12 });
  });

  it('leave out calls without a key, and apps and developers that are not of the portal', async () => {
    fake.organization.traffic.push({ environment: 'prod', at: ago(60), status: 401, calls: 100 });
    add({ app: 'other' });
    add({ developerId: '6f1d7a1e-0000-4000-8000-000000000009' });
    add({ environment: 'test' });
    await readAll();
    expect(await countedCalls(test.portal.database)).toEqual({});
  });

  it('are read at most ten pages at a time, on from where the last run ended, also after Apigee was away', async () => {
    add({ at: ago(26 * 60) });
    fake.requests.length = 0;
    await read();
    expect(asked()).toHaveLength(10);
    fake.fail({ kind: 'status', status: 503, times: Infinity });
    await expect(read()).rejects.toThrow();
    fake.mend();
    test.clock.advance(11);
    const [first] = asked().splice(0, 1);
    await readAll();
    const ranges = asked().map(({ path }) => path);
    expect(ranges.length).toBeGreaterThan(10);
    expect(first?.path).toContain('/environments/prod/stats/developer,developer_app,apiproduct,response_status_code');
    expect(await countedCalls(test.portal.database)).toEqual({ 'one allowed': 5 });
  });

  it('are told with the time until which they are known, to admins too', async () => {
    await readAll();
    await test.portal.services.rbac.seed();
    const token = await signIn(test, await createAdmin(test, { roles: ['auditor'] }));
    const { json } = await test.client.get('/api/v1/admin/usage', { token });
    expect(json.data.as_of).toBe(ago(15).toISOString());
    expect((await (await openConsole(test)).get('/admin/usage')).html).toContain('As the gateway counted, until');
    const page = new PageClient(test.client);
    await page.submit('/portal/login', { email: ada.user.email, password: PASSWORD });
    expect((await page.get('/portal/apps/checkout/usage')).html).toContain('As the gateway counted, until');
  });
});

describe('without environments', () => {
  it('nothing is read', async () => {
    const { driver, stop } = await startApigee('x');
    expect(driver.statistics).toBeUndefined();
    await stop();
  });
});

describe('an answer of Apigee that makes no sense', () => {
  it.each([
    [{}],
    [{ environments: [{ name: 'prod' }] }],
    [{ environments: [{ dimensions: [{ name: 'a,b,c', metrics: [{ name: 'sum(message_count)', values: ['x'] }] }] }] }],
    [
      {
        environments: [
          {
            dimensions: [
              {
                name: 'o@@@a,b,c,200',
                metrics: [{ name: 'sum(message_count)', values: [{ timestamp: 0, value: 'NaN' }] }],
              },
            ],
          },
        ],
      },
    ],
  ])('counts nothing (%j)', async (body) => {
    const { ApigeeStatistics } = await import('../../../src/modules/apigee/apigee-statistics.js');
    const begin = () => ({ get: async (_place: unknown, read: (body: unknown) => unknown) => read(body) });
    const statistics = new ApigeeStatistics({ begin } as never, ['prod']);
    expect(await statistics.read(new Date(0), null)).toEqual({ items: [], next: null });
  });
});
