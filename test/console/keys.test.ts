import type { Browser, Page, Route } from 'playwright-core';
import { startBrowser, type Visitor } from '../support/browser.js';
import { openConsoleBrowser } from '../support/console-browser.js';
import { describeWith } from '../support/describe-with.js';
import { createAdmin, createUser } from '../support/factories.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
let browser: Browser;
let email: string;
let visitor: Visitor;
let page: Page;

describeWith('chromium', 'keys and command palette of the console', () => {
  beforeAll(async () => {
    test = await startTestPortal({ config: { limits: { ip: { requests: { max: 10_000 } } } } });
    await test.portal.services.rbac.seed();
    ({ email } = await createAdmin(test, { roles: ['super_admin'] }));
    await createUser(test, { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' });
    await createUser(test, { email: 'marvel@example.com', firstName: 'Carol', lastName: 'Marvel' });
    browser = await startBrowser();
  });
  beforeEach(async () => {
    visitor = await openConsoleBrowser(browser, test, email);
    ({ page } = visitor);
  });
  afterEach(async () => {
    expect(visitor.faults).toEqual([]);
    await visitor.context.close();
  });
  afterAll(async () => {
    await browser?.close();
    await test?.stop();
  });

  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const found = () => page.locator('#palette .found').innerText();

  it('opens the palette with Ctrl+K from anywhere, and the first that it finds with Enter', async () => {
    await page.goto('/admin/users');
    await page.focus('#q');
    await press('Control+k');
    await page.locator('#palette[open]').waitFor();
    await page.keyboard.type('lovel');
    await page.getByText('ada@example.com').last().waitFor();
    await page.locator('#palette a', { hasText: 'Ada Lovelace' }).waitFor();
    await press('Enter');
    await page.waitForURL(/\/admin\/users\/\d+$/);
    expect(await page.textContent('h1')).toContain('Ada Lovelace');
  });

  it('closes the palette with Escape, and keys work again', async () => {
    await press('Control+k');
    await page.locator('#palette .found-link').first().waitFor();
    await press('Escape');
    expect(await page.locator('dialog[open]').count()).toBe(0);
    await press('?');
    await page.locator('#keys[open] kbd').first().waitFor({ timeout: 5_000 });
  });

  it('offers what can be done on the page behind it', async () => {
    await page.goto('/admin/users');
    await press('Control+k');
    await page.keyboard.type('create');
    await page.locator('#palette button.found-link', { hasText: 'Import' }).waitFor({ state: 'detached' });
    await page.locator('#palette button.found-link', { hasText: 'Create' }).waitFor();
    await press('ArrowDown', 'Enter');
    await page.waitForURL(/\/admin\/users\/create$/);
  });

  it('asks once after a burst of keys', async () => {
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/search?')) asked.push(new URL(request.url()).searchParams.get('q') ?? '');
    });
    await press('Control+k');
    await page.locator('#palette .found-link').first().waitFor();
    expect(asked).toEqual(['']);
    await page.keyboard.type('lovelace');
    await page.locator('#palette a', { hasText: 'Ada Lovelace' }).waitFor();
    expect(asked).toEqual(['', 'lovelace']);
  });

  it('never shows the answer of an older request in place of a newer one', async () => {
    const held: Route[] = [];
    await page.route('**/search?q=love', (route) => void held.push(route));
    await press('Control+k');
    await page.keyboard.type('love');
    await expectSoon(() => held.length, 1);
    await page.fill('#palette input', 'marvel');
    await page.locator('#palette a', { hasText: 'Carol Marvel' }).waitFor();
    await Promise.all(held.map((route) => route.continue().catch(() => undefined)));
    await page.waitForTimeout(300);
    expect(await found()).toContain('Carol Marvel');
    expect(await found()).not.toContain('Ada Lovelace');
  });

  it('does not open what an older text has found: Enter leads to the page of the search', async () => {
    await press('Control+k');
    await page.keyboard.type('lovelace');
    await page.locator('#palette a', { hasText: 'Ada Lovelace' }).waitFor();
    await page.fill('#palette input', 'marvel');
    await press('Enter');
    await page.waitForURL(/\/admin\/search\?q=marvel$/);
    expect(await page.innerText('#search-results')).toContain('Carol Marvel');
  });

  it('tells all keys of a page with ?, and goes home, to the inbox and to the search', async () => {
    await page.goto('/admin/users');
    await press('?');
    const text = await page.locator('#keys[open]').innerText();
    expect(text).toMatch(/Ctrl \/ ⌘ \+ k\s+Search or go to/);
    for (const line of [/g i\s+Inbox/, /c\s+Create/, /j\s+k\s+Next and previous row/, /Space\s+Mark the row/])
      expect(text).toMatch(line);
    await press('Escape', 'g', 'i');
    await page.waitForURL(/\/admin\/inbox$/);
    await press('g', 'h');
    await page.waitForURL(/\/admin\/?$/);
    await press('/');
    await page.keyboard.type('marvel\n');
    await page.waitForURL(/\/admin\/search\?q=marvel$/);
  });

  it('walks rows with j and k, marks them with Space, opens with Enter, edits with e, makes with c', async () => {
    await page.goto('/admin/users');
    await press('j', 'j', 'k', 'Space');
    expect(await page.locator('tr[data-at] input').isChecked()).toBe(true);
    expect(await page.locator('tr input:checked').count()).toBe(1);
    await press('Enter');
    await page.waitForURL(/\/admin\/users\/\d+$/);
    await press('e');
    await page.waitForURL(/\/edit$/);
    await page.goto('/admin/users');
    await press('c');
    await page.waitForURL(/\/create$/);
    // Keys are letters in a field.
    await page.focus('[name="first_name"]');
    await press('c', 'g', 'i');
    expect(await page.inputValue('[name="first_name"]')).toBe('cgi');
  });

  it('takes the keys of a keyboard with Arabic letters', async () => {
    await page.goto('/admin/users');
    await page.evaluate(
      "for (const [key, code] of [['ل', 'KeyG'], ['ه', 'KeyI']]) document.body.dispatchEvent(new KeyboardEvent('keydown', { key, code, bubbles: true }))",
    );
    await page.waitForURL(/\/admin\/inbox$/);
  });

  it('leaves single keys alone once they are switched off on this device, and stays so', async () => {
    await press('?');
    await page.getByLabel('Use keys on this device').uncheck();
    await press('Escape');
    await page.goto('/admin/users');
    await press('g', 'i', 'c', '?');
    expect(page.url()).toMatch(/\/admin\/users$/);
    expect(await page.locator('dialog[open]').count()).toBe(0);
    await press('Control+k');
    await page.locator('#palette[open]').waitFor();
  });

  it('leads to the sign-in when it has ended meanwhile', async () => {
    await visitor.context.clearCookies();
    await press('Control+k');
    await page.waitForURL(/\/admin\/login/);
  });
});

async function expectSoon<T>(read: () => T, wanted: T): Promise<void> {
  for (let tries = 0; tries < 100 && read() !== wanted; tries += 1) await new Promise((go) => setTimeout(go, 50));
  expect(read()).toEqual(wanted);
}
