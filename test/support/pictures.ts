import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** For the eyes: a picture of the page goes to the folder of PORTAL_TEST_PICTURES, where that is set. */
export async function pictureOf(page: Page, look: string, path: string): Promise<void> {
  const folder = process.env.PORTAL_TEST_PICTURES;
  if (folder === undefined) return;
  const name = `${look}${path === '' ? '-landing' : `-${path}`}`.replace(/\W+/g, '-');
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
