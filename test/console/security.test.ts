import { adminResources, consolePages, ResourceRegistry } from '../../src/console/index.js';
import { createLogger } from '../../src/core/index.js';
import { Operations } from '../../src/http/index.js';
import { preferencePages, signInPages, type Page } from '../../src/theme/index.js';
import { openConsole } from '../support/console.js';
import { createAdmin, createUser, PASSWORD } from '../support/factories.js';
import { formsOf, PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const LIMITS = { limits: { ip: { requests: { max: 100_000 } } } };
const FORM = 'application/x-www-form-urlencoded';

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

/** Every page that is declared, and an address of it. */
function pagesOf(): readonly (Page & { readonly address: string })[] {
  const operations = new Operations(test.portal.routes, {} as never);
  const registry = new ResourceRegistry(adminResources, operations);
  const behind = consolePages({ operations, registry, translated: ['ar'] } as never);
  const pages = [...behind, ...signInPages({ context: 'admin', template: 'console/login' }), ...preferencePages];
  const addressOf = (path: string) => `/admin${path.replace(/:locale/, 'en').replace(/:\w+/g, '1')}`.replace(/\/$/, '');
  return pages.map((page) => ({ ...page, address: addressOf(page.path) }));
}

describe('every page of the console', () => {
  it('leads a visitor to the login, but for the login itself and the way out', async () => {
    const pages = pagesOf();
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
    const _csrf = await page.csrf('/admin/account');
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ];
    for (const { address, method, originOnly } of pagesOf()) {
      if (method !== 'post') continue;
      const without = originOnly ? 303 : 403;
      expect([address, (await page.post(address, {}, { follow: false })).status]).toEqual([address, without]);
      for (const headers of foreign) {
        const { status } = await page.post(address, { _csrf }, { headers, follow: false });
        expect([address, headers, status]).toEqual([address, headers, 403]);
      }
    }
    expect(await isSignedIn(page)).toBe(true);
  });

  it('takes a form with a file only with the token in it, from our own pages', async () => {
    const { page } = await asAdmin();
    const _csrf = await page.csrf('/admin/account');
    const post = pagesOf().find(({ method, file }) => method === 'post' && file);
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

  it('is kept by nobody, framed by nobody, and runs only scripts of ours', async () => {
    const { page } = await asAdmin();
    for (const [who, path] of [
      [new PageClient(test.client), '/admin/login'],
      [page, '/admin'],
      [page, '/admin/users'],
      [page, '/admin/account'],
      [page, '/admin/nowhere'],
    ] as const) {
      const { headers } = await who.get(path);
      expect([path, headers.get('cache-control')]).toEqual([path, 'no-store']);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      const policy = headers.get('content-security-policy') ?? '';
      for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"]) {
        expect(policy.split('; ')).toContain(rule);
      }
      expect(policy).not.toContain('unsafe');
    }
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

describe('addresses that may see the console', () => {
  it('are none but those of console.allowedIps; others get 403, whatever they send, and learn nothing', async () => {
    const strict = await startTestPortal({
      config: { ...LIMITS, console: { allowedIps: ['192.0.2.0/24'] }, app: { trustProxy: 1 } },
      databaseUrl: test.databaseUrl,
    });
    try {
      const { admin, page } = await asAdmin();
      const inside = { 'x-forwarded-for': '192.0.2.7' };
      const outside = page.copy(strict.client);
      const outsiders: Record<string, string>[] = [
        {},
        { 'x-forwarded-for': '198.51.100.9' },
        { 'x-forwarded-for': '192.0.2.7, 198.51.100.9' },
      ];
      for (const headers of outsiders) {
        for (const path of ['/admin', '/admin/login', '/admin/users', '/admin/nowhere']) {
          const { status, html } = await outside.get(path, { headers, follow: false });
          expect([path, status]).toEqual([path, 403]);
          expect(html).not.toContain(admin.name);
          expect(html).not.toContain('/admin/users');
        }
        expect((await outside.post('/admin/account', { name: 'X' }, { headers })).status).toBe(403);
        const large = {
          raw: 'x='.padEnd(3_000_000, 'x'),
          type: FORM,
          headers: { cookie: page.cookieHeader, accept: 'text/html', ...headers },
        };
        expect((await strict.client.send('POST', '/admin/login', large)).text).not.toContain(admin.name);
      }
      expect((await outside.get('/admin', { headers: inside, follow: false })).status).toBe(200);
      // Style sheets hold nothing of the portal, and the page that says 403 needs them.
      expect((await strict.client.get('/admin/assets/console.css')).status).toBe(200);
      expect((await strict.client.get('/portal/login')).status).toBe(200);
    } finally {
      await strict.stop();
    }
  });
});

describe('the console for search engines and the log', () => {
  it('is kept out of search engines', async () => {
    expect((await test.client.get('/robots.txt')).text).toMatch(/^Disallow: \/admin$/m);
    const alone = await startTestPortal({ config: { theme: { enabled: false } }, databaseUrl: test.databaseUrl });
    try {
      expect((await alone.client.get('/robots.txt')).text).toBe('User-agent: *\nDisallow: /admin\n');
    } finally {
      await alone.stop();
    }
  });

  it('writes neither passwords nor cookies nor tokens into the log', async () => {
    const lines: string[] = [];
    const logger = createLogger('debug', { write: (line: string) => void lines.push(line) });
    const loud = await startTestPortal({ config: LIMITS, logger, databaseUrl: test.databaseUrl });
    try {
      const page = await openConsole(loud);
      await page.submit(
        '/admin/account',
        { current_password: 'wrong-secret', password: 'x', password_confirmation: 'x' },
        { action: '/admin/account/password' },
      );
      await page.get('/admin/nowhere');
      const [session = '', csrf] = [page.cookies.get('portal-admin'), await page.csrf('/admin/account')];
      const log = lines.join('');
      for (const secret of [PASSWORD, 'wrong-secret', session, csrf]) expect(log).not.toContain(secret);
    } finally {
      await loud.stop();
    }
  });
});

describe('a portal without a console', () => {
  it('serves nothing of it, and does not speak of it', async () => {
    const without = await startTestPortal({ config: { console: { enabled: false } }, databaseUrl: test.databaseUrl });
    try {
      for (const path of ['/admin', '/admin/login', '/admin/assets/console.css']) {
        expect([path, (await without.client.get(path)).status]).toEqual([path, 404]);
      }
      expect((await without.client.get('/robots.txt')).text).not.toContain('/admin');
    } finally {
      await without.stop();
    }
  });
});
