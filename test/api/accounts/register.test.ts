import { createUser } from '../../support/factories.js';
import { logIn } from '../../support/tokens.js';
import { startTestPortal, type TestPortal, type TestPortalOptions } from '../../support/test-portal.js';

const REGISTER = '/api/v1/auth/register';
const FREE = { ip: { requests: { max: 100_000 } }, register: { perHour: 100_000, perDay: 100_000 } };

const input = (changes: object = {}) => ({
  first_name: 'Ada',
  last_name: 'Lovelace',
  email: 'ada@example.com',
  password: 'a phrase nobody else uses',
  password_confirmation: 'a phrase nobody else uses',
  ...changes,
});

describe('registration', () => {
  let portal: TestPortal;
  const start = async (config: TestPortalOptions['config'] = {}) => {
    portal = await startTestPortal({ config });
  };
  afterEach(() => portal.stop());

  const register = (changes: object = {}) => portal.client.post(REGISTER, input(changes));

  it('answers 201 with a token pair that works', async () => {
    await start();
    const answer = await register({ email: ' Ada@Example.COM ' });
    expect([answer.status, Object.keys(answer.json.data)]).toEqual([
      201,
      ['token_type', 'access_token', 'expires_in', 'refresh_token'],
    ]);
    const me = await portal.client.get('/api/v1/me', { token: answer.json.data.access_token });
    expect(me.json.data).toMatchObject({ email: 'ada@example.com', full_name: 'Ada Lovelace', status: 'active' });
    const again = await portal.client.post('/api/v1/auth/refresh', { refresh_token: answer.json.data.refresh_token });
    expect(again.status).toBe(200);
    expect((await logIn(portal, 'ada@example.com', 'a phrase nobody else uses')).status).toBe(200);
  });

  it('takes nothing but its own fields from the body', async () => {
    await start();
    const more = {
      id: 99,
      status: 'inactive',
      auth_epoch: 7,
      email_verified_at: '2020-01-01',
      custom_attributes: { oidc_x: 1 },
    };
    const refused = await register(more);
    expect([refused.status, Object.keys(refused.json.errors)]).toEqual([422, Object.keys(more)]);
    const answer = await register({});
    const me = await portal.client.get('/api/v1/me', { token: answer.json.data.access_token });
    expect(me.json.data).toMatchObject({ id: 1, status: 'active', email_verified_at: null, custom_attributes: {} });
  });

  it('creates one account when fifty ask for the same address at once', async () => {
    await start({ limits: FREE });
    const answers = await Promise.all(Array.from({ length: 50 }, () => register()));
    const statuses = answers.map(({ status }) => status);
    expect([statuses.filter((s) => s === 201).length, statuses.filter((s) => s === 422).length]).toEqual([1, 49]);
    const refused = answers.find(({ status }) => status === 422);
    expect(refused?.json.errors).toEqual({ email: ['The e-mail address is already taken.'] });
  });

  it('reveals a taken address five times an hour to one address, twenty times a day; other answers do not count', async () => {
    await start({ limits: { ip: FREE.ip } });
    await createUser(portal, { email: 'ada@example.com' });
    for (const wait of [3600, 3600, 3600, 86_400 - 3 * 3600]) {
      for (let count = 0; count < 5; count += 1) {
        const refused = await register({ password: 'short', password_confirmation: 'short' });
        expect(refused.json.errors).toHaveProperty('password');
        expect((await register()).json.errors).toHaveProperty('email');
      }
      const limited = await register({ email: 'new@example.com' });
      expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, String(wait)]);
      portal.clock.advance(wait);
    }
    expect((await register()).status).toBe(422);
  });

  it('is closed with accounts.registration', async () => {
    await start({ accounts: { registration: false } });
    const answer = await register();
    expect([answer.status, answer.json.message]).toEqual([403, 'Forbidden.']);
  });

  it('says the same of a free and a taken address while addresses must be confirmed', async () => {
    await start({ accounts: { verifyEmail: true } });
    const [first, second] = [await register(), await register()];
    expect([first.status, first.text]).toEqual([202, second.text]);
    expect([second.status, second.json.message, second.json.data]).toEqual([202, 'Check your e-mail.', {}]);
    const refused = await logIn(portal, 'ada@example.com', 'a phrase nobody else uses');
    expect([refused.status, refused.json.message]).toEqual([403, 'E-mail not verified.']);
    expect((await logIn(portal, 'ada@example.com', 'wrong password')).status).toBe(401);
  });

  it('gives no tokens to accounts that begin as inactive', async () => {
    await start({ accounts: { defaultStatus: 'inactive' } });
    const answer = await register();
    expect([answer.status, answer.json.message, answer.json.data]).toEqual([202, 'Account pending approval.', {}]);
  });
});

describe('registration input', () => {
  let portal: TestPortal;

  beforeAll(async () => {
    portal = await startTestPortal({ config: { limits: FREE } });
  });
  afterAll(() => portal.stop());

  it.each([
    ['nothing', () => ({}), ['first_name', 'last_name', 'email', 'password', 'password_confirmation']],
    ['another confirmation', () => input({ password_confirmation: 'something else' }), ['password_confirmation']],
    ['a short password', () => input({ password: '7 chars', password_confirmation: '7 chars' }), ['password']],
    ['a common password', () => input({ password: 'password1', password_confirmation: 'password1' }), ['password']],
    ['what is no address', () => input({ email: 'ada' }), ['email']],
    ['an address that looks like another', () => input({ email: 'ädа@example.com' }), ['email']],
    ['control characters in a name', () => input({ first_name: 'Ada\u0007' }), ['first_name']],
    ...['first_name', 'last_name', 'email', 'password'].flatMap((field) =>
      [['x'], { a: 1 }, 1, true, null].map(
        (value) => [`${JSON.stringify(value)} as ${field}`, () => input({ [field]: value }), [field]] as const,
      ),
    ),
  ] as const)('answers 422 to %s', async (_name, body, fields) => {
    const answer = await portal.client.post(REGISTER, body());
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.json.errors)).toEqual(expect.arrayContaining([...fields]));
  });
});
