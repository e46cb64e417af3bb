import { themePages } from '../../src/theme/index.js';
import { Developer } from '../support/apps.js';
import { createProduct, createUser, PASSWORD } from '../support/factories.js';
import { Mailbox } from '../support/mailbox.js';
import { decoded, PageClient } from '../support/page-client.js';
import { signIn } from '../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';
import { asAdmin, beginView, endView, isView, REASON, VIEW_EVENTS, VIEW_PERMISSIONS } from '../support/view-as.js';

const mailbox = new Mailbox();
const extensions = { mailer: () => mailbox };
const LIMITS = { limits: { ip: { requests: { max: 100_000 } } } };
let test: TestPortal;

beforeAll(async () => {
  test = await startTestPortal({ config: { ...LIMITS, theme: { locales: ['en', 'ar'] } }, extensions });
  await test.portal.services.rbac.seed();
  await createProduct(test, { slug: 'payments', name: 'Payments' });
  await createProduct(test, { slug: 'treasury', name: 'Treasury', visibility: 'private' });
});
afterAll(() => test.stop());

const recordedOf = async (userId: number) =>
  (await test.portal.services.activities.log.recentOwn(userId, VIEW_EVENTS, 50)).reverse();
/** A developer with an app, whom an admin views. */
async function viewing() {
  const developer = await Developer.create(test, { firstName: 'Ada', lastName: 'Byron' });
  const { key } = await developer.createApp('shop', ['payments']);
  const { admin, page } = await asAdmin(test);
  const begun = await beginView(page, developer.user.id);
  return { user: developer.user, key, admin, page, begun };
}

describe('viewing the portal as a developer', () => {
  it('begins at their page in the console with a reason, and shows their pages under a banner', async () => {
    const { admin, begun, page, user } = await viewing();
    expect([begun.status, begun.path]).toEqual([200, '/portal/dashboard']);
    for (const path of ['', '/dashboard', '/apps', '/apps/create', '/apps/shop', '/products', '/products/payments']) {
      const shown = await page.get(`/portal${path}`);
      const banner = decoded(/<aside class="viewing".*?<\/aside>/s.exec(shown.html)?.[0] ?? '');
      expect([path, shown.status]).toEqual([path, 200]);
      expect(banner).toContain('<bdi>Ada Byron</bdi>');
      expect(banner).toContain(`<bdi>${admin.name}</bdi>`);
      expect(banner).toContain('15 minutes left');
      expect(banner).toContain('action="/portal/view/end"');
    }
    expect((await page.get(`/admin/users/${user.id}`)).html).toContain(`/admin/users/${user.id}/view-as`);
  });

  it('shows the products that the developer sees, whatever the admin may see', async () => {
    const { user, page } = await viewing();
    expect((await page.get('/portal/products/treasury')).status).toBe(404);
    const { audiences, userAudiences } = test.portal.services.catalog;
    await audiences.create({ name: 'bankers', products: ['treasury'] });
    await test.portal.database.transaction((transaction) => userAudiences.replace(user.id, ['bankers'], transaction));
    expect((await page.get('/portal/products/treasury')).html).toContain('Treasury');
  });

  it('says before it begins how long it lasts, what is recorded and who is told', async () => {
    const { id } = await createUser(test);
    const { page } = await asAdmin(test);
    const { html } = await page.get(`/admin/users/${id}/view-as`);
    for (const sentence of ['For 15 minutes', 'no form is taken', 'recorded with your name', 'told by mail'])
      expect(html).toContain(sentence);
  });

  it('asks for a reason', async () => {
    const { id } = await createUser(test);
    const { page } = await asAdmin(test);
    const asked = await page.submit(`/admin/users/${id}/view-as`, { reason: ' ' });
    expect([asked.status, asked.html.includes('aria-invalid="true"')]).toEqual([422, true]);
    expect(page.cookies.has('portal-view')).toBe(false);
  });

  it('asks for the password when the sign-in is older than 15 minutes, and then begins', async () => {
    const { id } = await createUser(test);
    const { page } = await asAdmin(test);
    test.clock.advance(15 * 60 + 1);
    const path = `/admin/users/${id}/view-as`;
    const asked = await page.submit(path, { reason: REASON });
    expect([asked.status, asked.html.includes('_current_password')]).toEqual([403, true]);
    expect(page.cookies.has('portal-view')).toBe(false);
    const _csrf = await page.csrf('/admin/account');
    const begun = await page.post(path, { _csrf, reason: REASON, _current_password: PASSWORD });
    expect([begun.path, isView(begun)]).toEqual(['/portal/dashboard', true]);
  });

  it('is offered to nobody without the permission, nor begun by them', async () => {
    const { id } = await createUser(test);
    const { page } = await asAdmin(test, VIEW_PERMISSIONS.slice(0, -1));
    expect((await page.get(`/admin/users/${id}`)).html).not.toContain('view-as');
    const _csrf = await page.csrf('/admin/account');
    const answer = await page.post(`/admin/users/${id}/view-as`, { _csrf, reason: REASON });
    expect([answer.status, page.cookies.has('portal-view')]).toEqual([403, false]);
    expect(await recordedOf(id)).toEqual([]);
  });

  it('is not begun of somebody who is deactivated', async () => {
    const { id } = await createUser(test, { status: 'inactive' });
    const { page } = await asAdmin(test);
    expect((await page.get(`/admin/users/${id}`)).html).not.toContain('view-as');
    expect((await beginView(page, id)).status).toBe(409);
    expect(await recordedOf(id)).toEqual([]);
  });

  it('is recorded with who, whom and why, and how it ended', async () => {
    const { admin, page, user } = await viewing();
    const done = await endView(page);
    expect([done.status, done.headers.get('location')]).toEqual([303, `/admin/users/${user.id}`]);
    const by = { actorType: 'admin', actorId: admin.id, subjectType: 'user', subjectId: String(user.id) };
    const [started, ended, ...others] = await recordedOf(user.id);
    expect(started).toMatchObject({ ...by, action: 'user.view_started' });
    expect(started?.changes).toMatchObject({ why: [null, REASON] });
    expect(ended).toMatchObject({ ...by, action: 'user.view_ended' });
    expect(ended?.changes).toEqual({ ending: [null, 'ended'], admin: [admin.id, null] });
    expect(others).toEqual([]);
  });

  it('ends when the same admin begins another one', async () => {
    const { admin, page, user } = await viewing();
    const first = page.copy();
    const other = await createUser(test, { firstName: 'Mary', lastName: 'Somerville' });
    expect((await beginView(page, other.id)).html).toContain('<bdi>Mary Somerville</bdi>');
    expect((await first.get('/portal/dashboard')).html).toContain('The view has ended');
    const [, ended] = await recordedOf(user.id);
    expect(ended?.changes).toEqual({ ending: [null, 'another_started'], admin: [admin.id, null] });
  });

  it('says once that its time is over, and then shows the portal to the visitor that the admin is there', async () => {
    const { page } = await viewing();
    test.clock.advance(14 * 60 + 30);
    expect((await page.get('/portal')).html).toContain('1 minute left');
    test.clock.advance(30);
    const over = await page.get('/portal/products');
    expect([over.status, isView(over), over.html.includes('The view has ended')]).toEqual([403, false, true]);
    const after = await page.get('/portal/products');
    expect([after.status, isView(after)]).toEqual([200, false]);
  });

  it('that ran out is recorded by the job, once, and its row is gone a day later', async () => {
    const { admin, user } = await viewing();
    const rows = () =>
      test.portal.database.select('SELECT id FROM portal_developer_views WHERE user_id = ?', [user.id]);
    await test.portal.jobs.run('developer-views');
    expect(await recordedOf(user.id)).toHaveLength(1);
    test.clock.advance(15 * 60);
    await test.portal.jobs.run('developer-views');
    await test.portal.jobs.run('developer-views');
    const [, ended, ...others] = await recordedOf(user.id);
    expect(ended).toMatchObject({ action: 'user.view_ended', actorType: 'system' });
    expect(ended?.changes).toEqual({ ending: [null, 'ran_out'], admin: [admin.id, null] });
    expect([others, (await rows()).length]).toEqual([[], 1]);
    test.clock.advance(86_400);
    await test.portal.jobs.run('developer-views');
    expect(await rows()).toEqual([]);
  });

  it('is told the developer by mail in their language, without who it was and why', async () => {
    const { admin, user } = await viewing();
    const [mail, ...others] = await mailbox.take(test, user.email);
    expect([mail?.subject, others]).toEqual(['Our team looked at the portal as you see it', []]);
    expect(mail?.text).toContain('for at most 15 minutes');
    const said = `${mail?.subject} ${mail?.text} ${mail?.html}`;
    expect([said.includes(admin.name), said.includes(admin.email), said.includes('4711')]).toEqual([
      false,
      false,
      false,
    ]);
    await test.portal.services.accounts.users.updateProfile(user.id, { locale: 'ar' });
    const { page } = await asAdmin(test);
    await beginView(page, user.id);
    expect((await mailbox.take(test, user.email)).at(-1)?.html).toContain('dir="rtl"');
  });

  it('stands in the developer’s own log and on their dashboard, without who it was and why', async () => {
    const { admin, user } = await viewing();
    const own = new PageClient(test.client);
    await own.submit('/portal/login', { email: user.email, password: PASSWORD });
    expect((await own.get('/portal/dashboard')).html).toContain('Our team looked at the portal as you see it');
    const { text } = await test.client.get('/api/v1/me/activities', { token: await signIn(test, user) });
    expect(text).toContain('user.view_started');
    expect([text.includes('4711'), text.includes(admin.name)]).toEqual([false, false]);
  });

  it('is told nobody where notices.viewedAs is off, and the console says so', async () => {
    const quiet = await startTestPortal({ config: { ...LIMITS, notices: { viewedAs: false } }, extensions });
    try {
      await quiet.portal.services.rbac.seed();
      const { id, email } = await createUser(quiet);
      const { page } = await asAdmin(quiet);
      expect((await page.get(`/admin/users/${id}/view-as`)).html).toContain('The person is not told');
      expect(isView(await beginView(page, id))).toBe(true);
      expect(await mailbox.take(quiet, email)).toEqual([]);
    } finally {
      await quiet.stop();
    }
  });

  it('has its banner in Arabic too', async () => {
    const { page } = await viewing();
    const { html } = await page.get('/portal/apps?locale=ar');
    expect(html).toContain('dir="rtl"');
    expect(html).toContain('أنت ترى البوابة كما يراها');
  });

  it('goes on at another replica', async () => {
    const replica = await startTestPortal({ config: LIMITS, databaseUrl: test.databaseUrl, clock: test.clock });
    try {
      const { page } = await viewing();
      expect(isView(await page.copy(replica.client).get('/portal/apps/shop'))).toBe(true);
    } finally {
      await replica.stop();
    }
  });

  it('is for pages that say so: what reads and tells no secret', () => {
    const viewable = themePages.filter((page) => page.viewable).map(({ method, path }) => `${method} ${path}`);
    expect(viewable.sort()).toEqual([
      'get /',
      'get /.well-known/api-catalog',
      'get /apps',
      'get /apps/:appName',
      'get /apps/:appName/usage',
      'get /apps/:appName/usage/export',
      'get /apps/create',
      'get /dashboard',
      'get /guides',
      'get /guides/:guide',
      'get /llms-full.txt',
      'get /llms.txt',
      'get /news',
      'get /news.atom',
      'get /news/:news',
      'get /products',
      'get /products/:slug',
      'get /products/:slug/changes',
      'get /products/:slug/changes.atom',
      'get /products/:slug/changes.md',
      'get /products/:slug/changes/:entry',
      'get /products/:slug/compare',
      'get /products/:slug/guides',
      'get /products/:slug/guides/:guide',
      'get /products/:slug/spec',
      'get /products/:slug/spec.md',
      'get /products/:slug/spec/data/:hash/:part',
      'get /products/:slug/spec/operations/:operation',
      'get /products/:slug/spec/print',
      'get /products/:slug/spec/schemas/:schema',
      'get /products/:slug/workflows',
      'get /products/:slug/workflows/:workflow',
      'get /search',
      'get /sitemap.xml',
      'get /teams/:team/apps',
      'get /teams/:team/apps/:appName',
      'get /teams/:team/apps/:appName/usage',
      'get /teams/:team/apps/:appName/usage/export',
      'get /teams/:team/apps/create',
      'post /view/end',
    ]);
  });

  it('needs both surfaces: without the console or the pages nothing begins', async () => {
    const alone = await startTestPortal({ config: { ...LIMITS, theme: { enabled: false } } });
    try {
      await alone.portal.services.rbac.seed();
      const { id } = await createUser(alone);
      const { page } = await asAdmin(alone);
      expect((await beginView(page, id)).status).toBe(409);
    } finally {
      await alone.stop();
    }
  });

  it('leaves a visitor without a view as they are', async () => {
    const visitor = new PageClient(test.client);
    const answer = await visitor.post('/portal/view/end', { _csrf: await visitor.csrf('/portal/login') });
    expect([answer.status, answer.path]).toEqual([200, '/portal']);
  });
});
