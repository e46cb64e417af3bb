import { Admin } from '../support/admin.js';
import { AdminClient } from '../support/admin-client.js';
import { Developer, verify } from '../support/apps.js';
import { openConsole } from '../support/console.js';
import { createProduct, createUser, PASSWORD } from '../support/factories.js';
import { decoded, PageClient } from '../support/page-client.js';
import { createTeam } from '../support/teams.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';
import { flushUsage } from '../support/usage.js';

const CHANGES = '/portal/products/payments/changes';
let test: TestPortal;
let page: PageClient;
let ada: Developer;
let admin: AdminClient;
beforeAll(async () => {
  test = await startTestPortal({
    replicas: 1,
    // Visits end with a break of half an hour, sign-ins do not here.
    config: { session: { idle: '12h' }, portalApi: { accessTtl: '12h' } },
  });
  admin = await AdminClient.create(test, ['catalog_manager']);
  await createProduct(test, { slug: 'payments', name: 'Payments' });
  ada = await Developer.create(test);
  page = new PageClient(test.client);
  await page.submit('/portal/login', { email: ada.user.email, password: PASSWORD });
});
afterAll(() => test.stop());

const textOf = (html: string) =>
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
    expect([kindsOf(before.html), textOf(before.html).includes('Stop watching')]).toEqual([
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

  it('comes at once, once a day or not at all by mail, as they choose on their profile', async () => {
    const chosen = (html: string) => /<option value="(\w+)" selected>[^<]*(?:once|mails|day)/i.exec(html)?.[1];
    const choose = async (value: string) =>
      page.post('/portal/change-mails', { _csrf: await page.csrf('/portal/profile'), change_mails: value });
    expect(chosen((await page.get('/portal/profile')).html)).toBe('at_once');
    const saved = await choose('daily');
    expect([saved.path, chosen(saved.html)]).toEqual(['/portal/profile', 'daily']);
    await choose('hourly');
    expect((await page.get('/portal/profile?locale=ar')).html).toMatch(/value="daily" selected>مرة في اليوم/);
    await page.get('/portal/profile?locale=en');
    expect(chosen((await choose('none')).html)).toBe('none');
    await choose('at_once');
    // The page of the address in a digest says what it ends.
    const token = test.portal.services.notices.tokenOf(ada.user.id, null);
    expect(textOf((await page.get(`/portal/unsubscribe?token=${token}`)).html)).toContain('changes of any API');
    expect(textOf((await page.get('/portal/unsubscribe?state=all-done')).html)).toContain('Your profile brings them');
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
    expect(textOf((await console.get(form)).html)).toContain('A change would hit nobody in the last 30 days.');
    expect((await verify(test, key, 'payments')).status).toBe(200);
    await flushUsage(test);
    const { html } = await console.get(form);
    expect(textOf(html)).toMatch(/Apps: 1 · People: 1 · Calls: 1 \. A notice reaches, of these people: 1/);
    expect(html).toContain(`/admin/deprecations/payments/${id}/callers`);
    const { total, people, reachable, calls } = (await admin.get(`/products/payments/deprecations/${id}/callers`)).json
      .data;
    expect([total, people, reachable, calls]).toEqual([1, 1, 1, 1]);
    const fix = (await admin.post('/products/payments/changes', { kind: 'fix', name: 'A slip' })).json.data
      .id as number;
    const breaking = (await admin.post('/products/payments/changes', { kind: 'breaking', name: 'Texts' })).json.data;
    expect(textOf((await console.get(`/admin/changes/payments/${fix}/publish`)).html)).not.toContain('People');
    expect(textOf((await console.get(`/admin/changes/payments/${breaking.id as number}/publish`)).html)).toContain(
      'Apps: 1',
    );
    expect((await page.get('/portal/apps/shop')).html).not.toContain('What changes for this app');
    expect((await admin.post(`/products/payments/deprecations/${id}/announce`, { notice: true })).status).toBe(200);
    await test.portal.jobs.run('change-notices');
    const { items: now } = await test.portal.services.notices.list(ada.user.id, LATEST, 'en');
    expect(now).toHaveLength(1);
    const shown = await page.get('/portal/apps/shop');
    expect(textOf(shown.html)).toMatch(/What changes for this app Payments · Deprecation · Ends on/);
    const [notice] = (await test.portal.services.notices.list(ada.user.id, LATEST, 'en')).items;
    await test.portal.services.notices.acknowledge(ada.user.id, notice?.id ?? 0);
    expect((await page.get('/portal/apps/shop')).html).not.toContain('What changes for this app');
  });
});

describe('a change of a product that only a team sees', () => {
  it('is told to its members with links that open, and on the page of its app to all who may see it', async () => {
    const { services } = test.portal;
    const viewer = await createUser(test);
    const team = await createTeam(test, ada.user, [[viewer, 'viewer']]);
    const account = await services.teams.teams.accountOf(team);
    const audience = await services.catalog.audiences.create({ name: 'crew', users: [account.id] });
    const hidden = await createProduct(test, { slug: 'crew-only', name: 'Crew', visibility: 'private' });
    await services.catalog.products.update(hidden.id, { audiences: [audience.id] });
    const by = { type: 'developer', id: ada.user.id } as const;
    const made = await services.apps.apps.create(account, { name: 'till', products: ['crew-only'] }, by);
    expect((await verify(test, made.credentials?.[0]?.key?.consumerKey ?? '', 'crew-only')).status).toBe(200);
    await flushUsage(test);
    const draft = await admin.post('/products/crew-only/deprecations', { sunset_at: '2099-01-01' });
    const announce = `/products/crew-only/deprecations/${draft.json.data.id as number}/announce`;
    expect((await admin.post(announce, { notice: true })).status).toBe(200);
    await test.portal.jobs.run('change-notices');

    const place = `/portal/teams/${team.id}/apps/till`;
    expect((await page.get('/portal/products/crew-only')).status).toBe(404);
    const { html } = await page.get('/portal/dashboard');
    expect([html.includes('/products/crew-only'), html.includes(`href="${place}"`)]).toEqual([false, true]);
    expect(textOf(html)).toMatch(/Crew .* till \( Team of \d+ \)/);
    const told = await test.client.get('/api/v1/me/notices', { token: ada.token });
    expect(told.json.data[0].apps).toEqual([{ id: made.app.id, name: 'till', team: team.id }]);
    const [mail] = await test.portal.database.select<{ recipient: string }>(
      "SELECT recipient FROM portal_mails WHERE template = 'deprecation-announced' ORDER BY id DESC LIMIT 1",
    );
    expect(mail?.recipient).toBe(ada.user.email);

    // Viewers are not mailed, and read it where the app is.
    const reader = new PageClient(test.client);
    await reader.submit('/portal/login', { email: viewer.email, password: PASSWORD });
    const shown = (await reader.get(place)).html;
    expect(textOf(shown)).toMatch(/What changes for this app Crew · Deprecation · Ends on/);
    expect(shown).not.toContain('/products/crew-only');
    await test.client.send('DELETE', `/api/v1/me/teams/${team.id}/members/${viewer.id}`, { token: ada.token });
    expect((await reader.get(place)).status).toBe(404);

    const console = await openConsole(test);
    const listed = await console.get(`/admin/apps?team=${encodeURIComponent(team.name)}`);
    expect([listed.html.includes(`/admin/teams/${team.id}"`), listed.html.includes('shop')]).toEqual([true, false]);
    const boss = await Admin.create(test);
    const found = await boss.get(`/apps?filters=${encodeURIComponent(`{"team":"${team.name}"}`)}`);
    expect(found.json.data.map(({ name }: { name: string }) => name)).toEqual(['till']);
    const keys = await boss.get(`/credentials?filters=${encodeURIComponent(`{"user":${account.id}}`)}`);
    expect(keys.json.data[0].team).toEqual({ id: team.id, name: team.name });
    await services.catalog.products.update(hidden.id, { audiences: [] });
    expect((await services.notices.list(ada.user.id, LATEST, 'en')).items.map(({ title }) => title)).not.toContain(
      'Crew',
    );
  });
});

const LATEST = { page: 1, perPage: 5, orderBy: 'created_at', direction: 'DESC', with: [], filters: [] } as const;

describe('what changed since a developer last looked', () => {
  const own = (method: 'get' | 'post') =>
    test.client.send(method.toUpperCase(), '/api/v1/me/visits/tides', { token: ada.token });
  const told = async (method: 'get' | 'post' = 'get') => (await own(method)).json.data as { changes: number };
  const badges = (html: string) => html.match(/badge-new/g)?.length ?? 0;

  it('is marked on the page, the changes and the reference of a product, until the next visit or until they say so', async () => {
    const document = (...paths: string[]) => ({
      openapi: '3.1.0',
      info: { title: 'T', version: '1' },
      paths: Object.fromEntries(paths.map((path) => [path, { get: { responses: {} } }])),
    });
    const product = await createProduct(test, { slug: 'tides', name: 'Tides' }, document('/a'));
    const { changelog } = test.portal.services.catalog;
    const publish = async (name: string) =>
      changelog.publish(await changelog.create(product, { kind: 'feature', name }));
    await publish('Before');
    const [place, changes] = ['/portal/products/tides', '/portal/products/tides/changes'];
    // Nothing is new to who was never here.
    expect(badges((await page.get(place)).html)).toBe(0);
    expect(await told()).toMatchObject({ since: null, changes: 0 });
    test.clock.advance(3_600);
    await publish('After');
    await admin.put('/products/tides/spec', { spec: document('/a', '/b') });
    test.clock.advance(60);
    const [shown, listed, spec] = [
      (await page.get(place)).html,
      (await page.get(changes)).html,
      (await page.get(`${place}/spec`)).html,
    ];
    expect([badges(shown), badges(listed), spec.match(/New since your last visit/g) !== null]).toEqual([1, 1, true]);
    expect(textOf(listed)).toMatch(/New since you were last here \(.+\): 1/);
    expect(await told()).toMatchObject({ product: { slug: 'tides' }, changes: 1 });
    // The same visit goes on, a break of half an hour ends it.
    test.clock.advance(20 * 60);
    expect(badges((await page.get(changes)).html)).toBe(1);
    test.clock.advance(31 * 60);
    expect(textOf((await page.get(changes)).html)).toContain('Nothing is new since you were last here');
    test.clock.advance(31 * 60);
    await publish('Later');
    expect(badges((await page.get(changes)).html)).toBe(1);
    test.clock.advance(1);
    expect(await told('post')).toMatchObject({ changes: 0 });
    expect(badges((await page.get(changes)).html)).toBe(0);
    expect((await test.client.get(changes)).text).not.toContain('last here');
    expect((await test.client.send('GET', '/api/v1/me/visits/secret', { token: ada.token })).status).toBe(404);
  });
});
