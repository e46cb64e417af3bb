import { startBrowser } from '../support/browser.js';
import { openConsoleBrowser } from '../support/console-browser.js';
import { openConsole } from '../support/console.js';
import { describeWith } from '../support/describe-with.js';
import { createAdmin, createRole, createUser } from '../support/factories.js';
import { PAYLOADS, RUN, storeEverywhere } from '../support/hostile-records.js';
import { dangersOf, parseMarkup } from '../support/markup.js';
import { decoded, PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const LIMITS = { limits: { ip: { requests: { max: 100_000 } } }, apps: { approval: 'manual' } } as const;
const WORST = [`"'></title><script>${RUN}</script><img src=x onerror=${RUN}>\u202e`, `javascript:${RUN}`];

/** A portal in which everything that has a name, a text or a link has this one. @returns it, and an admin called so */
async function startHostile(payload: string) {
  const test = await startTestPortal({ config: LIMITS });
  const user = await createUser(test);
  await test.portal.services.rbac.seed();
  const page = await openConsole(test);
  const role = await createRole(test, ['portal.users.view']);
  const { email } = await createAdmin(test, { roles: ['super_admin', role] });
  await createUser(test, { firstName: payload, lastName: payload, status: 'pending' });
  await storeEverywhere(test, user, payload);
  await visitSome(test, page, user.id);
  const now = test.clock.now();
  const write = (sql: string) =>
    test.portal.database.execute(
      sql,
      Array.from(sql.matchAll(/\?/g), () => payload),
    );
  await test.portal.database.execute(
    'INSERT INTO portal_audiences (name, description, created_at, updated_at) VALUES (?, ?, ?, ?)',
    [payload, payload, now, now],
  );
  await write('UPDATE portal_admins SET name = ?');
  await write(`UPDATE portal_roles SET name = ?, label = ? WHERE name = '${role}'`);
  await write('UPDATE portal_roles SET label = ?');
  await write('UPDATE portal_permissions SET description = ?');
  await write('UPDATE portal_settings SET label = ?');
  await write('UPDATE portal_console_views SET name = ?');
  await write('UPDATE portal_mails SET recipient = ?, last_error = ?');
  await write('UPDATE portal_credentials SET key_hint = ?'.replace('?', "'<b>\"'"));
  await write('UPDATE portal_job_leases SET last_error = ?');
  await write('UPDATE portal_bulk_rows SET message = ?');
  test.portal.services.rbac.refresh();
  return { test, email, page };
}

/** Leaves a saved view, bulk work and entries of the log behind. */
async function visitSome(test: TestPortal, page: PageClient, id: number): Promise<void> {
  const _csrf = await page.csrf('/admin/users');
  await page.post('/admin/views', { _csrf, resource: 'users', name: 'x', query: '?status=active', pinned: 'true' });
  await page.submit(
    `/admin/users/bulk?action=end-sessions&scope=selected&keys=${id}`,
    {},
    { action: '/admin/users/bulk/end-sessions' },
  );
  await test.portal.jobs.run('bulk');
}

/** Addresses of the console on a page, each shape of them so many times. */
class Crawl {
  readonly queue = ['/admin'];
  private readonly seen = new Set(this.queue);
  private readonly shapes = new Map<string, number>();

  constructor(private readonly most: number) {}

  follow(html: string): void {
    for (const [, written = ''] of html.matchAll(/href="(\/admin[^"#]*)"/g)) {
      const address = decoded(written);
      const shape = address.replace(/\d+|[0-9a-f-]{36}|=[^&]*/g, '*');
      const count = this.shapes.get(shape) ?? 0;
      if (this.seen.has(address) || count >= this.most || /\/assets\/|\/logout|[?&](sort|per_page)=/.test(address))
        continue;
      this.seen.add(address);
      this.shapes.set(shape, count + 1);
      this.queue.push(address);
    }
  }
}

const names = PAYLOADS.filter((_payload, index) => index % 7 === 0);

describe('the console of a portal full of hostile texts (S66)', () => {
  it.each([...WORST, ...names])('shows them as text: %j', async (payload) => {
    const { test, page } = await startHostile(payload);
    try {
      const crawl = new Crawl(2);
      let shown = 0;
      for (const address of crawl.queue) {
        const { html, status, headers } = await page.get(address);
        expect([address, status < 500]).toEqual([address, true]);
        if (!headers.get('content-type')?.startsWith('text/html')) continue;
        const markup = parseMarkup(html);
        expect([address, dangersOf(markup)]).toEqual([address, []]);
        if (markup.text.includes(payload)) shown += 1;
        crawl.follow(html);
      }
      expect(crawl.queue.length).toBeGreaterThan(90);
      // The name of the admin is in the header of each.
      expect(shown).toBeGreaterThan(crawl.queue.length * 0.8);
    } finally {
      await test.stop();
    }
  });

  it('shows what was typed into its forms as text', async () => {
    const test = await startTestPortal({ config: LIMITS });
    try {
      const page = await openConsole(test);
      for (const payload of PAYLOADS) {
        const visitor = new PageClient(test.client);
        for (const name of ['flash', 'scheme', 'locale']) {
          visitor.cookies.set(`portal-${name}`, encodeURIComponent(payload));
          visitor.cookies.set(`portal-admin-${name}`, encodeURIComponent(payload));
        }
        const text = encodeURIComponent(payload);
        const user = { first_name: payload, last_name: payload, email: payload, password: payload };
        const answers = [
          await visitor.submit('/admin/login', { email: payload, password: payload, return_to: payload }),
          await visitor.get(`/admin/login?return_to=${text}`),
          await page.submit('/admin/users/create', user),
          await page.submit('/admin/roles/create', { name: payload, label: payload }),
          await page.get(`/admin/users?q=${text}&status=${text}&${text}=${text}`),
          await page.get(`/admin/users?page=${text}&sort=${text}`),
          await page.get(`/admin/inbox?kind=${text}`),
          await page.get(`/admin/users/bulk?action=${text}&scope=${text}&keys=${text}`),
          await page.get(`/admin/${text}`),
        ];
        for (const { html } of answers) expect([payload, dangersOf(parseMarkup(html))]).toEqual([payload, []]);
      }
    } finally {
      await test.stop();
    }
  });
});

describeWith('chromium', 'the same in a real browser', () => {
  it.each(WORST)('runs nothing, asks for nothing elsewhere and opens no dialog: %j', async (payload) => {
    const [{ test, email }, browser] = await Promise.all([startHostile(payload), startBrowser()]);
    try {
      const visitor = await openConsoleBrowser(browser, test, email);
      const tab = visitor.page;
      const crawl = new Crawl(1);
      for (const address of crawl.queue) {
        // A document to download is no page.
        if (/\.csv|\/export/.test(address)) continue;
        await tab.goto(address);
        expect([address, await tab.evaluate('window.__xss')]).toEqual([address, undefined]);
        crawl.follow(await tab.content());
      }
      expect(crawl.queue.length).toBeGreaterThan(60);
      expect([visitor.dialogs, visitor.faults]).toEqual([[], []]);
    } finally {
      await browser.close();
      await test.stop();
    }
  });
});
