import type { PortalEvent } from '../../../src/core/index.js';
import { BannerCreatedEvent, BannerDeletedEvent, BannerUpdatedEvent } from '../../../src/domain/content/index.js';
import { AdminClient } from '../../support/admin-client.js';
import { createProduct, createUser } from '../../support/factories.js';
import { PageClient } from '../../support/page-client.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { issueTokens } from '../../support/tokens.js';

let test: TestPortal;
let admin: AdminClient;
let member: string;
beforeAll(async () => {
  test = await startTestPortal();
  admin = await AdminClient.create(test, ['catalog_manager']);
  await test.portal.services.catalog.audiences.create({ name: 'partners' });
  const user = await createUser(test);
  await test.portal.services.catalog.audiences.addMembers('partners', [user.id]);
  member = (await issueTokens(test, user.id)).accessToken;
  const document = {
    openapi: '3.1.0',
    info: { title: 'Payments', version: '1' },
    paths: { '/a': { get: { operationId: 'getA', responses: { 200: { description: 'Fine' } } } } },
  };
  await createProduct(test, { slug: 'payments', name: 'Payments' }, document);
  await createProduct(test, { slug: 'hidden', name: 'Hidden', visibility: 'private', audiences: ['partners'] });
});
afterAll(() => test.stop());

const at = (seconds: number) => new Date(test.clock.now().getTime() + seconds * 1000).toISOString();
const put = async (body: object) => {
  const answer = await admin.post('/banners', body);
  expect([answer.status, answer.json.errors]).toEqual([201, undefined]);
  return answer.json.data.id as number;
};
const shown = async (path = '/banners', token?: string) => {
  const { status, json } = await test.client.get(`/api/v1${path}`, token === undefined ? {} : { token });
  return status === 200 ? (json.data as { name: string }[]).map(({ name }) => name) : status;
};
const page = async (path: string) => (await new PageClient(test.client).get(path)).html;

describe('banners', () => {
  it('are put up, changed and taken down by admins with the permission, each as an event', async () => {
    const announced: PortalEvent[] = [];
    for (const type of [BannerCreatedEvent, BannerUpdatedEvent, BannerDeletedEvent])
      test.portal.events.on<PortalEvent>(type, (event) => void announced.push(event));
    const support = await AdminClient.create(test, ['support']);
    expect((await support.post('/banners', { level: 'info', name: 'No' })).status).toBe(403);
    const { json, headers } = await admin.post('/banners', {
      ...{ level: 'maintenance', name: 'Slow tonight', translations: { ar: { name: 'بطء الليلة' } } },
    });
    const path = `/banners/${json.data.id as number}`;
    expect(json.data).toMatchObject({ product: null, ends_at: null, translations: { ar: { name: 'بطء الليلة' } } });
    const version = { 'if-match': headers.get('etag') ?? '' };
    test.clock.advance(1);
    expect((await admin.put(path, { level: 'incident' }, version)).json.data.level).toBe('incident');
    expect((await admin.put(path, { level: 'info' }, version)).status).toBe(412);
    expect((await admin.put(path, { ends_at: '2020-01-01' })).status).toBe(422);
    expect((await admin.post('/banners', { level: 'info', name: 'No', product: 'nowhere' })).status).toBe(422);
    const [arabic] = (await test.client.get('/api/v1/banners?locale=ar')).json.data as { name: string }[];
    expect(arabic?.name).toBe('بطء الليلة');
    expect((await admin.delete(path)).status).toBe(200);
    expect(announced.map(({ constructor }) => constructor)).toEqual([
      ...[BannerCreatedEvent, BannerUpdatedEvent, BannerDeletedEvent],
    ]);
    const activities = (await (await AdminClient.create(test, ['auditor'])).get('/activities?per_page=100')).json;
    const actions = (activities.data as { action: string }[]).map(({ action }) => action);
    expect(actions.filter((action) => action.startsWith('banner.')).sort()).toEqual([
      ...['banner.created', 'banner.deleted', 'banner.updated'],
    ]);
  });

  it('begin and end by themselves, in REST, on pages and as Markdown', async () => {
    const times = { starts_at: at(60), ends_at: at(120) };
    await put({ level: 'maintenance', name: 'Payments pause', product: 'payments', ...times });
    await put({ level: 'info', name: 'All of us rest <b>', ...times });
    const pages = ['/portal/products/payments', '/portal/products/payments/spec', '/portal/products/payments.md'];
    const seen = async () => {
      const texts = await Promise.all(pages.map(page));
      return [
        await shown('/api-products/payments/banners'),
        await shown(),
        ...texts.map(
          (text) => [text.includes('Payments pause'), text.includes('All of us rest')].filter(Boolean).length,
        ),
        (await page('/portal')).includes('All of us rest &lt;b&gt;'),
      ];
    };
    expect(await seen()).toEqual([[], [], 0, 0, 0, false]);
    test.clock.advance(60);
    expect(await seen()).toEqual([['Payments pause'], ['All of us rest <b>'], 2, 2, 2, true]);
    const html = await page('/portal/products/payments');
    expect(html).toMatch(/<div class="banners" role="status">/);
    expect(html).toContain('All of us rest &lt;b&gt;');
    expect(html).toContain(`until <time datetime="${times.ends_at}">`);
    test.clock.advance(59);
    expect(await shown('/api-products/payments/banners')).toEqual(['Payments pause']);
    test.clock.advance(1);
    expect(await seen()).toEqual([[], [], 0, 0, 0, false]);
  });

  it('of a product are for who sees it', async () => {
    await put({ level: 'incident', name: 'Hidden trouble', product: 'hidden' });
    expect(await shown('/api-products/hidden/banners')).toBe(404);
    expect(await shown('/api-products/nowhere/banners')).toBe(404);
    expect(await shown()).toEqual([]);
    expect(await shown('/api-products/hidden/banners', member)).toEqual(['Hidden trouble']);
    for (const path of ['/portal', '/portal/products', '/portal/products/payments', '/llms.txt'])
      expect(await page(path)).not.toContain('Hidden trouble');
  });

  it('come the worst first, and go with their product', async () => {
    const { id } = await createProduct(test, { slug: 'worst', name: 'Worst' });
    for (const level of ['info', 'incident', 'maintenance']) await put({ level, name: level, product: 'worst' });
    expect(await shown('/api-products/worst/banners')).toEqual(['incident', 'maintenance', 'info']);
    await test.portal.services.catalog.products.delete(id);
    expect((await admin.get(`/banners?filters=${encodeURIComponent('{"product":"worst"}')}`)).json.data).toEqual([]);
  });
});
