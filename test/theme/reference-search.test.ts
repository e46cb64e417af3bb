import type { Browser } from 'playwright-core';
import { openVisitor, startBrowser } from '../support/browser.js';
import { describeWith } from '../support/describe-with.js';
import { HARBOUR } from '../support/documents.js';
import { createProduct } from '../support/factories.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

describeWith('chromium', 'the search of a reference in a real browser', () => {
  let test: TestPortal;
  let browser: Browser;
  beforeAll(async () => {
    test = await startTestPortal();
    await createProduct(test, { slug: 'harbour', name: 'Harbour' }, HARBOUR);
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await test?.stop();
  });

  it('finds words of descriptions and fields, with the keyboard alone', async () => {
    const visitor = await openVisitor(browser, test.client.url);
    const { page } = visitor;
    await page.goto('/portal/products/harbour/spec');
    await page.waitForSelector('.reference[data-ready]');
    await page.keyboard.press('/');
    await page.keyboard.type('free ones');
    await page.waitForSelector('.reference-spot:has-text("Free ones first.")');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.reference-operation h2:text-is("List berths")');
    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
    expect(await page.isVisible('.reference-spot')).toBe(false);
    expect(visitor.faults).toEqual([]);
    await visitor.context.close();
  });
});
