import { createLogger } from '../../src/core/index.js';
import { consolePagesOf, openConsole } from '../support/console.js';
import { createAdmin, createUser, PASSWORD } from '../support/factories.js';
import { PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const LIMITS = { limits: { ip: { requests: { max: 100_000 } } } };
const FORM = 'application/x-www-form-urlencoded';

let test: TestPortal;
beforeAll(async () => {
  test = await startTestPortal({ config: LIMITS });
  await test.portal.services.rbac.seed();
});
afterAll(() => test.stop());

const asAdmin = async (overrides: Parameters<typeof createAdmin>[1] = {}) => {
  const admin = await createAdmin(test, { roles: ['super_admin'], ...overrides });
  const page = new PageClient(test.client);
  await page.submit('/admin/login', { email: admin.email, password: PASSWORD });
  return { admin, page };
};

describe('every page of the console', () => {
  it('is kept by nobody, framed by nobody, and runs only scripts of ours', async () => {
    const { page } = await asAdmin();
    const visitor = new PageClient(test.client);
    await createUser(test);
    const addresses = consolePagesOf(test).filter(({ method }) => method === 'get').map(({ address }) => address); // prettier-ignore
    const seen = new Set<number>();
    for (const [who, path] of [
      [visitor, '/admin/login'],
      [visitor, '/admin/users'],
      ...[...addresses, '/admin/nowhere', '/admin/users?nothing=1'].map((address) => [page, address] as const),
    ] as const) {
      const { status, headers } = await who.get(path, { follow: false });
      seen.add(status);
      expect([path, headers.get('cache-control')]).toEqual([path, 'no-store']);
      expect([path, headers.get('x-content-type-options')]).toEqual([path, 'nosniff']);
      expect([path, headers.get('referrer-policy')]).toEqual([
        path,
        expect.stringMatching(/^(same-origin|no-referrer)$/),
      ]);
      const policy = headers.get('content-security-policy') ?? '';
      const isPage = headers.get('content-type')?.startsWith('text/html');
      const rules = [
        "default-src 'none'",
        "frame-ancestors 'none'",
        ...(isPage ? ["script-src 'self'", "base-uri 'none'"] : []),
      ];
      for (const rule of rules) expect([path, policy.split('; ')]).toEqual([path, expect.arrayContaining([rule])]);
      expect(policy).not.toContain('unsafe');
    }
    expect([...seen].sort()).toEqual(expect.arrayContaining([200, 303, 404, 422]));
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

describe('a console behind no proxy that is trusted', () => {
  it('takes no header for an address', async () => {
    const claims = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-client-ip', 'cf-connecting-ip', 'true-client-ip'];
    const bare = await startTestPortal({
      config: { ...LIMITS, console: { allowedIps: ['192.0.2.0/24'] }, app: { trustProxy: 0 } },
      databaseUrl: test.databaseUrl,
    });
    try {
      const headers = Object.fromEntries(
        claims.map((name) => [name, name === 'forwarded' ? 'for=192.0.2.7' : '192.0.2.7']),
      );
      expect((await new PageClient(bare.client).get('/admin/login', { headers })).status).toBe(403);
    } finally {
      await bare.stop();
    }
  });
});

describe('guesses at the login of the console', () => {
  const logIn = (email: string, password: string) => test.client.post('/api/v1/admin/auth/login', { email, password });
  const atPage = (email: string, password: string) =>
    new PageClient(test.client).submit('/admin/login', { email, password });

  it('count together with those at the API, in both directions', async () => {
    const [one, two] = [await createAdmin(test), await createAdmin(test)];
    const [early, late] = [await guessUntilLimited(atPage, one.email), await guessUntilLimited(logIn, two.email)];
    expect([early > 1, early]).toEqual([true, late]);
    expect((await logIn(one.email, PASSWORD)).status).toBe(429);
    const refused = await atPage(two.email, PASSWORD);
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true]);
    // Half here and half there are no more than all at one place.
    const three = await createAdmin(test);
    for (let guess = 0; guess < late; guess += 1) await (guess % 2 === 0 ? atPage : logIn)(three.email, 'wrong');
    expect([(await logIn(three.email, PASSWORD)).status, (await atPage(three.email, PASSWORD)).status]).toEqual([
      429, 429,
    ]);
  });

  it('learn nothing about who has an account, and open nothing for a developer', async () => {
    const [admin, developer] = [await createAdmin(test), await createUser(test)];
    const answers = [];
    for (const email of [admin.email, developer.email, 'nobody@example.com']) {
      const { status, html } = await atPage(email, email === developer.email ? PASSWORD : 'wrong');
      answers.push([status, html.replaceAll(email, '').replace(/value="[^"]*"/g, '')]);
    }
    expect(answers[0]?.[0]).toBe(422);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });
});

/** @returns how many wrong passwords were heard before the next was refused unheard */
async function guessUntilLimited(
  guess: (email: string, password: string) => Promise<{ readonly status: number }>,
  email: string,
): Promise<number> {
  for (let count = 1; count < 50; count += 1) if ((await guess(email, 'wrong')).status === 429) return count;
  throw new Error('no guess was limited');
}

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
      const { page } = await asAdmin();
      const there = page.copy(without.client);
      for (const { address, method } of consolePagesOf(test)) {
        const { status } = await (method === 'get' ? there.get(address) : there.post(address, {}));
        expect([method, address, status]).toEqual([method, address, 404]);
      }
      for (const path of ['/admin/assets/console.css', '/admin/nowhere', '/admin/']) {
        expect([path, (await there.get(path)).status]).toEqual([path, 404]);
      }
      expect((await without.client.get('/robots.txt')).text).not.toContain('/admin');
    } finally {
      await without.stop();
    }
  });
});
