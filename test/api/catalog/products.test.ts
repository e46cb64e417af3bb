import { categoryListReply } from '../../../src/api/catalog/category-schema.js';
import { productListReply, productReply } from '../../../src/api/catalog/product-schema.js';
import type { Visibility } from '../../../src/domain/catalog/index.js';
import { createAdmin, createProduct, createUser } from '../../support/factories.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const API = '/api/v1';
const PRODUCTS = `${API}/api-products`;
const SPEC = { openapi: '3.1.0', info: { title: 'Rates', version: '1' }, paths: { '/rates': {} } };
const VISIBILITIES: readonly Visibility[] = ['public', 'private', 'draft'];
const CALLERS = ['anonymous', 'stranger', 'member', 'admin'] as const;
type Caller = (typeof CALLERS)[number];

let test: TestPortal;
const tokens: Partial<Record<Caller, string>> = {};

beforeAll(async () => {
  test = await startTestPortal({ config: { theme: { locales: ['en', 'ar', 'pt'] } } });
  const { categories, audiences } = test.portal.services.catalog;
  await test.portal.services.rbac.seed();
  const member = await createUser(test);
  tokens.member = await signIn(test, member);
  tokens.stranger = await signIn(test, await createUser(test));
  tokens.admin = await signIn(test, await createAdmin(test, { roles: ['super_admin'] }));
  await audiences.create({ name: 'partners', description: 'SECRET-AUDIENCE' });
  await audiences.addMembers('partners', [member.id]);
  const arabic = { name: 'بيانات', shortDescription: 'وصف' };
  await categories.create({ slug: 'data', name: 'Data', translations: { ar: arabic } });
  await categories.create({ slug: 'money', name: 'Money' });
  for (const visibility of VISIBILITIES) {
    test.clock.advance(1);
    const slug = `${visibility}-api`;
    const links = { audiences: ['partners'], categories: ['data'], tags: [visibility] };
    await createProduct(
      test,
      { slug, name: `Name of ${slug}`, gatewayProductId: `SECRET-${slug}`, visibility, ...links },
      SPEC,
    );
  }
  test.clock.advance(1);
  await createProduct(test, {
    slug: 'payments',
    gatewayProductId: 'SECRET-payments',
    name: 'Payments 100%_!',
    shortDescription: 'Send money',
    approval: 'manual',
    categories: ['money', 'data'],
    tags: ['money', 'fast'],
    translations: { ar: { name: 'المدفوعات', description: 'نص' }, pt: { name: 'Pagamentos' } },
  });
});
afterAll(() => test.stop());

const get = (path: string, caller: Caller = 'anonymous', headers: Record<string, string> = {}) =>
  test.client.get(path, { token: tokens[caller], headers });
const list = (query: Record<string, string> = {}, caller: Caller = 'anonymous', headers = {}) =>
  get(`${PRODUCTS}?${new URLSearchParams(query).toString()}`, caller, headers);
const slugs = async (query: Record<string, string> = {}, caller: Caller = 'anonymous') => {
  const { status, json } = await list(query, caller);
  expect(status).toBe(200);
  return (json.data as { slug: string }[]).map(({ slug }) => slug);
};

describe.each(CALLERS)('what %s sees (S57)', (caller) => {
  // Admins have their own routes; on this one their token counts as none.
  const visible = (visibility: Visibility) =>
    visibility === 'public' || (visibility === 'private' && caller === 'member');

  it.each(VISIBILITIES)('of a %s product: list, search, filters, product and document', async (visibility) => {
    const slug = `${visibility}-api`;
    const seen = visible(visibility);
    const queries: Record<string, string>[] = [
      {},
      { q: slug },
      { filters: JSON.stringify({ slug }) },
      { filters: JSON.stringify({ tag: visibility }) },
      { filters: JSON.stringify({ category: ['data', 'money'] }), with: 'categories', per_page: '100' },
      { visibility, scope: 'all', audience: 'partners' },
    ];
    for (const query of queries) expect([query, (await slugs(query, caller)).includes(slug)]).toEqual([query, seen]);
    for (const path of [`${PRODUCTS}/${slug}`, `${PRODUCTS}/${slug}/spec`]) {
      expect([path, (await get(path, caller)).status]).toEqual([path, seen ? 200 : 404]);
    }
  });

  it('counts and totals cover nothing else', async () => {
    const wanted = VISIBILITIES.filter(visible).length + 1;
    const first = await list({ per_page: '1' }, caller);
    expect(first.json.meta.pagination.total).toBe(wanted);
    const categories = await get(`${API}/categories`, caller);
    const counts = Object.fromEntries(
      (categories.json.data as { slug: string; products_count: number }[]).map((row) => [row.slug, row.products_count]),
    );
    expect(counts).toEqual({ data: wanted, money: 1 });
  });
});

describe('a product that is not there', () => {
  it('answers like one that is hidden, byte for byte', async () => {
    const hidden = await get(`${PRODUCTS}/draft-api`);
    for (const path of ['missing', '999999', '0', 'DRAFT-API', '%27%20OR%201=1', '__proto__', 'x'.repeat(200)]) {
      const answer = await get(`${PRODUCTS}/${path}`);
      expect([path, answer.status, answer.text]).toEqual([path, 404, hidden.text]);
      expect((await get(`${PRODUCTS}/${path}/spec`)).text).toBe(hidden.text);
    }
    expect((await get(`${PRODUCTS}/draft-api/spec`)).text).toBe(hidden.text);
    expect((await get(`${PRODUCTS}/payments/spec`)).text).toBe(hidden.text);
  });
});

describe('a product', () => {
  it('is shown as declared, by slug and by id', async () => {
    const { json } = await get(`${PRODUCTS}/public-api`);
    expect(productReply.validate(json.data).error).toBeUndefined();
    expect(json.data).toMatchObject({
      slug: 'public-api',
      has_spec: true,
      spec_url: `${PRODUCTS}/public-api/spec`,
      workflows_url: null,
      tags: ['public'],
      categories: [{ slug: 'data', name: 'Data' }],
    });
    expect((await get(`${PRODUCTS}/${json.data.id}`)).json.data).toEqual(json.data);
    expect((await get(`${PRODUCTS}/payments`)).json.data).toMatchObject({ has_spec: false, spec_url: null });
  });

  it('never tells audiences, gateway names or translations of others', async () => {
    const answers = await Promise.all([
      list({ per_page: '100' }, 'member'),
      get(`${PRODUCTS}/private-api`, 'member'),
      get(`${API}/categories`, 'member'),
    ]);
    for (const { text } of answers) {
      expect(text).not.toMatch(/SECRET|gateway|audience|partners|spec_hash|draft/i);
    }
    expect(productListReply.validate(answers[0].json.data).error).toBeUndefined();
    expect(categoryListReply.validate(answers[2].json.data).error).toBeUndefined();
  });
});

describe('the list of products', () => {
  it('begins with the newest and sorts as asked', async () => {
    expect(await slugs()).toEqual(['payments', 'public-api']);
    expect(await slugs({ order_by: 'name' })).toEqual(['public-api', 'payments']);
    expect(await slugs({ order_by: 'slug', direction: 'desc' })).toEqual(['public-api', 'payments']);
  });

  it('goes on with a cursor', async () => {
    const first = await list({ per_page: '1' }, 'member');
    const cursor = first.json.meta.pagination.next_cursor as string;
    expect(await slugs({ per_page: '1', cursor }, 'member')).toEqual(['private-api']);
  });

  it.each([
    [{ category: 'money' }, ['payments']],
    [{ category: { ne: 'money' } }, ['public-api']],
    [{ category: { in: ['money', 'data'] } }, ['payments', 'public-api']],
    [{ tag: 'fast', category: 'data' }, ['payments']],
    [{ tag: ['public', 'nope'] }, ['public-api']],
    [{ tag: 'nope' }, []],
    [{ approval: 'manual' }, ['payments']],
    [{ name: { like: '100%_!' } }, ['payments']],
    [{ created_at: { gte: '2026-01-01' }, slug: { ne: 'payments' } }, ['public-api']],
  ])('filters by %j', async (filters, expected) => {
    expect(await slugs({ filters: JSON.stringify(filters) })).toEqual(expected);
  });

  it.each([
    ['payments', ['payments']],
    ['SEND money', ['payments']],
    ['%', ['payments']],
    ['_', ['payments']],
    ["' OR '1'='1", []],
    ['المدفوعات', []],
  ])('searches for %j', async (q, expected) => {
    expect(await slugs({ q })).toEqual(expected);
  });

  it('names what it does not offer', async () => {
    const refused: [Record<string, string>, string][] = [
      [{ order_by: 'visibility' }, 'order_by'],
      [{ order_by: 'gateway_product_id' }, 'order_by'],
      [{ filters: '{"visibility":"draft"}' }, 'filters'],
      [{ filters: '{"gateway_product_id":"x"}' }, 'filters'],
      [{ filters: '{"category":{"like":"d"}}' }, 'filters'],
      [{ with: 'audiences' }, 'with'],
      [{ page: '0' }, 'page'],
    ];
    for (const [query, field] of refused) {
      const { status, json } = await list(query);
      expect([query, status, Object.keys(json.errors)]).toEqual([query, 422, [field]]);
    }
  });

  it.each(['page', 'per_page', 'order_by', 'direction', 'with', 'filters', 'q', 'cursor', 'locale'])(
    'takes no harm from what is put into %s',
    async (name) => {
      const attacks = [
        "'",
        '"',
        '\\',
        '`',
        '1; DROP TABLE portal_products',
        "1' OR '1'='1",
        '1) UNION SELECT 1--',
        '\u0000',
        '%00',
      ];
      const inFilters = attacks.flatMap((text) => [
        { slug: text },
        { tag: text },
        { category: [text] },
        { [text]: 'x' },
      ]);
      const values = [...attacks, ...(name === 'filters' ? inFilters.map((filter) => JSON.stringify(filter)) : [])];
      for (const value of values) {
        const { status, json } = await list({ [name]: value, ...(name === 'locale' ? { q: 'x' } : {}) });
        expect([name, value, [200, 422].includes(status)]).toEqual([name, value, true]);
        if (status === 200 && name === 'filters') expect(json.data).toEqual([]);
      }
      expect(await slugs()).toEqual(['payments', 'public-api']);
    },
  );
});

describe('languages', () => {
  it.each([
    ['?locale=ar', {}],
    ['', { 'accept-language': 'ar' }],
    ['', { 'accept-language': 'fr;q=0.9, ar-EG;q=0.8, en;q=0.1' }],
  ])('translate with %j and %j, each text falling back by itself', async (query, headers) => {
    const { json } = await get(`${PRODUCTS}/payments${query}`, 'anonymous', headers);
    expect(json.data).toMatchObject({ name: 'المدفوعات', short_description: 'Send money', description: 'نص' });
    expect((json.data.categories as { name: string }[]).map(({ name }) => name).sort()).toEqual(['Money', 'بيانات']);
  });

  it.each(['?locale=en', '?locale=fr', '?locale=xx', '', '?locale=ar&locale=en'])(
    'fall back with %j',
    async (query) => {
      expect((await get(`${PRODUCTS}/payments${query}`)).json.data.name).toBe('Payments 100%_!');
    },
  );

  it('search in the language of the reader as well', async () => {
    expect(await slugs({ q: 'المدفوعات', locale: 'ar' })).toEqual(['payments']);
    expect(await slugs({ q: 'public-api', locale: 'ar' })).toEqual(['public-api']);
    const { json } = await list({ q: 'المدفوعات', locale: 'ar', per_page: '1', filters: '{"tag":"fast"}' });
    expect([json.data[0].name, json.meta.pagination.total]).toEqual(['المدفوعات', 1]);
  });

  it('are part of a category', async () => {
    const { json } = await get(`${API}/categories?locale=ar&order_by=slug`);
    const translations = { ar: { name: 'بيانات', short_description: 'وصف', description: null } };
    expect(json.data[0]).toMatchObject({ slug: 'data', name: 'بيانات', short_description: 'وصف', translations });
  });
});

describe('the document of a product', () => {
  const path = `${PRODUCTS}/public-api/spec`;

  it('is JSON, and YAML for who prefers it', async () => {
    const json = await get(path);
    expect(json.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(json.headers.get('x-content-type-options')).toBe('nosniff');
    expect(JSON.parse(json.text)).toEqual(SPEC);
    for (const accept of ['application/yaml', 'text/yaml', 'application/json;q=0.5, application/yaml']) {
      const yaml = await get(path, 'anonymous', { accept });
      expect(yaml.headers.get('content-type')).toBe('application/yaml; charset=utf-8');
      expect(yaml.text).toMatch(/^openapi: 3\.1\.0\n/);
      expect(yaml.headers.get('etag')).not.toBe(json.headers.get('etag'));
    }
    for (const accept of ['*/*', 'text/html', 'application/yaml;q=0.1, application/json']) {
      expect((await get(path, 'anonymous', { accept })).text).toBe(json.text);
    }
  });

  it.each(['application/json', 'application/yaml'])('is not sent again as %s while it is the same', async (accept) => {
    const first = await get(path, 'anonymous', { accept });
    const tag = first.headers.get('etag') ?? '';
    for (const known of [tag, `W/${tag}`, `"old", ${tag}`, '*']) {
      const again = await get(path, 'anonymous', { accept, 'if-none-match': known });
      expect([known, again.status, again.text, again.headers.get('etag')]).toEqual([known, 304, '', tag]);
    }
    const other = accept === 'application/json' ? 'application/yaml' : 'application/json';
    for (const headers of [
      { accept: other, 'if-none-match': tag },
      { accept, 'if-none-match': '"x"' },
    ]) {
      expect((await get(path, 'anonymous', headers)).status).toBe(200);
    }
  });

  it('of a hidden product is not even confirmed by its tag', async () => {
    const tag = (await get(`${PRODUCTS}/private-api/spec`, 'member')).headers.get('etag') ?? '';
    const { status } = await get(`${PRODUCTS}/private-api/spec`, 'stranger', { 'if-none-match': tag });
    expect([tag.length > 60, status]).toEqual([true, 404]);
  });

  it('changes its tag with its content', async () => {
    const { products } = test.portal.services.catalog;
    const { id } = await createProduct(test, { slug: 'tagged' }, SPEC);
    const before = await get(`${PRODUCTS}/tagged/spec`);
    await products.setSpec(id, { ...SPEC, tags: [] });
    const known = { 'if-none-match': before.headers.get('etag') ?? '' };
    const after = await get(`${PRODUCTS}/tagged/spec`, 'anonymous', known);
    expect([after.status, JSON.parse(after.text)]).toEqual([200, { ...SPEC, tags: [] }]);
  });
});

describe('what everybody sees of the catalog', () => {
  const paths = [PRODUCTS, `${PRODUCTS}?per_page=1&order_by=name`, `${PRODUCTS}/payments`, `${API}/categories`];

  it.each(paths)('carries a tag, and is not sent again to who holds it: %s', async (path) => {
    const first = await get(path);
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    expect(first.headers.get('cache-control')).toBe('public, no-cache');
    expect(first.headers.get('vary')).toBe('Authorization, Accept-Language');
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await get(path, 'anonymous', { 'if-none-match': known });
      expect([known, again.status, again.text, again.headers.get('etag')]).toEqual([known, 304, '', tag]);
    }
    const other = await get(path, 'anonymous', { 'if-none-match': '"other"' });
    expect([other.status, other.text]).toEqual([200, first.text]);
  });

  it('has another tag in another language and at another address', async () => {
    const tags = [
      await get(PRODUCTS),
      await get(PRODUCTS, 'anonymous', { 'accept-language': 'ar' }),
      await get(`${PRODUCTS}?per_page=2`),
      await get(`${PRODUCTS}?per_page=2&x=1`),
    ].map(({ headers }) => headers.get('etag'));
    expect(new Set(tags).size).toBe(4);
  });

  it('is sent again the moment a product or one of its categories changes', async () => {
    const { categories, products } = test.portal.services.catalog;
    const { id } = await createProduct(test, { slug: 'moving' });
    const category = await categories.create({ slug: 'moved', name: 'Moved' });
    const path = `${PRODUCTS}/moving`;
    const changed = async (change: () => Promise<unknown>) => {
      const tag = (await get(path)).headers.get('etag') ?? '';
      await change();
      return (await get(path, 'anonymous', { 'if-none-match': tag })).status;
    };
    expect(await changed(() => products.update(id, { categories: ['moved'] }))).toBe(200);
    expect(await changed(() => categories.update(category.id, { name: 'Renamed' }))).toBe(200);
    expect(await changed(() => Promise.resolve())).toBe(304);
    expect(await changed(() => products.update(id, { visibility: 'draft' }))).toBe(404);
    await products.delete(id);
  });

  it.each(paths)('is never what a signed-in developer gets: %s', async (path) => {
    const tag = (await get(path)).headers.get('etag') ?? '';
    const own = await get(path, 'member', { 'if-none-match': tag });
    expect([own.status, own.headers.get('cache-control')]).toEqual([200, 'no-store']);
  });

  it('is read anew by cursor', async () => {
    const { meta } = (await list({ per_page: '1' })).json;
    const cursor = String(meta?.pagination.next_cursor);
    expect((await list({ per_page: '1', cursor })).headers.get('etag')).toBeNull();
  });
});
