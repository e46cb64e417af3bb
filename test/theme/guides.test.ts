import { renderGuide } from '../../src/theme/format/guide-markdown.js';
import { AdminClient } from '../support/admin-client.js';
import { createProduct, createUser } from '../support/factories.js';
import { formsOf, PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const ALL = { page: 1, perPage: 10, orderBy: 'created_at', direction: 'DESC', with: [], filters: [] } as const;
const MESSAGES = { note: 'Note', copy: 'Copy' };
const render = (text: string) => renderGuide(text, { messages: MESSAGES, pageOf: () => null, operations: [] });
const htmlOf = (text: string) => render(text).html;

describe('a guide as HTML', () => {
  it('has tabs that work without a script, each chosen by its own button', () => {
    const html = htmlOf(':::tabs\n:::tab curl\nOne.\n:::\n:::tab Node\nTwo.\n:::\n:::\n\nAfter.');
    expect(html.match(/<input type="radio" name="tabs-1"/g)).toHaveLength(2);
    expect(html).toContain('id="tabs-1-0" checked><label for="tabs-1-0"><bdi>curl</bdi></label>');
    expect(html.match(/<div class="tab-panel">/g)).toHaveLength(2);
    expect(html).toMatch(/<\/div>\s*<\/div>\s*<p>After\.<\/p>/);
  });

  it('has code groups, titles of files, callouts and steps', () => {
    const html = htmlOf(
      [
        ...[
          ':::code-group',
          '```sh title="curl"',
          'curl https://a.example',
          '```',
          '```js [Node]',
          'fetch()',
          '```',
          ':::',
        ],
        ...['```json title="package.json"', '{}', '```', ':::warning Once only', 'Keep it.', ':::'],
        ...[':::steps', '### Ask', 'For a key.', '### Call', ':::'],
      ].join('\n'),
    );
    expect(html).toContain('<bdi>curl</bdi></label>');
    expect(html).toContain('<bdi>Node</bdi></label>');
    expect(html).toContain('data-language="shell">curl https://a.example</pre>');
    expect(html).toContain('<p class="guide-file"><bdi>package.json</bdi></p>');
    expect(html).toContain(
      '<div class="callout callout-warning" role="note"><p class="callout-title"><bdi>Once only</bdi>',
    );
    expect(html).toMatch(/<div class="guide-steps"><h3 id="ask">/);
  });

  it('has headings with addresses of their own, in every script', () => {
    const { html, headings } = render('# Keys\n## Keys\n## المفاتيح والخطط\n### A `key`\n## !!!');
    expect(headings.map(({ id, level }) => `${level} ${id}`)).toEqual([
      ...['2 keys', '2 keys-2', '2 المفاتيح-والخطط', '3 a-key', '2 part'],
    ]);
    expect(html).toContain('<h2 id="keys-2"><a class="guide-anchor" href="#keys-2">Keys</a></h2>');
  });

  it('closes what nobody closed, and leaves colons in code alone', () => {
    expect(htmlOf(':::note\nOpen.')).toMatch(/<p>Open\.<\/p>\s*<\/div>\s*$/);
    const html = htmlOf(':::note\n```text\n:::\n```\nStill within.\n:::\nOutside.');
    expect(html).toMatch(/Still within\.<\/p>\s*<\/div>\s*<p>Outside/);
    expect(htmlOf(':::unknown\nText.')).toContain('<p>:::unknown');
  });

  it.each([
    ['a script', '<script>alert(1)</script>'],
    ['a handler', '<img src=x onerror=alert(1)>'],
    ['a link that runs', '[x](javascript:alert(1))'],
    ['a link that runs, in disguise', '[x](java&#x0A;script:alert(1)) [y](JaVaScRiPt&colon;alert(1))'],
    ['a link with data', '[x](data:text/html;base64,PHNjcmlwdD4=)'],
    ['a link of VBScript', '<vbscript:msgbox(1)>'],
    ['a reference that runs', '[x][y]\n\n[y]: javascript:alert(1)'],
    ['a picture that runs', '![x](javascript:alert(1))'],
    ['a picture with data', '![x](data:image/svg+xml,<svg onload=alert(1)>)'],
    ['a picture of another site', '![x](https://spy.example/p.png) ![y](//spy.example/p.png)'],
    ['a title that leaves its attribute', '```sh title="x"><script>alert(1)</script>"\n1\n```'],
    ['a language that leaves its attribute', '```"><script>alert(1)</script>\n1\n```'],
    ['code that leaves its attribute', '```sh\n"><script>alert(1)</script>\n```'],
    ['a callout with markup', ':::note <b onclick=alert(1)>x</b>\n:::'],
    ['a tab with markup', ':::tabs\n:::tab "><script>alert(1)</script>\nx\n:::\n:::'],
    ['a heading with markup', '## "><script>alert(1)</script>'],
    ['a heading that names a part of the page', '## content'],
    ['a closing tag', '</div></article><form action="https://spy.example">'],
    ['a comment', '<!-- --><iframe src="https://spy.example">'],
    ['an autolink', '<https://a.example/"onmouseover="alert(1)>'],
    ['a null', 'a\u0000b <b>'],
  ])('is not hurt by %s', (_name, text) => {
    const html = htmlOf(text);
    expect(html).not.toMatch(/<(?!\/?(?:p|a|h2|ul|li|pre|code|div|button|label|input|bdi|em|strong|br|table)\b)/i);
    expect(html.replaceAll(/"[^"]*"/g, '""')).not.toMatch(/<[^>]*(?:\son\w+\s*=|javascript:)/i);
    expect(html).not.toMatch(/(?:href|src)="(?:javascript|data|vbscript|\/\/)/i);
    expect(html).not.toMatch(/id="content"|<img/);
  });

  it.each([
    ['containers that never end', ':::note\n'.repeat(20_000)],
    ['containers that end too often', ':::\n'.repeat(30_000)],
    ['quotes within quotes', '>'.repeat(50_000)],
    ['lists within lists', Array.from({ length: 400 }, (_, depth) => `${' '.repeat(depth * 2)}- x`).join('\n')],
    ['brackets', '['.repeat(50_000)],
    ['emphasis', '**a '.repeat(25_000)],
    ['slashes', '/'.repeat(90_000)],
    ['fences in containers', ':::note\n```\n'.repeat(8_000)],
    ['colons and names', `:::${'a'.repeat(90_000)}`],
    ['spaces of an operation', `::operation ${' '.repeat(90_000)}x x x`],
    ['tabs of tabs', ':::tabs\n:::tab x\n'.repeat(6_000)],
    ['tables', `|${'a|'.repeat(1_000)}\n|${'-|'.repeat(1_000)}\n${`|${'b|'.repeat(100)}\n`.repeat(300)}`],
  ])('takes little time for %s', (_name, text) => {
    const started = performance.now();
    htmlOf(text.slice(0, 100_000));
    expect(performance.now() - started).toBeLessThan(4_000);
  });
});

describe('the pages of guides and news', () => {
  let test: TestPortal;
  const read = (path: string, headers: Record<string, string> = {}) => test.client.get(path, { headers });
  beforeAll(async () => {
    test = await startTestPortal();
    await test.portal.services.rbac.seed();
    const { guides } = test.portal.services.content;
    const product = await createProduct(
      test,
      { slug: 'maps', name: 'Maps' },
      {
        openapi: '3.1.0',
        info: { title: 'Maps', version: '1' },
        paths: {
          '/tiles': {
            get: { operationId: 'getTile', summary: 'Read a tile', responses: { 200: { description: 'It.' } } },
          },
        },
      },
    );
    await createProduct(test, { slug: 'hidden', visibility: 'draft' });
    const place = { kind: 'guide', productId: null } as const;
    const shown = { visibility: 'public', group: 'Start' } as const;
    const description =
      '## First\n\n[Second](second.md#more) and [tiles](../products/maps/tiles.md)\n\n::operation maps getTile\n\n::operation hidden secretOperation\n\n::operation maps noSuch\n\n## Last';
    await guides.create(place, { ...shown, slug: 'first', name: 'First steps', position: 1, description });
    const translations = { ar: { name: 'الثاني', description: 'نص' } };
    await guides.create(place, {
      ...shown,
      slug: 'second',
      name: 'Second',
      position: 2,
      description: '## More',
      translations,
    });
    await guides.create(place, { slug: 'draft', name: 'Not yet', position: 0 });
    await guides.create({ kind: 'guide', productId: product.id }, { ...shown, slug: 'tiles', name: 'Tiles' });
    const news = { kind: 'news', productId: null } as const;
    await guides.create(news, {
      slug: 'hello',
      name: 'Hello <b>',
      visibility: 'public',
      description: '[x](/portal) **bold**\n\n:::note\nHi\n:::',
    });
  });
  afterAll(() => test.stop());

  it('show a guide in its navigation, with contents, operations and what comes next', async () => {
    const { status, text: html } = await read('/portal/guides/first');
    expect(status).toBe(200);
    expect(html).toContain('<h1 class="guide-title" dir="auto">First steps</h1>');
    expect(html).toContain('href="/portal/guides/second#more"');
    expect(html).toContain('href="/portal/products/maps/guides/tiles"');
    expect(html).toContain('href="/portal/products/maps/spec#op-getTile"');
    expect(html).toContain('<a href="#first">');
    expect(html).toMatch(/rel="next" href="\/portal\/guides\/second"/);
    expect(html).not.toMatch(/secretOperation|noSuch|Not yet|rel="prev"/);
    expect((await read('/portal/guides/second?locale=ar')).text).toContain('الثاني');
  });

  it('lead to each other from the navigation, the list and the product', async () => {
    expect((await read('/portal/products')).text).toContain('href="/portal/guides"');
    const { text } = await read('/portal/guides');
    expect(text.indexOf('First steps')).toBeLessThan(text.indexOf('Second'));
    expect(text).not.toContain('Tiles');
    expect((await read('/portal/products/maps')).text).toContain('href="/portal/products/maps/guides/tiles"');
    expect((await read('/portal/products/maps/guides')).text).toContain('Tiles');
  });

  it('answer alike for what is missing, hidden or a draft', async () => {
    for (const path of [
      '/portal/guides/draft',
      '/portal/guides/nothing',
      '/portal/guides/first%20',
      '/portal/products/hidden/guides',
    ])
      expect((await read(path)).status).toBe(404);
  });

  it('are Markdown, too, with the operations written out and none of hidden products', async () => {
    const file = await read('/portal/guides/first.md');
    expect(file.headers.get('content-type')).toContain('text/markdown');
    expect(file.text).toMatch(/^# First steps\n\n## First/);
    expect(file.text).toContain('/tiles');
    expect(file.text).not.toMatch(/secretOperation|::operation/);
    expect((await read('/portal/guides/first', { accept: 'text/markdown' })).text).toBe(file.text);
    expect((await read('/portal/guides.md')).text).toContain('[Second](');
    expect((await read('/portal/news.md')).text).toContain('[Hello <b>](');
  });

  it('tell news as pages and as an Atom feed', async () => {
    expect((await read('/portal/news')).text).toContain('Hello &lt;b&gt;');
    expect((await read('/portal/news/hello')).text).toContain('<strong>bold</strong>');
    const feed = await read('/portal/news.atom');
    expect(feed.headers.get('content-type')).toContain('application/atom+xml');
    expect(feed.text).toContain('<title>Hello &lt;b&gt;</title>');
    expect(feed.text).toMatch(/href=&quot;http[^&]*\/portal&quot;/);
    expect(feed.text).toContain('&lt;div class=&quot;callout');
  });

  it('are known to search engines as far as everybody sees them', async () => {
    const { text } = await read('/portal/sitemap.xml');
    expect(text).toContain('/portal/guides/first</loc>');
    expect(text).toContain('/portal/news/hello</loc>');
    expect(text).not.toContain('/portal/guides/draft');
  });

  it('show private guides to their audience alone', async () => {
    const { content, catalog } = test.portal.services;
    const { email } = await createUser(test);
    await catalog.audiences.create({ name: 'partners', users: [email] });
    const place = { kind: 'guide', productId: null } as const;
    await content.guides.create(place, {
      slug: 'inner',
      name: 'Inner',
      visibility: 'private',
      audiences: ['partners'],
    });
    expect((await read('/portal/guides/inner')).status).toBe(404);
    expect((await read('/portal/guides.md')).text).not.toContain('Inner');
  });

  it('ask whether they helped, without a script, and count the answers for admins', async () => {
    const reader = new PageClient(test.client);
    const path = '/portal/guides/first';
    const { html } = await reader.get(path);
    expect(formsOf(html).map(({ action }) => action)).toContain(`${path}/feedback`);
    const thanks = await reader.post(`${path}/feedback`, { helpful: 'no', remark: ' Where is\nthe <b>sandbox</b>? ' });
    expect([thanks.path, thanks.status]).toEqual([`${path}?answered#feedback`, 200]);
    expect(thanks.html).toContain('Thank you.');
    expect(thanks.html).not.toContain(`${path}/feedback`);
    await reader.post('/portal/products/maps/guides/tiles/feedback', { helpful: 'yes' });
    await reader.post(`${path}/feedback`, { helpful: 'yes', remark: ' ' });
    // Nobody who reads leaves a session or their name.
    expect([...reader.cookies.keys()]).toEqual([]);
    const admin = await AdminClient.create(test, ['catalog_manager']);
    const votes = (await admin.get('/guide-votes')).json.data as Record<string, unknown>[];
    expect(
      votes.map(({ guide, helpful, unhelpful }) => [(guide as { slug: string }).slug, helpful, unhelpful]),
    ).toEqual([
      ['first', 1, 1],
      ['tiles', 1, 0],
    ]);
    const remarks = (await admin.get('/guide-remarks')).json.data as Record<string, unknown>[];
    expect(remarks).toHaveLength(1);
    expect(remarks[0]).toMatchObject({ remark: 'Where is the <b>sandbox</b>?', is_helpful: false, locale: 'en' });
    const support = await AdminClient.create(test, ['support']);
    expect((await support.get('/guide-remarks')).status).toBe(403);
    test.clock.advance(366 * 86_400);
    await test.portal.jobs.run('prune-feedback');
    expect((await test.portal.services.content.feedback.listRemarks(ALL)).items).toEqual([]);
    expect((await test.portal.services.content.feedback.listVotes({ ...ALL, orderBy: 'helpful' })).items).toHaveLength(
      2,
    );
  });

  it('take answers from their own pages alone, of who sees the guide, and not without end', async () => {
    const send = (path: string, body: string, headers: Record<string, string> = {}) =>
      test.client.send('POST', path, {
        ...{ raw: Buffer.from(body), type: 'application/x-www-form-urlencoded', headers },
      });
    const yes = 'helpful=yes';
    const foreign: Record<string, string>[] = [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }];
    for (const headers of foreign)
      expect((await send('/portal/guides/second/feedback', yes, headers)).status).toBe(403);
    for (const path of ['guides/draft', 'guides/nothing', 'products/hidden/guides/first', 'guides/tiles'])
      expect([path, (await send(`/portal/${path}/feedback`, yes)).status]).toEqual([path, 404]);
    expect((await send('/portal/guides/second/feedback', 'helpful=maybe')).status).toBe(422);
    test.clock.advance(3_600);
    const statuses = [];
    for (let time = 0; time < 21; time += 1) statuses.push((await send('/portal/guides/second/feedback', yes)).status);
    expect([new Set(statuses.slice(0, 20)), statuses[20]]).toEqual([new Set([303]), 429]);
    const { feedback } = test.portal.services.content;
    const [votes] = (await feedback.listVotes({ ...ALL, orderBy: 'helpful' })).items;
    expect([votes?.guideSlug, votes?.helpful]).toEqual(['second', 20]);
  });
});
