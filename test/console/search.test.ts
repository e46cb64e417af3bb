import { Developer } from '../support/apps.js';
import { openConsole } from '../support/console.js';
import { createProduct, createUser } from '../support/factories.js';
import { FlakyGateway } from '../support/flaky-gateway.js';
import { decoded, type PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
let admin: PageClient;
let key: string;
let gateway: FlakyGateway;
beforeAll(async () => {
  test = await startTestPortal({
    config: { gateway: { driver: 'flaky' } },
    extensions: { gatewayDrivers: { flaky: async (context: never) => (gateway = await FlakyGateway.open(context)) } },
  });
  await createProduct(test, { slug: 'payments', name: 'Payments' });
  const ada = await Developer.create(test, { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' });
  ({ key } = await ada.createApp('checkout', ['payments']));
  admin = await openConsole(test);
});
afterAll(() => test.stop());

/** What was found, by the heads of its groups. */
async function search(browser: PageClient, text: string) {
  const { html, status } = await browser.get(`/admin/search?q=${encodeURIComponent(text)}`);
  const results = /<div id="search-results".*?<\/div>/s.exec(html)?.[0] ?? '';
  const groups = [...results.matchAll(/<section>.*?<h2[^>]*>(.*?)<\/h2>(.*?)<\/section>/gs)].map(
    ([, head = '', body = '']) =>
      [
        head,
        [...body.matchAll(/<a class="found-link[^"]*" href="([^"]*)">(.*?)<\/a>/g)].map(([, href = '', text = '']) => ({
          href: decoded(href),
          text: decoded(text.replace(/<[^>]*>/g, '').replace(/[⁨⁩]/g, '')),
        })),
      ] as const,
  );
  return { status, results, groups: Object.fromEntries(groups) };
}

describe('the search of the console', () => {
  it('finds people, their apps, products and settings, in groups that say what they are', async () => {
    const people = await search(admin, 'lovelace');
    expect(people.groups).toEqual({
      Developers: [{ href: expect.stringMatching(/^\/admin\/users\/\d+$/), text: 'Ada Lovelace ada@example.com' }],
    });
    const mails = await search(admin, 'ada@example');
    expect(Object.keys(mails.groups)).toEqual(['Developers', 'Apps']);
    expect((await search(admin, 'payments')).groups['API products']).toEqual([
      { href: expect.stringMatching(/^\/admin\/products\/\d+$/), text: 'Payments payments' },
    ]);
  });

  it('leads to pages that are there', async () => {
    const hrefs = await Promise.all(
      ['', 'a', 'e', 'ada@', 'payments'].map(async (text) => Object.values((await search(admin, text)).groups).flat()),
    );
    const paths = [...new Set(hrefs.flat().map(({ href }) => href))];
    expect(paths.length).toBeGreaterThan(20);
    for (const path of paths) expect([path, (await admin.get(path)).status]).toEqual([path, 200]);
  });

  it('finds a key by its last four characters and by all of it, and never shows it', async () => {
    for (const text of [key.slice(-4), key]) {
      const { groups, results } = await search(admin, text);
      expect(groups.Keys).toEqual([
        {
          href: expect.stringMatching(/^\/admin\/keys\/\d+\/checkout\/\d+$/),
          text: `${key.slice(0, 4)}••••${key.slice(-4)} checkout · ada@example.com`,
        },
      ]);
      expect(results).not.toContain(key);
    }
    expect((await search(admin, `other-key-${key.slice(-4)}`)).groups.Keys).toBeUndefined();
  });

  it('finds pages and what can be made there, in the language of the reader', async () => {
    expect((await search(admin, 'menu')).groups).toMatchObject({
      Pages: [{ href: '/admin/menus', text: 'Menus' }],
      'Make something new': [{ href: '/admin/menus/create', text: 'New: Menu' }],
    });
    const arabic = await admin.get(`/admin/search?q=${encodeURIComponent('القوائم')}`, {
      headers: { 'accept-language': 'ar' },
    });
    expect(arabic.html).toContain('href="/admin/menus"');
  });

  it('goes on in the list when there is more', async () => {
    for (let index = 0; index < 6; index += 1) await createUser(test, { lastName: 'Manifold' });
    const found = (await search(admin, 'manifold')).groups.Developers ?? [];
    expect(found).toHaveLength(6);
    expect(found[5]).toEqual({ href: '/admin/users?q=manifold', text: expect.any(String) });
  });

  it('shows admins only what they may see', async () => {
    const keeper = await openConsole(test, ['portal.products.view']);
    expect(Object.keys((await search(keeper, 'ada@example')).groups)).toEqual([]);
    expect(Object.keys((await search(keeper, key)).groups)).toEqual([]);
    expect(Object.keys((await search(keeper, '')).groups)).toEqual(['Pages']);
    const pages = (await search(keeper, '')).groups.Pages ?? [];
    expect(pages.map(({ href }) => href)).not.toContain('/admin/users');
  });

  it('says so when nothing is found, and takes what visitors of all kinds type', async () => {
    expect((await search(admin, 'qqqqq')).results).toContain('Nothing was found.');
    for (const text of ['%', "'", '"><script>', '\\', '_'.repeat(300), '😀😀😀😀']) {
      const { status, results } = await search(admin, text);
      expect([text, status]).toEqual([text, 200]);
      expect(results).not.toContain('<script>');
    }
  });

  it('shows the rest when one list does not answer in time', async () => {
    let release = () => {};
    gateway.holdUp('products.list', new Promise((resolve) => (release = resolve)));
    const begun = Date.now();
    const { groups, results } = await search(admin, 'payments');
    expect(Date.now() - begun).toBeLessThan(4_000);
    expect(Object.keys(groups)).toContain('API products');
    expect(results).toContain('Some lists did not answer in time and are missing here.');
    release();
    expect((await search(admin, 'payments')).results).not.toContain('did not answer');
  });
});
