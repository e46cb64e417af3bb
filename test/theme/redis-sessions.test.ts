import { silentLogger } from '../../src/core/index.js';
import { describeWith } from '../support/describe-with.js';
import { createUser, PASSWORD } from '../support/factories.js';
import { PageClient, type PageAnswer } from '../support/page-client.js';
import { startBreakableRedis, type BreakableRedis } from '../support/redis.js';
import { signIn as apiSignIn } from '../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

/** Nothing waits longer for a Redis that does not answer (R07, R08). `test/chaos` asserts the second that people are promised. */
const TIMEOUT_MS = 2_000;
const LIMIT_MS = 20 * TIMEOUT_MS;

describeWith('redis', 'web sessions in Redis', () => {
  let redis: BreakableRedis;
  let test: TestPortal;
  const told: string[] = [];
  beforeAll(async () => {
    redis = await startBreakableRedis();
    const limits = { ip: { requests: { max: 10_000 } } };
    const config = { limits, session: { store: 'redis' as const }, redis: { url: redis.url, timeout: TIMEOUT_MS } };
    test = await startTestPortal({
      config,
      logger: { ...silentLogger, error: (_fields, text) => void told.push(text) },
    });
  });
  afterAll(async () => {
    await test.stop();
    await redis.stop();
  });
  beforeEach(() => untilReady());
  // What a test broke and left broken would be the next one's fault.
  afterEach(() => redis.mend());

  const keys = async () => (await redis.ask('KEYS', 'portal:session:*')) as string[];
  const readiness = async () => (await test.client.get('/api/v1/health/ready')).status;
  const isSignedIn = async (page: PageClient) => (await page.get('/portal/profile', { follow: false })).status === 200;

  async function untilReady(): Promise<void> {
    do {
      test.clock.advance(1);
      await new Promise((resolve) => setTimeout(resolve, 20));
    } while ((await readiness()) !== 200);
  }

  async function signedIn() {
    const user = await createUser(test);
    const page = new PageClient(test.client);
    const answer = await page.submit('/portal/login', { email: user.email, password: PASSWORD }, { follow: false });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/portal/dashboard']);
    return { user, page };
  }

  it('live there and nowhere else, under names that nobody can take a session over with', async () => {
    const { page } = await signedIn();
    expect(await isSignedIn(page)).toBe(true);
    const [key = '', ...others] = await keys();
    const id =
      decodeURIComponent(page.cookies.get('portal') ?? '')
        .slice(2)
        .split('.')[0] ?? '?';
    expect([others, key.includes(id)]).toEqual([[], false]);
    const ttl = Number(await redis.ask('PTTL', key));
    expect(ttl > 1_700_000 && ttl <= 1_800_000).toBe(true);
    const rows = await test.portal.database.select('SELECT id FROM portal_web_sessions');
    expect(rows).toEqual([]);
  });

  it('begin with a sign-in and with nothing else (S36, S41)', async () => {
    const before = await keys();
    const visitor = new PageClient(test.client);
    for (const path of ['/portal', '/portal/login', '/portal/products', '/portal/nothing']) await visitor.get(path);
    expect(await keys()).toEqual(before);
    const { page } = await signedIn();
    const stolen = page.copy();
    await page.submit('/portal', {}, { action: '/portal/logout' });
    expect([await isSignedIn(stolen), await keys()]).toEqual([false, before]);
    const user = await createUser(test);
    const known = stolen.cookies.get('portal');
    await stolen.submit('/portal/login', { email: user.email, password: PASSWORD }, { follow: false });
    expect(stolen.cookies.get('portal')).not.toBe(known);
  });

  it('end half an hour after the last request, and twelve hours after the sign-in in any case (S38)', async () => {
    const idle = await signedIn();
    test.clock.advance(31 * 60);
    expect(await isSignedIn(idle.page)).toBe(false);
    const busy = await signedIn();
    for (let quarter = 0; quarter < 48; quarter += 1) {
      expect(await isSignedIn(busy.page)).toBe(true);
      test.clock.advance(15 * 60);
    }
    expect(await isSignedIn(busy.page)).toBe(false);
  });

  it('stay ended when a request that began before writes them back (S39)', async () => {
    const { page } = await signedIn();
    const slow = page.copy();
    const _csrf = await slow.csrf('/portal/profile');
    const before = await keys();
    test.clock.advance(120);
    const late = test.client.sendSlowly('POST', '/portal/profile', {
      headers: { cookie: slow.cookieHeader, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ _csrf, first_name: 'Slow', last_name: 'Request' }).toString(),
    });
    await late.begun;
    // It is answered after this one, so its session was read by then.
    await page.get('/portal');
    await page.submit('/portal', {}, { action: '/portal/logout' });
    await late.finish();
    expect((await keys()).length).toBe(before.length - 1);
    expect(await isSignedIn(slow)).toBe(false);
  });

  it('end with the API sign-ins of the account on a new password (S40)', async () => {
    const { user, page } = await signedIn();
    const token = await apiSignIn(test, user);
    await test.portal.services.accounts.users.changePassword(user.id, 'a quite different battery');
    expect(await isSignedIn(page)).toBe(false);
    expect((await test.client.get('/api/v1/me', { token })).status).toBe(401);
  });

  describe.each([
    ['dead', () => redis.kill(), () => redis.revive()],
    ['frozen', () => Promise.resolve(redis.freeze()), () => Promise.resolve(redis.thaw())],
  ])('while Redis is %s (R07, R08)', (_state, breakIt, mendIt) => {
    it('pages for everyone and the API answer, what needs the session says 503, nothing waits, and it mends by itself', async () => {
      const { user, page } = await signedIn();
      const token = await apiSignIn(test, user);
      const login = new PageClient(test.client);
      const _csrf = await login.csrf('/portal/login');
      told.length = 0;
      await breakIt();
      const timed = async <T>(work: Promise<T>): Promise<T> => {
        const start = performance.now();
        const answer = await work;
        expect(performance.now() - start).toBeLessThan(LIMIT_MS);
        return answer;
      };
      const first = await timed(page.get('/portal/profile', { follow: false }));
      expectFriendly(first);
      expect((await timed(page.get('/portal'))).status).toBe(200);
      expect((await timed(page.get('/portal/products'))).status).toBe(200);
      expect((await timed(new PageClient(test.client).get('/portal/login'))).status).toBe(200);
      // Might be a product of theirs alone, were they known.
      expectFriendly(await timed(page.get('/portal/products/not-for-everyone')));
      const attempt = await login.post('/portal/login', { _csrf, email: user.email, password: PASSWORD });
      expectFriendly(attempt);
      expect(attempt.html).toContain(`value="${user.email}"`);
      expect(login.cookies.has('portal')).toBe(false);
      expect((await timed(test.client.get('/api/v1/me', { token }))).status).toBe(200);
      const body = { email: user.email, password: PASSWORD };
      expect((await test.client.post('/api/v1/auth/login', body)).status).toBe(200);
      expect((await timed(test.client.get('/api/v1/health/live'))).status).toBe(200);
      test.clock.advance(1);
      expect(await timed(readiness())).toBe(503);
      // Whoever asks first loses the connection; all others know.
      expect(told.filter((text) => text === 'Redis is away')).toHaveLength(1);
      await mendIt();
      await untilReady();
      const again = new PageClient(test.client);
      await again.submit('/portal/login', body, { follow: false });
      expect(await isSignedIn(again)).toBe(true);
      // R10: who was signed in signs in again, or still is; there is no third.
      expect([200, 303]).toContain((await page.get('/portal/profile', { follow: false })).status);
    });
  });

  function expectFriendly({ status, headers, html }: PageAnswer): void {
    expect([status, headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(html).not.toMatch(/redis|ECONN/i);
  }

  it('leave no sign-in behind when they could not begin', async () => {
    const user = await createUser(test);
    const page = new PageClient(test.client);
    const _csrf = await page.csrf('/portal/login');
    await redis.kill();
    await page.post('/portal/login', { _csrf, email: user.email, password: PASSWORD });
    expect(await test.portal.services.auth.sessions.list({ context: 'consumer', id: user.id })).toEqual([]);
    await redis.revive();
  });

  it('are refused, not half kept, by a Redis that is full (R10)', async () => {
    const user = await createUser(test);
    const page = new PageClient(test.client);
    await redis.ask('CONFIG', 'SET', 'maxmemory', '1');
    const answer = await page.submit('/portal/login', { email: user.email, password: PASSWORD });
    expectFriendly(answer);
    await redis.ask('CONFIG', 'SET', 'maxmemory', '0');
    await page.submit('/portal/login', { email: user.email, password: PASSWORD }, { follow: false });
    expect(await isSignedIn(page)).toBe(true);
  });
});
