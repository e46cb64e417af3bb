import type { UserRecord } from '../../src/domain/accounts/index.js';
import { DEPOT, HARBOUR, largeDocument } from '../support/documents.js';
import { createProduct, createUser, PASSWORD } from '../support/factories.js';
import { decoded, formsOf, PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const API = 'https://sandbox.harbour.example';
const SPEC = '/portal/products/harbour/spec';

let test: TestPortal;
let user: UserRecord;
beforeAll(async () => {
  test = await startTestPortal({ config: { catalog: { tryItOrigins: [API] } } });
  await createProduct(test, { slug: 'harbour', name: 'Harbour' }, HARBOUR);
  await createProduct(test, { slug: 'depot', name: 'Depot' }, DEPOT);
  await createProduct(test, { slug: 'bare', name: 'Bare' });
  user = await createUser(test);
});
afterAll(() => test.stop());

const open = (path: string, headers: Record<string, string> = {}) => new PageClient(test.client).get(path, { headers });
const sourceOf = (html: string) => decoded(/data-reference="([^"]+)"/.exec(html)?.[1] ?? '');
// Tests read arbitrary records out of it.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
const settingsOf = (html: string): any => JSON.parse(decoded(/data-settings="([^"]+)"/.exec(html)?.[1] ?? '{}'));

async function signedIn(): Promise<PageClient> {
  const page = new PageClient(test.client);
  await page.submit('/portal/login', { email: user.email, password: PASSWORD });
  return page;
}

describe('the reference of a product', () => {
  it('lists every operation without a script, and leads to the document', async () => {
    const { html, status } = await open(SPEC);
    expect(status).toBe(200);
    for (const text of [
      'List berths',
      '/ships/{id}',
      'Upload papers',
      'A ship arrived',
      '2.4.0',
      '<h2 dir="auto">Ships',
    ]) {
      expect(html).toContain(text);
    }
    expect(html).toContain('?download=json');
    expect(html).toContain('<noscript>');
    expect((await open('/portal/products/depot/spec')).html).toContain('https://depot.example/api');
  });

  it('lists the operations of a large document page by page', async () => {
    await createProduct(test, { slug: 'large', name: 'Large' }, largeDocument(450));
    const pages = await Promise.all(
      [1, 2, 3, 4, -1, 'x'].map((page) => open(`/portal/products/large/spec?page=${page}`)),
    );
    const counts = pages.map(({ html }) => html.match(/class="method /g)?.length);
    expect(counts).toEqual([200, 200, 50, 50, 200, 200]);
    expect(pages[1]?.html).toMatch(/rel="prev" href="\?page=1"|rel="prev" href="\?page&#x3D;1"/);
  });

  it('gives its script the pieces, which may be kept, and nothing under another hash', async () => {
    const source = sourceOf((await open(SPEC)).html);
    const index = await open(`${source}index`);
    expect(index.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
    expect(index.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(JSON.parse(index.html)).toMatchObject({ title: 'Harbour', format: 'OpenAPI 3.1.0' });
    expect(JSON.parse((await open(`${source}0`)).html)).toMatchObject({ operation: { id: 'listBerths' } });
    const schema = await open(`${source}schema?ref=${encodeURIComponent('#/components/schemas/Named')}`);
    expect(JSON.parse(schema.html)).toMatchObject({ schema: { required: ['name'] } });
    const hash = source.split('/').at(-2) ?? '';
    for (const path of [
      ...[`${source}99`, `${source}schema?ref=%23%2Finfo`, `${source}schema`, `${source}constructor`, `${source}-1`],
      ...[source.replace(hash, 'a'.repeat(64)) + 'index', source.replace('harbour', 'depot') + 'index'],
    ]) {
      expect([path, (await open(path)).status]).toEqual([path, 404]);
    }
  });

  it('is for those who may see the product, in every part (S57)', async () => {
    await createProduct(test, { slug: 'secret', name: 'Secret', visibility: 'private' }, DEPOT);
    const source = sourceOf((await open('/portal/products/depot/spec')).html).replace('depot', 'secret');
    const paths = [...['', '?download=json', '?download=yaml'].map((end) => `/portal/products/secret/spec${end}`)];
    for (const path of [...paths, `${source}index`, `${source}0`]) {
      expect([path, (await open(path)).status]).toEqual([path, 404]);
    }
  });

  it('lets its scripts ask the allowed origins and no others (S45)', async () => {
    const { headers, html } = await open(SPEC);
    expect(headers.get('content-security-policy')).toContain(`; connect-src 'self' ${API};`);
    expect(settingsOf(html)).toMatchObject({ kind: 'product', origins: [API], keys: [] });
    expect((await open('/portal/products/harbour')).headers.get('content-security-policy')).toContain(
      "; connect-src 'self';",
    );
  });

  it.each(['json', 'yaml'])('gives the document as %s once', async (format) => {
    const first = await open(`${SPEC}?download=${format}`);
    expect(first.headers.get('content-disposition')).toBe(`attachment; filename="harbour.${format}"`);
    if (format === 'json') expect(JSON.parse(first.html)).toEqual(HARBOUR);
    else expect(first.html).toContain('title: Harbour');
    const tag = first.headers.get('etag') ?? '';
    for (const known of [tag, `W/${tag}`]) {
      const again = await open(`${SPEC}?download=${format}`, { 'if-none-match': known });
      expect([again.status, again.html]).toEqual([304, '']);
    }
    expect((await open(`${SPEC}?download=${format}`, { 'if-none-match': '"x"' })).status).toBe(200);
  });

  it('streams a large document whole', async () => {
    const text = `${'é💥'.repeat(30_000)}x`;
    const document = { ...HARBOUR, info: { title: 'L', version: '1', description: text.repeat(20) } };
    await createProduct(test, { slug: 'long', name: 'Long' }, document);
    const answer = await open('/portal/products/long/spec?download=json');
    expect(JSON.parse(answer.html)).toEqual(document);
    expect((await test.client.send('HEAD', '/portal/products/long/spec?download=json')).status).toBe(200);
  });

  it('does not hold up others while 13 MB are taken apart and looked at', async () => {
    await createProduct(test, { slug: 'huge', name: 'Huge' }, JSON.stringify(largeDocument()));
    let [answered, isOver] = [0, false];
    const others = (async () => {
      while (!isOver) {
        expect((await test.client.get('/api/v1/health/live')).status).toBe(200);
        answered += 1;
      }
    })();
    const { html } = await open('/portal/products/huge/spec');
    // Beside the requests it would let a few pass before and after; `npm run bench:reference` has a bound in milliseconds.
    expect(answered).toBeGreaterThan(10);
    const source = sourceOf(html);
    for (const part of ['index', '0', '500', '1099']) expect((await open(source + part)).status).toBe(200);
    expect((await open('/portal/products/huge')).status).toBe(200);
    isOver = true;
    await others;
  });

  it('says honestly when there is no document, or a broken one', async () => {
    expect((await open('/portal/products/bare/spec')).html).toContain('No reference yet');
    const { id } = await createProduct(test, { slug: 'broken', name: 'Broken' }, { ...DEPOT, host: 'x.example' });
    await test.portal.database.execute('UPDATE portal_product_specs SET document = ? WHERE product_id = ?', [
      '{"a":',
      id,
    ]);
    const answer = await open('/portal/products/broken/spec');
    expect([answer.status, answer.html]).toEqual([200, expect.stringContaining('This document cannot be shown')]);
    expect(answer.html).not.toContain('data-reference');
    expect((await open('/portal/products/broken')).status).toBe(200);
  });
});

describe("a developer's own key", () => {
  let page: PageClient;
  let keys: { id: number; app: string; hint: string }[];
  const ask = (fields: Record<string, string>, by = page) => by.post(`${SPEC}/key`, fields);

  beforeAll(async () => {
    const input = { name: 'shop', displayName: 'Shop', description: '', products: ['harbour'] };
    await test.portal.services.apps.apps.create(user, input, { type: 'developer', id: user.id });
    page = await signedIn();
    keys = settingsOf((await page.get(SPEC)).html).keys;
  });

  it('is offered where it opens the product, by its mask', async () => {
    expect(keys).toEqual([
      { id: expect.any(Number), app: 'shop', displayName: 'Shop', hint: expect.stringMatching(/^.{4}••••.{4}$/) },
    ]);
    expect(settingsOf((await page.get('/portal/products/depot/spec')).html).keys).toEqual([]);
    expect(settingsOf((await open(SPEC)).html)).toMatchObject({ keys: [], isSignedIn: false });
  });

  it('is given for a token of the page, while the sign-in is fresh', async () => {
    const _csrf = await page.csrf(SPEC);
    const credential = String(keys[0]?.id);
    const given = await ask({ _csrf, credential });
    expect([given.status, given.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { key } = JSON.parse(given.html) as { key: string };
    expect(key.slice(0, 4)).toBe(keys[0]?.hint.slice(0, 4));
    expect((await ask({ credential })).status).toBe(403);
    expect((await ask({ _csrf, credential: '999999' })).status).toBe(404);
    expect((await page.post('/portal/products/depot/spec/key', { _csrf, credential })).status).toBe(404);
    test.clock.advance(16 * 60);
    const late = await ask({ _csrf, credential });
    expect([late.status, late.html.includes('name="_current_password"')]).toEqual([403, true]);
    expect((await ask({ _csrf, credential, _current_password: 'wrong' })).status).toBe(422);
    const proved = await ask({ _csrf, credential, _current_password: PASSWORD });
    expect(JSON.parse(proved.html)).toEqual({ key });
  });

  it('is not given to somebody else, and not without a sign-in', async () => {
    const other = await createUser(test);
    const theirs = new PageClient(test.client);
    await theirs.submit('/portal/login', { email: other.email, password: PASSWORD });
    const _csrf = formsOf((await theirs.get(SPEC)).html).find(({ fields }) => fields._csrf)?.fields._csrf ?? '';
    expect((await ask({ _csrf, credential: String(keys[0]?.id) }, theirs)).status).toBe(404);
    const guest = new PageClient(test.client);
    const answer = await guest.post(`${SPEC}/key`, { credential: String(keys[0]?.id) });
    expect(answer.html).not.toContain('"key"');
  });

  it('is not offered once it is revoked', async () => {
    const { apps, credentials } = test.portal.services.apps;
    const owned = await credentials.find(await apps.find(user, 'shop'), keys[0]?.id ?? 0);
    await credentials.revoke(owned, { type: 'developer', id: user.id });
    expect(settingsOf((await page.get(SPEC)).html).keys).toEqual([]);
    expect((await ask({ _csrf: await page.csrf(SPEC), credential: String(keys[0]?.id) })).status).toBe(404);
  });
});

describe('files of pages', () => {
  it('are kept for ever only under the address of their content; scripts that import one another ask again', async () => {
    const { html } = await open(SPEC);
    const [, address = ''] = /src="([^"]*reference\.js\?v[^"]*)"/.exec(html) ?? [];
    const entry = await open(decoded(address));
    expect(entry.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const imported = [...entry.html.matchAll(/from '\.\/([\w.-]+)'/g)].map(([, name]) => name);
    expect(imported.length).toBeGreaterThan(5);
    for (const name of imported) {
      const file = await open(`/portal/assets/${name}`);
      expect([name, file.status, file.headers.get('cache-control')]).toEqual([name, 200, 'no-cache']);
      const tag = file.headers.get('etag') ?? '';
      expect((await open(`/portal/assets/${name}`, { 'if-none-match': tag })).status).toBe(304);
    }
  });
});
