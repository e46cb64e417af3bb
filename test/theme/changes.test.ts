import { createProduct } from '../support/factories.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const HOSTILE = '<script>alert(1)</script> ]]> &amp; [x](javascript:alert(1)) ![p](https://spy.example/p.png)';
const PLACE = '/portal/products/maps/changes';

let test: TestPortal;
let first = 0;
beforeAll(async () => {
  test = await startTestPortal();
  const product = await createProduct(test, { slug: 'maps', name: 'Maps & <more>' });
  const { changelog } = test.portal.services.catalog;
  const publish = async (input: Parameters<typeof changelog.create>[1]) => {
    test.clock.advance(60);
    return (await changelog.publish(await changelog.create(product, input))).entry.id;
  };
  const translations = { ar: { name: 'حدود جديدة' } };
  first = await publish({
    kind: 'breaking',
    version: '3.0',
    name: 'New bounds',
    description: '**Six** of them.',
    translations,
  });
  await publish({
    kind: 'fix',
    name: HOSTILE,
    shortDescription: HOSTILE,
    description: `${HOSTILE}\n\n# Loud\ufffe&#12;`,
  });
  await changelog.create(product, { kind: 'feature', name: 'Not yet' });
});
afterAll(() => test.stop());

const read = (path: string, headers: Record<string, string> = {}) => test.client.get(path, { headers });

describe('the changes of a product', () => {
  it('stand on a page of their own, the latest first, and in short on the page of the product', async () => {
    const { text: html } = await read(PLACE);
    expect(html).toContain('<strong>Six</strong> of them.');
    expect(html.indexOf('alert(1)')).toBeLessThan(html.indexOf('New bounds'));
    expect(html).toContain(`<link rel="alternate" type="application/atom+xml" href="${PLACE}.atom">`);
    expect(html).not.toContain('Not yet');
    expect((await read('/portal/products/maps')).text).toContain(`href="${PLACE}/${first}"`);
    expect((await read(`${PLACE}?locale=ar`)).text).toContain('حدود جديدة');
  });

  it('have an address each, and none for drafts and for what is no number', async () => {
    expect((await read(`${PLACE}/${first}`)).text).toContain('<strong>Six</strong> of them.');
    for (const other of [first + 2, 'x', '0', '1.5']) expect((await read(`${PLACE}/${other}`)).status).toBe(404);
  });

  it('are a feed that is not sent twice', async () => {
    const feed = await read(`${PLACE}.atom`);
    expect(feed.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
    const ids = [...feed.text.matchAll(/<entry><id>([^<]+)<\/id>/g)].map(([, id]) => id);
    expect(ids.map((id) => new URL(id ?? '').pathname)).toEqual([`${PLACE}/${first + 1}`, `${PLACE}/${first}`]);
    expect(feed.text).toContain('<category term="breaking" label="Breaking"/>');
    expect(feed.text).toContain('<title>3.0: New bounds</title>');
    const again = await read(`${PLACE}.atom`, { 'if-none-match': feed.headers.get('etag') ?? '' });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it('are Markdown, for who asks for it by address or by header', async () => {
    const file = await read(`${PLACE}.md`);
    expect(file.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(file.text).toContain('## 3.0: New bounds\n\n');
    expect(file.text).toContain('**Six** of them.');
    expect((await read(PLACE, { accept: 'text/markdown' })).text).toBe(file.text);
    const one = await read(`${PLACE}/${first}.md`);
    expect(one.text).toContain('**Six** of them.');
    expect(one.text).not.toContain('Loud');
  });

  it('are all there as Markdown, page by page', async () => {
    const product = await createProduct(test, { slug: 'busy' });
    const { changelog } = test.portal.services.catalog;
    for (let count = 1; count <= 51; count += 1) {
      test.clock.advance(1);
      await changelog.publish(await changelog.create(product, { kind: 'fix', name: `Fix ${count}.` }));
    }
    const page = '/portal/products/busy/changes.md';
    const { text } = await read(page);
    expect([text.match(/^## Fix /gm)?.length, text.includes('## Fix 1.')]).toEqual([50, false]);
    const [, next = ''] = /\[Next page\]\(([^)]+)\)/.exec(text) ?? [];
    const { pathname, search } = new URL(next);
    expect(pathname + search).toBe(`${page}?page=2`);
    const rest = (await read(pathname + search)).text;
    expect([rest.match(/^## Fix /gm), rest.includes('Next page')]).toEqual([['## Fix '], false]);
    for (const wrong of ['0', 'x', '-1', '1e9']) expect((await read(`${page}?page=${wrong}`)).text).toBe(text);
  });

  it('run nothing that somebody wrote into them, on pages and in the feed', async () => {
    for (const path of [PLACE, `${PLACE}/${first + 1}`, '/portal/products/maps']) {
      const { text: html } = await read(path);
      expect(html).not.toMatch(/<script>alert|href="javascript:|<img[^>]*spy/);
    }
    const { text: feed } = await read(`${PLACE}.atom`);
    expect(feed).not.toMatch(/<script|\]\]>|\ufffe/);
    expect(feed).not.toContain('href=&quot;javascript:');
    // Well-formed: what was opened is closed, and every ampersand begins an entity of XML.
    expect(feed.match(/<entry>/g)?.length).toBe(feed.match(/<\/entry>/g)?.length);
    expect(feed).not.toMatch(/&(?!amp;|lt;|gt;|quot;)/);
    // Markdown makes a form feed of &#12;, which no XML holds.
    expect(feed).not.toMatch(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u);
  });

  it('of a private product are no one else’s, in no form', async () => {
    await createProduct(test, { slug: 'secret', visibility: 'private' });
    const missing = await read('/portal/products/absent/changes.atom');
    for (const ending of ['', '.atom', '.md', '/1']) {
      const { status, text } = await read(`/portal/products/secret/changes${ending}`);
      expect(status).toBe(404);
      if (ending === '.atom') expect(text.length).toBe(missing.text.length);
    }
  });
});
