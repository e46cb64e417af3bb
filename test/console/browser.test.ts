import type { Browser, BrowserContextOptions } from 'playwright-core';
import { Developer } from '../support/apps.js';
import { isTooWide, pageFaults, startBrowser, type Visitor } from '../support/browser.js';
import { openConsoleBrowser } from '../support/console-browser.js';
import { describeWith } from '../support/describe-with.js';
import { createAdmin, createProduct, createUser } from '../support/factories.js';
import { pictureOf } from '../support/pictures.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const LOOKS: Record<string, BrowserContextOptions> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  Arabic: { locale: 'ar' },
};
/** The narrowest phones that we promise to fit. */
const PHONE = { width: 360, height: 740 };
const PAGES = ['', '/inbox', '/inbox?kind=key'];

let test: TestPortal;
let browser: Browser;
let email: string;

describeWith('chromium', 'the console in a real browser', () => {
  beforeAll(async () => {
    test = await startTestPortal({
      config: { apps: { approval: 'manual' }, limits: { ip: { requests: { max: 10_000 } } } },
    });
    await test.portal.services.rbac.seed();
    ({ email } = await createAdmin(test, { roles: ['super_admin'] }));
    await createProduct(test, { slug: 'payments', name: 'Payments' });
    const ada = await Developer.create(test, { email: 'ada@example.com' });
    await ada.createApp('checkout', ['payments']);
    test.clock.advance(86_400);
    await createUser(test, { email: 'new@example.com', status: 'pending' });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await test?.stop();
  });

  it('approves twenty developers with at most forty key strokes', async () => {
    for (let index = 0; index < 20; index += 1) await createUser(test, { status: 'pending' });
    const { page, faults, context } = await signedIn();
    await page.goto('/admin/inbox?kind=developer');
    const waits = async () => Number(/\d+/.exec((await page.textContent('.page-header .soft')) ?? '')?.[0] ?? 0);
    const before = await waits();
    let strokes = 0;
    for (let index = 0; index < 20; index += 1) {
      const loaded = page.waitForEvent('load');
      await page.keyboard.press('a');
      strokes += 1;
      await loaded;
    }
    expect(strokes).toBeLessThanOrEqual(40);
    expect(before - (await waits())).toBe(20);
    expect(faults).toEqual([]);
    await context.close();
  });

  it.each(Object.entries(LOOKS))('has pages that axe-core finds nothing wrong with: %s', async (look, options) => {
    const visitor = await signedIn(options);
    const found: string[] = [];
    for (const path of PAGES) {
      await visitor.page.goto(`/admin${path}`);
      await pictureOf(visitor.page, look, path);
      found.push(...(await pageFaults(visitor.page, path)));
    }
    expect([found, visitor.faults]).toEqual([[], []]);
    await visitor.context.close();
  });

  it.each(['en-GB', 'ar'])('fits a phone of 360 pixels in %s', async (locale) => {
    const { page, faults, context } = await signedIn({ locale, viewport: PHONE, colorScheme: 'dark' });
    const tooWide: string[] = [];
    for (const path of PAGES) {
      await page.goto(`/admin${path}`);
      await pictureOf(page, `phone-${locale}`, path);
      if (await isTooWide(page)) tooWide.push(path);
    }
    expect([tooWide, faults]).toEqual([[], []]);
    await context.close();
  });
});

const signedIn = (options?: BrowserContextOptions): Promise<Visitor> =>
  openConsoleBrowser(browser, test, email, options);
