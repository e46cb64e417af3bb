import type { Browser, BrowserContextOptions } from 'playwright-core';
import { accessibilityFaults, openVisitor, startBrowser } from '../support/browser.js';
import { addressesOf, fillConsole } from '../support/console-records.js';
import { declaredPages } from '../support/console-pages.js';
import { describeWith } from '../support/describe-with.js';
import { createAdmin, PASSWORD } from '../support/factories.js';
import { pictureOf } from '../support/pictures.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const LOOKS: Record<string, BrowserContextOptions> = {
  light: { colorScheme: 'light' },
  'a phone, in Arabic and dark': { locale: 'ar', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
};

let test: TestPortal;
let browser: Browser;
let addresses: readonly string[];
let email: string;

describeWith('chromium', 'every page of the console', () => {
  beforeAll(async () => {
    test = await startTestPortal({
      config: { apps: { approval: 'manual' }, limits: { ip: { requests: { max: 100_000 } } } },
      replicas: 1,
    });
    const { places } = await fillConsole(test);
    ({ email } = await createAdmin(test, { roles: ['super_admin'] }));
    addresses = addressesOf(declaredPages(test), places);
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await test?.stop();
  });

  it.each(Object.entries(LOOKS))('has no fault that axe-core finds, and fits the window: %s', async (look, options) => {
    const visitor = await openVisitor(browser, test.client.url, {
      locale: 'en-GB',
      reducedMotion: 'reduce',
      ...options,
    });
    const { page } = visitor;
    await page.goto('/admin/login');
    await page.fill('[name="email"]', email);
    await page.fill('[name="password"]', PASSWORD);
    await page.click('main form button.button-main');
    await page.waitForURL(/\/admin$/);
    const found: string[] = [];
    expect(addresses.length).toBeGreaterThan(60);
    for (const address of addresses) {
      await page.goto(address);
      await pictureOf(page, look, address);
      const isTooWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > window.innerWidth');
      const faults = await accessibilityFaults(page);
      found.push(...[...(isTooWide ? ['wider than the window'] : []), ...faults].map((one) => `${address}: ${one}`));
    }
    expect([found, visitor.faults]).toEqual([[], []]);
    await visitor.context.close();
  });
});
