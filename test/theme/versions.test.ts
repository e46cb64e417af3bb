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
