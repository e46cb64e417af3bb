import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, type Database } from '../../src/database/index.js';
import { silentLogger } from '../../src/core/index.js';
import { testConfig } from '../support/database-config.js';
import { guideBlock, typeIn } from '../support/guide.js';
import { TestClient } from '../support/http-client.js';
import { createMariaDbDatabase } from '../support/mariadb.js';
import { portal } from '../support/portal-command.js';
import { servePortal, spawnPortal, type ServingPortal } from '../support/portal-process.js';
import { UNLIMITED } from '../support/project.js';
import { dialectUnderTest } from '../support/test-database.js';

const PAGE = 'docs/backup.md';
const PASSWORD = 'correct horse battery staple';
const SQLITE = 'storage/portal.sqlite';
const onMariaDb = dialectUnderTest() === 'mysql';
const secret = (): string => `base64:${randomBytes(32).toString('base64')}`;

let cwd: string;
let env: Record<string, string>;
let restoredUrl: string;
let drop: () => Promise<void> = () => Promise.resolve();
let serving: ServingPortal;
let client: TestClient;
/** Addresses whose registration was answered with 201. */
const accepted: string[] = [];

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'portal-backup-'));
  writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
  writeFileSync(join(cwd, 'portal.config.js'), `export default ${JSON.stringify({ limits: UNLIMITED })};\n`);
  const database = onMariaDb ? await createMariaDbDatabase() : { url: `sqlite:${SQLITE}`, drop };
  drop = database.drop;
  restoredUrl = onMariaDb ? `${database.url}_restored` : database.url;
  const secrets = { APP_KEY: secret(), PORTAL_API_JWT_SECRET: secret(), VERIFY_SECRET: secret() };
  env = { APP_ENV: 'test', APP_URL: 'http://portal.test', ...secrets, DATABASE_URL: database.url };
  if (onMariaDb) writeFileSync(join(cwd, 'backup.cnf'), clientFile(new URL(database.url)), { mode: 0o600 });
  await run('migrate');
  serving = await servePortal([], { cwd, env });
  await serving.printed('Ready');
  client = TestClient.to(serving.url);
});
afterAll(async () => {
  await serving.stop();
  if (onMariaDb)
    await open(restoredUrl.replace('_restored', '')).then(async (database) => {
      await database.execute(`DROP DATABASE IF EXISTS ${nameOf(restoredUrl)}`);
      await database.close();
    });
  await drop();
  await rm(cwd, { recursive: true, force: true });
});

const run = (...args: string[]) => portal(args, { cwd, env });
const nameOf = (url: string) => new URL(url).pathname.slice(1);
const clientFile = ({ hostname, port, username, password }: URL) =>
  `[client]\nhost=${hostname}\nport=${port}\nprotocol=tcp\nuser=${username}\npassword=${password}\n`;
/** A block of the page as it stands there, but for the names of the databases of this test. */
const follow = (name: string) => {
  const ours = onMariaDb ? nameOf(env.DATABASE_URL ?? '') : '';
  const commands = guideBlock(PAGE, name)
    .replace(/unfinished\.sql portal$/m, `unfinished.sql ${ours}`)
    .replaceAll('portal_restored', onMariaDb ? nameOf(restoredUrl) : '');
  return typeIn(cwd, env, commands);
};

async function open(url: string): Promise<Database> {
  const absolute = url.replace(/^sqlite:(?!\/)/, `sqlite:${cwd}/`);
  return Promise.resolve(openDatabase(testConfig(absolute), { logger: silentLogger }));
}

async function emailsIn(url: string): Promise<Set<string>> {
  const database = await open(url);
  const rows = await database.select<{ email: string }>('SELECT email FROM portal_users');
  await database.close();
  return new Set(rows.map(({ email }) => email));
}

async function register(): Promise<string> {
  const email = `dev${accepted.length}-${randomBytes(3).toString('hex')}@example.com`;
  const names = { first_name: 'Ada', last_name: 'Byron' };
  const answer = await client.post('/api/v1/auth/register', {
    ...{ ...names, email, password: PASSWORD, password_confirmation: PASSWORD },
  });
  if (answer.status !== 201) throw new Error(`the registration answered ${answer.status}: ${answer.text}`);
  accepted.push(email);
  return email;
}

const signIn = async (email: string) => {
  const { json } = await client.post('/api/v1/auth/login', { email, password: PASSWORD });
  return json.data as { access_token: string; refresh_token: string };
};

describe('docs/backup.md (R34)', () => {
  let before: string[];
  let stolen: { access_token: string; refresh_token: string };

  it('makes a backup while developers register', async () => {
    const email = await register();
    stolen = await signIn(email);
    let isOver = false;
    const write = async () => {
      while (!isOver) await register();
    };
    const writers = [write(), write()];
    while (accepted.length < 10) await new Promise((resolve) => setImmediate(resolve));
    before = [...accepted];
    const said = await follow(onMariaDb ? 'backup-mariadb' : 'backup-sqlite');
    const during = accepted.length - before.length;
    isOver = true;
    await Promise.all(writers);
    expect(during).toBeGreaterThan(0);
    if (!onMariaDb) expect(said).toMatch(/portal-\d{8}T\d{6}Z\.sqlite \([\d.]+ MB\)\n.*--anchor [0-9a-f]{64}/);
    await client.post('/api/v1/auth/logout', { refresh_token: stolen.refresh_token }, { token: stolen.access_token });
    await register();
  });

  it('restores what had been accepted, in order, and signs everybody out', async () => {
    await serving.stop();
    await follow(onMariaDb ? 'restore-mariadb' : 'restore-sqlite');
    env = { ...env, DATABASE_URL: restoredUrl };
    const restored = await emailsIn(restoredUrl);
    expect(before.filter((email) => !restored.has(email))).toEqual([]);
    expect(restored.has(accepted.at(-1) ?? '')).toBe(false);
    // The sign-in that had ended lives again, until everybody's is ended.
    const database = await open(restoredUrl);
    const alive = 'SELECT sid FROM portal_sessions WHERE revoked_at IS NULL';
    expect((await database.select(alive)).length).toBeGreaterThan(0);
    const said = await follow('after-restore');
    expect(said).toMatch(/as written[\s\S]*Everybody has to sign in again[\s\S]*keys +APP_KEY opens what is stored/);
    expect(await database.select(alive)).toEqual([]);
    await database.close();
  });

  it('leads to a portal that works, where what was stolen before is worth nothing', async () => {
    serving = await servePortal([], { cwd, env });
    await serving.printed('Ready');
    client = TestClient.to(serving.url);
    expect((await client.get('/api/v1/health/ready')).status).toBe(200);
    expect((await client.get('/api/v1/me', { token: stolen.access_token })).status).toBe(401);
    const { refresh_token } = stolen;
    expect((await client.post('/api/v1/auth/refresh', { refresh_token })).status).toBe(401);
    const { access_token: token } = await signIn(before[0] ?? '');
    expect((await client.get('/api/v1/me', { token })).status).toBe(200);
    await register();
    const { stdout } = await run('audit:verify', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, signed: true });
    expect(serving.output()).not.toContain('APP_KEY');
    const actions = await (
      await open(restoredUrl)
    ).select("SELECT * FROM portal_activities WHERE action = 'session.everybody_signed_out'");
    expect(actions).toMatchObject([{ actor_type: 'operator' }]);
  });

  it('says clearly that the key of another database does not open this one', async () => {
    await serving.stop();
    const other = { ...env, APP_KEY: secret() };
    const doctor = await portal(['doctor', '--json'], { cwd, env: other });
    const { checks } = JSON.parse(doctor.stdout) as { checks: { check: string }[] };
    expect(doctor.exitCode).toBe(1);
    expect(checks).toContainEqual({
      check: 'keys',
      status: 'failure',
      message: expect.stringMatching(/APP_KEY/),
      fix: expect.stringContaining('set APP_KEY to the one that belongs to this database'),
    });
    const verify = await portal(['audit:verify'], { cwd, env: other });
    expect([verify.exitCode, verify.stderr]).toEqual([1, expect.stringContaining('bring back the APP_KEY')]);
    serving = await servePortal([], { cwd, env: other });
    await serving.printed('was not written with this APP_KEY. Fix: stop the portal');
    const none = { ...env };
    delete none.APP_KEY;
    const absent = await spawnPortal(['serve'], { cwd, env: none });
    expect([absent.exitCode, absent.stderr]).toEqual([
      78,
      expect.stringMatching(/app\.key \(APP_KEY, not set\): is required.*needs the one/),
    ]);
  });
});

(onMariaDb ? describe.skip : describe)('portal backup:create', () => {
  it('gives a private file, refuses to overwrite one, and leaves nothing half behind', async () => {
    mkdirSync(join(cwd, 'own'), { recursive: true });
    const first = await run('backup:create', 'own/copy.sqlite', '--json');
    const report = JSON.parse(first.stdout) as { file: string; bytes: number; anchor: string };
    expect([report.file, report.bytes]).toEqual([join(cwd, 'own/copy.sqlite'), statSync(report.file).size]);
    expect(statSync(report.file).mode & 0o777).toBe(0o600);
    expect((await run('audit:verify', '--anchor', report.anchor)).exitCode).toBe(0);
    const again = await run('backup:create', 'own/copy.sqlite');
    expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('exists already')]);
    const nowhere = await run('backup:create', 'package.json/copy.sqlite');
    expect(nowhere.exitCode).toBe(1);
    expect(existsSync(join(cwd, 'own/copy.sqlite.part'))).toBe(false);
    const lost = await portal(['backup:create', 'x.sqlite'], {
      cwd,
      env: { ...env, DATABASE_URL: 'sqlite:none.sqlite' },
    });
    expect([lost.exitCode, existsSync(join(cwd, 'none.sqlite'))]).toEqual([1, false]);
  });

  it('is there because a copy of the file alone loses rows that people were told are saved', async () => {
    await serving.stop();
    serving = await servePortal([], { cwd, env });
    await serving.printed('Ready');
    client = TestClient.to(serving.url);
    const lost: boolean[] = [];
    // A checkpoint may come right before one copy, but not before both.
    for (const name of ['one.sqlite', 'two.sqlite']) {
      const email = await register();
      copyFileSync(join(cwd, SQLITE), join(cwd, name));
      lost.push(!(await emailsIn(`sqlite:${name}`)).has(email));
      const copy = await open(`sqlite:${name}`);
      expect(await copy.select('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
      await copy.close();
      expect((await run('backup:create', `good-${name}`)).exitCode).toBe(0);
      expect((await emailsIn(`sqlite:good-${name}`)).has(email)).toBe(true);
    }
    expect(lost).toContain(true);
  });
});

(onMariaDb ? describe : describe.skip)('portal backup:create on MariaDB', () => {
  it('leads to the tool of the database', async () => {
    const { exitCode, stderr } = await run('backup:create', 'x.sql');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('mariadb-dump')]);
  });
});
