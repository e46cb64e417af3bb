import { Developer, verify } from '../support/apps.js';
import { openConsole } from '../support/console.js';
import { createPlan, createProduct, createUser, PASSWORD } from '../support/factories.js';
import { decoded, PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';
import { appIdOf, flushUsage, seedCalls } from '../support/usage.js';

const USAGE = '/portal/apps/shop/usage';

let test: TestPortal;
let page: PageClient;
let geoId: number;
let ada: Developer;
let key: { id: number; key: string };

/** Yesterday two allowed calls and two refused ones, today one allowed; the products have names of their own. */
beforeAll(async () => {
  test = await startTestPortal({ replicas: 1 });
  await createPlan(test, { slug: 'free', name: 'Free' }, { quotaPerDay: 4, quotaPerMonth: 1_000 });
  await createProduct(test, { slug: 'payments', name: 'Payments', plans: ['free'] });
  geoId = (await createProduct(test, { slug: 'geo', name: 'Geocoding' })).id;
  ada = await Developer.create(test);
  key = await ada.createApp('shop', ['payments']);
  for (const product of ['payments', 'payments', 'geo', 'geo']) await verify(test, key.key, product);
  await flushUsage(test);
  test.clock.advance(86_400);
  await verify(test, key.key, 'payments');
  await flushUsage(test);
  page = await signIn(ada.user.email);
});
afterAll(() => test.stop());

async function signIn(email: string): Promise<PageClient> {
  const client = new PageClient(test.client);
  await client.submit('/portal/login', { email, password: PASSWORD });
  return client;
}

const open = async (path: string) => {
  const { html, status } = await page.get(path);
  return { status, html: decoded(html) };
};
const textOf = (html: string) =>
  html
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
/** Calls, allowed, refused and today. */
const totalsOf = (html: string) => [...html.matchAll(/<dd>(\d+)/g)].map(([, number]) => Number(number));
const rowsOf = (html: string) => [...html.matchAll(/<tr>.*?<\/tr>/gs)].map(([row]) => textOf(row));
const linkTo = (html: string, text: string) =>
  new RegExp(`<a[^>]*href="([^"]+)"[^>]*>(?:<bdi[^>]*>)?${text}<`).exec(html)?.[1] ?? '/portal/no-such-link';

describe('who has read no documentation', () => {
  /** Follows links by what is written on them. @returns where they lead */
  async function click(client: PageClient, from: string, names: readonly string[]): Promise<string> {
    expect(names.length).toBeLessThanOrEqual(3);
    let path = from;
    for (const name of names) {
      const { html, status } = await client.get(path);
      const links = [...decoded(html).matchAll(/<a [^>]*href="([^"]+)"[^>]*>(.*?)<\/a>/gs)];
      const link = links.find(([, , shown = '']) => textOf(shown).startsWith(name));
      expect([path, status, name, link?.[1]]).toEqual([path, 200, name, expect.anything()]);
      path = link?.[1] ?? '';
    }
    return path;
  }

  it('finds approvals, usage and webhooks in three clicks, as an admin and as a developer', async () => {
    const admin = await openConsole(test);
    expect(await click(admin, '/admin', ['Inbox'])).toBe('/admin/inbox');
    expect(await click(admin, '/admin', ['Usage'])).toBe('/admin/usage');
    expect(await click(admin, '/admin', ['Webhooks'])).toBe('/admin/webhooks');
    expect(await click(page, '/portal', ['Apps', 'shop', 'Usage'])).toBe(USAGE);
    // In the menu of the account, which takes a click to open.
    expect(await click(page, '/portal', ['Webhooks'])).toBe('/portal/webhooks');
  });
});

describe('the usage of an app', () => {
  it('shows the calls of thirty days and of today, by API, outcome and key', async () => {
    const { html } = await open(linkTo((await open('/portal/apps/shop')).html, 'Usage'));
    expect(totalsOf(html)).toEqual([5, 3, 2, 1]);
    expect(html).toMatch(/<dd>2 <small>40%<\/small>/);
    expect(rowsOf(html)).toEqual(
      expect.arrayContaining(['Jun 1 4 2 2', 'Jun 2 1 1 0', 'Payments 3 0', 'Geocoding 2 2', 'Allowed 3']),
    );
    expect(rowsOf(html).at(-1)).toMatch(/^port••••.{4} 5 2$/);
  });

  it('says why calls were refused, what to do, with which key, and when', async () => {
    const { html } = await open(USAGE);
    const why = textOf(html.slice(html.indexOf('id="why"')));
    expect(why).toContain('The API is not on the key Add the API to this key');
    expect(why).toMatch(/port••••.{4} Geocoding 2 calls last Jun 1, 2026, 12:00 PM UTC/);
    expect(html).toContain(`href="/portal/apps/shop#key-${key.id}"`);
    expect((await open('/portal/apps/shop')).html).toContain(`id="key-${key.id}"`);
  });

  it('keeps range and filters in its address', async () => {
    const day = await open(linkTo((await open(USAGE)).html, '24 hours'));
    expect(totalsOf(day.html)).toEqual([1, 1, 0, 1]);
    expect(day.html).toContain('No call was refused in this time.');
    const week = await open(linkTo(day.html, '7 days'));
    const geo = await open(linkTo(week.html, 'Geocoding'));
    expect(totalsOf(geo.html)).toEqual([2, 0, 2, 0]);
    expect(textOf(geo.html)).toContain('API: Geocoding ×');
    const back = await open(linkTo(geo.html, 'API: <bdi>Geocoding</bdi> <span aria-hidden="true">×</span>'));
    expect(totalsOf(back.html)).toEqual([5, 3, 2, 1]);
  });

  it('takes what it does not know for its usual view, and refuses an API that the developer may not know', async () => {
    expect(totalsOf((await open(`${USAGE}?range=century&key=mine`)).html)).toEqual([5, 3, 2, 1]);
    await createProduct(test, { slug: 'secret', name: 'Secret', visibility: 'private' });
    for (const slug of ['secret', 'none-such']) expect((await open(`${USAGE}?product=${slug}`)).status).toBe(422);
  });

  it('comes as CSV with the same filters', async () => {
    const { html } = await open(`${USAGE}?product=geo`);
    const { html: csv } = await open(linkTo(html, 'By outcome'));
    expect(csv.trim().split('\r\n')).toEqual([
      '"start","id","name","calls"',
      '"2026-06-01T00:00:00.000Z","","product_not_granted","2"',
    ]);
    const byTime = await open(linkTo(html, 'By time'));
    expect(byTime.html).toContain('"2026-06-01T00:00:00.000Z","2","0","2"');
  });

  it('shows what the APIs answered and how long it took, once a proxy has reported it', async () => {
    expect((await open(USAGE)).html).not.toContain('Answers of the APIs');
    const time = test.clock.now().toISOString();
    const lines = [200, 503].map((status) =>
      JSON.stringify({ time, key_id: key.id, product: 'payments', status, ms: 40 }),
    );
    lines.push(JSON.stringify({ time, key_id: key.id, product: 'payments', status: 200, bytes: 12_000 }));
    const headers = { 'content-type': 'application/x-ndjson' };
    const body = Buffer.from(lines.join('\n'));
    expect((await test.client.sendAsItIs('POST', '/gateway/usage', headers, body)).status).toBe(200);
    const { html } = await open(USAGE);
    expect(rowsOf(html)).toEqual(
      expect.arrayContaining([
        'Payments 3 2 0 0 1 0 43 ms 49 ms 50 ms 12,000',
        'Together 3 2 0 0 1 0 43 ms 49 ms 50 ms 12,000',
      ]),
    );
    expect((await open(`${USAGE}?product=geo`)).html).not.toContain('Answers of the APIs');
    expect((await open(`${USAGE}?locale=ar`)).html).toContain('إجابات واجهات البرمجة');
  });

  it('says so when there were no calls', async () => {
    await page.submit('/portal/apps/create', { name: 'quiet', products: 'geo' }, { action: '/portal/apps' });
    const { html } = await open('/portal/apps/quiet/usage');
    expect([html.includes('No calls in this time'), html.includes('<svg class="chart"')]).toEqual([true, false]);
  });

  it('is nobody else’s', async () => {
    const other = await signIn((await createUser(test)).email);
    for (const path of [USAGE, `${USAGE}/export`]) expect((await other.get(path)).status).toBe(404);
    expect((await new PageClient(test.client).get(USAGE)).path).toContain('/portal/login');
  });

  it('names no API that the developer may not know any more', async () => {
    const id = { appId: await appIdOf(test, 'quiet'), credentialId: 0 };
    const covert = await createProduct(test, { slug: 'covert', name: 'Covert', visibility: 'private' });
    await seedCalls(test, [{ ...id, productId: covert.id, at: test.clock.now(), calls: 7 }]);
    const { html } = await open('/portal/apps/quiet/usage');
    expect(html).not.toMatch(/covert/i);
    expect(rowsOf(html)).toContain('none in particular 7 0');
  });
});

describe('the page of an API', () => {
  it('shows how the developer’s own apps call it, and leads to these calls', async () => {
    const { html } = await open('/portal/products/geo');
    expect(textOf(html)).toContain('Your usage 2 calls in 30 days');
    const shop = await open(linkTo(html, 'shop'));
    expect(totalsOf(shop.html)).toEqual([2, 0, 2, 0]);
  });

  it('shows nothing of it to others', async () => {
    const other = await signIn((await createUser(test)).email);
    for (const reader of [other, new PageClient(test.client)]) {
      expect((await reader.get('/portal/products/geo')).html).not.toContain('Your usage');
    }
  });
});

describe('the quotas of a plan', () => {
  it('show what is used of them and when they start anew, on the page of the app and of its usage', async () => {
    for (const path of ['/portal/apps/shop', USAGE]) {
      const text = textOf((await open(path)).html);
      expect(text).toContain('1 of 4 calls today 25% Starts anew Jun 3, 2026, 12:00 AM UTC');
      expect(text).toContain('3 of 1,000 calls this month 0.3% Starts anew Jul 1, 2026, 12:00 AM UTC');
    }
  });

  it('are told over REST, too, and to admins', async () => {
    await ada.signInAgain();
    const { json } = await ada.get('/shop/usage/quotas');
    const quota = { from: '2026-06-02T00:00:00.000Z', reset: null };
    expect(json.data).toEqual([
      {
        ...{ product: 'payments', plan: 'free', version: 1, shared: false },
        quotas: [
          { ...quota, period: 'day', limit: 4, used: 1, to: '2026-06-03T00:00:00.000Z' },
          {
            ...quota,
            period: 'month',
            limit: 1_000,
            used: 3,
            from: '2026-06-01T00:00:00.000Z',
            to: '2026-07-01T00:00:00.000Z',
          },
        ],
      },
    ]);
    const admin = await openConsole(test);
    const { html } = await admin.get(`/admin/usage?app=${await appIdOf(test, 'shop')}`);
    expect(textOf(html)).toContain('Quotas payments free 1 of 4 calls today 25%');
    expect(html).not.toContain('the plan may be too small');
  });

  it('warn from four fifths on, and count neither refused calls nor those without a plan', async () => {
    const calls = { appId: await appIdOf(test, 'shop'), credentialId: key.id, at: test.clock.now() };
    const payments = await productId('payments');
    await seedCalls(test, [
      { ...calls, productId: payments, planVersionId: 1, calls: 3 },
      { ...calls, productId: payments, planVersionId: 1, outcome: 'product_revoked', calls: 9 },
      { ...calls, productId: payments, calls: 9 },
      { ...calls, productId: geoId, planVersionId: 1, calls: 9 },
    ]);
    const { html } = await open('/portal/apps/shop');
    expect(html).toMatch(/4 of 4 calls today<\/span><span class="figure-bad">100%/);
    const admin = await openConsole(test);
    const { html: shown } = await admin.get(`/admin/usage?app=${calls.appId}`);
    expect(textOf(shown)).toContain('A quota is used up: the plan may be too small for this app.');
  });
});

async function productId(slug: string): Promise<number> {
  const [row] = await test.portal.database.select<{ id: number }>('SELECT id FROM portal_products WHERE slug = ?', [
    slug,
  ]);
  return Number(row?.id);
}
