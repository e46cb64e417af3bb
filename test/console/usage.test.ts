import { Developer, verify } from '../support/apps.js';
import { openConsole } from '../support/console.js';
import { createProduct } from '../support/factories.js';
import { decoded, type PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';
import { appIdOf, flushUsage } from '../support/usage.js';

let test: TestPortal;
let admin: PageClient;
let shopId: number;
let adaId: number;
let geoId: number;
let keyId: number;

/** Two allowed calls and a refused one of an app yesterday, one allowed now, and one without a known key. */
beforeAll(async () => {
  test = await startTestPortal({ replicas: 1 });
  await createProduct(test, { slug: 'payments' });
  geoId = (await createProduct(test, { slug: 'geo' })).id;
  const ada = await Developer.create(test);
  adaId = ada.user.id;
  const shop = await ada.createApp('shop', ['payments']);
  shopId = await appIdOf(test, 'shop');
  keyId = shop.id;
  for (const product of ['payments', 'payments', 'geo']) await verify(test, shop.key, product);
  await flushUsage(test);
  test.clock.advance(86_400);
  await verify(test, shop.key, 'payments');
  await verify(test, 'pk_00000000000000000000000000000000', 'payments');
  await flushUsage(test);
  admin = await openConsole(test);
});
afterAll(() => test.stop());

const open = async (path: string) => {
  const { html, status } = await admin.get(path);
  return { status, html: decoded(html) };
};
const numbersOf = (html: string) =>
  [...html.matchAll(/figure-number[^>]*>(\d+)</g)].map(([, number]) => Number(number)).slice(-3);
const rowsOf = (html: string) =>
  [...html.matchAll(/<tr><td data-label.*?<\/tr>/g)].map(([row]) =>
    row
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );
const linkTo = (html: string, text: string) =>
  new RegExp(`<a[^>]*href="([^"]+)"[^>]*>(?:<bdi>)?${text}<`).exec(html)?.[1] ?? '/admin/no-such-link';

const usageOf = (html: string) => /button-wide" href="([^"]+)">Usage</.exec(html)?.[1] ?? '/admin/no-such-link';

describe('the usage of the portal', () => {
  it('shows the calls of thirty days by product, and those without a known key', async () => {
    const { html } = await open('/admin/usage');
    expect(numbersOf(html)).toEqual([4, 3, 1]);
    expect(html).toContain('Refused (25%)');
    const rows = rowsOf(html);
    expect(rows).toContain('payments 3 3 0');
    expect(rows).toContain('geo 1 0 1');
    expect(rows.at(-1)).toMatch(/^127\.0\.0\.0\/24 Unknown key payments 1 |^– Unknown key payments 1 /);
    expect(html.replace(/ class="[^"]*"/g, '')).toContain(
      '<tr><th scope="row">Jun 1</th><td>3</td><td>2</td><td>1</td></tr>',
    );
  });

  it('keeps range, grouping and filters in its address', async () => {
    const first = await open('/admin/usage?by=outcome&range=week');
    expect(rowsOf(first.html)).toContain('Allowed 3 3 0');
    const day = await open(linkTo(first.html, '24 hours'));
    expect(numbersOf(day.html)).toEqual([1, 1, 0]);
    const products = await open(linkTo(day.html, 'API product'));
    const one = await open(linkTo(products.html, 'payments'));
    expect(one.html).toContain('API product: <bdi>payments</bdi>');
    expect(numbersOf(one.html)).toEqual([1, 1, 0]);
    expect(one.html).not.toContain('without a known key');
  });

  it('tells why calls of an app were refused', async () => {
    const { html } = await open(`/admin/usage?app=${shopId}`);
    expect(html).toContain('Why calls were refused');
    expect(rowsOf(html).at(-1)).toMatch(/^Product not on the key geo port••••.{4} 1 /);
  });

  it('shows what the APIs answered once a proxy has reported it, by the group that is chosen', async () => {
    expect((await open('/admin/usage')).html).not.toContain('Answers of the APIs');
    const time = test.clock.now().toISOString();
    const calls = [200, 200, 404].map((status, ms) =>
      JSON.stringify({ time, key_id: keyId, product: 'payments', status, ms }),
    );
    const headers = { 'content-type': 'application/x-ndjson' };
    const body = Buffer.from(calls.join('\n'));
    expect((await test.client.sendAsItIs('POST', '/gateway/usage', headers, body)).status).toBe(200);
    const { html } = await open('/admin/usage?range=day');
    expect(html).toContain('Answers of the APIs');
    expect(rowsOf(html)).toContain('payments 3 2 0 1 0 0 0.8 ms 1.8 ms 2 ms 0');
    expect(html).toMatch(/<th scope="row">Together<\/th>/);
    expect((await open(`/admin/usage?app=${shopId}&by=outcome`)).html).toContain('Answers of the APIs');
  });

  it('comes as CSV with the same filters', async () => {
    const { html } = await open('/admin/usage?product=geo&by=outcome');
    const { html: csv } = await open(linkTo(html, 'Download as CSV'));
    expect(
      csv
        .trim()
        .split('\r\n')
        .map((line) => line.split(',').slice(2)),
    ).toEqual([
      ['"name"', '"calls"'],
      ['"product_not_granted"', '"1"'],
    ]);
  });

  it('takes what it does not know for its usual view, and says so of what does not exist', async () => {
    const { html, status } = await open('/admin/usage?range=century&by=mood');
    expect([status, numbersOf(html)]).toEqual([200, [4, 3, 1]]);
    expect((await open('/admin/usage?product=none-such')).status).toBe(422);
  });

  it('is one press away from the pages of an app, its developer and a product, with their names', async () => {
    const shop = await open(`/admin/apps/${adaId}/shop`);
    const ofShop = await open(usageOf(shop.html));
    expect(numbersOf(ofShop.html)).toEqual([4, 3, 1]);
    expect(ofShop.html).toContain('App: <bdi>shop</bdi>');
    const ofAda = await open(usageOf((await open(`/admin/users/${adaId}`)).html));
    expect(rowsOf(ofAda.html)[0]).toBe('shop 4 3 1');
    const geo = await open(`/admin/products/${geoId}`);
    expect(numbersOf((await open(usageOf(geo.html))).html)).toEqual([1, 0, 1]);
  });

  it('counts the apps whose first call was allowed in thirty days, and leads to them', async () => {
    const { html } = await open('/admin');
    const [, href = '', number] = /href="([^"]*first_called_at[^"]*)"><strong[^>]*>(\d+)/.exec(html) ?? [];
    expect(number).toBe('1');
    expect((await open(href)).html).toContain('/shop"');
  });

  it('stands on the first page with the calls of a day', async () => {
    const { html } = await open('/admin');
    const figures = [...html.matchAll(/href="([^"]*usage[^"]*)"><strong[^>]*>(\d+)<\/strong><span>([^<]+)/g)];
    expect(figures.map(([, ...parts]) => parts)).toEqual([
      ['/admin/usage?range=day', '1', 'Calls in 24 hours'],
      ['/admin/usage?by=outcome&range=day', '0', 'Calls refused in 24 hours'],
    ]);
  });
});
