import type { Browser, BrowserContextOptions } from 'playwright-core';
import { openVisitor, type Visitor } from './browser.js';
import { PASSWORD } from './factories.js';
import type { TestPortal } from './test-portal.js';

/** The looks in which every page of the console is walked. */
export const CONSOLE_LOOKS: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: 'light' },
  'a phone, in Arabic and dark': { locale: 'ar', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
};

/** A browser in which an admin has signed in to the console. */
export async function openConsoleBrowser(
  browser: Browser,
  { client }: TestPortal,
  email: string,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const visitor = await openVisitor(browser, client.url, { locale: 'en-GB', reducedMotion: 'reduce', ...options });
  const { page } = visitor;
  await page.goto('/admin/login');
  await page.fill('[name="email"]', email);
  await page.fill('[name="password"]', PASSWORD);
  await page.click('main form button.button-main');
  await page.waitForURL(/\/admin$/);
  return visitor;
}
