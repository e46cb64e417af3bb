import type { Browser } from 'playwright-core';
import { openVisitor, startBrowser, type Visitor } from '../support/browser.js';
import { describeWith } from '../support/describe-with.js';
import { HARBOUR } from '../support/documents.js';
import { EchoApi } from '../support/echo-api.js';
import { createProduct, createUser, PASSWORD } from '../support/factories.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
let browser: Browser;
let api: EchoApi;
/** Takes requests of the portal alone. */
let shy: EchoApi;

describeWith('chromium', 'requests of the reference and their answers', () => {
  beforeAll(async () => {
    [api, shy] = [await EchoApi.start(), await EchoApi.start()];
    test = await startTestPortal({
      config: {
        catalog: { tryItOrigins: [api.origin], tryItProxy: { origins: [shy.origin] } },
        outbound: { allow: ['127.0.0.1'] },
        limits: { ip: { requests: { max: 100_000 } } },
      },
    });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await test?.stop();
    await api?.close();
    await shy?.close();
  });

  it('begins with the samples of the document, and with the language that was chosen before', async () => {
    const [berths] = [HARBOUR.paths['/berths']];
    const samples = [
      { lang: 'shell', label: 'CLI', source: 'harbour berths <list>' },
      { lang: 'Ruby', source: 'Harbour.berths' },
    ];
    const paths = { ...HARBOUR.paths, '/berths': { ...berths, get: { ...berths.get, 'x-codeSamples': samples } } };
    await createProduct(test, { slug: 'samples', name: 'Samples' }, { ...HARBOUR, paths });
    const visitor = await open();
    const { page } = visitor;
    await page.goto('/portal/products/samples/spec#op-listBerths');
    const sample = () => page.textContent('.reference-samples pre');
    await page.waitForSelector('.reference-samples');
    expect(await sample()).toBe('harbour berths <list>');
    await page.selectOption('.reference-samples select', { label: 'Go' });
    await page.goto('about:blank');
    await page.goto('/portal/products/samples/spec#op-listBerths');
    await page.waitForSelector('.reference-samples');
    expect(await sample()).toContain('package main');
    await page.selectOption('.reference-samples select', { index: 1 });
    expect(await sample()).toBe('Harbour.berths');
    await leave(visitor);
  });

  it('shows answers as what they are, runs none of them, and keeps what was sent while the page is open', async () => {
    for (const [path, shown] of [
      ['/picture', 'img.reference-picture[src^="data:image/png;base64,"]'],
      ['/drawing', '.reference-body:has-text("onload")'],
      ['/page', '.reference-body:has-text("onerror")'],
      ['/bytes', 'text=The answer is no text: application/octet-stream, 4 B'],
      ['/large', 'text=Only the beginning is shown, of 2.6 MB.'],
    ] as const) {
      const slug = `answers${path.slice(1)}`;
      await createProduct(
        test,
        { slug, name: slug },
        { ...HARBOUR, servers: [{ url: api.origin + path }], security: [] },
      );
      const visitor = await open();
      const { page } = visitor;
      await page.goto(`/portal/products/${slug}/spec#op-listBerths`);
      await page.click('.reference-open');
      await page.fill('.reference-try-form input >> nth=1', 'name,length');
      await page.click('button:text-is("Send")');
      await page.waitForSelector(shown);
      expect(await page.evaluate('window.__xss')).toBeUndefined();
      const saved = page.waitForEvent('download');
      await page.click('button:has-text("Save the answer")');
      expect((await saved).suggestedFilename()).toMatch(/^answer\.(?:png|xml|html|bin|json)$/);
      if (path === '/bytes') {
        await page.fill('.reference-try-form input >> nth=1', 'other');
        await page.click('summary:text-is("Sent before")');
        await page.click('.reference-again');
        expect(await page.inputValue('.reference-try-form input >> nth=1')).toBe('name,length');
      }
      expect(visitor.faults.filter((fault) => !fault.includes(api.origin))).toEqual([]);
      await visitor.context.close();
    }
  });

  it('sends files, alone and among fields', async () => {
    const binary = { type: 'string', format: 'binary' };
    const properties = { note: { type: 'string', example: 'a&b' }, papers: { type: 'array', items: binary } };
    const post = (content: object) => ({ requestBody: { content }, responses: { 200: { description: 'ok' } } });
    const paths = {
      '/whole': { post: { operationId: 'whole', ...post({ 'application/octet-stream': { schema: binary } }) } },
      '/parts': {
        post: { operationId: 'parts', ...post({ 'multipart/form-data': { schema: { type: 'object', properties } } }) },
      },
    };
    const servers = [{ url: `${api.origin}/v2` }];
    await createProduct(test, { slug: 'files', name: 'Files' }, { ...HARBOUR, paths, servers, security: [] });
    const visitor = await open();
    const { page } = visitor;
    const send = async (operation: string, names: string[]) => {
      await page.goto('about:blank');
      await page.goto(`/portal/products/files/spec#op-${operation}`);
      await page.click('.reference-open');
      const files = names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(`in ${name}`) }));
      await page.setInputFiles('.reference-try-form input[type="file"]', files);
      await page.click('button:text-is("Send")');
      await page.waitForSelector('.reference-answer .badge');
      return api.calls.at(-1);
    };
    const whole = await send('whole', ['a']);
    expect([whole?.headers['content-type'], whole?.body]).toEqual(['application/octet-stream', 'in a']);
    const parts = await send('parts', ['a', 'b']);
    expect(parts?.body).toMatch(
      /name="note"\r\n\r\na&b\r\n[^]*name="papers"; filename="a"\r\nContent-Type: text\/plain\r\n\r\nin a\r\n[^]*in b/,
    );
    expect(visitor.faults.filter((fault) => !fault.includes(api.origin))).toEqual([]);
    await visitor.context.close();
  });

  it('has the portal send a request with a key that the page never holds', async () => {
    await createProduct(test, { slug: 'shy', name: 'Shy' }, { ...HARBOUR, servers: [{ url: `${shy.origin}/closed` }] });
    const visitor = await open();
    await visitor.page.goto('/portal/products/shy/spec#op-listBerths');
    await visitor.page.click('.reference-open');
    expect(await visitor.page.textContent('.reference-why')).toContain('Sign in to the portal');
    await leave(visitor);
    const member = await signedIn(['shy']);
    const { page } = member;
    await page.goto('/portal/products/shy/spec#op-post-berths');
    await page.click('.reference-open');
    await page.waitForSelector('text=The portal adds the key');
    await page.click('button:text-is("Send")');
    await page.waitForSelector('.reference-answer .badge');
    expect(await page.textContent('.reference-body')).toContain('"method": "POST"');
    const call = shy.calls.at(-1);
    expect([call?.url, JSON.parse(call?.body ?? '')]).toEqual([
      '/closed/berths',
      expect.objectContaining({ name: 'Pier 4' }),
    ]);
    const key = String(call?.headers['x-harbour-key']);
    expect(key.length).toBeGreaterThan(8);
    expect(await page.content()).not.toContain(key);
    await leave(member);
  });
});

async function open(): Promise<Visitor> {
  return openVisitor(browser, test.client.url, { locale: 'en-GB', reducedMotion: 'reduce' });
}

async function leave(visitor: Visitor): Promise<void> {
  expect([visitor.faults, visitor.dialogs]).toEqual([[], []]);
  await visitor.context.close();
}

async function signedIn(products: string[]): Promise<Visitor> {
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
