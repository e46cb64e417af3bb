import type { UserRecord } from '../../src/domain/accounts/index.js';
import { openVisitor, startBrowser } from '../support/browser.js';
import { describeWith } from '../support/describe-with.js';
import { createUser, PASSWORD } from '../support/factories.js';
import { PAYLOADS, RUN, storeEverywhere } from '../support/hostile-records.js';
import { dangersOf, parseMarkup } from '../support/markup.js';
import { PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
let user: UserRecord;
let page: PageClient;

beforeAll(async () => {
  const config = { limits: { ip: { requests: { max: 100_000 } } }, accounts: { customAttributes: ['company'] } };
  test = await startTestPortal({ config });
  user = await createUser(test);
  page = new PageClient(test.client);
  await page.submit('/portal/login', { email: user.email, password: PASSWORD });
});
afterAll(() => test.stop());

const pagesOf = (slug: string, payload: string) => {
  const text = encodeURIComponent(payload);
  return [
    ...['', `/products?category=${slug}`, `/products/${slug}`, `/products/${slug}/spec`, '/dashboard', '/apps'],
    ...[`/apps/${slug}`, '/apps/create', '/profile', `/products?q=${text}`, `/products?tag=${text}`, `/${text}`],
    ...[`/apps/create?product=${text}`, `/products/${slug}?locale=ar`, `/products?category=${slug}&locale=ar`],
  ];
};

describe('pages made of hostile texts (S66)', () => {
  it.each(PAYLOADS)('show them as text: %j', async (payload) => {
    const slug = await storeEverywhere(test, user, payload);
    for (const path of pagesOf(slug, payload)) {
      const { html, status, headers } = await page.get(`/portal${path}`);
      const markup = parseMarkup(html);
      expect([path, status, dangersOf(markup)]).toEqual([
        path,
        path === `/${encodeURIComponent(payload)}` ? 404 : 200,
        [],
      ]);
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:(?: https?:\/\/[^\s;,']+)?; connect-src 'self'; form-action 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'$/,
      );
      // The name of the portal stands in each page, and reads as it was written.
      const times = markup.text.split(payload).length - 1;
      expect([path, times]).toEqual([path, expect.any(Number)]);
      expect(times).toBeGreaterThan(path.endsWith(`s/${slug}`) ? 8 : 0);
    }
    const { html: css } = await page.get('/portal/assets/brand.css');
    expect(css.replace(/#[0-9a-f]{6}/g, '#')).toBe(BRAND_SHEET);
  });

  it('show what was typed into forms as text', async () => {
    for (const payload of PAYLOADS) {
      const visitor = new PageClient(test.client);
      visitor.cookies.set('portal-flash', encodeURIComponent(payload));
      visitor.cookies.set('portal-scheme', encodeURIComponent(payload));
      const register = { first_name: payload, last_name: payload, email: payload, return_to: payload };
      const app = {
        name: payload,
        display_name: payload,
        description: payload,
        callback_url: payload,
        products: payload,
      };
      const answers = [
        await visitor.submit('/portal/register', register),
        await visitor.submit('/portal/login', { email: payload, password: payload, return_to: payload }),
        await page.submit('/portal/apps/create', app, { action: '/portal/apps' }),
        await visitor.get(`/portal/login?return_to=${encodeURIComponent(payload)}`),
        await visitor.get(`/portal/reset-password/${encodeURIComponent(payload)}`),
      ];
      for (const { html } of answers) expect([payload, dangersOf(parseMarkup(html))]).toEqual([payload, []]);
    }
  });

  it('would be found out: the check sees what it is for', () => {
    const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
    const raw = PAYLOADS.filter((payload) => dangersOf(parseMarkup(`<p>${payload}</p>`)).length > 0);
    const links = PAYLOADS.filter(
      (payload) => dangersOf(parseMarkup(`<a href="${escaped(payload)}">x</a>`)).length > 0,
    );
    expect(raw.length).toBeGreaterThan(25);
    expect(links).toEqual(expect.arrayContaining([`javascript:${RUN}`, `java\tscript:${RUN}`, '//evil.example/x']));
  });
});

const BRAND_SHEET = [
  ':root{--brand:#;--on-brand:#}',
  '@media (prefers-color-scheme:dark){:root:not([data-scheme=light]){--brand:#;--on-brand:#}}',
  ':root[data-scheme=dark]{--brand:#;--on-brand:#}',
].join('\n');

describeWith('chromium', 'hostile texts in a real browser', () => {
  it('run nothing, ask for nothing elsewhere and open no dialog', async () => {
    const browser = await startBrowser();
    try {
      const visitor = await openVisitor(browser, test.client.url);
      const { page: tab } = visitor;
      await tab.goto('/portal/login');
      await tab.fill('main [name="email"]', user.email);
      await tab.fill('main [name="password"]', PASSWORD);
      await tab.click('main form button.button-main');
      for (const payload of PAYLOADS.filter((_payload, index) => index % 6 === 0)) {
        const slug = await storeEverywhere(test, user, payload);
        for (const path of ['', `/products/${slug}`, `/products/${slug}/spec`, `/apps/${slug}`, '/profile']) {
          await tab.goto(`/portal${path}`);
          expect([payload, path, await tab.evaluate('window.__xss')]).toEqual([payload, path, undefined]);
        }
      }
      expect([visitor.dialogs, visitor.faults]).toEqual([[], []]);
    } finally {
      await browser.close();
    }
  });
});
