import { ANONYMOUS, viewerOf, type ProductInput, type ProductRecord } from '../../../src/domain/catalog/index.js';
import { PublicCache } from '../../../src/domain/catalog/products/public-cache.js';
import type { ListQuery, ListPage } from '../../../src/core/index.js';
import { createProduct, createUser } from '../../support/factories.js';
import { FakeClock } from '../../support/fake-clock.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const FIRST: ListQuery = { page: 1, perPage: 100, direction: 'ASC', orderBy: 'slug', with: [], filters: [] };

describe('pages of the public catalog', () => {
  let clock: FakeClock;
  let version: number;
  let reads: number;
  let pages: PublicCache<ListPage<ProductRecord>>;
  beforeEach(() => {
    clock = new FakeClock();
    [version, reads] = [1, 0];
    pages = new PublicCache({ current: () => Promise.resolve(version) }, clock);
  });

  const record = (more: Partial<ProductRecord>) =>
    ({ id: 1, slug: 'a', description: '', customAttributes: {}, updatedAt: clock.now(), ...more }) as ProductRecord;
  const read = (more: Partial<ProductRecord> = {}): Promise<ListPage<ProductRecord>> => {
    reads += 1;
    return Promise.resolve({ items: [record(more)], total: 1, perPage: 100, page: 1, nextCursor: null });
  };
  const get = (query: Partial<ListQuery> = {}, locale = 'en', more: Partial<ProductRecord> = {}) =>
    pages.get([locale, { ...FIRST, ...query }], () => read(more));

  it('are read once for each question and locale while the version stands', async () => {
    for (let round = 0; round < 3; round += 1) {
      await get();
      await get({}, 'ar');
      await get({ q: 'a' });
      await get({ filters: [{ field: 'tag', operator: 'eq', value: 'a' }] });
    }
    expect(reads).toBe(4);
  });

  it('are read again as soon as the version is another one, a smaller one too', async () => {
    await get();
    version = 2;
    await get();
    version = 1;
    await get();
    expect(reads).toBe(3);
  });

  it('are read again when the catalog changed while they were read', async () => {
    await pages.get(['en', FIRST], () => {
      version = 2;
      return read();
    });
    await get();
    expect(reads).toBe(2);
  });

  it('are read again after 5 s, for what nobody announced', async () => {
    await get();
    clock.advance(4.999);
    await get();
    expect(reads).toBe(1);
    clock.advance(0.001);
    await get();
    expect(reads).toBe(2);
  });

  it('are not kept for ever by a clock that was set back (R29)', async () => {
    await get();
    clock.advance(-3600);
    await get();
    expect(reads).toBe(2);
    await get();
    expect(reads).toBe(2);
  });

  it('are forgotten when reading fails', async () => {
    await get();
    version = 2;
    await expect(pages.get(['en', FIRST], () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
    version = 1;
    await get();
    expect(reads).toBe(2);
  });

  it.each(['description', 'customAttributes'] as const)(
    'take a bounded room, whatever their %s hold',
    async (field) => {
      const text = 'x'.repeat(450_000);
      const large = field === 'description' ? { description: text } : { customAttributes: { text } };
      // Eighteen of them are more than 8 million characters, so the first is gone and the last is not.
      for (let page = 1; page <= 18; page += 1) await get({ page }, 'en', large);
      await get({ page: 18 });
      expect(reads).toBe(18);
      await get({ page: 1 });
      expect(reads).toBe(19);
    },
  );

  it('leave in the order in which they were last asked for', async () => {
    const large = { description: 'x'.repeat(450_000) };
    for (let page = 1; page <= 17; page += 1) await get({ page }, 'en', large);
    await get({ page: 1 });
    await get({ page: 18 }, 'en', large);
    const before = reads;
    await get({ page: 1 });
    expect(reads).toBe(before);
    await get({ page: 2 });
    expect(reads).toBe(before + 1);
  });

  it('are not kept when one alone would push out the others', async () => {
    await get({ page: 2 });
    const huge = { description: 'x'.repeat(500_000) };
    await get({ page: 1 }, 'en', huge);
    await get({ page: 1 }, 'en', huge);
    expect(reads).toBe(3);
    await get({ page: 2 });
    expect(reads).toBe(3);
  });
});

describe('two replicas that share a catalog', () => {
  let replicas: [TestPortal, TestPortal];
  beforeAll(async () => {
    const first = await startTestPortal();
    const second = await startTestPortal({ clock: first.clock, databaseUrl: first.databaseUrl });
    replicas = [first, second];
    await first.portal.services.catalog.categories.create({ slug: 'money', name: 'Money' });
    await first.portal.services.catalog.audiences.create({ name: 'partners' });
  });
  afterAll(async () => {
    await replicas[1].stop();
    await replicas[0].stop();
  });

  const pageOf = ({ portal }: TestPortal, locale = 'en') =>
    portal.services.catalog.products.list(FIRST, ANONYMOUS, locale);
  const shownBy = async (replica: TestPortal, id: number, locale?: string) =>
    (await pageOf(replica, locale)).items.find((product) => product.id === id);

  const changes: [string, Partial<ProductInput>, Partial<ProductRecord>, string?][] = [
    ['text', { name: 'Renamed' }, { name: 'Renamed' }],
    ['translation', { translations: { ar: { name: 'مال' } } }, { name: 'مال' }, 'ar'],
    ['tags', { tags: ['fast'] }, { tags: ['fast'] }],
    ['categories', { categories: ['money'] }, { categories: [{ id: 1, slug: 'money', name: 'Money' }] }],
    ['custom attributes', { customAttributes: { tier: 'gold' } }, { customAttributes: { tier: 'gold' } }],
  ];
  it.each(changes)(
    'show a change of the %s at once, on whichever it was made',
    async (what, input, shown, locale = 'en') => {
      const { id } = await createProduct(replicas[0], { slug: `changed-${what.replace(' ', '-')}` });
      expect(await shownBy(replicas[1], id, locale)).not.toMatchObject(shown);
      await replicas[0].portal.services.catalog.products.update(id, input);
      expect(await shownBy(replicas[1], id, locale)).toMatchObject(shown);
    },
  );

  it('show and hide a product at once, and its document', async () => {
    const { products } = replicas[0].portal.services.catalog;
    expect((await pageOf(replicas[1])).items).not.toContainEqual(expect.objectContaining({ slug: 'coming' }));
    const { id } = await createProduct(replicas[0], { slug: 'coming' });
    expect(await shownBy(replicas[1], id)).toMatchObject({ specHash: null });
    await products.setSpec(id, { openapi: '3.1.0', info: { title: 'T', version: '1' }, paths: {} });
    expect(await shownBy(replicas[1], id)).toMatchObject({ specHash: expect.any(String) });
    await products.update(id, { visibility: 'draft' });
    expect(await shownBy(replicas[1], id)).toBeUndefined();
  });

  it('show the changes of a category at once, and that it or a product is gone', async () => {
    const { categories, products } = replicas[0].portal.services.catalog;
    const category = await categories.create({ slug: 'passing', name: 'Passing' });
    const { id } = await createProduct(replicas[0], { slug: 'in-passing', categories: ['passing'] });
    const shown = async (locale?: string) =>
      (await shownBy(replicas[1], id, locale))?.categories.map(({ name }) => name);
    expect([await shown(), await shown('ar')]).toEqual([['Passing'], ['Passing']]);
    await categories.update(category.id, { name: 'Renamed', translations: { ar: { name: 'عابر' } } });
    expect([await shown(), await shown('ar')]).toEqual([['Renamed'], ['عابر']]);
    await categories.delete(category.id);
    expect([await shown(), await shown('ar')]).toEqual([[], []]);
    await products.delete(id);
    expect(await shown()).toBeUndefined();
  });

  it('read no page again while nothing changed', async () => {
    const [first, again] = [await pageOf(replicas[1]), await pageOf(replicas[1])];
    expect(again).toBe(first);
  });

  it('keep what everybody sees apart from what a developer sees', async () => {
    const [{ portal }] = replicas;
    const { audiences, products } = portal.services.catalog;
    const { id } = await createProduct(replicas[0], {
      slug: 'for-partners',
      visibility: 'private',
      audiences: ['partners'],
    });
    const member = await createUser(replicas[0]);
    await audiences.addMembers('partners', [member.id]);
    const seenBy = async (viewer: Parameters<typeof products.list>[1]) =>
      (await products.list(FIRST, viewer, 'en')).items.some((product) => product.id === id);
    const viewers = [ANONYMOUS, viewerOf(member), ANONYMOUS, viewerOf({ id: member.id + 1 }), viewerOf(member)];
    const seen: boolean[] = [];
    for (const viewer of viewers) seen.push(await seenBy(viewer));
    expect(seen).toEqual([false, true, false, false, true]);
  });
});
