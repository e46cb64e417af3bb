import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { openVisitor, startBrowser, type Visitor } from '../support/browser.js';
import { openConsoleBrowser } from '../support/console-browser.js';
import { declaredPages } from '../support/console-pages.js';
import { addressesOf, fillConsole } from '../support/console-records.js';
import { describeWith } from '../support/describe-with.js';
import { HARBOUR } from '../support/documents.js';
import { createAdmin, createProduct, createUser, PASSWORD } from '../support/factories.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const PHONE = { viewport: { width: 390, height: 844 } };
const OPERATION = '/products/harbour/spec#op-listBerths';
const GUEST_PAGES = [
  ...['', '/products', '/products?q=nothing-like-that', '/products/harbour', '/products/harbour/spec', OPERATION],
  ...['/products/harbour/spec/operations/listBerths', '/products/harbour/changes', '/login', '/register'],
  ...['/guides', '/guides/berthing', '/products/harbour/guides/berth', '/news', '/news/open'],
  ...['/forgot-password', '/verify-email', '/reset-password/unknown', '/nothing'],
];
const OWN_PAGES = [
  '/dashboard',
  '/apps',
  '/apps/create',
  '/apps/shop',
  '/apps/shop/usage',
  '/webhooks',
  '/webhooks/create',
  '/profile',
];
const READ = { permissions: ['clipboard-read', 'clipboard-write'] };
/** Most that a page may move while it loads, by the measure of browsers: what is called good. */
const MOST_SHIFT = 0.1;
/** Side of what is pressed most, in CSS pixels. */
const THUMB = 44;

const GUIDE = [
  ...[
    '## First',
    '',
    ':::steps',
    '### Ask',
    'For a [key](berthing.md).',
    '### Call',
    ':::',
    '',
    ':::tip',
    'Do.',
    ':::',
    '',
  ],
  ...[':::warning', 'Mind.', ':::', '', ':::danger Lost', 'Gone.', ':::', '', ':::note', 'So.', ':::', ''],
  ...[
    ':::code-group',
    '```sh title="curl"',
    'curl https://a.example',
    '```',
    '```js title="Node"',
    'fetch();',
    '```',
    ':::',
    '',
  ],
  ...['| A | B |', '| - | - |', '| 1 | `x` |', '', '::operation harbour listBerths', '', '## Last', '', '> Quoted.'],
].join('\n');

async function writeGuides(): Promise<void> {
  const { catalog, content } = test.portal.services;
  const { id } = await catalog.products.findForAdmin('harbour');
  const text = { visibility: 'public', shortDescription: 'In short.', group: 'Start', description: GUIDE } as const;
  const own = { kind: 'guide', productId: null } as const;
  await content.guides.create(own, { ...text, slug: 'berthing', name: 'Berthing' });
  await content.guides.create(own, { ...text, slug: 'second', name: 'Second', position: 1 });
  await content.guides.create({ kind: 'guide', productId: id }, { ...text, slug: 'berth', name: 'A berth' });
  await content.guides.create({ kind: 'news', productId: null }, { ...text, slug: 'open', name: 'Open' });
}

let test: TestPortal;
let browser: Browser;

describeWith('chromium', 'audits of all pages', () => {
  beforeAll(async () => {
    const config = { limits: { ip: { requests: { max: 100_000 } } }, docs: { contexts: ['consumer'] as const } };
    test = await startTestPortal({ config, replicas: 1 });
    await createProduct(test, { slug: 'harbour', name: 'Harbour', shortDescription: 'Berths.' }, HARBOUR);
    await writeGuides();
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await test?.stop();
  });

  it('have targets that a thumb hits, on phones', async () => {
    const [guest, own] = await Promise.all([open(PHONE), signedIn(PHONE)]);
    const found: string[] = [];
    for (const [{ page }, paths] of [[guest, GUEST_PAGES] as const, [own, OWN_PAGES] as const]) {
      for (const path of paths) {
        await visit(page, path);
        found.push(...(await touchFaults(page, path)));
      }
    }
    await guest.page.goto('/docs#op-listProducts');
    await guest.page.waitForSelector('.reference-operation, .reference-intro');
    found.push(...(await touchFaults(guest.page, '/docs')));
    expect(found).toEqual([]);
    for (const { context } of [guest, own]) await context.close();
  });

  it('have targets that a thumb hits, in the console on phones', async () => {
    const { places } = await fillConsole(test);
    const { email } = await createAdmin(test, { roles: ['super_admin'] });
    const { page, context } = await openConsoleBrowser(browser, test, email, PHONE);
    const addresses = addressesOf(declaredPages(test), places);
    expect(addresses.length).toBeGreaterThan(60);
    const found: string[] = [];
    for (const address of addresses) {
      await page.goto(address);
      found.push(...(await touchFaults(page, address)));
    }
    expect(found).toEqual([]);
    await context.close();
  });

  it('copy exactly what they show, and say so to screen readers', async () => {
    const { page, context } = await signedIn(READ);
    await visit(page, '/apps/shop');
    await page.click('form[action$="/reveal"] button');
    await page.waitForSelector('.key code');
    await page.waitForSelector('article .code-box');
    for (const box of await page.locator('.key, article .code-box').all()) {
      const text = await box.locator('code, pre').innerText();
      expect(await copied(page, box.locator('button'))).toEqual({ text, said: 'Copied' });
    }
    await visit(page, '/products/harbour');
    expect(await copied(page, 'aside .code-box > button')).toEqual(await read(page, 'aside .code-box > pre'));
    await visit(page, OPERATION);
    const languages = await page.$$eval('.reference-language option', (options) =>
      options.map((one) => (one as { value: string }).value),
    );
    expect(languages.length).toBeGreaterThan(9);
    for (const language of languages) {
      await page.selectOption('.reference-language', language);
      expect(await copied(page, '.reference-samples .code-head > button')).toEqual(
        await read(page, '.reference-samples pre'),
      );
    }
    expect(await copied(page, '.reference-example .code-head > button')).toEqual(
      await read(page, '.reference-example pre'),
    );
    const markdown = await page.request.get('/portal/products/harbour/spec/operations/listBerths.md');
    expect(await copied(page, '.reference-links button')).toEqual({ text: await markdown.text(), said: 'Copied' });
    await context.close();
  });

  it('say that nothing was copied where the browser refuses', async () => {
    const { page, context } = await open();
    await visit(page, OPERATION);
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("no"))');
    await page.click('.reference-samples .code-head > button');
    await page.locator('body > [role="status"]', { hasText: 'Not copied' }).waitFor({ state: 'attached' });
    await context.close();
  });

  it.each(['dark', 'light'] as const)('have the chosen look before any script: %s', async (scheme) => {
    const { page, context } = await open({
      javaScriptEnabled: false,
      colorScheme: scheme === 'dark' ? 'light' : 'dark',
    });
    const background = async (path: string) => {
      await page.goto(path);
      return page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    };
    const paths = ['/portal', '/portal/products', '/portal/products/harbour/spec', '/docs', '/admin/login'];
    const before = new Set<string>();
    for (const path of paths) before.add(await background(path));
    await context.addCookies([{ name: 'portal-scheme', value: scheme, url: test.client.url }]);
    const after = new Set<string>();
    for (const path of paths) after.add(await background(path));
    expect([before.size, after.size]).toEqual([1, 1]);
    expect([...after]).not.toEqual([...before]);
    await context.close();
  });

  it.each([
    ['landing', ''],
    ['catalog', '/products'],
    ['product', '/products/harbour'],
    ['operation', OPERATION],
  ])('hold still while they load: %s', async (_name, path) => {
    for (const look of [{}, PHONE]) {
      const { page, context } = await open(look);
      await context.addInitScript(`
        window.shift = 0;
        new PerformanceObserver((list) => {
          for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shift += value;
        }).observe({ type: 'layout-shift', buffered: true });`);
      await visit(page, path);
      await page.waitForLoadState('networkidle');
      expect(await page.evaluate('window.shift')).toBeLessThan(MOST_SHIFT);
      await context.close();
    }
  });
});

const open = (options: BrowserContextOptions = {}) =>
  openVisitor(browser, test.client.url, { locale: 'en-GB', reducedMotion: 'reduce', ...options });

/** A developer with an app named shop. */
async function signedIn(options: BrowserContextOptions): Promise<Visitor> {
  const user = await createUser(test);
  const input = { name: 'shop', displayName: 'My shop', products: ['harbour'] };
  await test.portal.services.apps.apps.create(user, input, { type: 'developer', id: user.id });
  const visitor = await open(options);
  await visitor.page.goto('/portal/login');
  await visitor.page.fill('main [name="email"]', user.email);
  await visitor.page.fill('main [name="password"]', PASSWORD);
  await visitor.page.click('main form button.button-main');
  await visitor.page.waitForURL('**/portal/dashboard');
  return visitor;
}

async function visit(page: Page, path: string): Promise<void> {
  await page.goto(`/portal${path}`);
  if (path === OPERATION) await page.waitForSelector('.reference-operation .reference-samples');
}

/** What is too small, or too near to another, for WCAG 2.2 (2.5.8); and what is pressed most, for thumbs. */
async function touchFaults(page: Page, name: string): Promise<string[]> {
  await page.evaluate(axe.source);
  const small = await page.evaluate<string[]>(`axe.run(document, { runOnly: ['target-size'] }).then(({ violations }) =>
    violations.flatMap(({ nodes }) => nodes.map(({ target }) => target.join(' '))))`);
  const main = await page.evaluate<string[]>(`[...document.querySelectorAll('.button-main')]
    .map((button) => [button, button.getBoundingClientRect()])
    .filter(([, { width, height }]) => width > 0 && (width < ${THUMB} || height < ${THUMB}))
    .map(([button, { width, height }]) => button.textContent.trim() + ' ' + width + '×' + height)`);
  return [...small, ...main].map((fault) => `${name}: ${fault}`);
}

async function copied(page: Page, button: string | Locator): Promise<{ text: string; said: string }> {
  await page.evaluate("navigator.clipboard.writeText('')");
  await (typeof button === 'string' ? page.locator(button) : button).click();
  const region = page.locator('body > [role="status"]', { hasText: /./ });
  await region.waitFor({ state: 'attached' });
  const said = (await region.textContent()) ?? '';
  return { text: await page.evaluate('navigator.clipboard.readText()'), said };
}

async function read(page: Page, place: string): Promise<{ text: string; said: string }> {
  return { text: await page.locator(place).first().innerText(), said: 'Copied' };
}
