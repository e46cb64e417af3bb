import { ProductDeletedEvent, ProductUpdatedEvent } from '../../../src/domain/catalog/index.js';
import type { PortalEvent } from '../../../src/core/index.js';
import { AdminClient } from '../../support/admin-client.js';
import { Developer, readKeyAccess } from '../../support/apps.js';
import { createProduct } from '../../support/factories.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

let test: TestPortal;
let admin: AdminClient;
let announced: PortalEvent[] = [];
beforeAll(async () => {
  test = await startTestPortal();
  admin = await AdminClient.create(test);
  for (const type of [ProductUpdatedEvent, ProductDeletedEvent]) {
    test.portal.events.on(type, (event) => void announced.push(event));
  }
  const { categories, audiences } = test.portal.services.catalog;
  await categories.create({ slug: 'money', name: 'Money' });
  await audiences.create({ name: 'partners' });
});
beforeEach(() => {
  announced = [];
  test.clock.advance(1);
});
afterAll(() => test.stop());

const version = (headers: Headers) => ({ 'if-match': headers.get('etag') ?? '' });
const row = async (slug: string) => {
  const [found] = await test.portal.database.select('SELECT * FROM portal_products WHERE slug = ?', [slug]);
  return found;
};

describe('creating a product', () => {
  it('needs a name and a slug, and makes a draft', async () => {
    const { status, json, headers } = await admin.post('/products', { slug: 'bare', name: 'Bare' });
    expect(status).toBe(201);
    expect(json.data).toMatchObject({
      slug: 'bare',
      visibility: 'draft',
      approval: 'auto',
      gateway_product_id: 'bare',
      tags: [],
      audiences: [],
      translations: {},
      has_spec: false,
    });
    expect(headers.get('etag')).toMatch(/^"[^"]+"$/);
    expect((await test.client.get('/api/v1/api-products/bare')).status).toBe(404);
  });

  it('takes everything at once, and gives it back to be written again', async () => {
    const body = {
      slug: 'whole',
      name: 'Whole',
      short_description: 'Short',
      description: '# Long\n\ttext',
      visibility: 'private',
      approval: 'manual',
      gateway_product_id: 'Whole API v1',
      tags: ['b', 'a'],
      categories: ['money'],
      audiences: ['Partners'],
      thumbnail_url: 'https://assets.example.com/a.png',
      custom_attributes: { owner: 'Ada', tier: 1, beta: true },
      translations: { ar: { name: 'كامل', description: null } },
    };
    const created = await admin.post('/products', body);
    expect(created.json.data).toMatchObject({
      ...body,
      tags: ['a', 'b'],
      categories: [{ slug: 'money' }],
      audiences: [{ name: 'partners' }],
      translations: { ar: { name: 'كامل', short_description: null, description: null } },
    });
    const { data } = (await admin.get('/products/whole', {}, { 'accept-language': 'ar' })).json;
    expect(data.name).toBe('Whole');
    const ids = (records: { id: number }[]) => records.map(({ id }) => id);
    const again = await admin.put(`/products/${data.id}`, {
      ...data,
      categories: ids(data.categories),
      audiences: ids(data.audiences),
    });
    expect(again.json.data).toEqual(data);
    expect(announced).toEqual([]);
  });

  it('names each fault', async () => {
    const { status, json } = await admin.post('/products', {
      slug: 'Not a slug',
      name: '\u0007',
      visibility: 'secret',
      gateway_product_id: '../x',
      tags: [' x'],
      custom_attributes: { 'a b': 1 },
      thumbnail_url: 'javascript:alert(1)',
      description: 'a\u0000b',
    });
    expect(status).toBe(422);
    expect(Object.keys(json.errors).sort()).toEqual(
      [
        ...['custom_attributes.a b', 'description', 'gateway_product_id', 'name', 'slug', 'tags.0', 'thumbnail_url'],
        'visibility',
      ].sort(),
    );
    const taken = await admin.post('/products', { slug: 'whole', name: 'x', gateway_product_id: 'other' });
    expect([taken.status, Object.keys(taken.json.errors)]).toEqual([422, ['slug']]);
    const unknown = await admin.post('/products', {
      slug: 'x',
      name: 'x',
      translations: { ar: {}, en: {}, de: { name: 'x' } },
    });
    expect(unknown.json.errors.translations).toEqual([
      'en is the default language: its texts are the fields of the record itself.',
      'de is not one of the configured languages. Translations may be in: ar.',
    ]);
    const lost = await admin.post('/products', { slug: 'x', name: 'x', categories: ['nope', 999] });
    expect(lost.json.errors.categories).toEqual(['There is no category "nope".', 'There is no category 999.']);
  });

  it.each([
    '//evil.example/x.png',
    '/\\evil.example/x.png',
    'http://example.com/x.png',
    'https://a:b@example.com/x.png',
    'data:image/png;base64,AAAA',
    '/a b',
    'https://exa mple.com',
    '/api/v1/files/nothing.png',
    `/api/v1/files/${'0'.repeat(64)}.png`,
  ])('takes no thumbnail at %s', async (thumbnail_url) => {
    const { status, json } = await admin.put('/products/whole', { thumbnail_url });
    expect([status, Object.keys(json.errors)]).toEqual([422, ['thumbnail_url']]);
  });

  it('refuses what is not for a form to say (S52)', async () => {
    const columns = Object.keys((await row('whole')) ?? {});
    expect(columns).toContain('thumbnail_file');
    const body = Object.fromEntries(columns.map((name) => [name, 1]));
    for (const name of ['slug', 'name', 'short_description', 'description', 'visibility', 'approval'])
      delete body[name];
    for (const name of ['gateway_product_id', 'thumbnail_url', 'custom_attributes']) delete body[name];
    const before = await row('whole');
    const raw = `{"__proto__":{"slug":"x"},"specHash":"x","thumbnailFile":"x",${JSON.stringify(body).slice(1)}`;
    const { status } = await admin.send('PUT', '/products/whole', { raw });
    expect(status).toBe(422);
    expect(await row('whole')).toEqual(before);
  });
});

describe('changing a product', () => {
  it('is refused when it was based on an older state', async () => {
    await createProduct(test, { slug: 'versioned' });
    const { headers } = await admin.get('/products/versioned');
    const old = version(headers);
    expect((await admin.put('/products/versioned', { name: 'One' }, old)).status).toBe(200);
    const changes = { '': { name: 'Two' }, '/categories': { categories: [] }, '/audiences': { audiences: [] } };
    for (const [path, body] of Object.entries(changes)) {
      expect([path, (await admin.put(`/products/versioned${path}`, body, old)).status]).toEqual([path, 412]);
    }
    expect((await admin.delete('/products/versioned', old)).status).toBe(412);
    expect(announced).toHaveLength(1);
    expect((announced[0] as ProductUpdatedEvent).changes).toMatchObject({ name: [expect.any(String), 'One'] });
  });

  it('sets categories and audiences by name or id, and moves the version each time', async () => {
    const { id } = await createProduct(test, { slug: 'linked', visibility: 'private' });
    const first = await admin.get(`/products/${id}`);
    const second = await admin.put('/products/linked/categories', { categories: ['money'] }, version(first.headers));
    expect(second.json.data.categories).toMatchObject([{ slug: 'money' }]);
    const third = await admin.put('/products/linked/audiences', { audiences: ['partners'] }, version(second.headers));
    expect(third.json.data.audiences).toMatchObject([{ name: 'partners' }]);
    const audience = await test.portal.services.catalog.audiences.findByName('partners');
    await admin.put(`/audiences/${audience.id}/products`, { products: [] });
    const after = await admin.put('/products/linked', { name: 'Late' }, version(third.headers));
    expect(after.status).toBe(412);
  });

  it('knows a product by id and slug, and no other', async () => {
    const { id } = await createProduct(test, { slug: 'found', visibility: 'draft' });
    expect((await admin.get(`/products/${id}`)).json.data.slug).toBe('found');
    for (const path of ['/products/missing', '/products/0', '/products/999999', '/products/%27']) {
      for (const answer of [await admin.get(path), await admin.send('PUT', path, { raw: '{broken' })]) {
        expect([path, answer.status, answer.json.message]).toEqual([path, 404, 'Resource not found.']);
      }
    }
  });
});

describe('a product that keys carry', () => {
  it('keeps its names and stays, until the keys let go of it', async () => {
    await createProduct(test, { slug: 'carried', gatewayProductId: 'gw-carried' });
    const developer = await Developer.create(test);
    const { key } = await developer.createApp('holder', ['carried']);
    const other = await createProduct(test, { slug: 'free' });
    for (const [field, value] of Object.entries({ slug: 'renamed', gateway_product_id: 'gw-renamed' })) {
      const { status, json } = await admin.put('/products/carried', { [field]: value });
      const fault = '1 key carries this product, so it keeps its slug and gateway_product_id.';
      expect([status, json.message, json.errors]).toEqual([409, 'Conflict.', { [field]: [fault] }]);
    }
    const { status, json } = await admin.delete('/products/carried');
    const fault = '1 key carries this product. Take it off them first, or make it a draft to close it.';
    expect([status, json.errors]).toEqual([409, { credentials: [fault] }]);
    expect((await admin.put('/products/carried', { slug: 'carried', name: 'Renamed' })).status).toBe(200);
    expect(await readKeyAccess(test, key, 'carried')).toBe('open');
    expect((await admin.put('/products/carried', { visibility: 'draft' })).status).toBe(200);
    expect(await readKeyAccess(test, key, 'carried')).not.toBe('open');
    const app = await developer.get('/holder');
    const credential = app.json.data.credentials[0].id as number;
    expect((await developer.delete(`/holder/credentials/${credential}`)).status).toBe(200);
    expect((await admin.put('/products/carried', { gateway_product_id: 'gw-renamed' })).status).toBe(200);
    announced = [];
    expect((await admin.delete('/products/carried')).json.data).toEqual({});
    expect(announced).toHaveLength(1);
    expect((announced[0] as ProductDeletedEvent).product.slug).toBe('carried');
    expect((await admin.get('/products/carried')).status).toBe(404);
    expect((await admin.delete(`/products/${other.id}`)).status).toBe(200);
  });
});

describe('GET /admin/gateway/products', () => {
  it('lists what the gateway has, with the products of the portal', async () => {
    const all = await admin.get('/gateway/products', { per_page: '100' });
    const names = all.json.data.map(({ name }: { name: string }) => name);
    expect(names).toEqual([...names].sort());
    expect(all.json.data).toContainEqual(
      expect.objectContaining({ name: 'Whole API v1', product: expect.objectContaining({ slug: 'whole' }) }),
    );
    const walked: string[] = [];
    for (let cursor: string | null = '', page = 0; cursor !== null && page < 50; page += 1) {
      const { json } = await admin.get('/gateway/products', { per_page: '2', ...(cursor === '' ? {} : { cursor }) });
      walked.push(...json.data.map(({ name }: { name: string }) => name));
      cursor = json.meta.pagination.next_cursor;
    }
    expect(walked).toEqual(names);
    const second = await admin.get('/gateway/products', { per_page: '1', page: '2' });
    expect([second.json.data[0].name, second.json.meta.pagination.total]).toEqual([names[1], names.length]);
    expect((await admin.get('/gateway/products', { q: 'whole api' })).json.data).toHaveLength(1);
    const down = await admin.get('/gateway/products', { order_by: 'display_name', direction: 'desc', per_page: '100' });
    expect(down.json.data).toHaveLength(names.length);
    for (const [name, value] of [
      ['order_by', 'description'],
      ['filters', '{"name":"x"}'],
      ['cursor', 'nope'],
    ] as const) {
      expect([name, (await admin.get('/gateway/products', { [name]: value })).status]).toEqual([name, 422]);
    }
  });
});
