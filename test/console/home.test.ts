import { LocalGateway } from '../../src/gateway/local/local-gateway.js';
import type { GatewayFactory } from '../../src/gateway/index.js';
import { Developer } from '../support/apps.js';
import { openConsole } from '../support/console.js';
import { createProduct, createUser } from '../support/factories.js';
import { decoded, type PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
let checks: () => Promise<void> = () => Promise.resolve();
beforeAll(async () => {
  const watched: GatewayFactory = (context) => {
    const gateway = new LocalGateway(context);
    gateway.check = () => checks();
    return gateway;
  };
  test = await startTestPortal({
    config: { apps: { approval: 'manual' }, gateway: { driver: 'watched' } },
    extensions: { gatewayDrivers: { watched } },
  });
  await fill();
});
afterAll(() => test.stop());

/** Something of everything that the page counts, and beside it what it must not count. */
async function fill(): Promise<void> {
  const { database } = test.portal;
  await createUser(test, { firstName: 'Long', lastName: 'Ago' });
  test.clock.advance(20 * 86_400);
  await createProduct(test, { slug: 'payments', name: 'Payments' });
  await createProduct(test, { slug: 'payments-v2', name: 'Payments 2' });
  const loans = await createProduct(test, { slug: 'loans', name: 'Loans', approval: 'manual' });
  const ada = await Developer.create(test);
  for (const name of ['one', 'two', 'three', 'four'])
    await ada.createApp(name, ['payments', 'payments-v2', loans.slug]);
  await database.execute("UPDATE portal_apps SET status = 'approved' WHERE name <> 'one'");
  await database.execute("UPDATE portal_credentials SET status = 'approved'");
  const inDays = (days: number) => new Date(test.clock.now().getTime() + days * 86_400_000);
  const [first, second, third, fourth] = await database.select<{ id: number }>(
    'SELECT id FROM portal_credentials ORDER BY id',
  );
  const end = (id: number | undefined, days: number) =>
    database.execute('UPDATE portal_credentials SET expires_at = ? WHERE id = ?', [inDays(days), id ?? 0]);
  await end(first?.id, 13);
  await end(second?.id, 15);
  await end(third?.id, 2);
  await end(fourth?.id, 3);
  await database.execute('UPDATE portal_credentials SET replaced_by = ? WHERE id = ?', [
    first?.id ?? 0,
    third?.id ?? 0,
  ]);
  await database.execute(
    "UPDATE portal_credential_products SET status = 'approved' WHERE product_id <> ? OR credential_id = ?",
    [loans.id, first?.id ?? 0],
  );
  for (let index = 0; index < 3; index += 1) await createUser(test, { status: 'pending' });
  const mail = { template: 'keys-closed', to: 'ada@example.com', locale: 'en', values: {} };
  for (let index = 0; index < 3; index += 1) await test.portal.mail.queue(mail);
  await database.execute(
    "UPDATE portal_mails SET state = 'failed' WHERE id = (SELECT id FROM (SELECT MAX(id) AS id FROM portal_mails) m)",
  );
  test.clock.advance(5);
}

/** Every number of the page with where it leads. */
async function numbersOf(browser: PageClient) {
  const { html } = await browser.get('/admin');
  const main = html.slice(html.indexOf('<main'));
  const figures = [...main.matchAll(/<a href="([^"]+)"><strong[^>]*>(\d+)<\/strong><span>([^<]+)</g)];
  const links = [...main.matchAll(/<a (?:class="figure-total" )?href="([^"]+)">(\d+)<\/a>/g)];
  return [...figures, ...links].map(([, href = '', count = '', name = '']) => ({
    href: decoded(href),
    count: Number(count),
    name,
  }));
}

/** The rows of a list, through all of its pages. */
async function rowsOf(browser: PageClient, href: string): Promise<number> {
  const { html, status } = await browser.get(`${href}${href.includes('?') ? '&' : '?'}per_page=100`);
  expect([href, status]).toEqual([href, 200]);
  if (href.startsWith('/admin/usage')) return Number(/figure-number[^>]*>(\d+)</.exec(html)?.[1]);
  return (html.match(/<(?:tr|li)[^>]* data-row/g) ?? []).length;
}

describe('the first page of the console', () => {
  it('has no number that the list behind it does not have', async () => {
    const admin = await openConsole(test);
    const numbers = await numbersOf(admin);
    expect((await admin.get('/admin')).html).toMatch(/Inbox <span class="count">6</);
    const wrong: unknown[] = [];
    for (const { href, count, name } of numbers) {
      const rows = await rowsOf(admin, href);
      if (rows !== count) wrong.push({ name, href, count, rows });
    }
    expect(wrong).toEqual([]);
    const named = Object.fromEntries(numbers.map(({ name, count }) => [name, count]));
    expect(named).toMatchObject({
      ...{ Developers: 3, Apps: 1, 'Products on keys': 2, 'Sign-ups in 7 days': 4, 'Sign-ups in 30 days': 5 },
      ...{ 'Keys that end in 14 days': 2, 'Mails that failed': 1 },
    });
    // The days of the chart, its total, and three products.
    expect(numbers.filter(({ name }) => name === '')).toHaveLength(30 + 1 + 3);
  });

  it('shows admins only what they may see', async () => {
    const { html } = await (await openConsole(test, [])).get('/admin');
    const main = html.slice(html.indexOf('<main'));
    expect(main).not.toMatch(/figure-number|<table/);
    const names = async (permissions: readonly string[]) =>
      (await numbersOf(await openConsole(test, permissions))).flatMap(({ name }) => (name === '' ? [] : [name]));
    expect(await names(['portal.apps.view'])).toEqual([
      'Apps',
      'Keys',
      'Products on keys',
      'Changes of plan',
      'First calls of apps in 30 days',
      'Keys that end in 14 days',
    ]);
    expect(await names(['portal.mails.view'])).toEqual(['Mails waiting to be sent', 'Mails that failed']);
    expect(await names(['portal.users.view'])).toEqual(['Developers', 'Sign-ups in 7 days', 'Sign-ups in 30 days']);
  });

  it('tells whether the gateway answers, and does not wait for one that hangs', async () => {
    const admin = await openConsole(test);
    test.clock.advance(6);
    expect((await admin.get('/admin')).html).toContain('answers');
    checks = () => new Promise(() => undefined);
    test.clock.advance(6);
    const begun = Date.now();
    const { html, status } = await admin.get('/admin');
    expect([status, html.includes('does not answer')]).toEqual([200, true]);
    expect(Date.now() - begun).toBeLessThan(4_000);
    checks = () => Promise.reject(new Error('down'));
    test.clock.advance(6);
    expect((await admin.get('/admin')).html).toContain('does not answer');
    checks = () => Promise.resolve();
  });
});
