import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { folderWith, JWT_SECRET, KEY } from '../config/support.js';
import { Developer } from '../support/apps.js';
import { createProduct, createUser } from '../support/factories.js';
import { portal } from '../support/portal-command.js';
import { signInPair } from '../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const DAY = 86_400;
const CONFIG = "export default { app: { env: 'development' } };";
const ENV = `# secrets\nAPP_KEY=${KEY}\nPORTAL_API_JWT_SECRET="${JWT_SECRET}"\n`;

describe('portal keys:pattern', () => {
  const env = { APP_KEY: KEY, PORTAL_API_JWT_SECRET: JWT_SECRET };
  const run = async (args: readonly string[], more: Record<string, string> = {}) =>
    portal(['keys:pattern', ...args], {
      cwd: await folderWith({ 'portal.config.ts': CONFIG }),
      env: { ...env, ...more },
    });

  it('prints what finds the keys of this portal, alone on its line, and nothing of others', async () => {
    const { stdout, exitCode } = await run([], { KEYS_PREFIX: 'acme' });
    expect([exitCode, stdout]).toEqual([0, String.raw`\bacme_(?:live|test)_(?:secret_)?[0-9A-Za-z]{38}\b`]);
    const json = JSON.parse((await run(['--json'])).stdout) as { prefix: string; pattern: string };
    expect(json.prefix).toBe('portal');
    expect('x=portal_test_00000000000000000000000000000000000000;').toMatch(new RegExp(json.pattern));
    expect(`pk_${'0'.repeat(32)}`).not.toMatch(new RegExp(json.pattern));
  });

  it('with --with-old finds the keys and secrets of before too', async () => {
    const pattern = new RegExp((await run(['--with-old'])).stdout.trim());
    for (const prefix of ['pk_', 'sk_']) expect(`key: ${prefix}${'0'.repeat(32)}`).toMatch(pattern);
    expect('portal_live_secret_00000000000000000000000000000000000000').toMatch(pattern);
  });

  it('says that keys of another gateway have a form of their own', async () => {
    const apigee = { GATEWAY_DRIVER: 'apigee', GATEWAY_APIGEE_ORGANIZATION: 'acme', GATEWAY_APIGEE_TOKEN: 'x' };
    const { exitCode, stderr, stdout } = await run([], apigee);
    expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringContaining('made by the gateway apigee')]);
  });
});

describe('portal keys:rotate', () => {
  let root: string;
  let test: TestPortal;
  const run = (...args: string[]) => portal(args, { cwd: root, env: { DATABASE_URL: test.databaseUrl } });
  const variables = async () => parseEnv(await readFile(join(root, '.env'), 'utf8'));
  /** The portal of the project as it starts with what `.env` says now. */
  const restart = async () => {
    const env = await variables();
    return startTestPortal({
      databaseUrl: test.databaseUrl,
      clock: test.clock,
      config: {
        app: { key: env.APP_KEY ?? '', previousKeys: list(env.APP_PREVIOUS_KEYS) },
        portalApi: {
          jwtSecret: env.PORTAL_API_JWT_SECRET ?? '',
          jwtPreviousSecrets: list(env.PORTAL_API_JWT_PREVIOUS_SECRETS),
        },
      },
    });
  };
  const list = (text = '') => text.split(',').filter((item) => item !== '');

  beforeAll(async () => {
    root = await folderWith({ 'portal.config.ts': CONFIG, '.env': ENV });
    test = await startTestPortal({ config: { app: { key: KEY }, portalApi: { jwtSecret: JWT_SECRET } } });
  });
  afterAll(() => test.stop());

  it('keeps everybody signed in and everything readable, and after --reseal the old key is not needed (S71)', async () => {
    const developer = await Developer.create(test);
    const { slug } = await createProduct(test);
    const [key] = (await developer.post('', { name: 'sealed', products: [slug] })).json.data.credentials;
    await test.portal.services.site.settings.create({ key: 'mail.token', type: 'secret', value: 'hush' });
    const pair = await signInPair(test, developer.user);
    // A mail that was sent holds nothing any more: that is no value which no key opens.
    await test.portal.database.execute(
      'INSERT INTO portal_mails (uuid, template, payload, state, tries, due_at, created_at, updated_at) ' +
        "VALUES (?, 'welcome', '', 'sent', 1, ?, ?, ?)",
      ['6f1c1f5e-0000-4000-8000-000000000001', ...[1, 2, 3].map(() => test.clock.now())],
    );

    const done = await run('keys:rotate');
    expect([done.exitCode, done.stdout]).toEqual([0, expect.stringContaining('have new values in .env')]);
    const env = await variables();
    expect([env.APP_PREVIOUS_KEYS, env.PORTAL_API_JWT_PREVIOUS_SECRETS]).toEqual([KEY, JWT_SECRET]);
    expect([env.APP_KEY, env.PORTAL_API_JWT_SECRET]).not.toEqual([KEY, JWT_SECRET]);
    expect((await readFile(join(root, '.env'), 'utf8')).startsWith('# secrets\nAPP_KEY=base64:')).toBe(true);
    for (const secret of [KEY, env.APP_KEY ?? '']) expect(done.stdout + done.stderr).not.toContain(secret);

    const rotated = await restart();
    const me = await rotated.client.get('/api/v1/me', { token: pair.access_token });
    const fresh = await rotated.client.post('/api/v1/auth/refresh', { refresh_token: pair.refresh_token });
    const verified = await rotated.client.get('/gateway/verify', { headers: { 'x-api-key': key.consumer_key } });
    expect([me.status, fresh.status, verified.status]).toEqual([200, 200, 200]);
    expect(await rotated.portal.services.site.settings.valueOf('mail.token')).toBe('hush');
    await rotated.stop();

    const resealed = await run('keys:rotate', '--reseal', '--json');
    expect([resealed.exitCode, JSON.parse(resealed.stdout)]).toEqual([
      0,
      expect.objectContaining({ examined: 4, resealed: 4, unreadable: 0 }),
    ]);
    const text = await readFile(join(root, '.env'), 'utf8');
    await writeFile(join(root, '.env'), text.replace(/^APP_PREVIOUS_KEYS=.*$/m, 'APP_PREVIOUS_KEYS='));
    const retired = await restart();
    expect(await retired.portal.services.site.settings.valueOf('mail.token')).toBe('hush');
    const again = JSON.parse((await run('keys:rotate', '--reseal', '--json')).stdout) as object;
    expect(again).toMatchObject({ examined: 4, resealed: 0, unreadable: 0 });
    await retired.stop();
  });

  it('says so when a value opens with none of the keys, and leaves it as it is', async () => {
    const { database } = test.portal;
    const [row] = await database.select<{ value: string }>("SELECT value FROM portal_settings WHERE type = 'secret'");
    const foreign = `v1.AAAAAAAA.${row?.value.split('.')[2] ?? ''}`;
    await database.execute("UPDATE portal_settings SET value = ? WHERE type = 'secret'", [foreign]);
    const { exitCode, stderr } = await run('keys:rotate', '--reseal');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('open with none of the keys')]);
    const [after] = await database.select<{ value: string }>("SELECT value FROM portal_settings WHERE type = 'secret'");
    expect(after?.value).toBe(foreign);
  });

  it('--print gives the three steps of a rolling change and writes nothing', async () => {
    const before = await readFile(join(root, '.env'), 'utf8');
    const { stdout } = await run('keys:rotate', '--only', 'jwt', '--print', '--json');
    const { accept, use, retire } = JSON.parse(stdout) as Record<string, Record<string, string>>;
    const [current, next] = [accept?.PORTAL_API_JWT_SECRET, use?.PORTAL_API_JWT_SECRET];
    expect(accept?.PORTAL_API_JWT_PREVIOUS_SECRETS?.split(',')[0]).toBe(next);
    expect(use?.PORTAL_API_JWT_PREVIOUS_SECRETS?.split(',')[0]).toBe(current);
    expect(retire).toEqual({ PORTAL_API_JWT_SECRET: next, PORTAL_API_JWT_PREVIOUS_SECRETS: '' });
    expect((await run('keys:rotate', '--print')).stdout).toContain('1. Every replica accepts the new values.');
    expect(await readFile(join(root, '.env'), 'utf8')).toBe(before);
  });

  it('keeps the permissions of .env', async () => {
    const private_ = await folderWith({ 'portal.config.ts': CONFIG, '.env': ENV });
    await writeFile(join(private_, '.env'), ENV, { mode: 0o600 });
    const { mode } = await stat(join(private_, '.env'));
    expect((await portal(['keys:rotate', '--only', 'jwt'], { cwd: private_ })).exitCode).toBe(0);
    expect((await stat(join(private_, '.env'))).mode).toBe(mode);
  });

  it('never writes .env when the secret comes from elsewhere, and says what to do', async () => {
    const empty = await folderWith({ 'portal.config.ts': CONFIG, '.env': '' });
    const { exitCode, stderr } = await portal(['keys:rotate'], {
      cwd: empty,
      env: { APP_KEY: KEY, PORTAL_API_JWT_SECRET: JWT_SECRET },
    });
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/from the environment[\s\S]*--print/)]);
    expect(await readFile(join(empty, '.env'), 'utf8')).toBe('');
  });
});

describe('a rolling change of the key of tokens', () => {
  it('refuses nobody while both replicas accept both keys, and retires the old one (S23)', async () => {
    const [old, next] = [`${JWT_SECRET}old`, `${JWT_SECRET}new`];
    const replica = (jwtSecret: string, jwtPreviousSecrets: string[], databaseUrl?: string) =>
      startTestPortal({
        ...(databaseUrl ? { databaseUrl } : {}),
        config: { portalApi: { jwtSecret, jwtPreviousSecrets } },
      });
    const a = await replica(next, [old]);
    const b = await replica(old, [next], a.databaseUrl);
    const retired = await replica(next, [], a.databaseUrl);
    const user = await createUser(a);
    const [fromA, fromB] = [await signInPair(a, user), await signInPair(b, user)];
    const statuses = async (at: TestPortal) =>
      Promise.all(
        [fromA, fromB].map(async (pair) => (await at.client.get('/api/v1/me', { token: pair.access_token })).status),
      );
    const counts = new Map<number, number>();
    for (let round = 0; round < 250; round += 1) {
      for (const status of [...(await statuses(a)), ...(await statuses(b))]) {
        counts.set(status, (counts.get(status) ?? 0) + 1);
      }
    }
    expect([...counts]).toEqual([[200, 1000]]);
    expect(await statuses(retired)).toEqual([200, 401]);
    for (const portal of [retired, b, a]) await portal.stop();
  });
});

describe('portal tokens:prune', () => {
  it('keeps used refresh tokens until 7 days after the end of their sign-in, so that theft is still seen (S32)', async () => {
    const test = await startTestPortal({ config: { app: { key: KEY } } });
    const count = async () => {
      const sql =
        'SELECT (SELECT COUNT(*) FROM portal_sessions) AS sessions, COUNT(*) AS tokens FROM portal_api_refresh_tokens';
      const [row] = await test.portal.database.select<{ sessions: number; tokens: number }>(sql);
      return [Number(row?.sessions), Number(row?.tokens)];
    };
    const refresh = (token: string) => test.client.post('/api/v1/auth/refresh', { refresh_token: token });
    const first = await signInPair(test, await createUser(test));
    const second = (await refresh(first.refresh_token)).json.data;
    test.clock.advance(29 * DAY);
    await test.portal.jobs.run('prune-tokens');
    expect(await count()).toEqual([1, 2]);
    expect((await refresh(first.refresh_token)).status).toBe(401);
    expect((await refresh(second.refresh_token)).status).toBe(401);
    test.clock.advance((90 - 29 + 7) * DAY - 1);
    await test.portal.jobs.run('prune-tokens');
    expect(await count()).toEqual([1, 2]);
    test.clock.advance(1);
    await test.portal.jobs.run('prune-tokens');
    expect(await count()).toEqual([0, 0]);
    await test.stop();
  });

  it('does the same from the command line', async () => {
    const test = await startTestPortal({ config: { app: { key: KEY } } });
    await signInPair(test, await createUser(test));
    await test.portal.database.execute('UPDATE portal_sessions SET expires_at = ?', [new Date('2020-01-01')]);
    const root = await folderWith({ 'portal.config.ts': CONFIG, '.env': ENV });
    const run = (...args: string[]) => portal(args, { cwd: root, env: { DATABASE_URL: test.databaseUrl } });
    expect((await run('tokens:prune')).stdout).toContain('Removed 1 sign-in with all tokens.');
    expect(JSON.parse((await run('tokens:prune', '--json')).stdout)).toEqual({ removed: 0 });
    await test.stop();
  });
});
