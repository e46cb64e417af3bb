import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import {
  accessibilityFaults,
  isTooWide,
  openVisitor,
  pageFaults,
  startBrowser,
  type Visitor,
} from '../support/browser.js';
import { verify } from '../support/apps.js';
import { describeWith } from '../support/describe-with.js';
import { createProduct, createUser, PASSWORD } from '../support/factories.js';
import { pictureOf } from '../support/pictures.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const SPEC = {
  openapi: '3.0.3',
  info: { title: 'Payments', version: '1.2.0', description: 'Moves **money**.' },
  servers: [{ url: 'https://api.bank.example/payments' }],
  paths: {
    '/payments': {
      get: {
        summary: 'List payments',
        tags: ['Payments'],
        parameters: [{ name: 'to', in: 'query', schema: { type: 'string', pattern: '^[A-Z]+$', default: '.13' } }],
        responses: { 200: { description: 'Some, but none that end in `.13`.' } },
      },
      post: { summary: 'Pay', tags: ['Payments'], deprecated: true, responses: { 201: { description: 'Paid' } } },
    },
  },
};
const LOOKS: Record<string, BrowserContextOptions> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  Arabic: { locale: 'ar' },
};
/** The narrowest phones that we promise to fit. */
const PHONE = { width: 360, height: 740 };
const PUBLIC_PAGES = [
  ...['', '/products', '/products?q=nothing-like-that', '/products?category=money', '/products/payments'],
  ...['/products/payments/spec', '/products/geo', '/products/geo/spec'],
];
const GUEST_PAGES = ['/login', '/register', '/forgot-password', '/verify-email', '/reset-password/unknown', '/nothing'];
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

let test: TestPortal;
let browser: Browser;
let count = 0;

describeWith('chromium', 'in a real browser', () => {
  beforeAll(async () => {
    test = await startTestPortal({ config: { limits: { ip: { requests: { max: 10_000 } } } } });
    const { catalog, site } = test.portal.services;
    await catalog.categories.create({ slug: 'money', name: 'Money', shortDescription: 'Pay and get paid.' });
    const texts = {
      shortDescription: 'Pay and get paid.',
      description: '# Begin\n\nAsk `GET /payments` [here](/portal).',
    };
    const payments = { slug: 'payments', name: 'Payments', ...texts, tags: ['money'], categories: ['money'] };
    await createProduct(test, payments, SPEC);
    await createProduct(test, { slug: 'geo', name: 'Geo', approval: 'manual', tags: ['maps'] });
    for (const slug of ['header', 'footer']) {
      await site.menus.create({
        ...{ slug, name: slug },
        items: [
          { label: 'APIs', route: '/products', visibility: 'everyone' },
          { label: 'Terms', url: 'https://bank.example/terms', visibility: 'everyone' },
        ],
      });
    }
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await test?.stop();
  });

  it.each([true, false])('leads from the landing page to a working key, scripts on: %s', async (javaScriptEnabled) => {
    const visitor = await open({ javaScriptEnabled });
    const { page } = visitor;
    await page.goto('/portal');
    await page.click('main a[href="/portal/products/payments"]');
    await page.click('main a[href="/portal/products/payments/spec"]');
    // The script takes the place of the list.
    const operation = javaScriptEnabled ? '.reference-list a' : '.operations li';
    expect(await page.textContent(operation)).toContain('List payments');
    if (!javaScriptEnabled) expect(await page.textContent(operation)).toContain('/payments List payments');
    else expect(await page.getAttribute(operation, 'title')).toBe('/payments');
    await page.goBack();
    await page.click('a[href="/portal/apps/create?product=payments"]');
    await page.click('main a[href^="/portal/register"]');
    count += 1;
    const email = `browser${count}@example.com`;
    await fill(page, { first_name: 'Ada', last_name: 'Lovelace', email });
    await fill(page, { password: PASSWORD, password_confirmation: PASSWORD });
    await page.click('main form button.button-main');
    await page.waitForURL('**/portal/apps/create?product=payments');
    expect(await page.isChecked('input[value="payments"]')).toBe(true);
    expect(await page.isVisible('input[name="name"]')).toBe(false);
    await fill(page, { display_name: 'Shop', description: 'Sells tea.' });
    await page.click('main form button.button-main');
    const key = (await page.textContent('.key code')) ?? '';
    expect((await verify(test, key, 'payments')).status).toBe(200);
    expect((await verify(test, key)).status).toBe(200);
    await page.click('article .acts > summary');
    await page.click('form[action$="/revoke"][action*="/credentials/"]:not([action*="/products/"]) button');
    // An ended key is folded away.
    await page.waitForSelector('article .badge-revoked', { state: 'attached' });
    expect(await page.textContent('.ended-keys > summary')).toBe('1 key that has ended');
    expect((await verify(test, key)).status).toBe(403);
    expect(visitor.dialogs).toHaveLength(javaScriptEnabled ? 1 : 0);
    expect(visitor.faults).toEqual([]);
    await visitor.context.close();
  });

  it.each([
    ['light', 'At least 8 characters', 'repeats itself', 'Strong'],
    ['Arabic', 'أحرف على الأقل', 'تكرر نفسها', 'قوية'],
  ])('says how strong a new password is while it is typed, in %s', async (look, minimum, weak, strong) => {
    const { page, faults, context } = await open(LOOKS[look] ?? {});
    await page.goto('/portal/register');
    expect(await page.textContent('#password-hint')).toContain(minimum);
    expect(await page.isVisible('.strength')).toBe(false);
    await page.fill('input[name="password"]', 'aaaaaaaaaaaa');
    expect(await page.textContent('.strength [role="status"]')).toContain(weak);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.fill('input[name="password"]', 'green trains leave at seven');
    expect(await page.textContent('.strength [role="status"]')).toBe(strong);
    await page.click('.password > button >> nth=0');
    expect(await page.getAttribute('input[name="password"]', 'type')).toBe('text');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.click('.password > button >> nth=0');
    expect(await page.getAttribute('input[name="password"]', 'type')).toBe('password');
    await page.fill('input[name="password"]', '');
    expect(await page.isVisible('.strength')).toBe(false);
    expect(faults).toEqual([]);
    await context.close();
  });

  it('copies a key with one click', async () => {
    const visitor = await signedIn({ permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = visitor;
    await page.goto('/portal/apps/shop');
    await page.click('form[action$="/reveal"] button');
    const key = await page.textContent('.key code');
    await page.click('.key button');
    await page.waitForFunction("document.querySelector('.key button').textContent !== 'Copy'");
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);
    expect(visitor.faults).toEqual([]);
    await visitor.context.close();
  });

  it('is used with the keyboard alone', async () => {
    const user = await createUser(test);
    const visitor = await open();
    const { page } = visitor;
    await page.goto('/portal');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toMatchObject({ href: '#content', isVisible: true });
    await page.keyboard.press('Enter');
    await page.goto('/portal');
    await tabTo(page, '/portal/login');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/portal/login');
    // The first field has the focus already.
    await page.keyboard.type(user.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/portal/dashboard');
    await tabTo(page, '/portal/dashboard', async () => {
      if ((await focused(page)).tag === 'SUMMARY') await page.keyboard.press('Enter');
    });
    await page.keyboard.press('Escape');
    expect(await page.$('details[open]')).toBeNull();
    expect((await focused(page)).tag).toBe('SUMMARY');
    await tabTo(page, '/portal/apps/create');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/portal/apps/create');
    expect(visitor.faults).toEqual([]);
    await visitor.context.close();
  });

  it('switches between light and dark, and remembers it', async () => {
    const visitor = await open({ colorScheme: 'light' });
    const { page } = visitor;
    await page.goto('/portal');
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await background();
    await page.click('.scheme-switch');
    const dark = await background();
    await page.reload();
    expect([dark === light, await background()]).toEqual([false, dark]);
    await visitor.context.close();
  });

  it.each(Object.entries(LOOKS))('has pages that axe-core finds nothing wrong with: %s', async (look, options) => {
    const [guest, own] = await Promise.all([open(options), signedIn(options)]);
    const found = await Promise.all([
      walk(guest, [...PUBLIC_PAGES, ...GUEST_PAGES], look),
      walk(own, OWN_PAGES, look).then(async (faults) => [...faults, ...(await checkForms(own.page))]),
    ]);
    expect(found.flat()).toEqual([]);
    expect([...guest.faults, ...own.faults]).toEqual([]);
    await guest.context.close();
    await own.context.close();
  });

  it('shows code and texts of others from left to right on pages that are not', async () => {
    const own = await signedIn({ locale: 'ar' });
    const turned: string[] = [];
    for (const path of [...PUBLIC_PAGES, ...OWN_PAGES]) {
      await own.page.goto(`/portal${path}`);
      if (path === '/products/payments/spec') await openOperation(own.page);
      turned.push(...(await own.page.evaluate<string[]>(TURNED)).map((text) => `${path}: ${text}`));
    }
    expect(turned).toEqual([]);
    await own.context.close();
  });

  it.each(['en-GB', 'ar'])('fits a phone of 360 pixels in %s', async (locale) => {
    const own = await signedIn({ locale, viewport: PHONE, colorScheme: 'dark' });
    const tooWide: string[] = [];
    for (const path of [...PUBLIC_PAGES, ...OWN_PAGES]) {
      await own.page.goto(`/portal${path}`);
      await pictureOf(own.page, `phone-${locale}`, path);
      if (await isTooWide(own.page)) tooWide.push(path);
    }
    expect([tooWide, own.faults]).toEqual([[], []]);
    await own.context.close();
  });
});

/** The first operation of a reference, with all its folds. */
async function openOperation(page: Page): Promise<void> {
  await page.click('a.button[href^="#op-"]');
  await page.waitForSelector('.reference-operation');
  await page.evaluate(
    "document.querySelectorAll('.reference-operation details').forEach((fold) => (fold.open = true))",
  );
  await page.waitForSelector('.reference-limits');
}

/**
 * Texts that a reader of Arabic would see turned round: code, and Latin text with a mark at its beginning or end, that stand in
 * an element which is read from right to left.
 */
const TURNED = `(() => {
  const isTurned = (element) => getComputedStyle(element).direction === 'rtl';
  const found = [...document.querySelectorAll('code, pre')].filter(isTurned).map((element) => element.textContent);
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { textContent, parentElement } = walker.currentNode;
    const text = textContent.trim();
    if (parentElement.closest('script, style, option, [hidden]') || !/[A-Za-z]/.test(text)) continue;
    if (!/[\\u0600-\\u06ff]/.test(text) && /^[^A-Za-z0-9]|[^A-Za-z0-9]$/.test(text) && isTurned(parentElement)) found.push(text);
  }
  return found;
})()`;

const open = (options: BrowserContextOptions = {}) =>
  openVisitor(browser, test.client.url, { locale: 'en-GB', reducedMotion: 'reduce', ...options });

/** A developer with an app named shop, at their dashboard. */
async function signedIn(options: BrowserContextOptions): Promise<Visitor> {
  const user = await createUser(test);
  const { apps } = test.portal.services.apps;
  const input = { name: 'shop', displayName: 'My shop', description: 'Sells tea.', products: ['payments', 'geo'] };
  await apps.create(user, input, { type: 'developer', id: user.id });
  const visitor = await open(options);
  await visitor.page.goto('/portal/login');
  await fill(visitor.page, { email: user.email, password: PASSWORD });
  await visitor.page.click('main form button.button-main');
  await visitor.page.waitForURL('**/portal/dashboard');
  return visitor;
}

async function fill(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) await page.fill(`main [name="${name}"]`, value);
}

async function walk({ page }: Visitor, paths: readonly string[], look: string): Promise<string[]> {
  const faults: string[] = [];
  for (const path of paths) {
    await page.goto(`/portal${path}`);
    await pictureOf(page, look, path);
    faults.push(...(await pageFaults(page, path)));
  }
  return faults;
}

/** Forms with faults, a key in full, and what is folded away. */
async function checkForms(page: Page): Promise<string[]> {
  const faults: string[] = [];
  await page.goto('/portal/apps/create');
  await page.evaluate("document.querySelector('main form').noValidate = true");
  await page.click('main form button.button-main');
  faults.push(...(await pageFaults(page, 'a form with faults')));
  await page.goto('/portal/apps/shop');
  await page.click('form[action$="/reveal"] button');
  await page.waitForSelector('.key code');
  await page.evaluate("document.querySelectorAll('main details').forEach((part) => (part.open = true))");
  faults.push(...(await pageFaults(page, 'an app with its key shown')));
  test.clock.advance(16 * 60);
  await page.goto('/portal/apps/shop');
  await page.click('form[action$="/reveal"] button');
  await page.waitForSelector('[name="_current_password"]');
  faults.push(...(await pageFaults(page, 'the confirmation of the password')));
  return faults;
}

interface Focus {
  tag: string;
  href: string | null;
  isVisible: boolean;
}

function focused(page: Page): Promise<Focus> {
  return page.evaluate(`(() => {
    const { activeElement: it } = document;
    const { width, height, bottom } = it.getBoundingClientRect();
    return { tag: it.tagName, href: it.getAttribute('href'), isVisible: width > 1 && height > 1 && bottom > 0 };
  })()`);
}

/** Goes on with the Tab key until the link has the focus; everything on the way must be seen. */
async function tabTo(page: Page, href: string, visit: () => Promise<void> = async () => undefined): Promise<void> {
  for (let step = 0; step < 60; step += 1) {
    await page.keyboard.press('Tab');
    const now = await focused(page);
    if (now.tag !== 'BODY') expect(now).toMatchObject({ isVisible: true });
    if (now.href === href) return;
    await visit();
  }
  throw new Error(`the Tab key does not come to ${href}`);
}
