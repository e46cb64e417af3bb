import {
  ADMIN,
  ANONYMOUS,
  ProductCreatedEvent,
  ProductSpecChangedEvent,
  ProductUpdatedEvent,
  viewerOf,
  type ProductInput,
} from '../../../src/domain/catalog/index.js';
import { NotFoundError, ValidationError, type ListQuery, type PortalEvent } from '../../../src/core/index.js';
import { createUser } from '../../support/factories.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const ALL: ListQuery = { page: 1, perPage: 100, direction: 'ASC', orderBy: 'slug', with: [], filters: [] };
const SPEC = { openapi: '3.1.0', info: { title: 'T', version: '1' }, paths: {} };

let test: TestPortal;
let announced: PortalEvent[] = [];
beforeAll(async () => {
  test = await startTestPortal();
  for (const type of [ProductCreatedEvent, ProductUpdatedEvent, ProductSpecChangedEvent]) {
    test.portal.events.on(type, (event) => void announced.push(event));
  }
  const { categories, audiences } = test.portal.services.catalog;
  await categories.create({ slug: 'money', name: 'Money', translations: { ar: { name: 'مال' } } });
  await categories.create({ slug: 'data', name: 'Data' });
  await audiences.create({ name: 'partners' });
});
afterAll(() => test.stop());

const catalog = () => test.portal.services.catalog;
const input = (slug: string, more: Partial<ProductInput> = {}): ProductInput => ({
  slug,
  name: slug.toUpperCase(),
  visibility: 'public',
  approval: 'auto',
  gatewayProductId: `gw-${slug}`,
  ...more,
});

async function faults(work: Promise<unknown>): Promise<Record<string, string[]>> {
  const error: unknown = await work.catch((caught: unknown) => caught);
  if (error instanceof ValidationError) return error.errors;
  throw new Error('there was no validation error', { cause: error });
}

describe('creating a product', () => {
  it('stores all of it at once and announces it', async () => {
    announced = [];
    const product = await catalog().products.create(
      input('whole', {
        tags: ['b', 'a', 'b'],
        categories: ['money', 'data'],
        audiences: ['partners'],
        customAttributes: { tier: 1 },
        translations: { ar: { name: 'كامل' } },
      }),
      SPEC,
    );
    expect(product).toMatchObject({ slug: 'whole', tags: ['a', 'b'], customAttributes: { tier: 1 } });
    expect(product.categories.map(({ slug }) => slug)).toEqual(['data', 'money']);
    expect(product.createdAt).toEqual(test.clock.now());
    expect(announced).toEqual([new ProductCreatedEvent({ product, occurredAt: test.clock.now() })]);
    const spec = await catalog().products.spec('whole', ADMIN);
    expect(JSON.parse(String(spec.document))).toEqual(SPEC);
    expect(spec.hash).toBe(product.specHash);
  });

  it('names what is taken or does not exist, and leaves nothing behind', async () => {
    await catalog().products.create(input('first'));
    announced = [];
    const { products } = catalog();
    expect(await faults(products.create(input('first', { gatewayProductId: 'other' })))).toHaveProperty('slug');
    expect(await faults(products.create(input('second', { gatewayProductId: 'gw-first' })))).toHaveProperty(
      'gateway_product_id',
    );
    expect(await faults(products.create(input('second', { categories: ['money', 'nope'] })))).toEqual({
      categories: ['There is no category "nope".'],
    });
    expect(await faults(products.create(input('second', { audiences: ['nope'] })))).toEqual({
      audiences: ['There is no audience "nope".'],
    });
    expect(await faults(products.create(input('second'), 'no spec'))).toHaveProperty('spec');
    await expect(products.find('second', ADMIN, 'en')).rejects.toThrow(NotFoundError);
    expect(announced).toEqual([]);
  });
});

describe('changing a product', () => {
  it('tells exactly what changed, and nothing when nothing did', async () => {
    const { products } = catalog();
    const { id, updatedAt } = await products.create(input('changing', { tags: ['x'], categories: ['money'] }));
    test.clock.advance(60);
    announced = [];
    const same = await products.update(id, {
      name: 'CHANGING',
      tags: ['x'],
      categories: ['money'],
      customAttributes: {},
    });
    expect([announced, same.updatedAt]).toEqual([[], updatedAt]);
    const changed = await products.update(id, { name: 'New', tags: ['y', 'x'], categories: [] });
    expect(changed).toMatchObject({ name: 'New', tags: ['x', 'y'], categories: [], updatedAt: test.clock.now() });
    expect(announced).toHaveLength(1);
    expect((announced[0] as ProductUpdatedEvent).changes).toEqual({
      name: ['CHANGING', 'New'],
      tags: [['x'], ['x', 'y']],
      categories: [['money'], []],
    });
  });

  it('sets lists one by one, and translations as a whole', async () => {
    const { products } = catalog();
    const { id } = await products.create(
      input('lists', { translations: { ar: { name: 'قوائم', description: 'وصف' } } }),
    );
    expect((await products.update(id, { tags: ['t'] })).tags).toEqual(['t']);
    expect((await products.setCategories(id, ['data'])).categories).toMatchObject([{ slug: 'data' }]);
    await products.setAudiences(id, ['Partners']);
    expect(await faults(products.setAudiences(id, ['partner']))).toHaveProperty('audiences');
    await products.update(id, { translations: { ar: { name: 'أسماء' } } });
    expect(await products.find(id, ADMIN, 'ar')).toMatchObject({ name: 'أسماء', description: '' });
  });

  it('gives and takes a document', async () => {
    const { products } = catalog();
    const { id, specHash } = await products.create(input('documented'), SPEC);
    announced = [];
    await products.setSpec(id, JSON.stringify(SPEC, null, 2));
    expect(announced).toEqual([]);
    const { specHash: after } = await products.setSpec(id, { ...SPEC, tags: [] });
    expect((announced[0] as ProductSpecChangedEvent).before).toBe(specHash);
    expect((announced[0] as ProductSpecChangedEvent).after).toBe(after);
    expect((await products.setSpec(id, null)).specHash).toBeNull();
    await expect(products.spec(id, ADMIN)).rejects.toThrow(NotFoundError);
  });

  it('refuses a slug that another product has', async () => {
    const { id } = await catalog().products.create(input('renamed'));
    expect(await faults(catalog().products.update(id, { slug: 'whole' }))).toHaveProperty('slug');
    await expect(catalog().products.update(999_999, { name: 'x' })).rejects.toThrow(NotFoundError);
  });

  it('rolls back with a listener that refuses', async () => {
    const { products } = catalog();
    const refusing = (event: ProductUpdatedEvent) => {
      if (event.product.slug === 'guarded') throw new Error('no');
    };
    test.portal.events.within(ProductUpdatedEvent, refusing);
    const { id } = await products.create(input('guarded'));
    await expect(products.update(id, { name: 'x', tags: ['x'] })).rejects.toThrow('no');
    expect(await products.find(id, ADMIN, 'en')).toMatchObject({ name: 'GUARDED', tags: [] });
  });
});

describe('the total of a list', () => {
  it('follows every change at once', async () => {
    const { products } = catalog();
    const total = async () => (await products.list({ ...ALL, perPage: 1 }, ANONYMOUS, 'en')).total;
    const before = (await total()) ?? 0;
    const { id } = await products.create(input('counted'));
    expect(await total()).toBe(before + 1);
    await products.update(id, { visibility: 'draft' });
    expect(await total()).toBe(before);
  });

  it('of the products of a category does, too', async () => {
    const { products, categories } = catalog();
    await categories.create({ slug: 'filling', name: 'Filling' });
    const count = async () => (await categories.find('filling', ANONYMOUS, 'en')).productsCount;
    expect(await count()).toBe(0);
    const { id } = await products.create(input('filler', { categories: ['filling'] }));
    expect([await count(), await count()]).toEqual([1, 1]);
    await products.update(id, { visibility: 'private' });
    expect(await count()).toBe(0);
  });

  it('follows the members of an audience', async () => {
    const { products, audiences } = catalog();
    await audiences.create({ name: 'joiners' });
    await products.create(input('for-joiners', { visibility: 'private', audiences: ['joiners'] }));
    const { id } = await createUser(test);
    const total = async () => (await products.list({ ...ALL, perPage: 1 }, viewerOf({ id }), 'en')).total;
    const before = (await total()) ?? 0;
    expect(await audiences.addMembers('joiners', [id, id])).toEqual([id]);
    expect(await audiences.addMembers('joiners', [id])).toEqual([]);
    expect(await total()).toBe(before + 1);
  });
});

describe('products that a developer may attach', () => {
  it('are the ones they see, in the order asked, once', async () => {
    const { products, audiences } = catalog();
    await audiences.create({ name: 'attachers' });
    const open = await products.create(input('attach-open'));
    await products.create(
      input('attach-private', { visibility: 'private', audiences: ['attachers'], approval: 'manual' }),
    );
    await products.create(input('attach-draft', { visibility: 'draft', audiences: ['attachers'] }));
    const [member, stranger] = [await createUser(test), await createUser(test)];
    await audiences.addMembers('attachers', [member.id]);
    const asked = ['attach-private', 'attach-draft', open.id, 'attach-open', "x' OR 1=1", 'missing'];

    const found = await products.splitAttachable(member.id, asked);
    expect(found.products).toEqual([
      {
        id: expect.any(Number),
        slug: 'attach-private',
        name: 'ATTACH-PRIVATE',
        approval: 'manual',
        gatewayProductId: 'gw-attach-private',
      },
      { id: open.id, slug: 'attach-open', name: 'ATTACH-OPEN', approval: 'auto', gatewayProductId: 'gw-attach-open' },
    ]);
    expect(found.unknown).toEqual(['attach-draft', "x' OR 1=1", 'missing']);
    expect((await products.splitAttachable(stranger.id, asked)).products.map(({ slug }) => slug)).toEqual([
      'attach-open',
    ]);
    expect(await products.splitAttachable(stranger.id, [])).toEqual({ products: [], unknown: [] });
  });
});

describe('categories and audiences', () => {
  it('refuse a taken name', async () => {
    expect(await faults(catalog().categories.create({ slug: 'money', name: 'x' }))).toHaveProperty('slug');
    expect(await faults(catalog().audiences.create({ name: 'partners' }))).toHaveProperty('name');
    await expect(catalog().audiences.addMembers('nobody', [1])).rejects.toThrow(NotFoundError);
  });

  it('finds a category in the language of its reader', async () => {
    expect(await catalog().categories.find('money', ANONYMOUS, 'ar')).toMatchObject({
      name: 'مال',
      shortDescription: '',
    });
    await expect(catalog().categories.find('nope', ANONYMOUS, 'en')).rejects.toThrow(NotFoundError);
  });
});
