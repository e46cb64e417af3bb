import { createProduct, createUser, PASSWORD } from '../support/factories.js';
import { decoded, PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const SPEC = {
  openapi: '3.0.3',
  info: { title: 'Weather', version: '1.4.0', description: '<img src=x onerror=alert(1)> **Forecasts**' },
  servers: [{ url: 'https://api.weather.example/v1' }],
  paths: {
    '/forecasts': {
      get: { tags: ['Forecasts'], summary: 'List forecasts', responses: { 200: { description: 'ok' } } },
      post: {
        tags: ['Forecasts'],
        operationId: 'addForecast',
        deprecated: true,
        responses: { 201: { description: 'ok' } },
      },
    },
  },
};

const CALL = 'https://api.weather.example/v1/forecasts';
const EXPORT = 'export API_KEY="YOUR_KEY"';
const KEY_SENTENCE = 'put the key in place of YOUR_KEY';
const inHeader = { type: 'apiKey', in: 'header', name: 'X-Weather-Key' };
/** Slug → what a document says of keys, and the sample that follows. */
const WAYS_IN = {
  header: {
    ...{ schemes: { key: inHeader }, security: [{ key: [] }] },
    ...{ sample: [EXPORT, `curl ${CALL} \\`, '  -H "X-Weather-Key: $API_KEY"'], sentence: KEY_SENTENCE },
  },
  query: {
    ...{ schemes: { key: { type: 'apiKey', in: 'query', name: 'apikey' } }, security: [{ key: [] }] },
    ...{ sample: [EXPORT, `curl "${CALL}?apikey=$API_KEY"`], sentence: KEY_SENTENCE },
  },
  bearer: {
    ...{ schemes: { key: { type: 'http', scheme: 'Bearer' } }, security: [{}, { key: [] }] },
    ...{ sample: [EXPORT, `curl ${CALL} \\`, '  -H "Authorization: Bearer $API_KEY"'], sentence: KEY_SENTENCE },
  },
  oauth: {
    schemes: { key: { type: 'openIdConnect', openIdConnectUrl: 'https://weather.example/.well-known' } },
    security: [{ key: [] }],
    sample: ['export TOKEN="YOUR_TOKEN"', `curl ${CALL} \\`, '  -H "Authorization: Bearer $TOKEN"'],
    sentence: 'This API has its own way of asking who calls.',
  },
  unused: {
    ...{ schemes: { key: inHeader }, security: undefined },
    ...{ sample: [`curl ${CALL}`], sentence: 'Its document asks for no key' },
  },
  open: {
    ...{ schemes: {}, security: [] },
    ...{ sample: [`curl ${CALL}`], sentence: 'Its document asks for no key' },
  },
  // Samples are pasted into a shell.
  hostile: {
    ...{ schemes: { key: { ...inHeader, name: 'X"; rm -rf ~; "' } }, security: [{ key: [] }] },
    ...{ sample: [`curl ${CALL}`], sentence: 'This API has its own way of asking who calls.' },
  },
};

let test: TestPortal;
beforeAll(async () => {
  test = await startTestPortal();
  const { catalog } = test.portal.services;
  await catalog.categories.create({ slug: 'nature', name: 'Nature' });
  const weather = { slug: 'weather', name: 'Weather', shortDescription: 'Tomorrow, today.', tags: ['sky'] };
  const translations = { ar: { name: 'الطقس', short_description: 'الغد اليوم', description: '' } };
  await createProduct(
    test,
    { ...weather, categories: ['nature'], translations, description: '# Skies\n\n<b>x</b>' },
    SPEC,
  );
  await createProduct(test, { slug: 'hidden', name: 'Hidden API', visibility: 'private' });
  await createProduct(test, { slug: 'draft', name: 'Draft API', visibility: 'draft' });
  for (let number = 10; number < 25; number += 1)
    await createProduct(test, { slug: `api-${number}`, name: `API ${number}` });
});
afterAll(() => test.stop());

const browser = () => new PageClient(test.client);
const open = (path: string) => browser().get(path);
const names = (html: string) => [...html.matchAll(/<h3><a href="[^"]+"><bdi>([^<]+)<\/bdi>/g)].map(([, name]) => name);

describe('the first page', () => {
  it('invents no call where no document has one, and shows that there is nothing yet', async () => {
    const empty = await startTestPortal();
    const { html } = await new PageClient(empty.client).get('/portal');
    expect(html).not.toMatch(/hero-call|<pre|curl/);
    expect(html).toContain('No APIs yet');
    await empty.stop();
  });

  it('shows a call of an API with the example answer of its document', async () => {
    const own = await startTestPortal();
    const answer = { tides: [{ metres: 1.5, note: '<script>alert(1)</script>' }] };
    const responses = { 200: { description: 'ok', content: { 'application/json': { example: answer } } } };
    const paths = { '/first': SPEC.paths['/forecasts'], '/tides': { get: { operationId: 'listTides', responses } } };
    await createProduct(own, { slug: 'sea', name: 'Sea', approval: 'manual' }, { ...SPEC, paths });
    const browser = new PageClient(own.client);
    const html = (await browser.get('/portal')).html;
    const [call = '', shown = ''] = [...html.matchAll(/<pre [^>]*>([^<]*)<\/pre>/g)].map(([, text]) =>
      decoded(text ?? ''),
    );
    expect(call).toContain('curl https://api.weather.example/v1/tides');
    expect(JSON.parse(shown)).toEqual(answer);
    expect(html).toContain('href="/portal/products/sea/spec#op-listTides"');
    expect(html).toMatch(/Needs approval<\/span><bdi>1\.4\.0<\/bdi><span>3 operations/);
    const page = (await browser.get('/portal/products/sea')).html;
    expect(page).toContain('/portal/products/sea/spec#op-addForecast');
    await own.stop();
  });
});

describe('the catalog page', () => {
  it('lists twelve products by name, and leads to the next ones', async () => {
    const { status, html } = await open('/portal/products');
    expect(status).toBe(200);
    expect(names(html)).toEqual(Array.from({ length: 12 }, (_, index) => `API ${index + 10}`));
    expect(html).toContain('16 APIs');
    const next = /rel="next" href="([^"]+)"/.exec(html)?.[1] ?? '';
    expect(names((await open(decoded(next))).html)).toEqual(['API 22', 'API 23', 'API 24', 'Weather']);
  });

  it.each([
    ['q=tomorrow', ['Weather']],
    ['category=nature', ['Weather']],
    ['tag=sky', ['Weather']],
    ['q=weather&category=nature&tag=sky', ['Weather']],
    ['q=nothing-like-it', []],
    ['category=unknown', []],
    ['page=999', []],
  ])('with %s shows %j', async (query, expected) => {
    const { status, html } = await open(`/portal/products?${query}`);
    expect([status, names(html)]).toEqual([200, expected]);
  });

  it('leads from its box into the search of everything, without JavaScript too', async () => {
    const page = new PageClient(test.client);
    expect(decoded((await page.get('/portal/products')).html)).toMatch(
      /<form class="search"[^>]*>[^]*<button [^>]*formaction="\/portal\/search">Search everything<\/button>\s*<\/form>/,
    );
    expect(decoded((await page.get('/portal/products?q=rain')).html)).toContain(
      '>Search everything for “rain”</button>',
    );
  });

  it.each([
    'q=%00',
    'q=%27%20OR%201%3D1--',
    'page=-1',
    'page=abc',
    'page=1e9',
    'q=a&q=b',
    'tag[]=x',
    `q=${'x'.repeat(5000)}`,
  ])('is not troubled by %.40s', async (query) => {
    expect((await open(`/portal/products?${query}`)).status).toBe(200);
  });

  it('shows nobody what is not theirs to see (S57)', async () => {
    for (const query of ['', '?q=hidden', '?q=draft', '?filters={"visibility":"draft"}', '?with=audiences']) {
      expect((await open(`/portal/products${query}`)).html).not.toMatch(/Hidden API|Draft API/);
    }
    for (const slug of ['hidden', 'draft', 'nobody', '..%2f..', '%00', 'constructor']) {
      for (const end of ['', '/spec', '/spec?download=json']) {
        expect([slug, end, (await open(`/portal/products/${slug}${end}`)).status]).toEqual([slug, end, 404]);
      }
    }
  });

  it('shows a private product to the members of its audience', async () => {
    const { catalog } = test.portal.services;
    const user = await createUser(test);
    await catalog.audiences.create({ name: 'partners' });
    await catalog.audiences.addMembers('partners', [user.id]);
    await catalog.products.update((await catalog.products.find('hidden', { kind: 'admin' }, 'en')).id, {
      audiences: ['partners'],
    });
    const page = browser();
    await page.submit('/portal/login', { email: user.email, password: PASSWORD });
    expect((await page.get('/portal/products?q=hidden')).html).toContain('Hidden API');
    expect((await page.get('/portal/products/hidden')).status).toBe(200);
    expect((await open('/portal/products/hidden')).status).toBe(404);
  });

  it('speaks the language that was chosen', async () => {
    const { html, headers } = await open('/portal/products?locale=ar&q=weather');
    expect(html).toContain('<html lang="ar" dir="rtl"');
    expect(html).toContain('الطقس');
    expect(headers.get('content-language')).toBe('ar');
  });
});

describe('the page of a product', () => {
  it('shows its text as Markdown without HTML of its own, and how to call it', async () => {
    const { html } = await open('/portal/products/weather');
    expect(html).toContain('<h2>Skies</h2>');
    expect(html).toContain('&lt;b&gt;x&lt;/b&gt;');
    expect(html).toContain('curl https://api.weather.example/v1/');
    expect(html).toContain('/portal/apps/create?product&#x3D;weather');
  });

  it('takes its description from the document where nobody wrote one, without HTML of its own', async () => {
    await createProduct(test, { slug: 'undescribed', name: 'Undescribed' }, SPEC);
    const { html } = await open('/portal/products/undescribed');
    expect(html).toContain('<strong>Forecasts</strong>');
    expect(html).not.toContain('<img src=x');
    expect((await open('/portal/products/weather')).html).not.toContain('<strong>Forecasts</strong>');
  });

  it.each(Object.entries(WAYS_IN))('shows how the document says that it is called: %s', async (slug, way) => {
    const { schemes, security, sample, sentence } = way;
    const document = { ...SPEC, components: { securitySchemes: schemes }, security };
    await createProduct(test, { slug, name: slug }, document);
    const { html } = await open(`/portal/products/${slug}`);
    const [, code = ''] = /<pre[^>]*>(?:<code[^>]*>)?([^]*?)(?:<\/code>)?<\/pre>/.exec(html) ?? [];
    expect(decoded(code).trim()).toBe(sample.join('\n'));
    expect(decoded(html)).toContain(sentence);
  });

  it('shows the header that gateways take a key in where there is no document', async () => {
    expect(decoded((await open('/portal/products/api-10')).html)).toContain('-H "X-API-Key: $API_KEY"');
  });

  it('shows what its document offers, and gives it as JSON and YAML', async () => {
    const { html } = await open('/portal/products/weather/spec');
    expect(html).toMatch(
      /method-get">get<\/span> <a href="[^"]+"><code class="break">\/forecasts<\/code><\/a> <bdi class="soft break">List forecasts/,
    );
    expect(html).toContain('<strong>Forecasts</strong>');
    expect(html).not.toContain('<img src=x');
    const json = await open('/portal/products/weather/spec?download=json');
    expect(JSON.parse(json.html)).toEqual(SPEC);
    expect(json.headers.get('content-disposition')).toBe('attachment; filename="weather.json"');
    const yaml = await open('/portal/products/weather/spec?download=yaml');
    expect(yaml.html).toContain('title: Weather');
    expect(yaml.headers.get('content-type')).toBe('application/yaml; charset=utf-8');
  });

  it('says so when there is no document', async () => {
    expect((await open('/portal/products/api-10/spec')).html).toContain('No reference yet');
  });
});

describe('what search engines and chats read', () => {
  it('lists what a visitor may see in a map, and nothing else (S57)', async () => {
    const { status, html, headers } = await open('/portal/sitemap.xml');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/xml; charset=utf-8']);
    const base = 'http://127.0.0.1:3000';
    expect(html).toContain(`<loc>${base}/portal</loc>`);
    expect(html).toContain(`<loc>${base}/portal/products/weather/spec</loc>`);
    expect(html).toContain(`<loc>${base}/portal/products/api-10</loc>`);
    expect(html).not.toMatch(/hidden|draft|api-10\/spec/);
    expect((await open('/portal/sitemap.xml?part=2')).status).toBe(404);
    expect((await open('/portal/sitemap.xml?part=x')).status).toBe(404);
    expect((await test.client.get('/sitemap.xml')).headers.get('location')).toBe('/portal/sitemap.xml');
  });

  it('says in each page what it is', async () => {
    const { html } = await open('/portal/products/weather');
    const said = (name: string) =>
      decoded(new RegExp(`<meta property="og:${name}" content="([^"]*)"`).exec(html)?.[1] ?? '');
    expect(['title', 'description', 'site_name', 'url'].map(said)).toEqual([
      'Weather',
      'Tomorrow, today.',
      'Developer Portal',
      'http://127.0.0.1:3000/portal/products/weather',
    ]);
  });

  it('tells search engines in data that no text can leave', async () => {
    const name = 'Sun</script><script>alert(1)</script> & <!-- Co';
    await createProduct(test, { slug: 'sunny', name });
    const dataOf = (html: string) => / type="application\/ld\+json">([^<]*)<\/script>/.exec(html)?.[1] ?? 'null';
    const sunny = await open('/portal/products/sunny');
    expect(JSON.parse(dataOf(sunny.html))).toMatchObject({ '@type': 'WebAPI', name });
    expect(sunny.html).not.toContain('<script>');
    const weather = await open('/portal/products/weather');
    expect(JSON.parse(dataOf(weather.html))).toEqual({
      '@context': 'https://schema.org',
      '@type': 'WebAPI',
      name: 'Weather',
      description: 'Tomorrow, today.',
      url: 'http://127.0.0.1:3000/portal/products/weather',
      provider: { '@type': 'Organization', name: 'Developer Portal' },
      documentation: 'http://127.0.0.1:3000/portal/products/weather/spec',
    });
    expect(JSON.parse(dataOf((await open('/portal')).html))).toMatchObject({
      '@type': 'WebSite',
      name: 'Developer Portal',
    });
  });
});

describe('every page', () => {
  it.each(['PUT', 'DELETE', 'PATCH'])('is not there for %s', async (method) => {
    const { status, headers } = await test.client.send(method, '/portal/products');
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  });

  it.each(['/portal', '/portal/products', '/portal/products/weather', '/portal/login', '/portal/nothing'])(
    '%s has the policy that allows nothing inline (S44)',
    async (path) => {
      const { headers, html } = await open(path);
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self';/,
      );
      // What is linked data is none that runs.
      expect(html).not.toMatch(/<script(?![^>]*\bsrc=|\stype="application\/ld\+json">)|\sstyle=|\son\w+=/i);
      expect(headers.get('cache-control')).toBe('no-store');
    },
  );

  it('finds its files, which may be kept for ever in production, and no others', async () => {
    const { html } = await open('/portal');
    const files = [...html.matchAll(/(?:href|src)="(\/portal\/assets\/[^"]+)"/g)].map(([, file = '']) => decoded(file));
    expect(files).toHaveLength(4);
    for (const file of files) expect((await open(file)).status).toBe(200);
    for (const name of ['..%2f..%2fpackage.json', 'portal.config.ts', '%00', 'main.hbs', 'nothing.css']) {
      expect([name, (await open(`/portal/assets/${name}`)).status]).toEqual([name, 404]);
    }
  });

  it('is small: the landing page with all its files is under 60 kB compressed', async () => {
    const { html } = await open('/portal');
    const files = [...html.matchAll(/(?:href|src)="(\/portal\/assets\/[^"]+)"/g)].map(([, file = '']) => decoded(file));
    const parts = [html, ...(await Promise.all(files.map(async (file) => (await open(file)).html)))];
    const { gzipSync } = await import('node:zlib');
    const size = parts.reduce((sum, part) => sum + gzipSync(part).length, 0);
    expect(size).toBeLessThan(60_000);
  });
});
