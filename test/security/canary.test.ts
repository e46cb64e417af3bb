import { createLogger, PortalEvent } from '../../src/core/index.js';
import { Developer } from '../support/apps.js';
import { createAdmin, createProduct, createUser, PASSWORD } from '../support/factories.js';
import type { Answer, Call } from '../support/http-client.js';
import { issueTokens } from '../support/tokens.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const VERIFY_SECRET = 'canary-of-the-verify-secret-0123456789';
const JWT_SECRET = 'canary-of-the-jwt-secret-0123456789-abcdefgh';
const APP_KEY = 'canary-of-the-master-key-of-32-bytes-and-more';

let test: TestPortal;
let log = '';
const events: PortalEvent[] = [];
const refusals: string[] = [];
/** Everything that only its holder may know. */
const secrets = new Set([PASSWORD, VERIFY_SECRET, JWT_SECRET, APP_KEY]);

beforeAll(async () => {
  test = await startTestPortal({
    config: {
      app: { key: APP_KEY },
      portalApi: { jwtSecret: JWT_SECRET },
      verify: { secret: VERIFY_SECRET },
      limits: { ip: { requests: { max: 1000 } } },
    },
    logger: createLogger('debug', { write: (line: string) => void (log += line) }),
  });
  test.portal.events.on(PortalEvent, (event) => void events.push(event));
  await test.portal.services.rbac.seed();
  await createProduct(test, { slug: 'payments' });
});
afterAll(() => test.stop());

const SECRET_FIELDS = ['access_token', 'refresh_token', 'consumer_key', 'consumer_secret'];

function collect(value: unknown): void {
  if (value === null || typeof value !== 'object') return;
  for (const [name, item] of Object.entries(value)) {
    if (SECRET_FIELDS.includes(name) && typeof item === 'string' && !item.includes('•')) secrets.add(item);
    else collect(item);
  }
}

/** Keeps what the answer hands out as secret, and what it says when it refuses. */
async function send(method: string, path: string, call: Call = {}): Promise<Answer> {
  const answer = await test.client.send(method, path, call);
  collect(answer.json?.data);
  if (answer.status >= 400) refusals.push(JSON.stringify([...answer.headers]) + answer.text);
  return answer;
}

const secret = (name: string): string => {
  const text = `canary of ${name} 0123456789`;
  secrets.add(text);
  return text;
};
const post = (path: string, body: unknown, token?: string) =>
  send('POST', `/api/v1${path}`, { body, ...(token === undefined ? {} : { token }) });

async function signUpAndOut(): Promise<void> {
  const password = secret('the registration');
  const person = { first_name: 'Ada', last_name: 'Byron', email: 'flight@example.com' };
  const first = await post('/auth/register', { ...person, password, password_confirmation: password });
  expect(first.status).toBe(201);
  await post('/auth/register', { ...person, password, password_confirmation: secret('another confirmation') });
  await post('/auth/register', { ...person, password, password_confirmation: password });
  await post('/auth/login', { email: person.email, password: secret('a wrong password') });
  await post('/auth/login', { email: secret('a password in the wrong field'), password });
  await post('/auth/login', { email: person.email, password: [secret('a password in a list')] });
  await send('POST', '/api/v1/auth/login', { raw: `{"password":"${secret('broken JSON')}"` });
  const { data } = (await post('/auth/login', { email: person.email, password })).json;
  const next = secret('the next password');
  const change = { password: next, password_confirmation: next };
  await post('/me/password', { ...change, current_password: secret('a wrong present password') }, data.access_token);
  await post('/me/password', { ...change, current_password: password }, data.access_token);
  await post('/me/reauthenticate', { password: next }, data.access_token);
  const second = (await post('/auth/refresh', { refresh_token: data.refresh_token })).json.data;
  await post('/auth/refresh', { refresh_token: second.refresh_token });
  await post('/auth/refresh', { refresh_token: data.refresh_token });
  await post('/auth/refresh', { refresh_token: `prt_${secret('a forged token').replaceAll(' ', '-')}` });
  const last = (await post('/auth/login', { email: person.email, password: next })).json.data;
  await post('/auth/logout', { refresh_token: last.refresh_token }, last.access_token);
  await send('GET', `/api/v1/me?access_token=${last.access_token}`, { token: last.access_token });
  await send('GET', '/api/v1/me', { headers: { cookie: `session=${secret('a cookie')}` } });
}

async function useKeys(): Promise<void> {
  const ada = await Developer.create(test);
  secrets.add(ada.token);
  const mine = (method: string, path: string, body: unknown = {}) =>
    send(method, `/api/v1/me/apps${path}`, { token: ada.token, ...(method === 'GET' ? {} : { body }) });
  const { data } = (await mine('POST', '', { name: 'canary', products: ['payments'] })).json;
  const [{ id, consumer_key: key }] = data.credentials;
  expect((await mine('POST', `/canary/credentials/${id}/reveal`)).status).toBe(200);
  const rotated = await mine('POST', `/canary/credentials/${id}/rotate`, { overlap: 60 });
  expect(rotated.status).toBe(201);
  await mine('GET', '/canary/credentials');
  const ask = (headers: Record<string, string>, uri = '') =>
    send('GET', '/gateway/verify/payments', {
      headers: { 'x-portal-verify-secret': VERIFY_SECRET, 'x-forwarded-uri': uri, ...headers },
    });
  expect((await ask({ 'x-api-key': key })).status).toBe(200);
  await ask({}, `/v1?apikey=${key}`);
  await ask({ authorization: `Bearer ${key}` });
  for (const guess of ['pk_0canary0of0an0unknown0key', 'portal_test_0canary0of0a0key0that0cannot0exist']) {
    secrets.add(guess);
    await ask({ 'x-api-key': guess });
  }
  await ask({ 'x-api-key': key, 'x-portal-verify-secret': secret('a wrong verify secret') });
  await mine('POST', `/canary/credentials/${id}/revoke`);
  await ask({ 'x-api-key': key });
  await mine('DELETE', '/canary');
}

async function failInside(): Promise<void> {
  const { database } = test.portal;
  const user = await createUser(test);
  const ada = await Developer.create(test);
  secrets.add(ada.token);
  const { refreshToken } = await issueTokens(test, user.id);
  secrets.add(refreshToken);
  const broken = [
    ['portal_api_refresh_tokens', () => post('/auth/login', { email: user.email, password: PASSWORD })],
    ['portal_api_refresh_tokens', () => post('/auth/refresh', { refresh_token: refreshToken })],
    ['portal_sessions', () => send('GET', '/api/v1/me', { token: ada.token })],
    ['portal_gateway_keys', () => post('/me/apps', { name: 'cut', products: ['payments'] }, ada.token)],
    ['portal_users', () => register(secret('a failing registration'))],
  ] as const;
  for (const [table, run] of broken) {
    await database.execute(`ALTER TABLE ${table} RENAME TO hidden_away`);
    const answer = await run();
    await database.execute(`ALTER TABLE hidden_away RENAME TO ${table}`);
    expect([table, answer.status >= 500, answer.json.errors]).toEqual([table, true, {}]);
  }
}

const register = (password: string) =>
  post('/auth/register', {
    ...{ first_name: 'A', last_name: 'B', email: 'b@example.com' },
    ...{ password, password_confirmation: password },
  });

async function everyTable(): Promise<string> {
  const { database } = test.portal;
  const list =
    database.dialect === 'sqlite'
      ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
      : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()';
  const tables = await database.select<{ name: string }>(list);
  expect(tables.length).toBeGreaterThan(25);
  const rows = await Promise.all(tables.map(({ name }) => database.select(`SELECT * FROM ${name}`)));
  return JSON.stringify(rows);
}

const spellings = (text: string): string[] => {
  const bytes = Buffer.from(text);
  const json = JSON.stringify(text).slice(1, -1);
  return [text, json, encodeURIComponent(text), bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex')];
};

/** Names of the places that hold one of the secrets, in any spelling. */
function leaks(places: Record<string, string>): string[] {
  return Object.entries(places).flatMap(([place, text]) =>
    [...secrets].flatMap((item) => (spellings(item).some((form) => text.includes(form)) ? `${place}: ${item}` : [])),
  );
}

describe('the canaries (S69, S26, S71)', () => {
  beforeAll(async () => {
    await signUpAndOut();
    await useKeys();
    const admin = await createAdmin(test, { roles: ['super_admin'] });
    await post('/admin/auth/login', { email: admin.email, password: PASSWORD });
    await failInside();
  });

  it('were let loose, and faults were logged', () => {
    expect(secrets.size).toBeGreaterThan(35);
    expect(log).toContain('a request failed');
    expect(refusals.length).toBeGreaterThan(15);
    expect(events.length).toBeGreaterThan(25);
  });

  it('are found where they are, so that the search is one', () => {
    expect(leaks({ here: `x${Buffer.from(PASSWORD).toString('base64')}y` })).toEqual([`here: ${PASSWORD}`]);
  });

  it('are in no log, refusal, or table', async () => {
    expect(leaks({ log, refusals: refusals.join('\n'), tables: await everyTable() })).toEqual([]);
  });

  it('are in no event, but for what somebody typed as their address', () => {
    const typed = 'canary of a password in the wrong field 0123456789';
    const told = leaks({ events: JSON.stringify(events) });
    expect(told.filter((leak) => leak !== `events: ${typed}`)).toEqual([]);
  });

  it('and no log line tells the SQL of a fault with its values', () => {
    expect(log).not.toMatch(/\$argon2id|flight@example\.com|INSERT INTO .*VALUES \('/);
  });
});
