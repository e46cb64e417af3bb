import { themePages } from '../../src/theme/index.js';
import { Developer } from '../support/apps.js';
import { dumpDatabase } from '../support/dump.js';
import { createAdmin, createProduct, createUser, PASSWORD } from '../support/factories.js';
import { formsOf, PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';
import { signIn } from '../support/sign-in.js';
import { asAdmin, beginView, endView, isView, REASON, VIEW_EVENTS, VIEW_PERMISSIONS } from '../support/view-as.js';

const CONFIG = { limits: { ip: { requests: { max: 100_000 } } }, apps: { selfApproval: true } };
const SPEC = { openapi: '3.1.0', info: { title: 'Payments', version: '1' }, paths: {} };
const OVER = 'The view has ended';
const REQUEST = { requestId: '', ip: '', userAgent: '' };
let test: TestPortal;

beforeAll(async () => {
  test = await startTestPortal({ config: CONFIG });
  await test.portal.services.rbac.seed();
  await createProduct(test, { slug: 'payments', name: 'Payments' }, SPEC);
});
afterAll(() => test.stop());

async function viewing() {
  const developer = await Developer.create(test);
  const { id: keyId, key, secret } = await developer.createApp('shop', ['payments']);
  const { admin, page } = await asAdmin(test);
  await beginView(page, developer.user.id);
  return { user: developer.user, keyId, key, secret, admin, page };
}

const endingsOf = async (userId: number) => {
  const entries = await test.portal.services.activities.log.recentOwn(userId, VIEW_EVENTS.slice(1), 50);
  // Of a developer who is deleted the log keeps that it happened.
  return entries.map(({ changes }) => (changes === null ? 'erased' : changes.ending?.[1]));
};
const stateOf = async () => (await dumpDatabase(test.portal.database)).filter((row) => !/^portal_jobs/.test(row));
const addressOf = (path: string, keyId: number) =>
  `/portal${path}`
    .replace(':appName', 'shop')
    .replace(/:(slug|product)/, 'payments')
    .replace(':locale', 'en')
    .replace(':id', String(keyId))
    .replace(/:\w+/g, 'x')
    .replace(/\/$/, '');
const closed = (method: 'get' | 'post') => themePages.filter((page) => page.method === method && !page.viewable);

describe('a view as a developer', () => {
  it('takes no form of the portal, with whatever token, and changes nothing', async () => {
    const { user, keyId, page } = await viewing();
    // The developer's own browser session, as if both were the same person.
    await new PageClient(test.client).submit('/portal/login', { email: user.email, password: PASSWORD });
    const own = new PageClient(test.client);
    await own.submit('/portal/login', { email: user.email, password: PASSWORD });
    const ownToken = await own.csrf('/portal/profile');
    page.cookies.set('portal', own.cookies.get('portal') ?? '');
    const inView = formsOf((await page.get('/portal/apps/shop')).html)[0]?.fields._csrf ?? '';
    const before = await stateOf();
    for (const { path } of closed('post')) {
      for (const _csrf of [inView, ownToken]) {
        const proof = { _current_password: PASSWORD, id: '1', products: 'payments' };
        const answer = await page.post(addressOf(path, keyId), { _csrf, ...proof }, { follow: false });
        expect([path, answer.status, isView(answer)]).toEqual([path, 403, true]);
        expect(answer.html).toContain('This is only a view');
      }
    }
    expect(await stateOf()).toEqual(before);
  });

  it('opens the pages of a product without counting as a visit of the developer', async () => {
    const { user, page } = await viewing();
    const visits = async () =>
      (await dumpDatabase(test.portal.database)).filter((row) => row.startsWith('portal_product_visits'));
    const before = await visits();
    for (const path of ['/portal/products/payments', '/portal/products/payments/changes']) {
      const answer = await page.get(path);
      expect([path, answer.status, isView(answer)]).toEqual([path, 200, true]);
    }
    expect(await visits()).toEqual(before);
    const own = new PageClient(test.client);
    await own.submit('/portal/login', { email: user.email, password: PASSWORD });
    await own.get('/portal/products/payments');
    expect(await visits()).toHaveLength(before.length + 1);
  });

  it('opens no page that is not marked for it, and says why under the banner', async () => {
    const { keyId, page } = await viewing();
    expect(closed('get').length).toBeGreaterThan(8);
    for (const { path } of closed('get')) {
      const answer = await page.get(addressOf(path, keyId), { follow: false });
      expect([path, answer.status, isView(answer)]).toEqual([path, 403, true]);
      expect(answer.html).toContain('This is only a view');
    }
    const missing = await page.get('/portal/nowhere');
    expect([missing.status, isView(missing)]).toEqual([404, true]);
  });

  it('shows no key and no value that is shown once, not even one that waits for the developer', async () => {
    const { user, key, secret, page } = await viewing();
    const own = new PageClient(test.client);
    await own.submit('/portal/login', { email: user.email, password: PASSWORD });
    const form = { name: 'second', products: 'payments' };
    const made = await own.submit('/portal/apps/create', form, { action: '/portal/apps', follow: false });
    const once = made.headers.get('location') ?? '';
    page.cookies.set('portal', own.cookies.get('portal') ?? '');
    for (const path of [
      '/portal/apps',
      '/portal/apps/shop',
      '/portal/dashboard',
      '/portal/products/payments/spec',
      once,
    ]) {
      const { status, html } = await page.get(path);
      expect([path, status, html.includes(key), html.includes(secret), html.includes('data-copy="')]).toEqual([
        path,
        200,
        false,
        false,
        path.endsWith('/nothing'),
      ]);
    }
    expect((await own.get(once)).html).toContain('data-copy="');
  });

  it('touches no sign-in: neither of the developer nor of the admin, and writes nothing as either', async () => {
    const { user, admin, page } = await viewing();
    const own = new PageClient(test.client);
    await own.submit('/portal/login', { email: user.email, password: PASSWORD });
    test.clock.advance(120);
    const before = await stateOf();
    for (const path of ['', '/dashboard', '/apps', '/apps/shop', '/products/payments/spec']) {
      expect(isView(await page.get(`/portal${path}`))).toBe(true);
    }
    expect(await stateOf()).toEqual(before);
    await endView(page);
    expect((await own.get('/portal/profile', { follow: false })).status).toBe(200);
    expect((await page.get('/admin/account', { follow: false })).status).toBe(200);
    expect((await test.portal.services.accounts.admins.find(admin.id)).lastLoginAt).not.toBeNull();
  });

  it('is over for good once it ended: the cookie is worth nothing in any browser', async () => {
    const { page, user } = await viewing();
    const copied = page.copy();
    const done = await endView(page);
    expect(done.headers.getSetCookie()).toContainEqual(
      expect.stringMatching(/^portal-view=; Max-Age=0; Path=\/portal;/),
    );
    expect(page.cookies.has('portal-view')).toBe(false);
    expect((await copied.copy().get('/portal/apps/shop')).html).toContain(OVER);
    expect((await endView(copied).catch(() => null))?.status).not.toBe(303);
    expect(await endingsOf(user.id)).toEqual(['ended']);
  });

  it('is seen only where its admin is signed in to the console: a copied cookie shows nothing elsewhere', async () => {
    const { page } = await viewing();
    const token = page.cookies.get('portal-view') ?? '';
    const nobody = new PageClient(test.client);
    const { page: colleague } = await asAdmin(test);
    const forged = new PageClient(test.client);
    forged.cookies.set(
      'portal-admin',
      (page.cookies.get('portal-admin') ?? '').replace(/.$/, (end) => (end === 'A' ? 'B' : 'A')),
    );
    const swapped = new PageClient(test.client);
    swapped.cookies.set('portal', page.cookies.get('portal-admin') ?? '');
    for (const browser of [nobody, colleague, forged, swapped]) {
      browser.cookies.set('portal-view', token);
      const answer = await browser.get('/portal/apps/shop', { follow: false });
      expect([answer.status, isView(answer), answer.html.includes(OVER)]).toEqual([403, false, true]);
    }
    expect(isView(await page.get('/portal/apps/shop'))).toBe(true);
  });

  it.each<[string, string[], (at: { adminId: number; userId: number; page: PageClient }) => Promise<unknown>]>([
    [
      'its admin signs out',
      ['signed_out'],
      ({ page }) => page.submit('/admin/account', {}, { action: '/admin/logout' }),
    ],
    [
      'its admin is signed out by somebody',
      ['signed_out'],
      ({ adminId: id }) => test.portal.services.auth.sessions.revokeAll({ context: 'admin', id }, REQUEST),
    ],
    [
      'its admin is deactivated',
      ['account_closed'],
      ({ adminId }) =>
        test.portal.services.administration.admins.update(adminId, { status: 'inactive' } as never, 'operator'),
    ],
    [
      'its admin is deleted',
      ['account_closed'],
      ({ adminId }) => test.portal.services.administration.admins.delete(adminId, 'operator'),
    ],
    [
      'its admin loses the permission',
      ['not_allowed'],
      ({ adminId }) => test.portal.services.rbac.assignRoles({ adminId, roles: [], by: 'operator' }),
    ],
    [
      'the developer is deactivated',
      ['account_closed'],
      ({ userId }) => test.portal.services.accounts.users.setStatus(userId, 'inactive'),
    ],
    ['the developer is deleted', ['erased'], ({ userId }) => test.portal.services.accounts.users.delete(userId)],
  ])('ends when %s, and that is recorded', async (_name, endings, happen) => {
    const { page, admin, user } = await viewing();
    const there = page.copy();
    await happen({ adminId: admin.id, userId: user.id, page });
    const answer = await there.get('/portal/apps/shop', { follow: false });
    expect([answer.status, isView(answer), answer.html.includes(OVER)]).toEqual([403, false, true]);
    expect(await endingsOf(user.id)).toEqual(endings);
  });

  it('ends with the sessions of everybody, and with the console session that has idled too long', async () => {
    const { page } = await viewing();
    await test.portal.services.auth.sessions.endEverySession();
    expect((await page.get('/portal/apps/shop')).html).toContain(OVER);
  });

  it('ends once, whoever ends it at the same moment', async () => {
    const { admin, page, user } = await viewing();
    const { developerViews } = test.portal.services.console;
    const found = await developerViews.find(page.cookies.get('portal-view') ?? '', admin.id);
    if (!found) throw new Error('the view is not found');
    await Promise.all([developerViews.end(found.view, 'ended'), developerViews.end(found.view, 'ran_out')]);
    expect(await endingsOf(user.id)).toHaveLength(1);
  });

  it('does not last longer when the clock is set back', async () => {
    const { page, user } = await viewing();
    test.clock.advance(-3_600);
    expect((await page.get('/portal/apps/shop')).html).toContain(OVER);
    await test.portal.jobs.run('developer-views');
    expect(await endingsOf(user.id)).toEqual(['ran_out']);
    test.clock.advance(3_600);
  });

  it('is begun and ended only by forms of ours, with the token of their page', async () => {
    const { id } = await createUser(test);
    const { page } = await asAdmin(test);
    const _csrf = await page.csrf('/admin/account');
    const begin = (fields: Record<string, string>, headers = {}) =>
      page.post(`/admin/users/${id}/view-as`, { reason: REASON, ...fields }, { headers, follow: false });
    expect((await begin({})).status).toBe(403);
    expect((await begin({ _csrf }, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await begin({ _csrf }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect(page.cookies.has('portal-view')).toBe(false);
    await begin({ _csrf });
    const inView = formsOf((await page.get('/portal')).html)[0]?.fields._csrf ?? '';
    const other = await viewing();
    const ofOther = formsOf((await other.page.get('/portal')).html)[0]?.fields._csrf ?? '';
    const end = (fields: Record<string, string>, headers = {}) =>
      page.post('/portal/view/end', fields, { headers, follow: false });
    for (const wrong of ['', ofOther, _csrf]) expect((await end({ _csrf: wrong })).status).toBe(403);
    expect((await end({ _csrf: inView }, { origin: 'https://evil.example' })).status).toBe(403);
    expect(isView(await page.get('/portal'))).toBe(true);
    expect((await end({ _csrf: inView })).status).toBe(303);
  });

  it('leaves no form open that does something in the name of who is signed in beside it', async () => {
    // An admin who is a developer as well, with an app of the same name.
    const mine = await Developer.create(test);
    await mine.createApp('shop', ['payments']);
    const { page } = await viewing();
    const own = new PageClient(test.client);
    await own.submit('/portal/login', { email: mine.user.email, password: PASSWORD });
    page.cookies.set('portal', own.cookies.get('portal') ?? '');
    const open = formsOf((await page.get('/portal/apps/shop')).html).find(({ action }) => action.endsWith('/delete'));
    await endView(page);
    const sent = await page.post('/portal/apps/shop/delete', open?.fields ?? {}, { follow: false });
    expect(sent.status).toBe(403);
    const kept = await mine.get('/shop');
    expect(kept.status).toBe(200);
  });

  it('is kept by no cache, nor is anything that it fetched', async () => {
    const { page } = await viewing();
    const reference = await page.get('/portal/products/payments/spec');
    const data = /\/portal\/products\/payments\/spec\/data\/[^"']+/.exec(reference.html)?.[0] ?? '';
    const paths = ['', '/apps/shop', '/products', '/products/payments', '/products/payments/spec?download=json'];
    for (const path of [...paths.map((one) => `/portal${one}`), `${data.replace(/\/$/, '')}/index`]) {
      const { status, headers } = await page.get(path);
      expect([path, status, headers.get('cache-control')]).toEqual([path, 200, 'no-store']);
    }
    const visitor = new PageClient(test.client);
    for (const path of ['/portal', '/portal/products']) {
      await visitor.get(path);
      await page.get(path);
      expect(isView(await visitor.get(path))).toBe(false);
      expect(isView(await page.get(path))).toBe(true);
    }
  });

  it('has a cookie that scripts cannot read, for the pages of the portal alone', async () => {
    const { page } = await viewing();
    expect(page.setCookies.find((line) => line.startsWith('portal-view='))).toMatch(
      /^portal-view=[\w-]{43}; Max-Age=\d+; Path=\/portal; HttpOnly; SameSite=Lax$/,
    );
    const rows = await dumpDatabase(test.portal.database);
    expect(rows.filter((row) => row.includes(page.cookies.get('portal-view') ?? 'x'))).toEqual([]);
  });

  it('asks for the permission and a sign-in of the last 15 minutes at the API too', async () => {
    const { id } = await createUser(test);
    const { admin } = await asAdmin(test);
    const token = await signIn(test, admin);
    const call = (bearer: string) =>
      test.client.post(`/api/v1/admin/users/${id}/view`, { reason: REASON }, { token: bearer });
    expect((await call(token)).status).toBe(201);
    const { admin: without } = await asAdmin(test, VIEW_PERMISSIONS.slice(0, -1));
    expect((await call(await signIn(test, without))).status).toBe(403);
    test.clock.advance(15 * 60 + 61);
    const refused = await call(token);
    expect([401, 403]).toContain(refused.status);
  });
});

describe('a view behind console.allowedIps', () => {
  it('is over for who comes from an address that may not see the console', async () => {
    const guarded = await startTestPortal({
      config: { ...CONFIG, app: { trustProxy: 1 }, console: { allowedIps: ['10.0.0.0/8'] } },
    });
    try {
      await guarded.portal.services.rbac.seed();
      const headers = { 'x-forwarded-for': '10.1.1.1' };
      const { id } = await createUser(guarded);
      const { email } = await createAdmin(guarded, { roles: ['super_admin'] });
      const page = new PageClient(guarded.client);
      const send = async (form: string, fields: Record<string, string>) => {
        const { html } = await page.get(form, { headers });
        const _csrf = formsOf(html).find(({ action }) => action === form)?.fields._csrf ?? '';
        return page.post(form, { ...fields, _csrf }, { headers, follow: false });
      };
      await send('/admin/login', { email, password: PASSWORD });
      await send(`/admin/users/${id}/view-as`, { reason: REASON });
      expect(isView(await page.get('/portal/dashboard', { headers }))).toBe(true);
      const elsewhere = await page.copy().get('/portal/dashboard', { headers: { 'x-forwarded-for': '192.0.2.7' } });
      expect([elsewhere.status, elsewhere.html.includes(OVER)]).toEqual([403, true]);
    } finally {
      await guarded.stop();
    }
  });
});
