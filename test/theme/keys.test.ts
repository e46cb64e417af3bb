import type { Browser, Page } from 'playwright-core';
import { accessibilityFaults, openVisitor, startBrowser, type Visitor } from '../support/browser.js';
import { describeWith } from '../support/describe-with.js';
import { createProduct } from '../support/factories.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const SPEC = {
  openapi: '3.1.0',
  info: { title: 'Rates', version: '1' },
  paths: { '/rates': { get: { summary: 'List rates', responses: { 200: { description: 'Rates' } } } } },
};

let test: TestPortal;
let browser: Browser;
let visitor: Visitor;
let page: Page;

describeWith('chromium', 'keys of the portal', () => {
  beforeAll(async () => {
    test = await startTestPortal({ config: { limits: { ip: { requests: { max: 10_000 } } } } });
    await createProduct(test, { slug: 'rates', name: 'Rates' }, SPEC);
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await test?.stop();
  });
  afterEach(async () => {
    expect(visitor.faults).toEqual([]);
    await visitor.context.close();
  });

  const open = async (path: string, options = {}) => {
    visitor = await openVisitor(browser, test.client.url, options);
    ({ page } = visitor);
    await page.goto(path);
  };
  const windowOfKeys = () => page.locator('#keys[open]');

  it.each([
    ['en', /\/\s+Search APIs/, /\?\s+Keys of this page/],
    ['ar', /\/\s+ابحث/, /\?\s+مفاتيح هذه الصفحة/],
  ])('tells the keys of a page with ?, in %s, for everybody', async (locale, search, itself) => {
    await open('/portal/products', { locale });
    await page.keyboard.press('?');
    const text = await windowOfKeys().innerText();
    expect(text).toMatch(search);
    expect(text).toMatch(itself);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await windowOfKeys().count()).toBe(0);
  });

  it('tells them to who presses the button in the footer, and beside the reference of the portal', async () => {
    await open('/portal');
    await page.locator('footer [data-opens="keys"]').click();
    await windowOfKeys().waitFor();
    await page.goto('/docs');
    await page.locator('header [data-opens="keys"]').click();
    await windowOfKeys().waitFor();
  });

  it('leads to the search with /, in lists and in a reference', async () => {
    await open('/portal/products');
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.name')).toBe('q');
    await page.goto('/portal/products/rates/spec');
    await page.locator('.reference-nav input').waitFor();
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
  });

  it('takes keys for letters where somebody types, and no keys at all once they are switched off', async () => {
    await open('/portal/products');
    await page.focus('#q');
    await page.keyboard.type('a/?');
    expect([await page.inputValue('#q'), await windowOfKeys().count()]).toEqual(['a/?', 0]);
    await page.goto('/portal/login');
    await page.locator('footer [data-opens="keys"]').click();
    await page.getByLabel('Use keys on this device').uncheck();
    await page.goto('/portal/products');
    await page.keyboard.press('/');
    await page.keyboard.press('?');
    expect(await page.evaluate('document.activeElement.name')).not.toBe('q');
    expect(await windowOfKeys().count()).toBe(0);
  });
});
