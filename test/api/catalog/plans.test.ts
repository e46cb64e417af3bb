import type { PortalEvent } from '../../../src/core/index.js';
import {
  PlanCreatedEvent,
  PlanDeletedEvent,
  PlanUpdatedEvent,
  PlanVersionActivatedEvent,
  PlanVersionUpdatedEvent,
  ProductUpdatedEvent,
} from '../../../src/domain/catalog/index.js';
import { AdminClient } from '../../support/admin-client.js';
import { createPlan, createProduct, createUser } from '../../support/factories.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

let test: TestPortal;
let admin: AdminClient;
let announced: PortalEvent[] = [];
beforeAll(async () => {
  test = await startTestPortal();
  admin = await AdminClient.create(test, ['catalog_manager']);
  for (const type of [PlanCreatedEvent, PlanUpdatedEvent, PlanDeletedEvent, ProductUpdatedEvent])
    test.portal.events.on<PortalEvent>(type, (event) => void announced.push(event));
  for (const type of [PlanVersionActivatedEvent, PlanVersionUpdatedEvent])
    test.portal.events.on<PortalEvent>(type, (event) => void announced.push(event));
});
beforeEach(() => {
  announced = [];
  test.clock.advance(1);
});
afterAll(() => test.stop());

const version = (headers: Headers) => ({ 'if-match': headers.get('etag') ?? '' });
const offersOf = async (slug: string, token?: string) =>
  (await test.client.get(`/api/v1/api-products/${slug}/plans`, token === undefined ? {} : { token })).json.data;
const slugs = (offers: readonly { slug: string }[]) => offers.map(({ slug }) => slug);

describe('plans', () => {
  it('are created as drafts, changed, archived, offered again and deleted', async () => {
    const body = {
      ...{ slug: 'starter', name: 'Starter', short_description: 'To begin.', price: '0 €', position: 5 },
      ...{ price_url: 'https://example.com/prices', key_lifetime: 86_400, translations: { ar: { name: 'بداية' } } },
    };
    const created = await admin.post('/plans', body);
    expect(created.status).toBe(201);
    expect(created.json.data).toMatchObject({ ...body, status: 'draft', approval: 'auto', active_version: null });
    const path = `/plans/${created.json.data.id as number}`;
    expect((await admin.post(`${path}/archive`)).json.data.status).toBe('archived');
    expect((await admin.post(`${path}/restore`)).json.data.status).toBe('draft');
    expect((await admin.post(`${path}/versions`, { quota_per_day: 100 })).status).toBe(201);
    expect((await admin.post(`${path}/versions/1/activate`)).json.data).toMatchObject({ status: 'active', number: 1 });
    const active = await admin.get('/plans/starter');
    expect(active.json.data).toMatchObject({ status: 'active', active_version: 1 });
    announced = [];
    const same = await admin.put(path, active.json.data, version(active.headers));
    expect([same.status, same.json.data, announced]).toEqual([200, active.json.data, []]);
    const changed = await admin.put(path, { price: '1 €' }, version(active.headers));
    expect((announced[0] as PlanUpdatedEvent).changes).toEqual({ price: ['0 €', '1 €'] });
    expect((await admin.put(path, { price: '2 €' }, version(active.headers))).status).toBe(412);
    expect((await admin.post(`${path}/archive`)).json.data.status).toBe('archived');
    expect((await admin.post(`${path}/restore`)).json.data.status).toBe('active');
    expect((await admin.delete(path, version(changed.headers))).status).toBe(412);
    expect((await admin.delete(path)).status).toBe(200);
    expect((await admin.get(path)).status).toBe(404);
  });

  it('name what is wrong', async () => {
    await createPlan(test, { slug: 'taken' });
    const wrong: [object, string][] = [
      [{ name: 'x' }, 'slug'],
      [{ slug: 'taken', name: 'x' }, 'slug'],
      [{ slug: 'x', name: 'x', audiences: ['nobody'] }, 'audiences'],
      [{ slug: 'x', name: 'x', translations: { xx: { name: 'x' } } }, 'translations'],
      [{ slug: 'x', name: 'x', price_url: 'javascript:alert(1)' }, 'price_url'],
      [{ slug: 'x', name: 'x', key_lifetime: 1 }, 'key_lifetime'],
      [{ slug: 'x', name: 'x', status: 'active' }, 'status'],
    ];
    for (const [body, field] of wrong) {
      const { status, json } = await admin.post('/plans', body);
      expect([body, status, Object.keys(json.errors)]).toEqual([body, 422, [field]]);
    }
  });

  it('are for readers of plans only', async () => {
    await createPlan(test, { slug: 'guarded' });
    const support = await AdminClient.create(test, ['support']);
    expect((await support.get('/plans/guarded')).status).toBe(200);
    for (const answer of [
      await support.post('/plans', { slug: 'x', name: 'x' }),
      await support.put('/plans/guarded', { price: '1' }),
      await support.post('/plans/guarded/versions'),
      await support.post('/plans/guarded/archive'),
      await support.delete('/plans/guarded'),
    ])
      expect(answer.status).toBe(403);
  });
});

describe('versions of a plan', () => {
  it('take limits that were not given from the one before, and are numbered', async () => {
    await createPlan(test, { slug: 'numbered' }, { quotaPerDay: 10, ratePerSecond: 2 });
    const second = await admin.post('/plans/numbered/versions', { quota_per_day: null, grace_percent: 5 });
    expect(second.json.data).toMatchObject({
      ...{ number: 2, status: 'draft', plan: { slug: 'numbered' } },
      ...{ quota_per_day: null, rate_per_second: 2, grace_percent: 5, enforcement: 'hard' },
    });
    const { data } = (await admin.get('/plans/numbered/versions', { sort: '-number' })).json;
    expect(data.map(({ number, status }: Record<string, unknown>) => [number, status])).toEqual([
      [2, 'draft'],
      [1, 'active'],
    ]);
    expect((await admin.get('/plans/numbered/versions/3')).status).toBe(404);
  });

  it('are changed as drafts, and never once they were active', async () => {
    await createPlan(test, { slug: 'frozen' }, { quotaPerDay: 10 });
    const draft = await admin.post('/plans/frozen/versions', { quota_per_day: 20 });
    announced = [];
    const changed = await admin.put('/plans/frozen/versions/2', { quota_per_day: 30 }, version(draft.headers));
    expect(changed.json.data.quota_per_day).toBe(30);
    expect((announced[0] as PlanVersionUpdatedEvent).changes).toEqual({ quotaPerDay: [20, 30] });
    const stale = await admin.put('/plans/frozen/versions/2', { quota_per_day: 40 }, version(draft.headers));
    expect(stale.status).toBe(412);
    expect((await admin.post('/plans/frozen/versions/2/activate')).status).toBe(200);
    expect((announced.at(-1) as PlanVersionActivatedEvent).before).toBe(1);
    for (const number of [1, 2]) {
      const path = `/plans/frozen/versions/${number}`;
      const before = (await admin.get(path)).json.data;
      expect((await admin.put(path, { quota_per_day: 99 })).status).toBe(409);
      expect((await admin.post(`${path}/activate`)).status).toBe(409);
      expect((await admin.get(path)).json.data).toEqual(before);
    }
    expect((await admin.get('/plans/frozen/versions/1')).json.data.status).toBe('superseded');
  });

  it('are not activated while their plan is archived', async () => {
    const { id } = await createPlan(test, { slug: 'resting' });
    await admin.post('/plans/resting/versions');
    await test.portal.services.catalog.plans.archive(id);
    expect((await admin.post('/plans/resting/versions/2/activate')).status).toBe(409);
    expect((await admin.get('/plans/resting')).json.data.active_version).toBe(1);
  });

  it('are activated one at a time, however many admins try', async () => {
    await createPlan(test, { slug: 'contended' });
    for (let count = 0; count < 3; count += 1) await admin.post('/plans/contended/versions');
    await Promise.all([2, 3, 4].map((number) => admin.post(`/plans/contended/versions/${number}/activate`)));
    const { data } = (await admin.get('/plans/contended/versions')).json;
    expect(data.filter(({ status }: { status: string }) => status === 'active')).toHaveLength(1);
  });
});

describe('the plans of a product', () => {
  it('are offered in order, one of them by default', async () => {
    await createPlan(test, { slug: 'pro', position: 2, translations: { ar: { name: 'محترف' } } }, { quotaPerDay: 500 });
    await createPlan(test, { slug: 'free', position: 1 }, { quotaPerDay: 50, gracePercent: 10 });
    await createProduct(test, { slug: 'maps' });
    expect(await offersOf('maps')).toEqual([]);
    announced = [];
    const first = await admin.put('/products/maps/plans', { plans: ['pro', 'free'] });
    expect(first.json.data).toMatchObject({
      plans: [
        { slug: 'free', is_default: false },
        { slug: 'pro', is_default: true, status: 'active' },
      ],
      default_plan: 'pro',
    });
    expect((announced[0] as ProductUpdatedEvent).changes).toEqual({
      plans: [[], ['free', 'pro']],
      defaultPlan: [null, 'pro'],
    });
    announced = [];
    const { headers } = await admin.put('/products/maps', { default_plan: 'free' }, version(first.headers));
    expect((announced[0] as ProductUpdatedEvent).changes).toEqual({ defaultPlan: ['pro', 'free'] });
    expect((await admin.put('/products/maps/plans', { plans: [] }, version(first.headers))).status).toBe(412);
    const kept = await admin.put('/products/maps/plans', { plans: ['pro', 'free'] }, version(headers));
    expect([kept.json.data.default_plan, announced.length]).toEqual(['free', 1]);
    const offers = await offersOf('maps');
    expect(offers).toMatchObject([
      { slug: 'free', is_default: true, version: 1, quota_per_day: 50, grace_percent: 10, rate_per_second: null },
      { slug: 'pro', is_default: false, quota_per_day: 500 },
    ]);
    const { json } = await test.client.get('/api/v1/api-products/maps/plans?locale=ar');
    expect(json.data.map(({ name }: { name: string }) => name)).toEqual(['free', 'محترف']);
  });

  it('are refused when they are missing', async () => {
    await createProduct(test, { slug: 'lonely' });
    await createPlan(test, { slug: 'known' });
    const unknown = await admin.put('/products/lonely/plans', { plans: ['known', 'nope'] });
    expect(unknown.json.errors).toEqual({ plans: ['There is no plan "nope".'] });
    const foreign = await admin.put('/products/lonely/plans', { plans: ['known'], default_plan: 'free' });
    expect(Object.keys(foreign.json.errors)).toEqual(['default_plan']);
    expect((await admin.get('/products/lonely')).json.data.plans).toEqual([]);
  });

  it('show what is active, to those whom a plan is for', async () => {
    const member = await createUser(test);
    const { audiences, plans } = test.portal.services.catalog;
    const insiders = await audiences.create({ name: 'Insiders', users: [member.id] });
    await createPlan(test, { slug: 'open', position: 1 });
    await createPlan(test, { slug: 'inner', position: 2, audiences: ['Insiders'] });
    await plans.create({ slug: 'unborn', name: 'Unborn', approval: 'auto' });
    const old = await createPlan(test, { slug: 'old' });
    await createProduct(test, { slug: 'rates', plans: ['open', 'inner', 'unborn', 'old'] });
    await plans.archive(old.id);
    expect(slugs(await offersOf('rates'))).toEqual(['open']);
    expect(slugs(await offersOf('rates', await signIn(test, await createUser(test))))).toEqual(['open']);
    expect(slugs(await offersOf('rates', await signIn(test, member)))).toEqual(['open', 'inner']);
    // Without its audience the plan would be for everybody.
    expect((await admin.delete(`/audiences/${insiders.id}`)).status).toBe(409);
    expect(slugs(await offersOf('rates'))).toEqual(['open']);
  });

  it('are hidden with a product that the caller does not see', async () => {
    await createProduct(test, { slug: 'vault', visibility: 'private', plans: ['open'] });
    const hidden = await test.client.get('/api/v1/api-products/vault/plans');
    const missing = await test.client.get('/api/v1/api-products/nothing/plans');
    expect([hidden.status, hidden.json]).toEqual([404, missing.json]);
  });

  it('keep a plan from being deleted, and a default one from being archived', async () => {
    const { id } = await createPlan(test, { slug: 'anchor' });
    await createProduct(test, { slug: 'harbour', plans: ['anchor'] });
    expect((await admin.delete(`/plans/${id}`)).json.errors).toEqual({
      products: ['Products offer this plan. Take it from them first.'],
    });
    expect((await admin.post('/plans/anchor/archive')).status).toBe(409);
    await admin.put('/products/harbour/plans', { plans: [] });
    expect((await admin.post('/plans/anchor/archive')).status).toBe(200);
    expect((await admin.delete('/plans/anchor')).status).toBe(200);
  });
});
