import { consolePagesOf } from '../support/console.js';
import { dumpDatabase } from '../support/dump.js';
import { createAdmin, createUser, PASSWORD } from '../support/factories.js';
import { formsOf, PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const LIMITS = { limits: { ip: { requests: { max: 100_000 } } } };

let test: TestPortal;
beforeAll(async () => {
  test = await startTestPortal({ config: LIMITS });
  await test.portal.services.rbac.seed();
});
afterAll(() => test.stop());

const isSignedIn = async (page: PageClient) => (await page.get('/admin/account', { follow: false })).status === 200;
const asAdmin = async (overrides: Parameters<typeof createAdmin>[1] = {}) => {
  const admin = await createAdmin(test, { roles: ['super_admin'], ...overrides });
  const page = new PageClient(test.client);
  await page.submit('/admin/login', { email: admin.email, password: PASSWORD });
  return { admin, page };
};
const asDeveloper = async () => {
  const page = new PageClient(test.client);
  const { email } = await createUser(test);
  await page.submit('/portal/login', { email, password: PASSWORD });
  return page;
};

describe('every page of the console', () => {
  it('leads a visitor to the login, but for the login itself and the way out', async () => {
    const pages = consolePagesOf(test);
    expect(pages.length).toBeGreaterThan(100);
    const open = pages.filter(({ audience }) => audience !== 'admins').map(({ method, path }) => `${method} ${path}`);
    expect(open.sort()).toEqual(['get /login', 'post /locale/:locale', 'post /login', 'post /logout']);
    for (const { address, method } of pages.filter(({ audience }) => audience === 'admins')) {
      const visitor = new PageClient(test.client);
      const _csrf = method === 'post' ? await visitor.csrf('/admin/login') : '';
      const answer = await (method === 'get'
        ? visitor.get(address, { follow: false })
        : visitor.post(address, { _csrf }, { follow: false }));
      const target = answer.headers.get('location') ?? '';
      expect([address, answer.status, target.split('?', 1)[0]]).toEqual([address, 303, '/admin/login']);
    }
  });

  it('takes no form without its token, nor one of another site, from whoever is signed in (S42)', async () => {
    const { page } = await asAdmin();
    const [_csrf, own] = [await page.csrf('/admin/account'), await page.csrf('/admin/account')];
    const visitor = new PageClient(test.client);
    const tokens: Record<string, string>[] = [
      {},
      { _csrf: 'wrong' },
      { _csrf: `${own.slice(0, -1)}${own.endsWith('A') ? 'B' : 'A'}` },
      { _csrf: await (await asDeveloper()).csrf('/portal/profile') },
      { _csrf: await (await asAdmin()).page.csrf('/admin/account') },
      { _csrf: await visitor.csrf('/admin/login') },
    ];
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ];
    const before = await dumpDatabase(test.portal.database);
    for (const { address, method, originOnly } of consolePagesOf(test)) {
      if (method !== 'post') continue;
      for (const fields of tokens) {
        const { status } = await page.post(address, fields, { follow: false });
        expect([address, fields, status]).toEqual([address, fields, originOnly ? 303 : 403]);
      }
      for (const headers of foreign) {
        const { status } = await page.post(address, { _csrf }, { headers, follow: false });
        expect([address, headers, status]).toEqual([address, headers, 403]);
      }
    }
    expect(await dumpDatabase(test.portal.database)).toEqual(before);
    expect(await isSignedIn(page)).toBe(true);
  });

  it('takes a form with a file only with the token in it, from our own pages', async () => {
    const { page } = await asAdmin();
    const _csrf = await page.csrf('/admin/account');
    const post = consolePagesOf(test).find(({ method, file }) => method === 'post' && file);
    const send = (fields: Record<string, string>, headers: Record<string, string> = {}) => {
      const parts = Object.entries(fields).map(
        ([name, value]) => `--edge\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      );
      const raw = `${parts.join('')}--edge--\r\n`;
      const sent = { cookie: page.cookieHeader, accept: 'text/html', ...headers };
      return test.client.send('POST', post?.address ?? '', {
        ...{ raw, type: 'multipart/form-data; boundary=edge', headers: sent },
      });
    };
    expect((await send({})).status).toBe(403);
    expect((await send({ _csrf }, { origin: 'https://evil.example' })).status).toBe(403);
    expect([404, 422]).toContain((await send({ _csrf })).status);
  });
});

describe('sessions of the console', () => {
  it('are none of the theme, and the other way round, in one browser', async () => {
    const [{ page }, developer] = [await asAdmin(), await asDeveloper()];
    for (const [name, value] of page.cookies) developer.cookies.set(name, value);
    expect(await isSignedIn(developer)).toBe(true);
    expect((await developer.get('/portal/profile', { follow: false })).status).toBe(200);
    // Signing out of one leaves the other.
    await developer.submit('/admin/account', {}, { action: '/admin/logout' });
    expect(await isSignedIn(developer)).toBe(false);
    expect((await developer.get('/portal/profile', { follow: false })).status).toBe(200);
  });

  it('are nothing under the name of the other cookie, and neither is a token', async () => {
    const [{ page }, developer] = [await asAdmin(), await asDeveloper()];
    const [admins, developers] = [page.cookies.get('portal-admin') ?? '', developer.cookies.get('portal') ?? ''];
    const swapped = new PageClient(test.client);
    swapped.cookies.set('portal', admins).set('portal-admin', developers);
    expect(await isSignedIn(swapped)).toBe(false);
    expect((await swapped.get('/portal/profile', { follow: false })).status).toBe(303);
    const both = page.copy();
    both.cookies.set('portal', developers);
    const token = await developer.csrf('/portal/profile');
    expect((await both.post('/admin/account', { _csrf: token, name: 'X' })).status).toBe(403);
    // The token of a visitor of the theme is none at the login of the console.
    const visitor = new PageClient(test.client);
    const theirs = await visitor.csrf('/portal/login');
    await visitor.get('/admin/login');
    expect((await visitor.post('/admin/login', { _csrf: theirs, email: 'a@b.example', password: 'x' })).status).toBe(
      403,
    );
  });

  it('begin with a new id at the sign-in, whatever the browser brought', async () => {
    const { admin, page: earlier } = await asAdmin();
    const planted = earlier.cookies.get('portal-admin') ?? '';
    const victim = new PageClient(test.client);
    await earlier.submit('/admin/account', {}, { action: '/admin/logout' });
    victim.cookies.set('portal-admin', planted);
    await victim.submit('/admin/login', { email: admin.email, password: PASSWORD });
    expect(victim.cookies.get('portal-admin')).not.toBe(planted);
    const attacker = new PageClient(test.client);
    attacker.cookies.set('portal-admin', planted);
    expect([await isSignedIn(victim), await isSignedIn(attacker)]).toEqual([true, false]);
    expect(victim.setCookies.find((line) => line.startsWith('portal-admin='))).toMatch(
      /; Path=\/; HttpOnly; SameSite=Lax/,
    );
  });

  it('end without a request, and at the latest after the absolute time', async () => {
    const { page } = await asAdmin();
    test.clock.advance(1_801);
    expect(await isSignedIn(page)).toBe(false);
    const { page: busy } = await asAdmin();
    let [age, lives] = [0, true];
    while (lives && age < 50_000) {
      test.clock.advance(1_500);
      age += 1_500;
      lives = await isSignedIn(busy);
    }
    expect(age).toBeGreaterThan(43_200 - 1_500);
    expect(age).toBeLessThanOrEqual(43_200 + 1_500);
  });

  it('end at once, on every replica, when the admin is deactivated, deleted or signed out by somebody', async () => {
    const replica = await startTestPortal({ config: LIMITS, databaseUrl: test.databaseUrl });
    const { administration, auth } = test.portal.services;
    try {
      const ways = [
        (id: number) => administration.admins.update(id, { status: 'inactive' } as never, 'operator'),
        (id: number) => auth.sessions.revokeAll({ context: 'admin', id }, { requestId: '', ip: '', userAgent: '' }),
      ];
      for (const end of ways) {
        const { admin, page } = await asAdmin({ roles: ['auditor'] });
        const there = page.copy(replica.client);
        expect([await isSignedIn(page), await isSignedIn(there)]).toEqual([true, true]);
        await end(admin.id);
        expect([await isSignedIn(there), await isSignedIn(page)]).toEqual([false, false]);
      }
    } finally {
      await replica.stop();
    }
  });
});

describe('what an admin may do', () => {
  it('ends with their roles, at the next request', async () => {
    const { admin, page } = await asAdmin({ roles: ['support'] });
    expect((await page.get('/admin/users')).status).toBe(200);
    const _csrf = await page.csrf('/admin/account');
    const { id } = await createUser(test);
    await test.portal.services.rbac.assignRoles({ adminId: admin.id, roles: [], by: 'operator' });
    for (const path of ['', '/users', `/users/${id}`, '/inbox']) {
      const { status, html } = await page.get(`/admin${path}`, { follow: false });
      expect([path, status]).toEqual([path, 403]);
      expect(html).not.toContain('href="/admin/users"');
    }
    expect((await page.post(`/admin/users/${id}/edit`, { _csrf, first_name: 'X' })).status).toBe(403);
    expect((await test.portal.services.accounts.users.find(id)).firstName).not.toBe('X');
  });
});

describe('what leads somewhere after a sign-in', () => {
  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/portal/profile',
    '/administrator',
    '/admin/../portal',
  ])('never leaves the console: %s', async (target) => {
    const { email } = await createAdmin(test, { roles: ['auditor'] });
    const page = new PageClient(test.client);
    const _csrf = await page.csrf('/admin/login');
    const fields = { _csrf, email, password: PASSWORD, return_to: target };
    const { status, headers } = await page.post('/admin/login', fields, { follow: false });
    expect([status, headers.get('location')]).toEqual([303, '/admin']);
  });

  it('leads back to the page that was asked for', async () => {
    const { email } = await createAdmin(test, { roles: ['auditor'] });
    const page = new PageClient(test.client);
    const asked = await page.get('/admin/users?status=pending');
    const [form] = formsOf(asked.html).filter(({ action }) => action === '/admin/login');
    const done = await page.post('/admin/login', { ...form?.fields, email, password: PASSWORD });
    expect([done.status, done.path]).toEqual([200, '/admin/users?status=pending']);
  });
});
