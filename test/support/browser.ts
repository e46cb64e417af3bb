import axe from 'axe-core';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { requireService } from './binaries.js';
import { PATIENCE } from './patience.js';

const ARGUMENTS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** Debian's Chromium, headless. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: requireService('chromium'), args: ARGUMENTS, timeout: PATIENCE.start });
}

/** A browser profile on a site, recording everything that a portal must not cause. */
export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** CSP violations, requests to other origins, script errors. */
  readonly faults: string[];
  /** Texts of `alert`, `confirm` and so on, which are accepted. */
  readonly dialogs: string[];
}

export async function openVisitor(
  browser: Browser,
  baseURL: string,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({ baseURL, viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(PATIENCE.start);
  const faults: string[] = [];
  const dialogs: string[] = [];
  await context.exposeBinding('portalPolicyBroken', (_source, text: string) => faults.push(`policy: ${text}`));
  await context.addInitScript(
    "document.addEventListener('securitypolicyviolation', (event) => window.portalPolicyBroken(`${event.violatedDirective} ${event.blockedURI} on ${event.documentURI}`))",
  );
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(baseURL).origin && !request.url().startsWith('data:'))
      faults.push(`request: ${request.url()}`);
  });
  // The console also reports 4xx answers, which tests provoke.
  context.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(`console: ${message.text()}`);
  });
  context.on('weberror', (error) => faults.push(`script: ${error.error().message}`));
  context.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.accept();
  });
  return { context, page: await context.newPage(), faults, dialogs };
}

/** The violations that axe-core finds, one line per element. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // Injected by the debugger, as the page's CSP does not allow it.
  await page.evaluate(axe.source);
  return page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ': ' + failureSummary)))`);
}

export const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > window.innerWidth');

/** What is wrong with how a page looks, for its readers and in its window. @param name of the page, before each fault */
export async function pageFaults(page: Page, name: string): Promise<string[]> {
  const faults = await accessibilityFaults(page);
  return [...((await isTooWide(page)) ? ['wider than the window'] : []), ...faults].map((fault) => `${name}: ${fault}`);
}
