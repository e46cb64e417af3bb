import {
  AudienceDeletedEvent,
  AudienceMembersAddedEvent,
  AudienceMembersRemovedEvent,
  AudienceUpdatedEvent,
  CategoryDeletedEvent,
  CategoryUpdatedEvent,
} from '../../../src/domain/catalog/index.js';
import type { EventClass, PortalEvent } from '../../../src/core/index.js';
import { AdminClient } from '../../support/admin-client.js';
import { createProduct, createUser } from '../../support/factories.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

let test: TestPortal;
let admin: AdminClient;
let announced: PortalEvent[] = [];
beforeAll(async () => {
  test = await startTestPortal();
  admin = await AdminClient.create(test, ['catalog_manager']);
  for (const type of [
    AudienceUpdatedEvent,
    AudienceDeletedEvent,
    AudienceMembersAddedEvent,
    AudienceMembersRemovedEvent,
    CategoryUpdatedEvent,
    CategoryDeletedEvent,
  ] satisfies EventClass<PortalEvent>[]) {
    test.portal.events.on<PortalEvent>(type, (event) => void announced.push(event));
  }
  for (const slug of ['hidden', 'secret']) await createProduct(test, { slug, visibility: 'private' });
});
beforeEach(() => {
  announced = [];
  test.clock.advance(1);
});
afterAll(() => test.stop());

const version = (headers: Headers) => ({ 'if-match': headers.get('etag') ?? '' });

describe('audiences', () => {
  it('are created, read, changed and deleted, and what members see follows at once', async () => {
    const user = await createUser(test, { email: 'member@example.com', firstName: 'Mem', lastName: 'Ber' });
    const other = await createUser(test);
    const token = await signIn(test, user);
    const seen = async () => {
      const { json } = await test.client.get('/api/v1/api-products?per_page=1', { token });
      return [json.data.length, json.meta.pagination.total];
    };
    expect(await seen()).toEqual([0, 0]);
    const created = await admin.post('/audiences', {
      name: 'Insiders',
      users: ['MEMBER@example.com'],
      products: ['hidden'],
    });
    expect(created.status).toBe(201);
    expect(created.json.data).toMatchObject({
      name: 'Insiders',
      users_count: 1,
      products_count: 1,
      users: [{ email: 'member@example.com', full_name: 'Mem Ber' }],
      products: [{ slug: 'hidden' }],
    });
    expect(await seen()).toEqual([1, 1]);
    const path = `/audiences/${created.json.data.id as number}`;
    announced = [];
    const more = await admin.put(`${path}/products`, { products: ['hidden', 'secret'] }, version(created.headers));
    expect(more.json.data.products_count).toBe(2);
    expect((announced[0] as AudienceUpdatedEvent).changes).toEqual({ products: [['hidden'], ['hidden', 'secret']] });
    expect(await seen()).toEqual([1, 2]);
    expect((await admin.put(`${path}/users`, { users: [] }, version(created.headers))).status).toBe(412);
    announced = [];
    const swapped = await admin.put(`${path}/users`, { users: [other.id] });
    expect(swapped.json.data).toMatchObject({ users_count: 1, users: [{ id: other.id }] });
    expect(announced.map((event) => [event.constructor.name, (event as AudienceMembersAddedEvent).changes])).toEqual([
      ['AudienceMembersAddedEvent', { users: [[], [other.id]] }],
      ['AudienceMembersRemovedEvent', { users: [[user.id], []] }],
    ]);
    expect(await seen()).toEqual([0, 0]);
    await admin.put(path, { users: ['member@example.com', other.id], description: 'All of us' });
    expect(await seen()).toEqual([1, 2]);
    announced = [];
    const { json } = await admin.get(path);
    const same = await admin.put(path, { name: 'Insiders', description: 'All of us', users: [user.id, other.id] });
    expect([same.json.data, announced]).toEqual([json.data, []]);
    expect((await admin.delete(path)).json.data).toEqual({});
    expect(await seen()).toEqual([0, 0]);
    expect((await admin.get(path)).status).toBe(404);
  });

  it('name what is wrong', async () => {
    await admin.post('/audiences', { name: 'Taken' });
    const wrong: [object, string][] = [
      [{}, 'name'],
      [{ name: 'taken' }, 'name'],
      [{ name: 'x', users: ['nobody@example.com', 'no address', 4711] }, 'users'],
      [{ name: 'x', products: ['nope'] }, 'products'],
      [{ name: 'a\u0000b' }, 'name'],
      [{ name: 'x', description: 'x'.repeat(501) }, 'description'],
    ];
    for (const [body, field] of wrong) {
      const { status, json } = await admin.post('/audiences', body);
      expect([body, status, Object.keys(json.errors)]).toEqual([body, 422, [field]]);
    }
    const { data } = (await admin.get('/audiences', { q: 'Taken', with: 'users,products' })).json;
    expect(data).toMatchObject([{ name: 'Taken', users: [], products: [] }]);
    expect(Object.keys((await admin.put(`/audiences/${data[0].id as number}/users`, {})).json.errors)).toEqual([
      'users',
    ]);
  });

  it('have members and products in a list when asked', async () => {
    const { data } = (await admin.get('/audiences')).json;
    expect([Object.hasOwn(data[0], 'users'), Object.hasOwn(data[0], 'products')]).toEqual([false, false]);
  });
});

describe('categories', () => {
  it('are created, read, changed and deleted', async () => {
    const body = { slug: 'cards', name: 'Cards', translations: { ar: { name: 'بطاقات' } } };
    const created = await admin.post('/categories', body);
    expect([created.status, created.json.data]).toEqual([
      201,
      expect.objectContaining({ ...body, translations: expect.anything() }),
    ]);
    await createProduct(test, { slug: 'card-api', categories: ['cards'], visibility: 'draft' });
    await createProduct(test, { slug: 'public-card', categories: ['cards'] });
    const read = await admin.get('/categories/cards', {}, { 'accept-language': 'ar' });
    expect(read.json.data).toMatchObject({ name: 'Cards', products_count: 2 });
    const before = (await test.client.get('/api/v1/categories?locale=ar')).json;
    expect(before.data[0]).toMatchObject({ name: 'بطاقات', products_count: 1 });
    expect(Object.hasOwn(before.data[0], 'updated_at')).toBe(false);
    const same = await admin.put('/categories/cards', read.json.data);
    expect([same.json.data, announced]).toEqual([read.json.data, []]);
    const changed = await admin.put(
      '/categories/cards',
      { name: 'All cards', translations: {} },
      version(read.headers),
    );
    expect(changed.json.data).toMatchObject({ name: 'All cards', translations: {} });
    expect((announced[0] as CategoryUpdatedEvent).changes).toMatchObject({ name: ['Cards', 'All cards'] });
    expect((await admin.delete('/categories/cards', version(read.headers))).status).toBe(412);
    expect((await admin.delete('/categories/cards', version(changed.headers))).status).toBe(200);
    expect((await test.client.get('/api/v1/categories')).json.data).toEqual([]);
    const product = (await test.client.get('/api/v1/api-products/public-card')).json.data;
    expect(product.categories).toEqual([]);
  });

  it('name what is wrong', async () => {
    await admin.post('/categories', { slug: 'taken', name: 'x' });
    const wrong: [object, string[]][] = [
      [{}, ['name', 'slug']],
      [{ slug: 'taken', name: 'x' }, ['slug']],
      [{ slug: 'x', name: 'x', translations: { xx: { name: 'x' } } }, ['translations']],
      [{ slug: 'x', name: 'x', translations: { ar: { name: 5 } } }, ['translations.ar.name']],
    ];
    for (const [body, fields] of wrong) {
      const { status, json } = await admin.post('/categories', body);
      expect([body, status, Object.keys(json.errors).sort()]).toEqual([body, 422, fields]);
    }
  });
});

describe('who may', () => {
  it.each([
    ['auditor', 403],
    ['support', 403],
  ])('not change the catalog: %s', async (role, expected) => {
    const other = await AdminClient.create(test, [role]);
    for (const resource of ['products', 'categories', 'audiences']) {
      for (const answer of [await other.post(`/${resource}`, {}), await other.delete(`/${resource}/1`)]) {
        expect([role, resource, answer.status]).toEqual([role, resource, expected]);
      }
    }
  });
});
