import type { PortalConfigInput } from '../../src/config/index.js';
import { describeWith } from '../support/describe-with.js';
import { createProduct, createUser, PASSWORD } from '../support/factories.js';
import { PageClient, type PageAnswer } from '../support/page-client.js';
import { startBreakableRedis, type BreakableRedis } from '../support/redis.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const keyIn = ({ html }: PageAnswer) => /data-copy="([^"]+)"/.exec(html)?.[1] ?? null;
const keysIn = ({ html }: PageAnswer) => [...html.matchAll(/data-copy="([^"]+)"/g)].map(([, key]) => key);

let test: TestPortal;
const signedIn = async () => {
  const { email } = await createUser(test);
  const page = new PageClient(test.client);
  await page.submit('/portal/login', { email, password: PASSWORD });
  return { page, email };
};
const create = (page: PageClient, name: string) =>
  page.submit('/portal/apps/create', { name, products: 'payments' }, { action: '/portal/apps', follow: false });
const target = (answer: PageAnswer) => answer.headers.get('location') ?? '';
const rows = () => test.portal.database.select<{ sealed: string }>('SELECT sealed FROM portal_one_time_values');

async function start(config: PortalConfigInput = {}, replicas?: 1): Promise<void> {
  test = await startTestPortal({ replicas, config: { limits: { ip: { requests: { max: 10_000 } } }, ...config } });
  await createProduct(test, { slug: 'payments', name: 'Payments' });
}

describe('a key that was made by a form', () => {
  beforeAll(() => start());
  afterAll(() => test.stop());

  it('is shown by the page that the form leads to, this once, and stands in no address and no cookie', async () => {
    const { page } = await signedIn();
    const made = await create(page, 'shop');
    expect([made.status, target(made)]).toEqual([303, expect.stringMatching(/^\/portal\/apps\/shop\?once=[\w-]{32}$/)]);
    const [row] = await rows();
    const shown = await page.get(target(made));
    const key = keyIn(shown) ?? '';
    expect([shown.status, key.length > 20, shown.html.includes('The key was created.')]).toEqual([200, true, true]);
    const travelled = [target(made), row?.sealed, made.html, ...page.setCookies].join('\n');
    expect(travelled.includes(key) || travelled.includes(encodeURIComponent(key))).toBe(false);
    expect(keysIn(await page.get(target(made)))).toEqual([]);
    expect(keysIn(await page.get('/portal/apps/shop'))).toEqual([]);
    expect(await rows()).toEqual([]);
  });

  it.each(['rotate', 'reveal'])('likewise after %s', async (act) => {
    const { page } = await signedIn();
    const { html } = await page.get(target(await create(page, 'shop')));
    const action = new RegExp(`action="([^"]*/${act === 'reveal' ? 'rotate' : act})"`).exec(html)?.[1] ?? '';
    const token = await page.csrf('/portal/apps/shop');
    const made = await page.post(action.replace(/rotate$/, act), { _csrf: token }, { follow: false });
    expect([made.status, target(made)]).toEqual([303, expect.stringMatching(/^\/portal\/apps\/shop\?once=/)]);
    expect(keysIn(await page.get(target(made))).length).toBeGreaterThan(0);
    expect(keysIn(await page.get(target(made)))).toEqual([]);
  });

  it('is each in its own tab', async () => {
    const { page } = await signedIn();
    const [first, second] = [await create(page, 'one'), await create(page, 'two')];
    const [later, earlier] = [keyIn(await page.get(target(second))), keyIn(await page.get(target(first)))];
    expect([later, earlier]).toEqual([expect.any(String), expect.any(String)]);
    expect(later).not.toBe(earlier);
  });

  it('opens for one of many who ask at once', async () => {
    const { page } = await signedIn();
    const made = await create(page, 'shop');
    const answers = await Promise.all(Array.from({ length: 12 }, () => page.copy().get(target(made))));
    expect(answers.filter((answer) => keyIn(answer) !== null)).toHaveLength(1);
  });

  it('opens for nobody else, for no other sign-in of the same account and on no other page, and stays for whom it is', async () => {
    const [{ page, email }, other] = [await signedIn(), await signedIn()];
    await create(other.page, 'shop');
    await create(page, 'till');
    const made = await create(page, 'shop');
    const elsewhere = new PageClient(test.client);
    await elsewhere.submit('/portal/login', { email, password: PASSWORD });
    expect(keysIn(await other.page.get(target(made)))).toEqual([]);
    expect(keysIn(await elsewhere.get(target(made)))).toEqual([]);
    expect(keysIn(await page.get(target(made).replace('/shop', '/till')))).toEqual([]);
    expect((await new PageClient(test.client).get(target(made), { follow: false })).status).toBe(303);
    const head = { headers: { cookie: page.cookieHeader } };
    expect((await test.client.send('HEAD', target(made), head)).status).toBe(200);
    expect(keyIn(await page.get(target(made)))).not.toBeNull();
  });

  it('is gone after five minutes, and housekeeping clears it away', async () => {
    const { page } = await signedIn();
    const made = await create(page, 'shop');
    test.clock.advance(5 * 60);
    expect(keysIn(await page.get(target(made)))).toEqual([]);
    await test.portal.jobs.run('housekeeping');
    expect(await rows()).toEqual([]);
  });

  it.each([['x'.repeat(10_000)], ['%00'], ['../..'], ['']])(
    'a token %p that is none shows the page as it is',
    async (token) => {
      const { page } = await signedIn();
      await create(page, 'shop');
      const shown = await page.get(`/portal/apps/shop?once=${token}`);
      expect([shown.status, keysIn(shown)]).toEqual([200, []]);
      expect((await new PageClient(test.client).get(`/portal/products?once=${token}`)).status).toBe(200);
    },
  );
});

describe('a key with sessions in memory', () => {
  beforeAll(() => start({ session: { store: 'memory' } }, 1));
  afterAll(() => test.stop());
  it('is shown once', () => isShownOnce());
});

describeWith('redis', 'a key with sessions in Redis', () => {
  let redis: BreakableRedis;
  beforeAll(async () => {
    redis = await startBreakableRedis();
    await start({ session: { store: 'redis' }, redis: { url: redis.url } });
    // Connected: a portal that is not is not ready, and its clock stands still.
    await test.portal.redis?.evictionPolicy();
  });
  afterAll(async () => {
    await test.stop();
    await redis.stop();
  });
  it('is shown once', () => isShownOnce());
});

async function isShownOnce() {
  const { page } = await signedIn();
  const made = await create(page, 'shop');
  expect(keyIn(await page.get(target(made)))).not.toBeNull();
  expect(keysIn(await page.get(target(made)))).toEqual([]);
}

describe('a form that sends a mail', () => {
  beforeAll(() => start({ accounts: { verifyEmail: true } }));
  afterAll(() => test.stop());

  it.each([
    ['/portal/register', '/portal/register/check-email'],
    ['/portal/forgot-password', '/portal/forgot-password/sent'],
    ['/portal/verify-email', '/portal/verify-email/sent'],
  ])('%s leads to a page that can be opened and loaded again', async (path, sent) => {
    const fields = {
      ...{ first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' },
      ...{ password: PASSWORD, password_confirmation: PASSWORD },
    };
    const answer = await new PageClient(test.client).submit(path, fields, { follow: false });
    expect([answer.status, target(answer)]).toEqual([303, sent]);
    const opened = await new PageClient(test.client).get(sent);
    expect([opened.status, /<h1>[^<]+<\/h1>/.test(opened.html)]).toEqual([200, true]);
  });
});
