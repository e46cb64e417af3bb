import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { openVisitor, pageFaults, startBrowser, type Visitor } from '../support/browser.js';
import { describeWith } from '../support/describe-with.js';
import { DEPOT, HARBOUR, largeDocument, STYLED } from '../support/documents.js';
import { EchoApi } from '../support/echo-api.js';
import { createProduct, createUser, PASSWORD, storePastTheUpload } from '../support/factories.js';
import { HOSTILE_DOCUMENTS } from '../support/hostile-documents.js';
import { pictureOf } from '../support/pictures.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const READY = '.reference[data-ready]';
const SPEC = '/portal/products/harbour/spec';
/** Nobody allowed requests to it. */
const FAR = 'https://far.example/v2';
const LOOKS: Record<string, BrowserContextOptions> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  Arabic: { locale: 'ar' },
  'a phone': { viewport: { width: 390, height: 844 } },
};
/** Best of this many: other tests share the machine. */

let test: TestPortal;
let browser: Browser;
let api: EchoApi;

describeWith('chromium', 'the reference of a product in a real browser', () => {
  beforeAll(async () => {
    api = await EchoApi.start();
    test = await startTestPortal({
      config: {
        catalog: { tryItOrigins: [api.origin] },
        limits: { ip: { requests: { max: 100_000 } } },
      },
    });
    await createProduct(test, { slug: 'harbour', name: 'Harbour' }, HARBOUR);
    await createProduct(test, { slug: 'depot', name: 'Depot' }, DEPOT);
    const ours = { url: `${api.origin}/v2` };
    await createProduct(test, { slug: 'live', name: 'Live' }, { ...HARBOUR, servers: [ours] });
    await createProduct(test, { slug: 'spare', name: 'Spare' }, { ...HARBOUR, servers: [{ url: FAR }, ours] });
    await createProduct(test, { slug: 'far', name: 'Far' }, { ...HARBOUR, servers: [{ url: FAR }] });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await test?.stop();
    await api?.close();
  });

  it('shows one operation at a time, at an address of its own', async () => {
    const visitor = await open();
    const { page } = visitor;
    await page.goto(`${SPEC}#op-listBerths`);
    await page.waitForSelector('.reference-operation');
    expect(await page.textContent('.reference-main h2')).toBe('List berths');
    expect(await page.title()).toContain('List berths');
    await page.click('.reference-nav a[href="#op-uploadPapers"]');
    await page.waitForSelector('.reference-main h2:text-is("Upload papers")');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H2');
    expect(await page.getAttribute('.reference-nav [aria-current]', 'href')).toBe('#op-uploadPapers');
    await page.goBack();
    await page.waitForSelector('.reference-main h2:text-is("List berths")');
    await page.goto(`${SPEC}#op-nothing-like-that`);
    await page.waitForSelector('.reference-intro');
    await leave(visitor);
  });

  it('finds operations by what they are called', async () => {
    const visitor = await open();
    const { page } = visitor;
    await page.goto(SPEC);
    await page.waitForSelector(READY);
    await page.fill('.reference-nav input', 'put papers');
    expect(await page.locator('.reference-nav a:visible').allTextContents()).toEqual(['put Upload papers']);
    expect(await page.textContent('.reference-nav [role="status"]')).toBe('1 found');
    await page.fill('.reference-nav input', '');
    expect(await page.locator('.reference-nav a:visible').count()).toBe(5);
    await leave(visitor);
  });

  it('unfolds schemas as far as somebody looks', async () => {
    const visitor = await open();
    const { page } = visitor;
    await page.goto(`${SPEC}#op-post-berths`);
    await page.waitForSelector('.reference-operation');
    const properties = page.locator('.reference-fields .reference-name');
    await properties.nth(4).waitFor();
    expect(await properties.allTextContents()).toEqual(
      expect.arrayContaining(['lang', 'name', 'length', 'ship', 'isOpen']),
    );
    // Few fields show theirs at once, those not.
    await page.click('li:has(> .reference-facts code:text-is("ship")) summary:has-text("One of 1")');
    await page.waitForSelector('code:text-is("flag")');
    await leave(visitor);
  });

  it('says how values are written, and points from a field to its place in the example', async () => {
    await createProduct(test, { slug: 'styled', name: 'Styled' }, STYLED);
    const visitor = await open();
    const { page } = visitor;
    await page.goto('/portal/products/styled/spec#op-styled');
    const fields = await page.locator('.reference-fields').innerText();
    for (const said of ['Written as ;at=value.', 'Fields are written as created[field]=value.', 'image/png']) {
      expect(fields).toContain(said);
    }
    expect([fields.match(/joined by commas/g)?.length, fields.match(/joined by \|/g)?.length]).toEqual([1, 1]);
    await page.goto('/portal/products/harbour/spec#op-listBerths');
    await page
      .locator('.reference-answers .reference-name', { hasText: /^length$/ })
      .first()
      .click();
    expect(await page.locator('.is-pointed').allInnerTexts()).toEqual(['"length"']);
    expect(await page.locator('.reference-main').innerText()).not.toContain('[object');
    await leave(visitor);
  });

  it('writes samples that quote what the languages would read as more than text', async () => {
    const visitor = await open();
    const { page } = visitor;
    await page.goto(`${SPEC}#op-ships-get-one`);
    const sample = () => page.textContent('.reference-samples pre');
    await page.waitForSelector('.reference-samples');
    expect(await sample()).toBe("curl 'https://north.harbour.example/v2/ships/O%27Hara%20%221%22%20%24x'");
    await page.selectOption('.reference-samples select', { label: 'Python' });
    expect(await sample()).toContain('"https://north.harbour.example/v2/ships/O%27Hara%20%221%22%20%24x"');
    await page.click('.reference-nav a[href="#op-post-berths"]');
    await page.waitForSelector('.reference-samples pre:has-text("/berths")');
    expect(await sample()).toContain('json={\n        "name": "Pier 4",');
    await page.selectOption('.reference-samples select', { label: 'JavaScript' });
    expect(await sample()).toContain('"X-Harbour-Key": "YOUR_KEY",');
    await page.selectOption('.reference-samples select', { label: 'curl' });
    expect(await sample()).toContain("-H 'Content-Type: application/json'");
    await leave(visitor);
  });

  it('shows what comes back beside the sample, painted without a word of HTML', async () => {
    const document = {
      ...HARBOUR,
      paths: {
        '/tides': {
          get: {
            operationId: 'listTides',
            responses: {
              404: { description: 'None.', content: { 'application/json': { example: { error: 'none' } } } },
              200: {
                description: 'Tides.',
                content: {
                  'application/json': {
                    examples: {
                      low: { value: { metres: 1.5, note: '<img src=x onerror=alert(1)>' } },
                      high: { value: [true] },
                    },
                  },
                },
              },
            },
          },
        },
      },
    };
    await createProduct(test, { slug: 'tides', name: 'Tides' }, document);
    const visitor = await open();
    const { page } = visitor;
    await page.goto('/portal/products/tides/spec#op-listTides');
    const answer = () => page.textContent('.reference-example pre');
    await page.waitForSelector('.reference-example');
    expect(JSON.parse((await answer()) ?? '')).toEqual({ metres: 1.5, note: '<img src=x onerror=alert(1)>' });
    expect(await page.locator('.reference-example .tok-key').allTextContents()).toEqual(['"metres"', '"note"']);
    expect(await page.locator('.reference-example img').count()).toBe(0);
    await page.selectOption('.reference-example select', 'high');
    expect(JSON.parse((await answer()) ?? '')).toEqual([true]);
    await page.click('.reference-example button:text-is("404")');
    expect(JSON.parse((await answer()) ?? '')).toEqual({ error: 'none' });
    await leave(visitor);
  });

  it("sends a request with the developer's own key, without cookies, and shows the answer", async () => {
    const visitor = await signedIn();
    const { page } = visitor;
    await page.goto('/portal/products/live/spec#op-post-berths');
    await page.click('.reference-open');
    await page.waitForSelector('.reference-key [role="status"]:has-text("is filled in")');
    await page.selectOption('.reference-try select', 'ar');
    await page.click('button:text-is("Send")');
    await page.waitForSelector('.reference-answer .badge');
    expect(await page.textContent('.reference-answer .badge')).toContain('200');
    expect(await page.textContent('.reference-body')).toContain('"asked": "/v2/berths?lang=ar"');
    const call = api.calls.at(-1);
    expect([call?.method, call?.headers.cookie, JSON.parse(call?.body ?? '')]).toEqual([
      'POST',
      undefined,
      { name: 'Pier 4', length: 5, ship: expect.anything(), isOpen: true },
    ]);
    const [key] = await test.portal.database.select<{ hint: string }>(
      'SELECT key_hint AS hint FROM portal_credentials',
    );
    expect(String(call?.headers['x-harbour-key']).slice(0, 4)).toBe(key?.hint.slice(0, 4));
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).toBe('[{},{}]');
    expect(visitor.faults.filter((fault) => !fault.includes(api.origin))).toEqual([]);
    await visitor.context.close();
  });

  it('asks for the password when the sign-in is old, and says when there is no key', async () => {
    const visitor = await signedIn();
    const { page } = visitor;
    test.clock.advance(16 * 60);
    await page.goto('/portal/products/live/spec#op-listBerths');
    await page.click('.reference-open');
    await page.fill('.reference-key input[type="password"]', PASSWORD);
    await page.press('.reference-key input[type="password"]', 'Enter');
    await page.waitForSelector('.reference-key [role="status"]:has-text("is filled in")');
    await page.goto('/portal/products/spare/spec#op-listBerths');
    await page.click('.reference-open');
    await page.waitForSelector('text=None of your keys opens this API yet');
    await leave(visitor);
  });

  it('shows the sample and says why, where a request is not allowed', async () => {
    const visitor = await open();
    const { page } = visitor;
    await page.goto(`${SPEC}#op-listBerths`);
    await page.click('.reference-open');
    expect(await page.textContent('.reference-why')).toContain('has not allowed it');
    expect(await page.isVisible('button:text-is("Send")')).toBe(false);
    await leave(visitor);
    // The page says no; if it did not, its policy would (S45).
    const other = await open();
    await other.page.goto(SPEC);
    const directive = await other.page.evaluate(`new Promise((resolve) => {
      document.addEventListener('securitypolicyviolation', (event) => resolve(event.violatedDirective));
      fetch('https://sandbox.harbour.example/').then(() => resolve('sent'), () => undefined);
    })`);
    expect(directive).toBe('connect-src');
    await other.context.close();
  });

  it('says that no request may be sent before there is a form, and shows no key for it', async () => {
    const visitor = await signedIn(['far', 'spare']);
    const { page } = visitor;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await page.goto('/portal/products/far/spec#op-listBerths');
    await page.click('.reference-open');
    expect(await page.textContent('.reference-try .reference-why')).toContain('has not allowed it');
    expect(await page.locator('.reference-try :is(form, input, select, .reference-key)').count()).toBe(0);
    expect(asked.filter((request) => request.startsWith('POST'))).toEqual([]);
    // Where one server is allowed it is the chosen one; with another, the key stays where it is.
    await page.goto('/portal/products/spare/spec#op-listBerths');
    await page.click('.reference-open');
    await page.waitForSelector('.reference-key [role="status"]:has-text("is filled in")');
    await page.selectOption('.reference-try select >> nth=0', { label: FAR });
    expect(await page.isVisible('.reference-try .reference-why')).toBe(true);
    expect(await page.locator('.reference-key, .reference-try input[type="password"]').count()).toBe(0);
    await leave(visitor);
  });

  it('shows no key for a document that asks for none', async () => {
    const { security: _security, components, ...rest } = HARBOUR;
    const document = {
      ...rest,
      components: { ...components, securitySchemes: {} },
      servers: [{ url: `${api.origin}/v2` }],
    };
    await createProduct(test, { slug: 'unkeyed', name: 'Unkeyed' }, document);
    const visitor = await signedIn(['unkeyed']);
    const { page } = visitor;
    await page.goto('/portal/products/unkeyed/spec#op-listBerths');
    await page.click('.reference-open');
    await page.waitForSelector('button:text-is("Send")');
    expect(await page.locator('.reference-key, .reference-try input[type="password"]').count()).toBe(0);
    expect(await page.textContent('.reference-samples pre')).not.toContain('YOUR_KEY');
    await leave(visitor);
  });

  it('shows what an answer means in whole', async () => {
    const long = `${'A sentence of this answer says what came of it. '.repeat(6)}\n\nIt goes on.`;
    const text = 'without an end '.repeat(20);
    const responses = { 200: { description: long }, 400: { description: text }, 404: { description: 'Not\nthere.' } };
    const description = '1. First\n   - *inner* [link][guide]\n\n[guide]: https://harbour.example/guide';
    const paths = { '/things': { get: { operationId: 'listThings', description, responses } } };
    await createProduct(test, { slug: 'wordy', name: 'Wordy' }, { ...HARBOUR, paths });
    const visitor = await open();
    const { page } = visitor;
    await page.goto('/portal/products/wordy/spec#op-listThings');
    await page.waitForSelector('.reference-code');
    const link = page.locator('.prose > ol > li > ul > li > em + a');
    expect(await link.getAttribute('href')).toBe('https://harbour.example/guide');
    const titles = await page.locator('summary:has(.reference-code)').allTextContents();
    expect(titles[0]).toMatch(/^200 (?:A sentence of this answer says what came of it\. ?){6}$/);
    expect(titles[1]).toBe(`400 ${text.trim()}`);
    expect(titles[2]).toBe('404 Not there.');
    // What comes back when all is well is open from the beginning.
    expect(await page.locator('details:has(> summary .reference-code)[open]').count()).toBe(1);
    expect(await page.textContent('details:has(.reference-code) .prose')).toContain('It goes on.');
    await leave(visitor);
  });

  it('says what became of a request that a page cannot finish', async () => {
    for (const [path, text] of [
      ['/closed', 'may not take requests from web pages'],
      ['/away', 'answered with a redirect'],
    ] as const) {
      const slug = `trouble${path.slice(1)}`;
      const document = { ...HARBOUR, servers: [{ url: api.origin + path }], security: [] };
      await createProduct(test, { slug, name: slug }, document);
      const visitor = await open();
      await visitor.page.goto(`/portal/products/${slug}/spec#op-listBerths`);
      await visitor.page.click('.reference-open');
      await visitor.page.click('button:text-is("Send")');
      await visitor.page.waitForSelector(`.reference-status:has-text("${text}")`);
      await visitor.context.close();
    }
  });

  it.each(Object.entries(LOOKS))(
    'is nothing that axe-core or a narrow window finds fault with: %s',
    async (look, options) => {
      const visitor = await open(options);
      const { page } = visitor;
      const faults: string[] = [];
      for (const [slug, anchor] of [
        ...['', '#op-listBerths', '#op-post-berths', '#op-uploadPapers'].map((hash) => ['harbour', hash] as const),
        ...['', '#op-getParcel', '#op-labelParcel'].map((hash) => ['depot', hash] as const),
      ]) {
        await page.goto('about:blank');
        await page.goto(`/portal/products/${slug}/spec${anchor}`);
        await page.waitForSelector(anchor === '' ? '.reference-intro' : '.reference-operation');
        await pictureOf(page, `reference-${look}`, slug + anchor);
        await unfoldAll(page);
        await pictureOf(page, `reference-${look}-open`, slug + anchor);
        faults.push(...(await pageFaults(page, `${slug}${anchor}`)));
      }
      expect(faults).toEqual([]);
      await leave(visitor);
    },
  );

  it('is used with the keyboard alone', async () => {
    const visitor = await open();
    const { page } = visitor;
    await page.goto(SPEC);
    await page.waitForSelector(READY);
    await page.focus('.reference-nav input');
    await page.keyboard.type('papers');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.reference-operation');
    for (let step = 0; step < 30; step += 1) {
      if (await page.evaluate("document.activeElement.matches('.reference-open')")) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await page.waitForSelector('.reference-try form');
    // The dialog keeps the focus, and gives it back.
    for (let step = 0; step < 40; step += 1) {
      await page.keyboard.press('Tab');
      if (
        await page.evaluate(
          "document.activeElement.closest('.reference-operation') && !document.activeElement.closest('dialog')",
        )
      )
        throw new Error('the focus left the dialog');
    }
    await page.keyboard.press('Escape');
    await page.waitForSelector('.reference-try', { state: 'hidden' });
    expect(await page.evaluate("document.activeElement.matches('.reference-open')")).toBe(true);
    await leave(visitor);
  });

  it.each(HOSTILE_DOCUMENTS)('is inert against %s (S65)', async (_what, document) => {
    const { page, ...visitor } = await open();
    const slug = await storePastTheUpload(test, document);
    const start = `/portal/products/${slug}/spec`;
    await page.goto(start);
    if ((await page.$('[data-reference]')) !== null) {
      await page.waitForSelector(READY);
      const anchors = await page.$$eval('.reference-nav a[data-anchor]', (links) =>
        links.map((link) => (link as unknown as { hash: string }).hash),
      );
      for (const hash of ['', ...anchors]) {
        await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
        await page.waitForSelector(hash === '' ? '.reference-intro' : '.reference-operation');
        await unfoldAll(page);
        const hrefs = await page.$$eval('.reference-main a', (links) =>
          links.map((link) => link.getAttribute('href') ?? ''),
        );
        expect(
          hrefs.filter(
            (href) => !/^(?:https?:\/\/|mailto:|#op-|\/portal\/products\/hostile-\d+\/spec\/operations\/)/.test(href),
          ),
        ).toEqual([]);
        await page.evaluate(
          "document.querySelectorAll('.reference-main :is(button, span, code)').forEach((one) => one.click())",
        );
      }
    }
    expect(new URL(page.url()).pathname).toBe(start);
    expect(await page.evaluate('[window.__xss, {}.isAdmin]')).toEqual([undefined, undefined]);
    expect([visitor.dialogs, visitor.faults]).toEqual([[], []]);
    await visitor.context.close();
  });

  // How soon is measured by `npm run bench:reference`.
  it('finds one of 1100 operations in 13 MB', async () => {
    const document = largeDocument();
    expect(JSON.stringify(document).length).toBeGreaterThan(13_000_000);
    await createProduct(test, { slug: 'large', name: 'Large' }, document);
    const visitor = await open();
    await visitor.page.goto('/portal/products/large/spec');
    await visitor.page.waitForSelector(READY);
    await visitor.page.fill('.reference-nav input', 'number 777');
    await visitor.page.click('.reference-nav a:visible');
    await visitor.page.waitForSelector('.reference-operation h2:text-is("Do thing number 777")');
    await leave(visitor);
  });
});

async function open(options: BrowserContextOptions = {}): Promise<Visitor> {
  return openVisitor(browser, test.client.url, { locale: 'en-GB', reducedMotion: 'reduce', ...options });
}

async function leave(visitor: Visitor): Promise<void> {
  // Requests to the API are what "Try it" is for.
  const faults = visitor.faults.filter((fault) => !fault.startsWith(`request: ${api.origin}/`));
  expect([faults, visitor.dialogs]).toEqual([[], []]);
  await visitor.context.close();
}

async function signedIn(products = ['live']): Promise<Visitor> {
  const user = await createUser(test);
  const { apps } = test.portal.services.apps;
  const input = { name: 'shop', displayName: 'My shop', description: '', products };
  await apps.create(user, input, { type: 'developer', id: user.id });
  const visitor = await open();
  await visitor.page.goto('/portal/login');
  await visitor.page.fill('main [name="email"]', user.email);
  await visitor.page.fill('main [name="password"]', PASSWORD);
  await visitor.page.click('main form button.button-main');
  await visitor.page.waitForURL('**/portal/dashboard');
  return visitor;
}

/** Everything that is folded, twice over: what was inside comes to light. */
async function unfoldAll(page: Page): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await page.evaluate(
      "[...document.querySelectorAll('.reference details')].slice(0, 200).forEach((part) => (part.open = true))",
    );
    await page.waitForSelector('.reference-schema:empty', { state: 'detached' });
  }
}
