import type { Browser } from 'playwright-core';
import { pageFaults, startBrowser } from '../support/browser.js';
import { CONSOLE_LOOKS, openConsoleBrowser } from '../support/console-browser.js';
import { addressesOf, fillConsole } from '../support/console-records.js';
import { declaredPages } from '../support/console-pages.js';
import { describeWith } from '../support/describe-with.js';
import { createAdmin } from '../support/factories.js';
import { pictureOf } from '../support/pictures.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

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
    const found = ['/admin/search?q=a', '/admin/search?q=nobody-has-this-name'];
    addresses = [...addressesOf(declaredPages(test), places), ...found];
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await test?.stop();
  });

  it.each(Object.entries(CONSOLE_LOOKS))(
    'has no fault that axe-core finds, and fits the window: %s',
    async (look, options) => {
      const visitor = await openConsoleBrowser(browser, test, email, options);
      const { page } = visitor;
      const found: string[] = [];
      const lookAt = async (what: string) => {
        await pictureOf(page, look, what);
        found.push(...(await pageFaults(page, what)));
      };
      expect(addresses.length).toBeGreaterThan(60);
      for (const address of addresses) {
        await page.goto(address);
        await lookAt(address);
      }
      await page.goto('/admin/users');
      await page.keyboard.press('Control+k');
      await page.locator('#palette[open] .found-link').first().waitFor();
      await lookAt('/palette');
      await page.fill('#palette input', 'ada@');
      await page.locator('#palette a', { hasText: 'ada@example.com' }).waitFor();
      await lookAt('/palette-found');
      // The first one empties the field, which keeps the focus for a moment after the second has closed the window.
      for (const key of ['Escape', 'Escape']) await page.keyboard.press(key);
      await page.locator('#palette input:not(:focus)').waitFor({ state: 'attached' });
      await page.keyboard.press('?');
      await page.locator('#keys[open] kbd').first().waitFor();
      await lookAt('/keys');
      expect([found, visitor.faults]).toEqual([[], []]);
      await visitor.context.close();
    },
  );
});
