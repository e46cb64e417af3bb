import { createPlan, createProduct, storePastTheUpload } from '../support/factories.js';
import { STREETLIGHTS } from '../support/async-documents.js';
import { DEPOT, HARBOUR, largeDocument, STYLED } from '../support/documents.js';
import { HOSTILE_DOCUMENTS } from '../support/hostile-documents.js';
import { PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const SPEC = '/portal/products/harbour/spec';
const OPERATIONS = `${SPEC}/operations`;

let test: TestPortal;
beforeAll(async () => {
  test = await startTestPortal({ config: { docs: { contexts: ['consumer'] } } });
  await createProduct(test, { slug: 'harbour', name: 'Harbour' }, HARBOUR);
  await createProduct(test, { slug: 'secret', name: 'Secret', visibility: 'private' }, DEPOT);
});
afterAll(() => test.stop());

const open = (path: string, headers: Record<string, string> = {}) => new PageClient(test.client).get(path, { headers });

describe('an operation as Markdown', () => {
  it('holds everything that is known of it', async () => {
    const { html: text, headers, status } = await open(`${OPERATIONS}/listBerths.md`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
    for (const part of [
      ...['## List berths', '**GET** `/berths`', 'Free ones first.', 'Access: key or token (berths:read)'],
      ...['- `limit` · query · integer', 'minimum: `1`, maximum: `100`, default: `20`', 'Values: `free`, `taken`'],
      ...['#### `200`', '`X-Total` · integer', 'All of them', '`application/json` · list of [Berth](#schema-Berth)'],
      ...['### Call it', "curl 'https://north.harbour.example/v2/berths", 'YOUR_KEY', '## Schemas', '### Berth'],
    ]) {
      expect(text).toContain(part);
    }
  });

  it('leads to the others of its tag without a script', async () => {
    const { html } = await open(`${OPERATIONS}/listBerths`);
    const menu = /<details class="written-jump">.*?<\/details>/s.exec(html)?.[0] ?? '';
    expect(
      [...menu.matchAll(/<a href="([^"]*)"( aria-current="page")?/g)].map(([, to, isHere]) => [to, isHere]),
    ).toEqual([
      [`${OPERATIONS}/listBerths`, ' aria-current="page"'],
      [`${OPERATIONS}/post-berths`, undefined],
    ]);
  });

  it('says how values are written where that is not usual, and cuts no value', async () => {
    await createProduct(test, { slug: 'styled', name: 'Styled' }, STYLED);
    const { html: text } = await open('/portal/products/styled/spec/operations/styled.md');
    for (const part of [
      ...['`at` · path · string', 'Written as ;at=value.', 'Fields are written as created[field]=value.'],
      ...['Values are joined by commas.', '`usual` · query · list of string | null', 'Reserved characters'],
      ...['`photo` `image/png`', '`tags` Values are joined by |.', `^${'[a-z]'.repeat(300)}$`],
    ]) {
      expect(text.replaceAll('\\', '')).toContain(part);
    }
    expect(text.match(/joined by commas/g)).toHaveLength(1);
    const arabic = await open('/portal/products/styled/spec/operations/styled?locale=ar');
    expect(arabic.html).toContain('الترويسة');
    // In a line of Arabic, what separates must not go with the Latin words.
    expect(arabic.html).toContain('<bdi>operationId</bdi>: <code');
  });

  it('comes by its address or by Accept, once', async () => {
    const file = await open(`${OPERATIONS}/uploadPapers.md`);
    const asked = await open(`${OPERATIONS}/uploadPapers`, { accept: 'text/markdown, text/html;q=0.8' });
    expect(asked.html).toBe(file.html);
    expect(asked.headers.get('vary')).toContain('Accept');
    const tag = file.headers.get('etag') ?? '';
    const again = await open(`${OPERATIONS}/uploadPapers.md`, { 'if-none-match': tag });
    expect([again.status, again.html]).toEqual([304, '']);
    expect((await open(`${OPERATIONS}/listBerths.md`, { 'if-none-match': tag })).status).toBe(200);
  });

  it('is in an outline of the whole document, which leads to it', async () => {
    const { html: text } = await open(`${SPEC}.md`);
    expect(text).toMatch(/^# Harbour\n/);
    expect(text).toContain(`- [GET /berths](${OPERATIONS}/listBerths.md) List berths`);
    expect((await open(SPEC, { accept: 'text/markdown' })).html).toBe(text);
    expect((await open(SPEC)).html).toContain(`<link rel="alternate" type="text/markdown" href="${SPEC}.md">`);
  });

  it('is called without a key where a plan of the product lets it', async () => {
    await createPlan(test, { slug: 'anonymous', isKeyless: true }, { quotaPerDay: 10 });
    await createProduct(test, { slug: 'pier', plans: ['anonymous'] }, HARBOUR);
    const { html: text } = await open('/portal/products/pier/spec/operations/listBerths.md');
    expect(text).toContain('Access: no sign-in or key or token (berths:read)');
    expect(text).toContain("curl 'https://north.harbour.example/v2/berths");
    expect(text).not.toContain('YOUR_KEY');
  });

  it('speaks the language of the reader', async () => {
    expect((await open(`${OPERATIONS}/listBerths.md?locale=ar`)).html).toContain('### المعاملات');
  });
});

describe('an operation of AsyncAPI', () => {
  it('has its messages in a page and in Markdown, and no call', async () => {
    await createProduct(test, { slug: 'lights', name: 'Lights' }, STREETLIGHTS);
    const address = '/portal/products/lights/spec/operations/receiveMeasurement';
    const { html: text } = await open(`${address}.md`);
    for (const part of ['**RECEIVE** `lights/{lightId}/measured`', '### Messages', '`lightMeasured`', '### Measured']) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain('curl');
    expect((await open(address)).html).toContain('id="schema-Measured"');
    const product = (await open('/portal/products/lights')).html;
    expect(product).toContain('AsyncAPI 3.0.0');
    expect(product).not.toContain('curl');
  });
});

describe('an operation as a page without a script', () => {
  it('is led to by the list, and shows everything', async () => {
    expect((await open(SPEC)).html).toContain(`<a href="${OPERATIONS}/listBerths">`);
    const { html, status } = await open(`${OPERATIONS}/listBerths`);
    expect(status).toBe(200);
    for (const part of [
      `<link rel="canonical" href="${OPERATIONS}/listBerths">`,
      '<a href="#schema-Berth">Berth</a>',
      'id="schema-Berth"',
      'Free ones first.',
      '<code class="break" dir="ltr">limit</code>',
      'YOUR_KEY',
      `href="${OPERATIONS}/post-berths"`,
    ]) {
      expect(html).toContain(part);
    }
  });

  it('can be printed with the others, or with those of its tag', async () => {
    const whole = (await open(`${SPEC}/print`)).html;
    for (const id of ['op-listBerths', 'op-uploadPapers', 'op-postarrival']) expect(whole).toContain(`id="${id}"`);
    const part = (await open(`${SPEC}/print?tag=Ships`)).html;
    expect(part).toContain('id="op-uploadPapers"');
    expect(part).not.toContain('id="op-listBerths"');
    expect((await open(`${SPEC}/print?tag=Nobody`)).status).toBe(404);
  });

  it('is printed a hundred at a time', async () => {
    await createProduct(test, { slug: 'large', name: 'Large' }, largeDocument(250));
    const pages = await Promise.all([1, 3, 9].map((page) => open(`/portal/products/large/spec/print?page=${page}`)));
    expect(pages.map(({ html }) => html.match(/ id="op-/g)?.length)).toEqual([100, 50, 50]);
  });

  it('is for those who may see the product (S57)', async () => {
    for (const path of ['/operations/listThings', '/operations/listThings.md', '.md', '/print']) {
      expect([path, (await open(`/portal/products/secret/spec${path}`)).status]).toEqual([path, 404]);
    }
    for (const name of ['nothing', 'nothing.md', 'constructor', '__proto__', '.md']) {
      expect([name, (await open(`${OPERATIONS}/${name}`)).status]).toEqual([name, 404]);
    }
  });
});

describe('a hostile document', () => {
  it.each(HOSTILE_DOCUMENTS)('is only text: %s (S66)', async (_what, document) => {
    const slug = await storePastTheUpload(test, document);
    const { html, status } = await open(`/portal/products/${slug}/spec/print`);
    // One that cannot be taken apart has no pages.
    expect([200, 404]).toContain(status);
    const article = /<article class="written-text">([\s\S]*?)<\/article>\s*<\/div>/.exec(html)?.[1] ?? '';
    expect(article).not.toMatch(
      /<(?!\/?(?:h[2-6]|p|div|ul|ol|li|bdi|code|pre|strong|em|a|span|br|hr|s|blockquote|table|thead|tbody|tr|th|td)[ >])/,
    );
    expect(article).not.toMatch(/<[^>]* (?:on\w+|style|src)=/i);
    expect(article).not.toMatch(/href="(?!https?:|mailto:|#|\/portal\/)/i);
    expect((await open(`/portal/products/${slug}/spec.md`)).status).toBe(status);
  });
});

describe("the portal's own reference", () => {
  it('has pages and Markdown for everybody, and others for who sends a token', async () => {
    const outline = (await open('/docs', { accept: 'text/markdown' })).html;
    const address = /\((\/docs\/consumer\/operations\/login\.md)\)/.exec(outline)?.[1] ?? '';
    expect((await open(address)).html).toContain('## Sign in');
    expect((await open(address.replace('.md', ''))).html).toContain('id="op-login"');
    expect((await open('/docs/consumer/print?page=2')).status).toBe(200);
    for (const path of ['/docs/admin/operations/login', '/docs/admin/reference.md', '/docs/admin/print']) {
      expect([path, (await open(path)).status]).toEqual([path, 401]);
    }
    for (const path of [
      '/docs/consumer',
      '/docs/consumer/operations',
      '/docs/consumer/reference.md/x',
      '/docs/consumer/x',
    ]) {
      expect([path, (await open(path)).status]).toEqual([path, 404]);
    }
  });
});
