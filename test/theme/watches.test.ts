import { AdminClient } from '../support/admin-client.js';
import { Developer, verify } from '../support/apps.js';
import { openConsole } from '../support/console.js';
import { createProduct, PASSWORD } from '../support/factories.js';
import { decoded, PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';
import { flushUsage } from '../support/usage.js';

const CHANGES = '/portal/products/payments/changes';
let test: TestPortal;
let page: PageClient;
let ada: Developer;
let admin: AdminClient;
beforeAll(async () => {
  test = await startTestPortal({ replicas: 1 });
  admin = await AdminClient.create(test, ['catalog_manager']);
  await createProduct(test, { slug: 'payments', name: 'Payments' });
  ada = await Developer.create(test);
  page = new PageClient(test.client);
  await page.submit('/portal/login', { email: ada.user.email, password: PASSWORD });
});
afterAll(() => test.stop());

const wordsOf = (html: string) =>
  decoded(html)
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');
const kindsOf = (html: string) =>
  [...html.matchAll(/name="kinds" value="(\w+)"( checked)?/g)].filter(([, , on]) => on).map(([, kind]) => kind);
const set = async (fields: Record<string, string | string[]>) =>
  page.post('/portal/watches', { _csrf: await page.csrf(CHANGES), product: 'payments', ...fields });

describe('what a developer wants to hear of an API', () => {
  it('is chosen beside its changes, listed on the profile, changed and ended there, without a script', async () => {
    const before = await page.get(CHANGES);
    expect([kindsOf(before.html), wordsOf(before.html).includes('Stop watching')]).toEqual([
      ['breaking', 'deprecation'],
      false,
    ]);
    expect((await page.get('/portal/profile')).html).toContain('You have not set this for any API.');
    const saved = await set({ kinds: ['fix', 'breaking', 'nonsense'], act: 'watch', from: 'product' });
    expect([saved.status, saved.path]).toEqual([200, CHANGES]);
    const { html } = await page.get('/portal/profile');
    expect([kindsOf(html), html.includes(`href="${CHANGES}"`)]).toEqual([['breaking', 'fix'], true]);
    expect((await page.get('/portal/profile?locale=ar')).html).toContain('الواجهات التي تتابعها');
    await page.get('/portal/profile?locale=en');
    expect((await set({ act: 'watch' })).path).toBe('/portal/profile');
    expect(kindsOf((await page.get('/portal/profile')).html)).toEqual([]);
    await set({ act: 'stop' });
    expect(kindsOf((await page.get(CHANGES)).html)).toEqual(['breaking', 'deprecation']);
  });

  it('is not asked of strangers, and not taken for what they do not see', async () => {
    await createProduct(test, { slug: 'secret', visibility: 'private' });
    expect((await set({ product: 'secret', kinds: 'fix', act: 'watch' })).status).toBe(404);
    expect((await test.client.get(CHANGES)).text).not.toContain('name="kinds"');
    expect((await new PageClient(test.client).post('/portal/watches', { product: 'payments' })).status).toBe(403);
  });
});

describe('a change that hits', () => {
  it('is told on its form with how many apps and people it hits, and afterwards on the page of each app', async () => {
    const { key } = await ada.createApp('shop', ['payments']);
    const draft = await admin.post('/products/payments/deprecations', { sunset_at: '2099-01-01' });
    const { id } = draft.json.data as { id: number };
    const console = await openConsole(test);
    const form = `/admin/deprecations/payments/${id}/announce`;
    expect(wordsOf((await console.get(form)).html)).toContain('A change would hit nobody in the last 30 days.');
    expect((await verify(test, key, 'payments')).status).toBe(200);
    await flushUsage(test);
    const { html } = await console.get(form);
    expect(wordsOf(html)).toMatch(/Apps: 1 · People: 1 · Calls: 1 \. A notice reaches, of these people: 1/);
    expect(html).toContain(`/admin/deprecations/payments/${id}/callers`);
    const { total, people, reachable, calls } = (await admin.get(`/products/payments/deprecations/${id}/callers`)).json
      .data;
    expect([total, people, reachable, calls]).toEqual([1, 1, 1, 1]);
    const fix = (await admin.post('/products/payments/changes', { kind: 'fix', name: 'A slip' })).json.data
      .id as number;
    const breaking = (await admin.post('/products/payments/changes', { kind: 'breaking', name: 'Texts' })).json.data;
    expect(wordsOf((await console.get(`/admin/changes/payments/${fix}/publish`)).html)).not.toContain('People');
    expect(wordsOf((await console.get(`/admin/changes/payments/${breaking.id as number}/publish`)).html)).toContain(
      'Apps: 1',
    );
    expect((await page.get('/portal/apps/shop')).html).not.toContain('What changes for this app');
    expect((await admin.post(`/products/payments/deprecations/${id}/announce`, { notice: true })).status).toBe(200);
    await test.portal.jobs.run('change-notices');
    const { items: now } = await test.portal.services.notices.list(ada.user.id, LATEST, 'en');
    expect(now).toHaveLength(1);
    const shown = await page.get('/portal/apps/shop');
    expect(wordsOf(shown.html)).toMatch(/What changes for this app Payments · Deprecation · Ends on/);
    const [notice] = (await test.portal.services.notices.list(ada.user.id, LATEST, 'en')).items;
    await test.portal.services.notices.acknowledge(ada.user.id, notice?.id ?? 0);
    expect((await page.get('/portal/apps/shop')).html).not.toContain('What changes for this app');
  });
});

const LATEST = { page: 1, perPage: 5, orderBy: 'created_at', direction: 'DESC', with: [], filters: [] } as const;
