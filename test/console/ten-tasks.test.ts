import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { Developer, verify } from '../support/apps.js';
import { startBrowser, type Visitor } from '../support/browser.js';
import { openConsoleBrowser } from '../support/console-browser.js';
import { describeWith } from '../support/describe-with.js';
import { createAdmin, createProduct, createUser } from '../support/factories.js';
import { PageClient } from '../support/page-client.js';
import { startSmtp, type TestSmtp } from '../support/smtp.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const DOCUMENT = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Loans', version: '1' },
  paths: { '/loans': { get: { summary: 'List loans', responses: { 200: { description: 'Loans' } } } } },
});

let test: TestPortal;
let smtp: TestSmtp;
let browser: Browser;
let email: string;
let count = 0;

/** Somebody who has waited for nothing so far. */
const person = (overrides: Parameters<typeof createUser>[1] = {}) => {
  count += 1;
  return createUser(test, { firstName: 'Ada', lastName: `Nr ${count}`, ...overrides });
};
const statusOf = async (id: number) => (await test.portal.services.accounts.users.find(id)).status;

/** A page of the navigation. */
async function open(page: Page, name: string): Promise<void> {
  await page.goto('/admin');
  await page.locator('.console-nav:visible').getByRole('link', { name }).first().click();
}
/** A row of a list that is sorted or filtered by nothing. */
const openRow = (page: Page, name: string) => page.locator('main').getByRole('link', { name }).first().click();
const press = (page: Page, name: string) =>
  page.locator('main').getByRole('button', { name, exact: true }).first().click();
const follow = (page: Page, name: string) =>
  page.locator('main').getByRole('link', { name, exact: true }).first().click();
const says = (page: Page, text: string | RegExp) => page.locator('main').getByText(text).first().waitFor();
const entryOf = (page: Page, text: string) => page.locator('.inbox-entry', { hasText: text });

/** What who runs a portal does on most days, each from the first page on, by what is written on the pages. */
const TASKS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  'approves a developer who waits': async (page) => {
    const waiting = await person({ status: 'pending' });
    await open(page, 'Inbox');
    await entryOf(page, waiting.email).getByRole('button', { name: 'Approve' }).click();
    await entryOf(page, waiting.email).waitFor({ state: 'detached' });
    expect(await statusOf(waiting.id)).toBe('active');
  },

  'refuses a product on a key, with a reason that the developer reads': async (page) => {
    const developer = await Developer.create(test);
    await developer.createApp('shop', ['loans']);
    await open(page, 'Inbox');
    const entry = entryOf(page, developer.user.email);
    await entry.getByLabel('Reason').fill('No contract yet.');
    await entry.getByRole('button', { name: 'Refuse' }).click();
    await entry.waitFor({ state: 'detached' });
    expect((await developer.get('/shop')).text).toContain('No contract yet.');
  },

  'publishes an API, with its document': async (page) => {
    count += 1;
    const slug = `published-${count}`;
    await open(page, 'API products');
    await page.locator('main a[href$="/products/create"]').click();
    await page.fill('[name="slug"]', slug);
    await page.fill('[name="name"]', 'Published');
    await page.selectOption('[name="visibility"]', 'public');
    await page.fill('[name="gateway_product_id"]', `gateway-${slug}`);
    await page.locator('main form button.button-main').last().click();
    await page.waitForURL(/\/admin\/products\/\d+$/);
    await follow(page, 'Upload a document');
    await page.fill('textarea[name="spec"]', DOCUMENT);
    await page.locator('main form button.button-main').last().click();
    await page.waitForURL(/\/admin\/products\/\d+$/);
    const visitor = new PageClient(test.client);
    expect((await visitor.get(`/portal/products/${slug}/spec`)).html).toContain('List loans');
  },

  'finds the person behind the last four characters of a key': async (page) => {
    const developer = await Developer.create(test);
    const { key } = await developer.createApp('found', ['payments']);
    await page.goto('/admin');
    await page.fill('.console-search [name="q"]', key.slice(-4));
    await page.press('.console-search [name="q"]', 'Enter');
    await page.waitForURL('**/admin/search?q=*');
    await page.locator('#search-results').getByRole('link', { name: developer.user.email }).first().click();
    await says(page, key.slice(-4));
  },

  'disables an account, whose sign-ins and keys are at an end': async (page) => {
    const developer = await Developer.create(test, { lastName: 'Disabled' });
    const { key } = await developer.createApp('closing', ['payments']);
    expect((await verify(test, key)).status).toBe(200);
    await open(page, 'Developers');
    await page.fill('main [name="q"]', developer.user.email);
    await page.press('main [name="q"]', 'Enter');
    await openRow(page, 'Disabled');
    await follow(page, 'Deactivate');
    await says(page, /1 Apps/);
    await page.fill('[name="_confirmation"]', 'Ada Disabled');
    await press(page, 'Deactivate');
    await page.locator('main .badge-inactive').first().waitFor();
    expect((await developer.get('/closing')).status).toBe(401);
    expect((await verify(test, key)).status).toBe(403);
  },

  'gives an admin a role': async (page) => {
    count += 1;
    const { id } = await createAdmin(test, { name: `Katherine ${count}` });
    await open(page, 'Admins');
    await openRow(page, `Katherine ${count}`);
    await follow(page, 'Set roles');
    await page.check('input[name="roles"][value="auditor"]');
    await press(page, 'Set roles');
    await page.waitForURL(`**/admin/admins/${id}`);
    const { roles } = await test.portal.services.rbac.grantsOf(id);
    expect(roles.map(({ name }) => name)).toEqual(['auditor']);
  },

  'changes name and colour of the brand': async (page) => {
    count += 1;
    await open(page, 'Settings');
    await page.getByRole('textbox', { name: 'Name of the portal' }).fill(`Bank of Tea ${count}`);
    await page.locator('input[type="color"]').fill('#7a1fa2');
    await press(page, 'Save');
    await says(page, 'Saved.');
    // The brand is kept for a second.
    test.clock.advance(2);
    const visitor = new PageClient(test.client);
    expect((await visitor.get('/portal')).html).toContain(`Bank of Tea ${count}`);
    expect((await visitor.get('/portal/assets/brand.css')).html).toContain('#7a1fa2');
  },

  'exports the activities of somebody': async (page) => {
    await open(page, 'Activities');
    const [download] = await Promise.all([page.waitForEvent('download'), follow(page, 'Download as CSV')]);
    const text = await readFile(await download.path(), 'utf8');
    expect(text).toMatch(/^\ufeff?"id","created_at","action","actor_type"/);
    expect(text).toContain('admin.login');
  },

  'sends a mail again that failed': async (page) => {
    count += 1;
    const to = `reader${count}@example.com`;
    smtp.mood = 'refuse';
    await test.portal.mail.queue({
      template: 'password-changed',
      to,
      locale: 'en',
      values: { url: 'https://x.example' },
    });
    await test.portal.jobs.run('mail');
    smtp.mood = 'accept';
    smtp.received.length = 0;
    await open(page, 'Mails');
    await page.locator('tr', { hasText: to }).getByRole('link').first().click();
    await press(page, 'Send again');
    await says(page, 'Waiting');
    await test.portal.jobs.run('mail');
    expect(smtp.received.map((mail) => mail.includes(to))).toEqual([true]);
  },

  'ends all sign-ins of a developer': async (page) => {
    const developer = await Developer.create(test, { lastName: 'Ended' });
    expect((await developer.get()).status).toBe(200);
    await open(page, 'Developers');
    await page.fill('main [name="q"]', developer.user.email);
    await page.press('main [name="q"]', 'Enter');
    await openRow(page, 'Ended');
    await follow(page, 'End all sign-ins');
    await press(page, 'End all sign-ins');
    await page.waitForURL(`**/admin/users/${developer.user.id}`);
    expect((await developer.get()).status).toBe(401);
  },
};

describeWith('chromium', 'the day of an admin', () => {
  beforeAll(async () => {
    smtp = await startSmtp();
    const mail = { transport: 'smtp', url: smtp.url, from: 'Acme <no-reply@acme.example>' } as const;
    test = await startTestPortal({ config: { mail, limits: { ip: { requests: { max: 10_000 } } } } });
    await test.portal.services.rbac.seed();
    ({ email } = await createAdmin(test, { roles: ['super_admin'] }));
    await createProduct(test, { slug: 'payments', name: 'Payments' });
    await createProduct(test, { slug: 'loans', name: 'Loans', approval: 'manual' });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await test?.stop();
    await smtp?.close();
  });

  describe.each([
    ['with scripts', true],
    ['without scripts', false],
  ])('%s', (_how, javaScriptEnabled) => {
    let visitor: Visitor;
    beforeAll(async () => {
      visitor = await openConsoleBrowser(browser, test, email, { javaScriptEnabled });
    });
    afterAll(() => visitor?.context.close());

    it.each(Object.keys(TASKS))('%s', async (task) => {
      await TASKS[task]?.(visitor.page);
      expect(visitor.faults).toEqual([]);
    });
  });
});
