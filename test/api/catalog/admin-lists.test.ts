import type { Translations } from '../../../src/domain/catalog/index.js';
import { AdminClient } from '../../support/admin-client.js';
import { createProduct } from '../../support/factories.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

let test: TestPortal;
let admin: AdminClient;
beforeAll(async () => {
  test = await startTestPortal({ config: { theme: { locales: ['en', 'ar', 'pt'] } } });
  admin = await AdminClient.create(test);
  const { categories, audiences } = test.portal.services.catalog;
  await audiences.create({ name: 'partners', description: 'With a contract' });
  await audiences.create({ name: 'beta' });
  // By English name: alpha, Bravo, charlie, Delta. In Arabic, alpha and Delta have names of their own.
  const translated: Record<string, Translations> = {
    alpha: { pt: { name: 'zulu' }, ar: { name: 'ي' } },
    Delta: { pt: { name: 'Abc' }, ar: { name: 'ا' } },
  };
  for (const [index, name] of ['Bravo', 'alpha', 'Delta', 'charlie'].entries()) {
    test.clock.advance(1);
    const translations = translated[name] ?? {};
    const slug = name.toLowerCase();
    await categories.create({ slug, name, translations });
    await createProduct(test, {
      slug,
      name,
      translations,
      visibility: (['public', 'private', 'draft', 'public'] as const)[index]!,
      approval: index === 0 ? 'manual' : 'auto',
      tags: index < 2 ? ['fast'] : [],
      categories: [slug],
      audiences: index % 2 === 0 ? ['partners'] : [],
      gatewayProductId: `gw-${9 - index}`,
    });
  }
});
afterAll(() => test.stop());

type Query = Record<string, string>;
const slugs = async (path: string, query: Query): Promise<string[]> => {
  const { status, json } = await admin.get(path, query);
  expect([query, status]).toEqual([query, 200]);
  return json.data.map(({ slug, name }: { slug?: string; name: string }) => slug ?? name);
};
/** The whole list, page by page. */
async function walk(path: string, query: Query): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor: string | null = '', page = 0; cursor !== null && page < 20; page += 1) {
    const { json } = await admin.get(path, { ...query, per_page: '1', ...(cursor === '' ? {} : { cursor }) });
    seen.push(...json.data.map(({ slug, name }: { slug?: string; name: string }) => slug ?? name));
    cursor = json.meta.pagination.next_cursor;
  }
  return seen;
}

const IN_ENGLISH = ['alpha', 'bravo', 'charlie', 'delta'];
const IN_PORTUGUESE = ['delta', 'bravo', 'charlie', 'alpha'];

describe.each(['/products', '/categories'])('names in %s', (path) => {
  it.each([
    ['en', IN_ENGLISH],
    ['pt', IN_PORTUGUESE],
  ])('are sorted as readers of %s see them, without regard to case, in pages and by cursor', async (locale, order) => {
    const sorted = { order_by: 'name', locale };
    expect(await slugs(path, sorted)).toEqual(order);
    expect(await slugs(path, { ...sorted, direction: 'desc' })).toEqual([...order].reverse());
    expect(await walk(path, sorted)).toEqual(order);
    expect(await walk(path, { ...sorted, direction: 'desc' })).toEqual([...order].reverse());
  });

  it('are found and filtered as the reader sees them', async () => {
    expect(await slugs(path, { q: 'ZUL', locale: 'pt' })).toEqual(['alpha']);
    expect(await slugs(path, { q: 'ي', locale: 'ar' })).toEqual(['alpha']);
    expect(await slugs(path, { q: 'zulu' })).toEqual([]);
    expect(await slugs(path, { filters: '{"name":"ABC"}', locale: 'pt' })).toEqual(['delta']);
    expect(await slugs(path, { filters: '{"name":"delta"}', locale: 'pt' })).toEqual([]);
    expect(await slugs(path, { filters: '{"name":{"gte":"bravo"}}', locale: 'pt', order_by: 'name' })).toEqual([
      'bravo',
      'charlie',
      'alpha',
    ]);
  });

  it('refuse the cursor of another language', async () => {
    const first = await admin.get(path, { order_by: 'name', locale: 'pt', per_page: '1' });
    const cursor = first.json.meta.pagination.next_cursor as string;
    const other = await admin.get(path, { order_by: 'name', locale: 'ar', per_page: '1', cursor });
    expect([other.status, Object.keys(other.json.errors)]).toEqual([422, ['cursor']]);
  });

  it('are shown in the default language, to be written back', async () => {
    const { json } = await admin.get(path, { order_by: 'name', locale: 'pt', with: 'translations', per_page: '1' });
    expect(json.data[0]).toMatchObject({ name: 'Delta', translations: { pt: { name: 'Abc' } } });
  });
});

describe('the public lists', () => {
  const names = async (path: string, query: Query) =>
    (await test.client.get(`/api/v1${path}?${new URLSearchParams(query).toString()}`)).json.data.map(
      ({ name }: { name: string }) => name,
    );

  it('are sorted by what the reader sees', async () => {
    expect(await names('/categories', { order_by: 'name', locale: 'pt' })).toEqual(['Abc', 'Bravo', 'charlie', 'zulu']);
    expect(await names('/categories', { order_by: 'name' })).toEqual(['alpha', 'Bravo', 'charlie', 'Delta']);
    expect(await names('/api-products', { order_by: 'name', locale: 'pt' })).toEqual(['Bravo', 'charlie']);
  });
});

describe('GET /admin/products', () => {
  it.each([
    [{ visibility: 'draft' }, ['delta']],
    [{ visibility: ['public', 'private'] }, ['charlie', 'alpha', 'bravo']],
    [{ approval: 'manual' }, ['bravo']],
    [{ tag: 'fast' }, ['alpha', 'bravo']],
    [{ category: 'delta' }, ['delta']],
    [{ audience: 'Partners' }, ['delta', 'bravo']],
    [{ audience: { ne: 'partners' } }, ['charlie', 'alpha']],
    [{ audience: ['partners', 'beta'], visibility: 'public' }, ['bravo']],
    [{ gateway_product_id: { like: 'gw-6' } }, ['charlie']],
    [{ created_at: { gt: '2020-01-01' }, slug: 'alpha' }, ['alpha']],
  ])('filters by %j', async (filters, expected) => {
    expect(await slugs('/products', { filters: JSON.stringify(filters) })).toEqual(expected);
  });

  it('loads audiences and translations when asked', async () => {
    const bare = (await admin.get('/products', { q: 'bravo' })).json.data[0];
    expect([Object.hasOwn(bare, 'audiences'), Object.hasOwn(bare, 'translations')]).toEqual([false, false]);
    const { json } = await admin.get('/products', { q: 'gw-9', with: 'categories,audiences,translations,tags' });
    expect(json.data[0]).toMatchObject({ slug: 'bravo', audiences: [{ name: 'partners' }], translations: {} });
  });
});

describe.each(['/products', '/categories', '/audiences'])('the list %s', (path) => {
  const options = () => {
    const route = test.portal.routes.find(
      (one) => one.context === 'admin' && one.path === path && one.method === 'get',
    );
    if (!route?.list) throw new Error('no such list');
    return route.list;
  };

  it('takes every sort, filter and relation that it declares, and no other', async () => {
    const { sorts, filters, relations } = options();
    const samples = { string: 'a', integer: 1, boolean: true, date: '2026-01-01' };
    for (const order_by of sorts) for (const locale of ['en', 'ar']) await slugs(path, { order_by, locale });
    for (const order_by of sorts) expect((await walk(path, { order_by })).length).toBe((await slugs(path, {})).length);
    for (const [field, type] of Object.entries(filters)) {
      for (const operator of ['eq', 'ne', 'in'] as const) {
        const value = operator === 'in' ? [samples[type]] : samples[type];
        await slugs(path, { filters: JSON.stringify({ [field]: { [operator]: value } }) });
      }
    }
    await slugs(path, { with: relations.join(',') });
    for (const [name, value] of [
      ['order_by', 'thumbnail_file'],
      ['with', 'secrets'],
      ['filters', '{"spec_hash":"x"}'],
    ]) {
      expect([name, (await admin.get(path, { [name!]: value! })).status]).toEqual([name, 422]);
    }
  });

  it('takes no harm from what is put into its parameters', async () => {
    const attacks = [
      "'",
      '"',
      '\\',
      '`',
      "1' OR '1'='1",
      '1; DROP TABLE portal_products',
      '1) UNION SELECT 1--',
      '\u0000',
    ];
    const names = ['page', 'per_page', 'order_by', 'direction', 'with', 'filters', 'q', 'cursor', 'locale'];
    for (const name of names) {
      for (const attack of attacks) {
        const values = name === 'filters' ? [attack, JSON.stringify({ name: attack })] : [attack];
        for (const value of values) {
          const { status } = await admin.get(path, { order_by: 'name', [name]: value });
          expect([name, value, [200, 422].includes(status)]).toEqual([name, value, true]);
        }
      }
    }
  });
});
