import type { Browser, BrowserContextOptions } from 'playwright-core';
import { Developer } from '../support/apps.js';
import { pageFaults, startBrowser } from '../support/browser.js';
import { CONSOLE_LOOKS, openConsoleBrowser } from '../support/console-browser.js';
import { describeWith } from '../support/describe-with.js';
import { createAdmin, createProduct } from '../support/factories.js';
import { pictureOf } from '../support/pictures.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';
import { REASON } from '../support/view-as.js';

const LOOKS: Record<string, BrowserContextOptions> = {
  ...CONSOLE_LOOKS,
  'without scripts': { javaScriptEnabled: false },
};
const PAGES = [
  '/portal/dashboard',
  '/portal/apps',
  '/portal/apps/shop',
  '/portal/products/payments',
  '/portal/profile',
];

let test: TestPortal;
let browser: Browser;
let developer: Developer;
let email: string;

describeWith('chromium', 'a view as a developer in a real browser', () => {
  beforeAll(async () => {
    test = await startTestPortal({ config: { limits: { ip: { requests: { max: 10_000 } } } }, replicas: 1 });
    await test.portal.services.rbac.seed();
    ({ email } = await createAdmin(test, { roles: ['super_admin'] }));
    await createProduct(test, { slug: 'payments', name: 'Payments' });
    developer = await Developer.create(test, { firstName: 'Ada', lastName: 'Byron' });
    await developer.createApp('shop', ['payments']);
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await test?.stop();
  });

  it.each(Object.entries(LOOKS))('begins, shows its banner on every page, and ends: %s', async (look, options) => {
    const visitor = await openConsoleBrowser(browser, test, email, options);
    const { page } = visitor;
    await page.goto(`/admin/users/${developer.user.id}`);
    await page.click('main a[href$="/view-as"]');
    await page.waitForURL(/\/view-as$/);
    await pictureOf(page, look, '/view-as/form');
    await page.fill('[name="reason"]', REASON);
    await page.click('main form button.button-main');
    await page.waitForURL(/\/portal\/dashboard$/);
    const found: string[] = [];
    for (const address of PAGES) {
      await page.goto(address);
      await pictureOf(page, look, `/view-as${address}`);
      expect([address, await page.isVisible('.viewing >> text=Ada Byron')]).toEqual([address, true]);
      if (options.javaScriptEnabled === false) continue;
      found.push(...(await pageFaults(page, address)));
    }
    await page.click('.viewing button');
    await page.waitForURL(new RegExp(`/admin/users/${developer.user.id}$`));
    await page.goto('/portal');
    expect([found, visitor.faults, await page.isVisible('.viewing')]).toEqual([[], [], false]);
    await visitor.context.close();
  });
});
