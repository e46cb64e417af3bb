import { createAdmin, createUser, PASSWORD } from '../support/factories.js';
import type { Answer } from '../support/http-client.js';
import { PageClient } from '../support/page-client.js';
import { onTwoReplicas } from '../support/as-one.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const LOGIN = '/api/v1/admin/auth/login';
const NEXT = 'another quite long passphrase';
const YEAR_S = 365 * 86_400;
/** Fewer than a hundred, so that a test takes less time. */
const limits = { login: { maxConsecutive: 12 }, ip: { requests: { max: 10_000 } } };
const config = { app: { trustProxy: 1 }, limits };

let test: TestPortal;
beforeEach(async () => {
  test = await startTestPortal({ config });
});
afterEach(() => test.stop());

let network = 0;
interface Login {
  readonly device?: string | null;
  readonly path?: string;
  readonly from?: string;
  readonly at?: TestPortal;
}
function logIn(
  email: string,
  password = PASSWORD,
  { device, path = LOGIN, from, at = test }: Login = {},
): Promise<Answer> {
  const forwarded = { 'x-forwarded-for': from ?? '203.0.113.7' };
  const headers = device ? { ...forwarded, 'portal-device': device } : forwarded;
  return at.client.post(path, { email, password }, { headers });
}
const deviceOf = (answer: Answer): string => answer.headers.get('portal-device') ?? '';

/** Guesses from everywhere until nobody is listened to any more. */
async function lock(email: string, path = LOGIN): Promise<void> {
  for (let guess = 0; guess < 12; guess += 1) {
    network += 1;
    await logIn(email, 'wrong', { path, from: `198.51.100.${network % 250}` });
    test.clock.advance(901);
  }
}

describe('an account that strangers guessed at too often', () => {
  it('is locked for them, and they are told for how long in truth', async () => {
    const { email } = await createAdmin(test);
    await lock(email);
    const refused = await logIn(email);
    const wait = Number(refused.headers.get('retry-after'));
    expect([refused.status, wait > YEAR_S - 1000, wait <= YEAR_S]).toEqual([429, true, true]);
    test.clock.advance(wait - 1);
    expect((await logIn(email)).headers.get('retry-after')).toBe('1');
    test.clock.advance(1);
    expect((await logIn(email)).status).toBe(200);
  });

  it('lets a device in at which it has signed in before, and only with the right password', async () => {
    const { email } = await createAdmin(test);
    const device = deviceOf(await logIn(email));
    await lock(email);
    expect((await logIn(email, 'wrong', { device })).status).toBe(401);
    const again = await logIn(email, PASSWORD, { device });
    expect([again.status, deviceOf(again)]).toEqual([200, expect.stringMatching(/^[\w-]{22}\.\d+\.[\w-]{43}$/)]);
    expect((await logIn(email)).status).toBe(429);
  });

  it('does not take the device of another account, of another context, an altered, an old or a made-up one', async () => {
    const [admin, other] = [await createAdmin(test), await createAdmin(test)];
    const user = await createUser(test, { email: admin.email });
    const mine = deviceOf(await logIn(admin.email));
    const foreign = deviceOf(await logIn(other.email));
    const consumer = deviceOf(await logIn(user.email, PASSWORD, { path: '/api/v1/auth/login' }));
    await lock(admin.email);
    const [id = '', issuedAt = '', signed = ''] = mine.split('.');
    const later = `${id}.${Number(issuedAt) + 1}.${signed}`;
    const renamed = `${id.startsWith('A') ? 'B' : 'A'}${id.slice(1)}.${issuedAt}.${signed}`;
    for (const device of [foreign, consumer, later, renamed, `${id}.${issuedAt}.${'A'.repeat(43)}`, 'x', '..']) {
      expect([device, (await logIn(admin.email, PASSWORD, { device })).status]).toEqual([device, 429]);
    }
    expect((await logIn(admin.email, PASSWORD, { device: mine })).status).toBe(200);
    test.clock.advance(YEAR_S - 86_400);
    expect((await logIn(admin.email, PASSWORD, { device: mine })).status).toBe(200);
    test.clock.advance(40 * 86_400);
    await lock(admin.email);
    expect((await logIn(admin.email, PASSWORD, { device: mine })).status).toBe(429);
  });

  it('makes every device a stranger with a new password, but for the one that set it', async () => {
    const { email } = await createAdmin(test);
    const [one, two] = [await logIn(email), await logIn(email)];
    const body = { current_password: PASSWORD, password: NEXT, password_confirmation: NEXT };
    const token = one.json.data.access_token as string;
    const changed = await test.client.post('/api/v1/admin/me/password', body, { token });
    expect(changed.status).toBe(200);
    await lock(email);
    expect((await logIn(email, NEXT, { device: deviceOf(one) })).status).toBe(429);
    expect((await logIn(email, NEXT, { device: deviceOf(two) })).status).toBe(429);
    expect((await logIn(email, NEXT, { device: deviceOf(changed) })).status).toBe(200);
  });

  it('bounds the guesses of a known device, too, and counts them for strangers', async () => {
    const { email } = await createAdmin(test);
    const device = deviceOf(await logIn(email));
    for (let guess = 0; guess < 5; guess += 1) expect((await logIn(email, 'wrong', { device })).status).toBe(401);
    const limited = await logIn(email, PASSWORD, { device, from: '192.0.2.1' });
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '60']);
    expect((await logIn(email)).status).toBe(429);
    for (let guess = 5; guess < 12; guess += 1) {
      test.clock.advance(901);
      expect((await logIn(email, 'wrong', { device })).status).toBe(401);
    }
    test.clock.advance(901);
    expect((await logIn(email, PASSWORD, { device })).status).toBe(429);
  });

  it('lets who is signed in prove the password and change it', async () => {
    const { email } = await createAdmin(test);
    const token = (await logIn(email)).json.data.access_token as string;
    for (let guess = 0; guess < 10; guess += 1) {
      await logIn(email, 'wrong', { from: `198.51.100.${guess}` });
    }
    expect((await logIn(email)).status).toBe(429);
    const proved = await test.client.post('/api/v1/admin/me/reauthenticate', { password: PASSWORD }, { token });
    expect(proved.status).toBe(200);
  });

  it('is unlocked by an operator, also at a process that counts in its own memory', async () => {
    const admin = await createAdmin(test);
    await lock(admin.email);
    await test.portal.services.auth.security.unlockAdmin(admin);
    await lock(admin.email);
    // With a Redis there is one count for all.
    const shared = onTwoReplicas() ? { redis: test.portal.config.redis } : {};
    const elsewhere = await startTestPortal({
      config: { ...config, ...shared },
      databaseUrl: test.databaseUrl,
      clock: test.clock,
    });
    await elsewhere.portal.services.auth.security.unlockAdmin(admin);
    expect((await logIn(admin.email)).status).toBe(200);
    await lock(admin.email);
    expect((await logIn(admin.email)).status).toBe(429);
    test.clock.advance(1);
    await elsewhere.portal.services.auth.security.unlockAdmin(admin);
    expect((await logIn(admin.email)).status).toBe(200);
    await elsewhere.stop();
  });

  it('lets a known browser in; others are told what unlocks it instead of when', async () => {
    const { email } = await createUser(test);
    const browser = new PageClient(test.client);
    await browser.submit('/portal/login', { email, password: PASSWORD });
    const cookie = browser.setCookies.find((line) => line.startsWith('portal-device='));
    expect(cookie).toMatch(/; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/);
    await browser.submit('/portal/dashboard', {}, { action: '/portal/logout' });
    await lock(email, '/api/v1/auth/login');
    const stranger = await new PageClient(test.client).submit('/portal/login', { email, password: PASSWORD });
    expect([stranger.status, stranger.html]).toEqual([
      429,
      expect.stringContaining('Choose a new password to unlock it'),
    ]);
    const known = await browser.submit('/portal/login', { email, password: PASSWORD });
    expect(known.path).toBe('/portal/dashboard');
  });
});
