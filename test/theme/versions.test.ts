import { createProduct, createUser } from '../support/factories.js';
import { PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const api = (...paths: string[]) => ({
  openapi: '3.1.0',
  info: { title: 'Ships', version: '1' },
  paths: Object.fromEntries(
    paths.map((path) => [path, { get: { operationId: path.slice(1), responses: { 200: { description: 'fine' } } } }]),
  ),
});

let test: TestPortal;
let visitor: PageClient;
beforeAll(async () => {
  test = await startTestPortal();
  visitor = new PageClient(test.client);
});
afterAll(() => test.stop());

/** A product with a version of each state; `v2` is the default. */
async function makeShips(slug: string, more: object = {}): Promise<void> {
  const { versions, products } = test.portal.services.catalog;
  const product = await createProduct(test, { slug, name: 'Ships', ...more }, api('/ships'));
  const first = await versions.create(product, { name: 'v1' });
  const { version: second } = await versions.create(product, { name: 'v2', state: 'current' });
  const given = await test.portal.services.catalog.uploads.plan(product, second, {
    ...{ kind: 'file', bytes: Buffer.from(JSON.stringify(api('/ships', '/crews'))) },
  });
  await products.giveVersionDocument(product, second.id, { spec: given.spec, note: {} });
  await versions.update({ product, version: second }, { isDefault: true });
  await versions.update(first, { state: 'deprecated' });
  await versions.create(product, { name: 'v3' });
}

const open = (path: string, client = visitor) => client.get(`/portal/products/${path}`);

describe('the pages of versions', () => {
  it('stand at addresses of their own, with a switch between those that readers see', async () => {
    await makeShips('ships');
    const [plain, first, second] = [await open('ships'), await open('ships@v1'), await open('ships@v2')];
    for (const { html, status } of [plain, first, second]) {
      expect(status).toBe(200);
      expect([...html.matchAll(/href="\/portal\/products\/ships@(v\d)"/g)].map(([, name]) => name)).toEqual(
        expect.arrayContaining(['v1', 'v2']),
      );
      expect(html).not.toContain('@v3');
    }
    expect(plain.html).toContain('/portal/products/ships/spec');
    expect(first.html).toContain('/portal/products/ships@v1/spec');
    expect([first.html.includes('/crews'), second.html.includes('/crews')]).toEqual([false, true]);
    expect(first.html).toContain('Version v1 is deprecated');
    expect(plain.html).not.toContain('is deprecated');
  });

  it('have a reference, pages of operations, Markdown and downloads of their own document', async () => {
    await makeShips('boats');
    const reference = await open('boats@v1/spec');
    expect(reference.html).toContain('/portal/products/boats@v1/spec/data/');
    expect(reference.html).toContain('href="/portal/products/boats@v2/spec"');
    const [, data = ''] = /data-reference="([^"]+)"/.exec(reference.html) ?? [];
    expect((await visitor.get(`${data}index`)).status).toBe(200);
    const markdown = async (name: string) => (await open(`${name}/spec.md`)).html;
    expect([(await markdown('boats@v1')).includes('/crews'), (await markdown('boats@v2')).includes('/crews')]).toEqual([
      false,
      true,
    ]);
    expect((await open('boats@v2/spec/operations/crews')).html).toContain('/crews');
    expect((await open('boats@v1/spec/operations/crews')).status).toBe(404);
    expect(JSON.parse((await open('boats@v1/spec?download=json')).html)).toEqual(api('/ships'));
  });

  it('tell of a retired version and lead to the one in its place', async () => {
    await makeShips('barges');
    const { versions, products } = test.portal.services.catalog;
    const product = await products.findForAdmin('barges');
    await versions.update(await versions.find(product, 'v1'), { state: 'retired' });
    for (const path of ['barges@v1', 'barges@v1/spec']) {
      const { html, status } = await open(path);
      expect([path, status]).toEqual([path, 200]);
      expect(html).toContain('Version v1 is retired');
      expect(html).toContain(`href="/portal/products/barges@v2${path.endsWith('/spec') ? '/spec' : ''}"`);
      expect(html).not.toContain('data-reference');
    }
    const page = await open('barges@v1/spec/operations/ships');
    expect(page.html + (page.headers.get('location') ?? '')).toMatch(/barges@v1\/spec|is retired/);
  });

  it('say since when an operation is there, when it changed and when it ends, in the reference and as Markdown', async () => {
    const { versions, products, uploads, deprecations } = test.portal.services.catalog;
    const { id } = await createProduct(test, { slug: 'dated', name: 'Ships' }, api('/ships'));
    const given = async (name: string | null, document: object) => {
      test.clock.advance(86_400);
      const product = await products.findForAdmin(id);
      const owned = name === null ? null : await versions.find(product, name);
      const bytes = Buffer.from(JSON.stringify(document));
      const planned = await uploads.plan(product, owned?.version ?? null, { kind: 'file', bytes });
      if (owned) await uploads.giveVersion(owned, planned, {}, { locale: 'en' });
      else await uploads.giveProduct(product, planned, {}, { locale: 'en' });
    };
    const changed = (document: ReturnType<typeof api>) => {
      Object.assign(document.paths['/ships']?.get ?? {}, { parameters: [{ name: 'q', in: 'query', schema: {} }] });
      return document;
    };
    // Without versions it is the version that the document gives itself.
    await given(null, { ...api('/ships', '/crews'), info: { title: 'Ships', version: '1.1' } });
    await given(null, { ...changed(api('/ships', '/crews')), info: { title: 'Ships', version: '1.2' } });
    const marksOf = async (path: string) => {
      const [, settings = ''] = /data-settings="([^"]+)"/.exec((await open(path)).html) ?? [];
      const { marks } = JSON.parse(settings.replaceAll('&quot;', '"').replaceAll('&#x3D;', '=')) as {
        marks: Record<string, { text: string }[]>;
      };
      return Object.fromEntries(Object.entries(marks).map(([anchor, all]) => [anchor, all.map(({ text }) => text)]));
    };
    expect(await marksOf('dated/spec')).toEqual({
      crews: [expect.stringMatching(/^Added in 1\.1, \w+ \d+, 2026$/)],
      ships: [expect.stringMatching(/^Changed in 1\.2, /)],
    });
    // A version begins with what the one before it has.
    const product = await products.findForAdmin(id);
    await versions.create(product, { name: 'v1' });
    await versions.create(product, { name: 'v2', state: 'current' });
    await given('v2', changed(api('/ships', '/crews', '/ports')));
    expect(await marksOf('dated@v2/spec')).toMatchObject({
      ports: [expect.stringMatching(/^Added in v2, /)],
      crews: [expect.stringMatching(/^Added in 1\.1, /)],
    });
    const terms = { guideUrl: 'https://a.example/guide', replacementUrl: 'https://a.example/ports' };
    const sunsetAt = new Date(test.clock.now().getTime() + 200 * 86_400_000);
    const ofOperation = { version: 'v2', method: 'GET', path: '/ports' } as const;
    await deprecations.announce(await deprecations.create(product, { ...ofOperation, ...terms, sunsetAt }), false);
    await deprecations.announce(await deprecations.create(product, { version: 'v1', ...terms, sunsetAt }), false);
    expect((await marksOf('dated@v2/spec')).ports).toEqual([
      expect.stringMatching(/^Added in v2, /),
      expect.stringMatching(/^Deprecated since .* 2026, ends .* 2026$/),
    ]);
    const { html } = await open('dated@v2/spec');
    expect(html).toMatch(
      /badge-pending">Deprecated since [^<]+<\/span> <a class="small" href="https:\/\/a\.example\/guide"/,
    );
    expect((await open('dated@v2/spec/operations/ports')).html).toMatch(
      /Added in v2, [\s\S]*https:\/\/a\.example\/ports/,
    );
    const markdown = (await open('dated@v2/spec/operations/ports.md')).html;
    expect(markdown).toMatch(/Added in v2, [\s\S]*ends [\s\S]*\[What replaces it\]\(https:\/\/a\.example\/ports\)/);
    expect((await open('dated@v2/spec.md')).html).toMatch(/\/crews\]\([^)]*\) · Added in 1\\?\.1, /);
    expect((await open('dated@v2/spec/operations/ports?locale=ar')).html).toMatch(/أُضيفت في \u2068v2\u2069/);
    for (const page of ['dated@v1', 'dated@v1/spec'])
      expect((await open(page)).html).toMatch(/Version v1 is deprecated[\s\S]*It ends on [\s\S]*a\.example\/ports/);
  });

  it('compare any two that readers see', async () => {
    await makeShips('yachts');
    const { html } = await open('yachts/compare?from=v2&to=v1');
    expect(html).toContain('1 breaking');
    expect(html).toContain('GET /crews');
    expect((await open('yachts/compare')).html).toContain('1 other change');
    expect((await open('yachts/compare?from=v1&to=v3')).status).toBe(404);
    const arabic = await open('yachts/compare?from=v2&to=v1&locale=ar');
    expect(arabic.status).toBe(200);
    await createProduct(test, { slug: 'single' }, api('/one'));
    expect((await open('single/compare')).html).toContain('Choose two versions');
    expect((await open('single')).html).not.toContain('class="menu versions"');
  });

  it('answer for drafts, unknown versions and hidden products as for what does not exist', async () => {
    await makeShips('tugs', { visibility: 'private' });
    await makeShips('ferries');
    const stranger = new PageClient(test.client);
    await createUser(test);
    for (const path of [
      'tugs@v1',
      'tugs@v1/spec',
      'tugs/compare',
      'ferries@v3',
      'ferries@v3/spec',
      'ferries@v3/spec.md',
      'ferries@v9',
      'ferries@',
    ])
      expect([path, (await open(path, stranger)).status]).toEqual([path, 404]);
  });
});
