import type { PortalEvent } from '../../../src/core/index.js';
import {
  ChangeCreatedEvent,
  ChangeDeletedEvent,
  ChangePublishedEvent,
  ChangeUpdatedEvent,
} from '../../../src/domain/catalog/index.js';
import { AdminClient } from '../../support/admin-client.js';
import { createProduct, createUser } from '../../support/factories.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { issueTokens } from '../../support/tokens.js';

let test: TestPortal;
let admin: AdminClient;
let announced: PortalEvent[] = [];
beforeAll(async () => {
  test = await startTestPortal();
  admin = await AdminClient.create(test, ['catalog_manager']);
  for (const type of [ChangeCreatedEvent, ChangeDeletedEvent, ChangePublishedEvent, ChangeUpdatedEvent])
    test.portal.events.on<PortalEvent>(type, (event) => void announced.push(event));
});
beforeEach(() => {
  announced = [];
  test.clock.advance(1);
});
afterAll(() => test.stop());

const ifMatch = (headers: Headers) => ({ 'if-match': headers.get('etag') ?? '' });
const drafted = async (slug: string, body: object = {}) => {
  const answer = await admin.post(`/products/${slug}/changes`, { kind: 'feature', name: 'Refunds', ...body });
  expect(answer.status).toBe(201);
  return `/products/${slug}/changes/${answer.json.data.id as number}`;
};
const published = async (slug: string, body: object = {}) => {
  const path = await drafted(slug, body);
  test.clock.advance(1);
  return (await admin.post(`${path}/publish`)).json.data.id as number;
};
const changesOf = (slug: string, query = '', token?: string) =>
  test.client.get(`/api/v1/api-products/${slug}/changes${query}`, token === undefined ? {} : { token });
const namesOf = (answer: Awaited<ReturnType<typeof changesOf>>) =>
  (answer.json.data as { name: string }[]).map(({ name }) => name);

describe('the changelog of a product', () => {
  it('is drafted, edited, published and deleted by admins; each is an event of the product', async () => {
    await createProduct(test, { slug: 'cards' });
    const texts = { short_description: 'At last.', description: '**Refunds** are here.', version: '2.1' };
    const path = await drafted('cards', { ...texts, translations: { ar: { name: 'الاسترداد' } } });
    const draft = await admin.get(path);
    expect(draft.json.data).toMatchObject({ ...texts, kind: 'feature', status: 'draft', published_at: null });
    expect(draft.json.data.product.slug).toBe('cards');
    expect((await admin.put(path, { kind: 'fix' }, ifMatch(draft.headers))).json.data.kind).toBe('fix');
    expect((await admin.put(path, { kind: 'feature' }, ifMatch(draft.headers))).status).toBe(412);
    test.clock.advance(5);
    const { status, published_at: at } = (await admin.post(`${path}/publish`)).json.data;
    expect([status, at]).toEqual(['published', test.clock.now().toISOString()]);
    expect((await admin.post(`${path}/publish`)).status).toBe(409);
    expect((await admin.delete(path)).status).toBe(200);
    expect((await admin.get(path)).status).toBe(404);
    const types = [ChangeCreatedEvent, ChangeUpdatedEvent, ChangePublishedEvent, ChangeDeletedEvent];
    expect(announced.map((event) => types.findIndex((type) => event instanceof type))).toEqual([0, 1, 2, 3]);
  });

  it('shows readers what is published, the latest first, in their language', async () => {
    await createProduct(test, { slug: 'payouts' });
    const translations = { ar: { name: 'الأول', description: 'نص' } };
    const first = await published('payouts', { name: 'First', description: 'Text', kind: 'breaking', translations });
    await published('payouts', { name: 'Second' });
    const draft = await drafted('payouts', { name: 'Draft' });
    expect(namesOf(await changesOf('payouts'))).toEqual(['Second', 'First']);
    expect(namesOf(await changesOf('payouts', `?filters=${JSON.stringify({ kind: 'breaking' })}`))).toEqual(['First']);
    const arabic = { headers: { 'accept-language': 'ar' } };
    const one = await test.client.get(`/api/v1/api-products/payouts/changes/${first}`, arabic);
    expect(one.json.data).toMatchObject({ name: 'الأول', description: 'نص', kind: 'breaking' });
    const id = draft.split('/').at(-1) ?? '';
    expect((await test.client.get(`/api/v1/api-products/payouts/changes/${id}`)).status).toBe(404);
  });

  it('is seen by those who see the product, and never through another one', async () => {
    await createProduct(test, { slug: 'open' });
    const member = await createUser(test);
    const { audiences } = test.portal.services.catalog;
    const beta = await audiences.create({ name: 'beta', users: [member.email] });
    await createProduct(test, { slug: 'closed', visibility: 'private', audiences: ['beta'] });
    const id = await published('closed', { name: 'Hidden' });
    const { accessToken } = await issueTokens(test, member.id);
    const stranger = await issueTokens(test, (await createUser(test)).id);
    expect(namesOf(await changesOf('closed', '', accessToken))).toEqual(['Hidden']);
    for (const token of [undefined, stranger.accessToken])
      expect((await changesOf('closed', '', token)).status).toBe(404);
    expect((await test.client.get(`/api/v1/api-products/open/changes/${id}`)).status).toBe(404);
    expect((await admin.get(`/products/open/changes/${id}`)).status).toBe(404);
    await audiences.update(beta.id, { users: [] });
    expect((await changesOf('closed', '', accessToken)).status).toBe(404);
  });

  it('goes with its product', async () => {
    const { id } = await createProduct(test, { slug: 'gone' });
    await published('gone');
    await test.portal.services.catalog.products.delete(id);
    const sql = 'SELECT id FROM portal_changelog_entries WHERE product_id = ?';
    expect(await test.portal.database.select(sql, [id])).toEqual([]);
  });

  it('refuses kinds and languages that it does not know, and admins who may only look', async () => {
    await createProduct(test, { slug: 'strict' });
    for (const wrong of [{ kind: 'surprise' }, { translations: { xx: { name: 'x' } } }, { name: '' }]) {
      const body = { kind: 'fix', name: 'Fine', ...wrong };
      expect((await admin.post('/products/strict/changes', body)).status).toBe(422);
    }
    const path = await drafted('strict');
    const reader = await AdminClient.create(test, ['auditor']);
    expect((await reader.get(path)).status).toBe(200);
    for (const refused of [reader.post(`${path}/publish`), reader.delete(path), reader.put(path, { kind: 'fix' })])
      expect((await refused).status).toBe(403);
  });
});
