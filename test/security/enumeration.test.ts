import { Argon2Hasher, type PasswordHasher, type PasswordCheck } from '../../src/domain/accounts/index.js';
import { createAdmin, createUser, PASSWORD } from '../support/factories.js';
import type { Answer } from '../support/http-client.js';
import { issueTokens } from '../support/tokens.js';
import { startTestPortal, type TestPortal, type TestPortalOptions } from '../support/test-portal.js';

const MANY = { max: 100_000 };
const LIMITS = { ip: { requests: MANY, failingAccounts: MANY }, register: { perHour: 1000, perDay: 1000 } };
const FOREIGN_HASH = '!provided-by-an-identity-provider';

let verifications = 0;
/** Counts how often a password is really hashed, whoever asks for it. */
class CountingHasher extends Argon2Hasher {
  override verify(password: string, stored: string): Promise<PasswordCheck> {
    if (stored.startsWith('$argon2id$v=19$m=19456,t=2,p=1$')) verifications += 1;
    return super.verify(password, stored);
  }
}

/** Every byte that a client sees, but for what differs between any two requests. */
function bytes({ status, headers, text }: Answer): string {
  const shown = [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name));
  return JSON.stringify([status, shown, text]);
}

async function start(options: TestPortalOptions = {}): Promise<TestPortal> {
  const hasher = (): PasswordHasher => new CountingHasher();
  const config = { limits: LIMITS, ...options.config };
  const test = await startTestPortal({ ...options, config, extensions: { passwordHasher: hasher } });
  await test.client.post('/api/v1/auth/login', { email: 'warms@example.com', password: 'the decoy' });
  return test;
}

describe('a login that fails (S08)', () => {
  let test: TestPortal;
  beforeAll(async () => {
    test = await start();
  });
  afterAll(() => test.stop());

  it.each(['', '/admin'])('looks the same and works as hard for every reason at %s/auth/login', async (context) => {
    const make = (status: 'active' | 'inactive', more: { passwordHash?: string } = {}) =>
      context === '' ? createUser(test, { status, ...more }) : createAdmin(test, { status });
    const active = await make('active');
    const inactive = await make('inactive');
    const foreign = await createUser(test, { passwordHash: FOREIGN_HASH });
    const absurd = await createUser(test, {
      passwordHash: '$argon2id$v=19$m=4194304,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AA',
    });
    const pending = await createUser(test, { status: 'pending' });
    const deleted = await createUser(test);
    await test.portal.services.accounts.users.delete(deleted.id);
    const attempts: [string, string][] = [
      [active.email, 'wrong'],
      [active.email, `${PASSWORD} `],
      [active.email, PASSWORD.toUpperCase()],
      [active.email, 'x'.repeat(512)],
      [inactive.email, PASSWORD],
      [inactive.email, 'wrong'],
      [pending.email, 'wrong'],
      [foreign.email, PASSWORD],
      [foreign.email, FOREIGN_HASH],
      [absurd.email, PASSWORD],
      [deleted.email, PASSWORD],
      ['nobody@example.com', PASSWORD],
      ['nobody@exàmple.com', PASSWORD],
      [`${'n'.repeat(65)}@example.com`, PASSWORD],
      [`${active.email}\u0000`, PASSWORD],
      ['\ud800@example.com', PASSWORD],
      ['%@example.com', PASSWORD],
      [context === '' ? (await createAdmin(test)).email : pending.email, PASSWORD],
    ];
    const seen = new Map<string, string[]>();
    for (const [email, password] of attempts) {
      verifications = 0;
      const answer = await test.client.post(`/api/v1${context}/auth/login`, { email, password });
      expect([email, verifications]).toEqual([email, 1]);
      seen.set(bytes(answer), [...(seen.get(bytes(answer)) ?? []), email]);
    }
    expect([...seen.values()]).toHaveLength(1);
    expect([...seen.keys()][0]).toContain('Invalid credentials.');
  });

  it('is limited in the same bytes for who exists and who does not', async () => {
    const { email } = await createUser(test);
    const limited: string[] = [];
    for (const address of [email, 'nobody-at-all@example.com']) {
      for (let count = 0; count < 5; count += 1) {
        await test.client.post('/api/v1/auth/login', { email: address, password: 'wrong' });
      }
      limited.push(bytes(await test.client.post('/api/v1/auth/login', { email: address, password: PASSWORD })));
    }
    expect(limited[0]).toContain('Too many attempts.');
    expect(limited[1]).toBe(limited[0]);
  });
});

describe('a registration (S10)', () => {
  const input = (email: string, password = 'a phrase nobody else uses') => ({
    ...{ first_name: 'Ada', last_name: 'Byron', email },
    ...{ password, password_confirmation: password },
  });

  it.each(['active', 'pending', 'inactive'] as const)(
    'that must be confirmed tells nobody whether the address was taken: %s',
    async (defaultStatus) => {
      const test = await start({ config: { accounts: { verifyEmail: true, defaultStatus } } });
      for (const status of ['active', 'inactive', 'pending'] as const) {
        await createUser(test, { email: `${status}@example.com`, status });
      }
      const addresses = ['free', 'FREE', 'active', ' Active', 'inactive', 'pending', 'another'];
      const answers: string[] = [];
      for (const name of addresses) {
        answers.push(bytes(await test.client.post('/api/v1/auth/register', input(`${name}@example.com`))));
      }
      expect(new Set(answers).size).toBe(1);
      const weak = await test.client.post('/api/v1/auth/register', input('active@example.com', 'password'));
      const weakToo = await test.client.post('/api/v1/auth/register', input('unknown@example.com', 'password'));
      expect(bytes(weak)).toBe(bytes(weakToo));
      await test.stop();
    },
  );
});

describe('a token that is of no use', () => {
  let test: TestPortal;
  beforeAll(async () => {
    test = await start();
  });
  afterAll(() => test.stop());

  it('is refused in the same bytes whatever became of it', async () => {
    const { users } = test.portal.services.accounts;
    const issue = async () => {
      const user = await createUser(test);
      return { user, ...(await issueTokens(test, user.id)) };
    };
    const [gone, off, out, fresh] = [await issue(), await issue(), await issue(), await issue()];
    await users.delete(gone.user.id);
    await users.setStatus(off.user.id, 'inactive');
    await test.client.delete('/api/v1/me/sessions', { token: out.accessToken });
    const admin = await issueTokens(test, (await createAdmin(test)).id, 'admin');
    const bearers = [gone, off, out, admin].map(({ accessToken }) => accessToken);
    const exchanged = [gone, off, out, admin].map(({ refreshToken }) => refreshToken);
    const seen = { bearer: new Set<string>(), refresh: new Set<string>(), logout: new Set<string>() };
    for (const token of [...bearers, ...exchanged, fresh.refreshToken, 'garbage', 'a.b.c', `${fresh.accessToken}x`]) {
      seen.bearer.add(bytes(await test.client.get('/api/v1/me', { token })));
    }
    for (const refresh_token of [...exchanged, fresh.accessToken.slice(0, 500), 'prt_x', 'garbage']) {
      seen.refresh.add(bytes(await test.client.post('/api/v1/auth/refresh', { refresh_token })));
      const call = { token: fresh.accessToken };
      seen.logout.add(bytes(await test.client.post('/api/v1/auth/logout', { refresh_token }, call)));
    }
    expect([seen.bearer.size, seen.refresh.size, seen.logout.size]).toEqual([1, 1, 1]);
    expect([...seen.bearer]).toEqual([...seen.refresh]);
  });
});
