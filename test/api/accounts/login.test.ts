import { Argon2Hasher, type PasswordHasher } from '../../../src/domain/accounts/index.js';
import {
  LoginAttemptedEvent,
  LoginFailedEvent,
  LoginSucceededEvent,
  TokenIssuedEvent,
  type AuthEvent,
} from '../../../src/domain/auth/index.js';
import { createAdmin, createUser, PASSWORD } from '../../support/factories.js';
import type { Answer } from '../../support/http-client.js';
import { logIn } from '../../support/tokens.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const LOGIN = '/api/v1/auth/login';
const UNLIMITED = { ip: { requests: { max: 100_000 }, failingAccounts: { max: 100_000 } } };

let calls: string[] = [];

/** The real hasher, telling what it is asked. */
function countingHasher(): PasswordHasher {
  const hasher = new Argon2Hasher();
  const count =
    <A extends unknown[], R>(name: string, run: (...given: A) => R) =>
    (...given: A): R => {
      calls.push(name);
      return run(...given);
    };
  return {
    hash: count('hash', (password: string) => hasher.hash(password)),
    verify: count('verify', (password: string, stored: string) => hasher.verify(password, stored)),
    verifyNothing: count('verifyNothing', (password: string) => hasher.verifyNothing(password)),
  };
}

/** What a client sees, but for what differs from request to request. */
function visible({ status, text, headers }: Answer): unknown {
  const shown = [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name));
  return { status, text, shown };
}

describe('login', () => {
  let portal: TestPortal;
  const events: AuthEvent[] = [];

  beforeAll(async () => {
    portal = await startTestPortal({ config: { limits: UNLIMITED }, extensions: { passwordHasher: countingHasher } });
    for (const type of [LoginAttemptedEvent, LoginFailedEvent, LoginSucceededEvent, TokenIssuedEvent]) {
      portal.portal.events.on(type, (event) => void events.push(event));
    }
  });
  beforeEach(() => {
    calls = [];
    events.splice(0);
  });
  afterAll(() => portal.stop());

  const told = (): string[] => events.map((event) => event.constructor.name);

  it('answers with a token pair and tells who signed in from where', async () => {
    const user = await createUser(portal);
    const answer = await portal.client.post(LOGIN, { email: user.email, password: PASSWORD });
    expect(answer.json).toEqual({
      success: true,
      status: 200,
      message: 'Logged in.',
      data: {
        token_type: 'Bearer',
        access_token: expect.any(String),
        expires_in: 900,
        refresh_token: expect.stringMatching(/^prt_[\w-]{71}$/),
      },
      meta: null,
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(told()).toEqual(['LoginAttemptedEvent', 'LoginSucceededEvent', 'TokenIssuedEvent']);
    expect(events[1]).toMatchObject({
      context: 'consumer',
      accountId: user.id,
      email: user.email,
      ip: '127.0.0.1',
      userAgent: 'node',
      requestId: answer.headers.get('x-request-id'),
      occurredAt: portal.clock.now(),
    });
    const me = await portal.client.get('/api/v1/me', { token: answer.json.data.access_token });
    expect(me.json.data).toMatchObject({ id: user.id, email: user.email });
  });

  it('takes the address in any spelling', async () => {
    const { email } = await createUser(portal, { email: 'spelling@example.com' });
    expect((await logIn(portal, `  ${email.toUpperCase()} `)).status).toBe(200);
    expect((await logIn(portal, 'ｓpelling@example.com')).status).toBe(200);
  });

  it('notes when an admin signed in, and keeps the two contexts apart', async () => {
    const admin = await createAdmin(portal);
    const answer = await portal.client.post('/api/v1/admin/auth/login', { email: admin.email, password: PASSWORD });
    expect(answer.status).toBe(200);
    expect((await portal.portal.services.accounts.admins.find(admin.id)).lastLoginAt).toEqual(portal.clock.now());
    expect((await logIn(portal, admin.email)).status).toBe(401);
    const user = await createUser(portal);
    const other = await portal.client.post('/api/v1/admin/auth/login', { email: user.email, password: PASSWORD });
    expect(other.status).toBe(401);
  });

  it('says the same, byte for byte, of an unknown address, a wrong password and an inactive account', async () => {
    const user = await createUser(portal);
    const inactive = await createUser(portal, { status: 'inactive' });
    await logIn(portal, 'warms-the-decoy@example.com');
    const attempts = [
      [user.email, 'wrong password'],
      [inactive.email, PASSWORD],
      [inactive.email, 'wrong password'],
      ['nobody@example.com', PASSWORD],
      ['ädmin@example.com', PASSWORD],
      ['no address@x', PASSWORD],
    ];
    const answers: unknown[] = [];
    for (const [email = '', password] of attempts) {
      calls = [];
      events.splice(0);
      answers.push(visible(await logIn(portal, email, password)));
      // The same work, and so the same time (S08): verifyNothing runs one verification inside.
      expect(calls).toHaveLength(1);
      expect(told()).toEqual(['LoginAttemptedEvent', 'LoginFailedEvent']);
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ status: 401 });
    expect(JSON.parse((answers[0] as { text: string }).text)).toEqual({
      success: false,
      status: 401,
      message: 'Invalid credentials.',
      errors: { email: ['These credentials do not match our records.'] },
      meta: null,
    });
  });

  it('hashes an imported password anew', async () => {
    // `$2y$` as Laravel writes it, of "password of the old portal".
    const passwordHash = '$2y$04$qx4G/LsPtjYsFwqcdn/.d.je6VkwMgltOYXaELRu28oro1/f4OXGS';
    const { id, email } = await createUser(portal, { passwordHash });
    expect((await logIn(portal, email, 'password of the old portal')).status).toBe(200);
    const renewed = await portal.portal.services.accounts.users.findCredentials(id);
    expect(renewed.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await logIn(portal, email, 'password of the old portal')).status).toBe(200);
  });

  it.each([
    ['nothing', {}, ['email', 'password']],
    ['no password', { email: 'a@example.com' }, ['password']],
    ['what has no @', { email: 'not-an-address', password: 'x' }, ['email']],
    ['an endless address', { email: `${'a'.repeat(250)}@example.com`, password: 'x' }, ['email']],
    ['an endless password', { email: 'a@example.com', password: 'x'.repeat(513) }, ['password']],
    ...[['a@example.com'], { $ne: null }, 1, true, null].flatMap((value) => [
      [`${JSON.stringify(value)} as email`, { email: value, password: 'x' }, ['email']] as const,
      [`${JSON.stringify(value)} as password`, { email: 'a@example.com', password: value }, ['password']] as const,
    ]),
  ] as const)('answers 422 to %s', async (_name, body, fields) => {
    const answer = await portal.client.post(LOGIN, body);
    expect([answer.status, answer.json.message]).toEqual([422, 'Validation failed.']);
    expect(Object.keys(answer.json.errors)).toEqual(fields);
    expect(calls).toEqual([]);
  });

  it('lets pending developers in, inactive ones not, and ends what they have at once (S25)', async () => {
    const pending = await createUser(portal, { status: 'pending' });
    const { data } = (await logIn(portal, pending.email)).json;
    const me = () => portal.client.get('/api/v1/me', { token: data.access_token });
    const refresh = () => portal.client.post('/api/v1/auth/refresh', { refresh_token: data.refresh_token });
    expect((await me()).status).toBe(200);
    await portal.portal.services.accounts.users.setStatus(pending.id, 'active');
    expect((await me()).json.data.status).toBe('active');
    await portal.portal.services.accounts.users.setStatus(pending.id, 'inactive');
    expect([(await me()).status, (await refresh()).status, (await logIn(portal, pending.email)).status]).toEqual([
      401, 401, 401,
    ]);
    await portal.portal.services.accounts.users.setStatus(pending.id, 'active');
    expect([(await me()).status, (await refresh()).status, (await logIn(portal, pending.email)).status]).toEqual([
      401, 401, 200,
    ]);
  });

  it('ends with the account: nothing of a deleted developer works', async () => {
    const { id, email } = await createUser(portal);
    const { data } = (await logIn(portal, email)).json;
    await portal.portal.services.accounts.users.delete(id);
    expect((await portal.client.get('/api/v1/me', { token: data.access_token })).status).toBe(401);
    const refreshed = await portal.client.post('/api/v1/auth/refresh', { refresh_token: data.refresh_token });
    expect(refreshed.status).toBe(401);
    const sql = "SELECT sid FROM portal_sessions WHERE context = 'consumer' AND account_id = ?";
    expect(await portal.portal.database.select(sql, [id])).toEqual([]);
  });
});

describe('limits of the login', () => {
  let portal: TestPortal;
  let failed = 0;

  const start = async (limits: object = {}) => {
    portal = await startTestPortal({ config: { app: { trustProxy: 1 }, limits } });
    failed = 0;
    portal.portal.events.on(LoginFailedEvent, () => void (failed += 1));
  };
  afterEach(() => portal.stop());

  const from = (ip: string, email: string, password = 'wrong password') =>
    portal.client.post(LOGIN, { email, password }, { headers: { 'x-forwarded-for': ip } });
  const wait = (answer: Answer): number => Number(answer.headers.get('retry-after'));

  it('evaluate five of a hundred parallel wrong passwords', async () => {
    await start(UNLIMITED);
    const { email } = await createUser(portal);
    const answers = await Promise.all(Array.from({ length: 100 }, () => from('192.0.2.1', email)));
    const statuses = answers.map(({ status }) => status);
    expect([statuses.filter((s) => s === 401).length, statuses.filter((s) => s === 429).length]).toEqual([5, 95]);
    expect(failed).toBe(5);
  });

  it('let twenty parallel right ones pass', async () => {
    await start();
    const { email } = await createUser(portal);
    const answers = await Promise.all(Array.from({ length: 20 }, () => from('192.0.2.1', email, PASSWORD)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  });

  it('hold for the right password too, and end when Retry-After says', async () => {
    await start();
    const { email } = await createUser(portal);
    for (let count = 0; count < 5; count += 1) expect((await from('192.0.2.1', email)).status).toBe(401);
    const limited = await from('192.0.2.1', email, PASSWORD);
    expect([limited.status, limited.json.message, limited.json.errors]).toEqual([429, 'Too many attempts.', {}]);
    expect((await from('192.0.2.2', email, PASSWORD)).status).toBe(200);
    for (let count = 0; count < 5; count += 1) await from('192.0.2.1', email);
    portal.clock.advance(wait(limited));
    expect((await from('192.0.2.1', email, PASSWORD)).status).toBe(200);
  });

  it('count an unknown account like a known one, whatever its spelling', async () => {
    await start();
    const spellings = [
      'nobody@example.com',
      ' NOBODY@example.com',
      'nöbody@example.com',
      'nobody@EXAMPLE.com ',
      'ｎobody@example.com',
    ];
    for (const email of spellings) expect((await from('192.0.2.1', email)).status).toBe(401);
    expect((await from('192.0.2.1', 'nobody@example.com')).status).toBe(429);
  });

  it('lock an account that is guessed at from many addresses, until an admin or a new password unlocks it', async () => {
    await start();
    const { id, email } = await createUser(portal);
    for (let count = 0; count < 10; count += 1) expect((await from(`192.0.2.${count}`, email)).status).toBe(401);
    const locked = await from('198.51.100.1', email, PASSWORD);
    expect([locked.status, wait(locked)]).toEqual([429, 30]);
    portal.clock.advance(30);
    expect((await from('198.51.100.1', email)).status).toBe(401);
    expect(wait(await from('198.51.100.2', email, PASSWORD))).toBe(60);
    await portal.portal.services.auth.attempts.unlock('consumer', email);
    expect((await from('198.51.100.2', email, PASSWORD)).status).toBe(200);
    for (let count = 0; count < 10; count += 1) await from(`192.0.2.${count + 20}`, email);
    expect((await from('198.51.100.3', email, PASSWORD)).status).toBe(429);
    await portal.portal.services.accounts.users.changePassword(id, 'a wholly different phrase');
    expect((await from('198.51.100.3', email, 'a wholly different phrase')).status).toBe(200);
  });

  it('stop an address that fails at twenty accounts, a network of IPv6 addresses as one', async () => {
    await start();
    const answers: number[] = [];
    for (let count = 0; count < 25; count += 1) {
      answers.push((await from(`2001:db8:0:7::${count}`, `developer${count}@example.org`)).status);
    }
    expect(answers).toEqual([...Array(20).fill(401), ...Array(5).fill(429)]);
    expect((await from('2001:db8:0:7:ffff::1', 'developer0@example.org')).status).toBe(429);
    expect((await from('2001:db8:0:8::1', 'developer30@example.org')).status).toBe(401);
  });

  it('allow thirty requests a minute from one address; a success does not start anew', async () => {
    await start();
    const { email } = await createUser(portal);
    for (let count = 0; count < 29; count += 1) {
      expect((await from('192.0.2.1', email, PASSWORD)).status).toBe(200);
    }
    const registered = await portal.client.post(
      '/api/v1/auth/register',
      {},
      { headers: { 'x-forwarded-for': '192.0.2.1' } },
    );
    expect(registered.status).toBe(422);
    const limited = await from('192.0.2.1', email, PASSWORD);
    expect([limited.status, wait(limited)]).toEqual([429, 60]);
    portal.clock.advance(60);
    expect((await from('192.0.2.1', email, PASSWORD)).status).toBe(200);
  });

  it('never ask to wait for less than a second or longer than a window after the clock went back', async () => {
    await start();
    const { email } = await createUser(portal);
    for (let count = 0; count < 5; count += 1) await from('192.0.2.1', email);
    portal.clock.advance(-3600);
    expect(wait(await from('192.0.2.1', email))).toBe(60);
    portal.clock.advance(7200);
    expect((await from('192.0.2.1', email, PASSWORD)).status).toBe(200);
  });
});
