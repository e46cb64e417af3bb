import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateSync } from 'otplib';
import { openDatabase, type Database } from '../../src/database/index.js';
import { silentLogger } from '../../src/core/index.js';
import { findService } from '../support/binaries.js';
import { testConfig } from '../support/database-config.js';
import { dumpDatabase } from '../support/dump.js';
import { HostProject } from '../support/host-project.js';
import { TestClient } from '../support/http-client.js';
import { PageClient } from '../support/page-client.js';
import { freePort } from '../support/ports.js';
import { PATIENCE } from '../support/patience.js';
import { portal } from '../support/portal-command.js';
import { servePortal, type ServingPortal } from '../support/portal-process.js';
import { UNLIMITED } from '../support/project.js';
import { startBreakableRedis, type BreakableRedis } from '../support/redis.js';
import { startSmtp, type TestSmtp } from '../support/smtp.js';
import { createTestDatabase, dialectUnderTest, type TestDatabase } from '../support/test-database.js';

const PASSWORD = 'correct horse 4711 battery';
const NEXT_PASSWORD = 'another horse 4712 staple';
const SECRET_FIELDS =
  /^(access_token|refresh_token|challenge_token|consumer_key|consumer_secret|secret|recovery_codes)$/;
const key = () => `base64:${randomBytes(32).toString('base64')}`;

let cwd: string;
let place: TestDatabase;
let database: Database;
let redis: BreakableRedis | null = null;
let smtp: TestSmtp;
let serving: ServingPortal;
let client: TestClient;
let metrics: string;
const settings = { APP_KEY: key(), PORTAL_API_JWT_SECRET: key(), VERIFY_SECRET: key() };
/** What only its holder may know; codes of six digits apart, for they are found by their borders. */
const secrets = new Set([PASSWORD, NEXT_PASSWORD, ...Object.values(settings)]);
const codes = new Set<string>();

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'portal-canary-'));
  await HostProject.link(cwd);
  place = await createTestDatabase(cwd, dialectUnderTest());
  redis = findService('redis') === undefined ? null : await startBreakableRedis();
  smtp = await startSmtp();
  const port = String(await freePort());
  metrics = `http://127.0.0.1:${port}/metrics`;
  await writeFile(join(cwd, 'package.json'), '{"type":"module"}');
  const config = `{ modules: [mfa], limits: ${JSON.stringify(UNLIMITED)} }`;
  await writeFile(join(cwd, 'portal.config.js'), `import { mfa } from 'portalkit/mfa';\nexport default ${config};\n`);
  const env = {
    ...{ ...settings, APP_ENV: 'production', APP_LOG_LEVEL: 'debug', DATABASE_URL: place.url, METRICS_PORT: port },
    ...{ APP_URL: 'http://portal.test', APP_ALLOW_HTTP: 'true', APP_ALLOWED_HOSTS: 'portal.test,127.0.0.1' },
    ...{ MAIL_TRANSPORT: 'smtp', MAIL_URL: smtp.url },
    ...(redis && { REDIS_URL: redis.url, SESSION_STORE: 'redis' }),
  };
  const migrated = await portal(['migrate'], { cwd, env });
  if (migrated.exitCode !== 0) throw new Error(migrated.stderr);
  database = openDatabase(testConfig(place.url), { logger: silentLogger });
  serving = await servePortal([], { cwd, env });
  await serving.printed('Ready');
  client = TestClient.to(serving.url);
});
afterAll(async () => {
  await serving.stop();
  await database.close();
  await smtp.close();
  await redis?.stop();
  await place.drop();
  await rm(cwd, { recursive: true, force: true });
});

function keep(value: unknown): void {
  if (value === null || typeof value !== 'object') return;
  for (const [name, item] of Object.entries(value)) {
    const texts = Array.isArray(item) ? item : [item];
    if (!SECRET_FIELDS.test(name)) keep(item);
    else for (const text of texts) if (typeof text === 'string' && !text.includes('•')) secrets.add(text);
  }
}

async function call(method: string, path: string, body?: unknown, token?: string) {
  const sent = { ...(body === undefined ? {} : { body }), ...(token === undefined ? {} : { token }) };
  const answer = await client.send(method, `/api/v1${path}`, sent);
  keep(answer.json?.data);
  return answer;
}

/** The newest mail to an address that holds this, decoded. Mails go out a moment after they were asked for. */
async function mailed(to: string, pattern: RegExp): Promise<string> {
  const deadline = performance.now() + PATIENCE.start;
  for (;;) {
    const texts = smtp.received.map((mail) => mail.replace(/=\r?\n/g, '').replace(/=3D/g, '='));
    const found = texts.filter((mail) => mail.includes(to)).map((mail) => pattern.exec(mail)?.[1]);
    const last = found.filter((match) => match !== undefined).at(-1);
    if (last !== undefined) return last;
    if (performance.now() > deadline) throw new Error(`no mail with ${pattern}: ${texts.join('\n')}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function register(email: string): Promise<string> {
  const person = { first_name: 'Ada', last_name: 'Byron', email };
  const made = await call('POST', '/auth/register', { ...person, password: PASSWORD, password_confirmation: PASSWORD });
  expect(made.status).toBe(201);
  await call('POST', '/auth/login', { email, password: `${PASSWORD} wrong` });
  const { json } = await call('POST', '/auth/login', { email, password: PASSWORD });
  return json.data.access_token as string;
}

async function useFactors(): Promise<void> {
  const email = 'factors@example.com';
  const token = await register(email);
  const { secret } = (await call('POST', '/me/mfa/totp', {}, token)).json.data as { secret: string };
  const code = generateSync({ secret });
  codes.add(code);
  expect((await call('POST', '/me/mfa/totp/confirm', { code }, token)).status).toBe(200);
  expect((await call('POST', '/me/mfa/email', {}, token)).status).toBeLessThan(300);
  const first = await mailed(email, /\b(\d{6})\b(?=[\s\S]*minutes)/);
  codes.add(first);
  expect((await call('POST', '/me/mfa/email/confirm', { code: first }, token)).status).toBe(200);
  smtp.received.length = 0;
  const login = await call('POST', '/auth/login', { email, password: PASSWORD });
  expect(login.status).toBe(202);
  const { challenge_token } = login.json.data as { challenge_token: string };
  await call('POST', '/auth/mfa/verify', { challenge_token, code: '000000' });
  await call('POST', '/auth/mfa/resend', { challenge_token });
  const sent = await mailed(email, /\b(\d{6})\b(?=[\s\S]*minutes)/);
  codes.add(sent);
  expect((await call('POST', '/auth/mfa/verify', { challenge_token, code: sent, factor: 'email' })).status).toBe(200);
}

async function usePages(): Promise<void> {
  const email = 'pages@example.com';
  await register(email);
  const page = new PageClient(client);
  await page.submit('/portal/login', { email, password: `${PASSWORD} wrong` });
  await page.submit('/portal/login', { email, password: PASSWORD });
  await page.submit('/portal/forgot-password', { email });
  const link = await mailed(email, /\/portal\/reset-password\/([\w-]{43})/);
  secrets.add(link);
  await page.get(`/portal/reset-password/${link}?from=mail`);
  await page.get(`/portal/reset-password/${link}/%22`);
  const fields = { password: NEXT_PASSWORD, password_confirmation: NEXT_PASSWORD };
  const form = { ...fields, _csrf: await page.csrf(`/portal/reset-password/${link}`) };
  await database.execute('ALTER TABLE portal_account_links RENAME TO hidden_away');
  expect((await page.post(`/portal/reset-password/${link}`, form)).status).toBe(500);
  await database.execute('ALTER TABLE hidden_away RENAME TO portal_account_links');
  await page.submit(`/portal/reset-password/${link}`, fields);
  await page.submit('/portal/login', { email, password: NEXT_PASSWORD });
  for (const value of page.cookies.values()) if (value.length > 20) secrets.add(value);
}

async function useInvitations(): Promise<void> {
  const [owner, email] = [await register('owner@example.com'), 'guest@example.com'];
  await register(email);
  await database.execute('UPDATE portal_users SET email_verified_at = created_at');
  const made = await call('POST', '/me/teams', { name: 'Engines' }, owner);
  await call('POST', `/me/teams/${made.json.data.id}/invitations`, { email, role: 'viewer' }, owner);
  const link = await mailed(email, /\/portal\/teams\/invitation\/([\w-]{43})/);
  secrets.add(link);
  const page = new PageClient(client);
  const { path } = await page.get(`/portal/teams/invitation/${link}`);
  expect(path).toContain('/login?return_to=');
  expect((await page.submit(path, { email, password: PASSWORD })).html).toContain('You are invited to Engines.');
  await page.get(`/portal/teams/invitation/${link}?from=mail`);
  await page.get(`/portal/teams/invitation/${link}/%22`);
  await database.execute('ALTER TABLE portal_team_invitations RENAME TO hidden_away');
  expect((await page.get(`/portal/teams/invitation/${link}`)).status).toBe(500);
  await database.execute('ALTER TABLE hidden_away RENAME TO portal_team_invitations');
}

async function failInside(): Promise<void> {
  const email = 'faults@example.com';
  const token = await register(email);
  const { data } = (await call('POST', '/auth/login', { email, password: PASSWORD })).json;
  for (const [table, run] of [
    ['portal_api_refresh_tokens', () => call('POST', '/auth/login', { email, password: PASSWORD })],
    ['portal_api_refresh_tokens', () => call('POST', '/auth/refresh', { refresh_token: data.refresh_token })],
    ['portal_sessions', () => call('GET', '/me', undefined, token)],
  ] as const) {
    await database.execute(`ALTER TABLE ${table} RENAME TO hidden_away`);
    const { status, headers } = await run();
    expect(status).toBeGreaterThanOrEqual(500);
    // A line of the log may come after the answer that it tells of.
    await serving.printed(headers.get('x-request-id') ?? '');
    await database.execute(`ALTER TABLE hidden_away RENAME TO ${table}`);
  }
  await client.get(`/gateway/verify?apikey=${token}`, {
    headers: { 'x-portal-verify-secret': settings.VERIFY_SECRET },
  });
}

/** Every key and value, whatever its type. */
async function dumpRedis(): Promise<string> {
  if (redis === null) return '';
  const all: unknown[] = [];
  const readers = {
    string: ['GET'],
    hash: ['HGETALL'],
    zset: ['ZRANGE', '0', '-1'],
    list: ['LRANGE', '0', '-1'],
    set: ['SMEMBERS'],
  };
  for (const name of (await redis.ask('KEYS', '*')) as string[]) {
    const type = String(await redis.ask('TYPE', name)) as keyof typeof readers;
    const [command = '', ...rest] = readers[type];
    all.push(name, await redis.ask(command, name, ...rest));
  }
  return JSON.stringify(all);
}

const spellings = (text: string): string[] => {
  const bytes = Buffer.from(text);
  const json = JSON.stringify(text).slice(1, -1);
  return [text, json, encodeURIComponent(text), bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex')];
};

function leaks(text: string): string[] {
  const words = [...secrets].filter((secret) => spellings(secret).some((form) => text.includes(form)));
  return [...words, ...[...codes].filter((code) => new RegExp(`(?<![\\d.])${code}(?![\\d.])`).test(text))];
}

describe('a portal in production (S69)', () => {
  beforeAll(async () => {
    await useFactors();
    await usePages();
    await useInvitations();
    await failInside();
  });

  it('was given secrets of every kind, and faults to log', () => {
    expect(secrets.size).toBeGreaterThan(30);
    expect(codes.size).toBe(3);
    expect(serving.output()).toContain('a request failed');
    expect(leaks(`x${encodeURIComponent(PASSWORD)} code ${[...codes][0]}!`)).toHaveLength(2);
  });

  it('prints JSON lines with the id of the request, and none of its secrets', () => {
    const lines = serving.output().trim().split('\n');
    const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const line of parsed)
      expect(line).toMatchObject({ level: expect.any(String), time: expect.stringMatching(/Z$/) });
    const failed = parsed.filter(({ msg }) => msg === 'a request failed');
    expect(failed.length).toBeGreaterThan(2);
    for (const line of failed) expect(line.request_id).toMatch(/^[\w.-]{8,64}$/);
    expect(leaks(serving.output())).toEqual([]);
    expect(serving.output()).not.toMatch(/\$argon2id|VALUES \('/);
  });

  it('keeps none of them in the database, Redis and metrics', async () => {
    const [tables, kept, counted] = [
      await dumpDatabase(database),
      await dumpRedis(),
      await (await fetch(metrics)).text(),
    ];
    expect(tables.length).toBeGreaterThan(20);
    if (redis !== null) expect(kept.length).toBeGreaterThan(100);
    expect(counted).toContain('route="/portal/reset-password/:token"');
    expect({ tables: leaks(tables.join('\n')), redis: leaks(kept), metrics: leaks(counted) }).toEqual({
      ...{ tables: [], redis: [], metrics: [] },
    });
    expect(counted).not.toMatch(/@example\.com/);
  });
});
