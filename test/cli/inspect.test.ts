import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPortal } from '../../src/open-portal.js';
import { folderWith, JWT_SECRET, KEY, SECRETS } from '../config/support.js';
import { freePort } from '../support/ports.js';
import { portal } from '../support/portal-command.js';

const ENV = { ...SECRETS, DATABASE_URL: 'sqlite:storage/test.sqlite' };
const CONFIG = `
import { defineConfig, defineRoute, Joi } from 'portalkit';

export default defineConfig({
  app: { env: 'development' },
  routes: () => [
    defineRoute({
      method: 'get', path: '/opening-hours', context: 'consumer', auth: 'none', operation: 'getOpeningHours',
      tag: 'Acme', summary: 'Show when we are open', reply: { 200: Joi.object() }, handle: () => ({}),
    }),
  ],
});
`;

let cwd: string;
const run = (args: readonly string[], env: Record<string, string> = {}) =>
  portal(args, { cwd, env: { ...ENV, ...env } });

describe('portal routes', () => {
  beforeAll(async () => {
    cwd = await folderWith({ 'portal.config.ts': CONFIG });
  });

  it('lists every route with who may call it, those of the project included, without a database', async () => {
    const { stdout, exitCode } = await run(['routes'], { DATABASE_URL: 'mysql://nobody@127.0.0.1:1/none' });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^GET +\/api\/v1\/opening-hours +public +– +– +Show when we are open$/m);
    expect(stdout).toMatch(/^POST +\/api\/v1\/me\/apps +consumer /m);
    expect(stdout).toMatch(/^GET +\/api\/v1\/admin\/users +admin +portal\.admin\.access +view users /m);
    expect(stdout).toMatch(/^ANY +\/gateway\/verify\/\* +gateways /m);
  });

  it('follows the configured prefixes, and prints nothing but JSON with --json', async () => {
    const env = { PORTAL_API_PREFIX: '/rest', PORTAL_API_ADMIN_PREFIX: 'staff' };
    const { stdout } = await run(['routes', '--json'], env);
    const { routes } = JSON.parse(stdout) as { routes: Record<string, unknown>[] };
    expect(routes).toContainEqual({
      method: 'GET',
      path: '/rest/staff/users',
      context: 'admin',
      auth: 'required',
      permission: 'portal.admin.access',
      policy: ['view', 'users'],
      idempotent: false,
      operation: expect.any(String),
      tag: expect.any(String),
      summary: expect.any(String),
    });
    // Default deny (S54): no admin route without either.
    expect(
      routes.filter(({ context, auth, permission }) => context === 'admin' && auth !== 'none' && !permission),
    ).toEqual([]);
  });

  it('refuses routes that are none', async () => {
    cwd = await folderWith({
      'portal.config.ts': "export default { app: { env: 'test' }, routes: () => [{ path: '/x' }] };",
    });
    const { exitCode, stderr } = await run(['routes']);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('must return an array of what defineRoute returns'),
    ]);
  });
});

interface Report {
  ok: boolean;
  checks: { check: string; status: string; message: string; fix?: string }[];
}

describe('portal doctor', () => {
  beforeAll(async () => {
    cwd = await folderWith({ 'portal.config.ts': CONFIG });
  });
  const examine = async (env: Record<string, string> = {}) => {
    const { stdout, exitCode } = await run(['doctor', '--json'], env);
    const { ok, checks } = JSON.parse(stdout) as Report;
    expect(ok).toBe(exitCode === 0);
    return { exitCode, checks, of: (name: string) => checks.filter(({ check }) => check === name) };
  };

  it('looks without touching: no database file comes into being', async () => {
    const first = await examine();
    expect(first.exitCode).toBe(1);
    expect(first.of('database')).toEqual([
      {
        check: 'database',
        status: 'failure',
        message: 'storage/test.sqlite does not exist yet',
        fix: 'portal migrate',
      },
    ]);
    expect((await examine()).of('database')).toEqual(first.of('database'));
  });

  it('names each step that is missing, and is content at the end', async () => {
    await mkdir(join(cwd, 'storage'));
    await writeFile(join(cwd, 'storage/test.sqlite'), '');
    expect((await examine()).of('migrations')).toMatchObject([{ status: 'failure', fix: 'portal migrate' }]);
    await run(['migrate']);
    expect((await examine()).of('admins')).toMatchObject([{ status: 'warning', fix: 'portal rbac:seed' }]);
    await run(['rbac:seed']);
    expect((await examine()).of('admins')).toMatchObject([{ status: 'warning', fix: 'portal admin:create' }]);
    const account = ['--email', 'ada@example.com', '--name', 'Ada', '--role', 'super_admin', '--password-stdin'];
    await portal(['admin:create', ...account], { cwd, env: ENV, input: 'a long enough one' });
    const last = await examine();
    expect(last.exitCode).toBe(0);
    expect(last.checks.map(({ check }) => check)).toEqual(
      expect.arrayContaining([
        'node',
        'configuration',
        'storage',
        'database',
        'journal',
        'migrations',
        'admins',
        'gateway',
      ]),
    );
    expect(last.checks.filter(({ status }) => status !== 'ok').map(({ check }) => check)).toEqual([
      'database-file',
      'verify',
    ]);
  });

  it('does not count an admin who is not active', async () => {
    const opened = await openPortal({ cwd, env: ENV });
    const setStatus = (status: string) => opened.database.execute('UPDATE portal_admins SET status = ?', [status]);
    await setStatus('inactive');
    expect((await examine()).of('admins')).toMatchObject([{ status: 'warning', fix: 'portal admin:create' }]);
    await setStatus('active');
    expect((await examine()).of('admins')).toMatchObject([{ status: 'ok', message: '1 can sign in' }]);
    await opened.close();
  });

  it('warns when package.json asks for another line of versions than the one that runs', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    const examineWith = async (asked: string) => {
      await writeFile(
        join(cwd, 'package.json'),
        JSON.stringify({ type: 'module', dependencies: { portalkit: asked } }),
      );
      return (await examine()).of('package')[0];
    };
    for (const asked of [`^${version}`, version, '*', `file:vendor/portalkit-${version}.tgz`, 'file:../portalkit']) {
      expect([asked, await examineWith(asked)]).toMatchObject([asked, { status: 'ok' }]);
    }
    for (const asked of ['^0.1.0', '99.0.0', 'file:vendor/portalkit-0.1.0.tgz']) {
      expect(await examineWith(asked)).toMatchObject({
        status: 'warning',
        message: expect.stringMatching(new RegExp(`^portalkit ${version} of .* asks for `)),
        fix: expect.any(String),
      });
    }
    await rm(join(cwd, 'package.json'));
  });

  it('finds files that others can read', async () => {
    await writeFile(join(cwd, '.env'), '');
    await chmod(join(cwd, '.env'), 0o644);
    const { of } = await examine();
    expect(of('env-file')).toMatchObject([{ status: 'warning', fix: 'chmod 600 .env' }]);
    expect(of('database-file')).toMatchObject([{ status: 'warning', fix: expect.stringContaining('chmod 600 ') }]);
    await chmod(join(cwd, '.env'), 0o600);
    await chmod(join(cwd, 'storage/test.sqlite'), 0o600);
    const after = await examine({ VERIFY_SECRET: 'eX4Wq0ZtLr7VmN2yBc9KdJh5GfSaUp3RiOoTlEwYkQx' });
    expect(after.checks.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect((await run(['doctor'], { VERIFY_SECRET: 'eX4Wq0ZtLr7VmN2yBc9KdJh5GfSaUp3RiOoTlEwYkQx' })).stdout).toContain(
      '✓ Everything is well.',
    );
  });

  it('tells a configuration that cannot be used fault by fault, and never a secret', async () => {
    const env = { APP_KEY: 'short', HTTP_BODY_LIMIT: 'abc' };
    const { exitCode, of } = await examine(env);
    expect(exitCode).toBe(1);
    expect(of('configuration')).toMatchObject([
      { status: 'failure', message: expect.stringContaining('http.bodyLimit') },
      { status: 'failure', message: expect.stringContaining('app.key'), fix: expect.any(String) },
    ]);
    const { stdout, stderr } = await run(['doctor']);
    for (const secret of [KEY, JWT_SECRET]) expect(stdout + stderr).not.toContain(secret);
  });

  it('names the Redis that does not answer, and knows of none that nobody uses', async () => {
    const url = `redis://:canary-word@127.0.0.1:${await freePort()}`;
    const { exitCode, of, checks } = await examine({ REDIS_URL: url });
    expect([exitCode, of('redis')]).toEqual([
      1,
      [
        expect.objectContaining({
          status: 'failure',
          message: expect.stringContaining('ECONNREFUSED'),
          fix: 'start it, or correct REDIS_URL',
        }),
      ],
    ]);
    expect(JSON.stringify(checks)).not.toContain('canary-word');
    expect((await examine()).of('redis')).toEqual([]);
  });

  it('names the database that does not answer', async () => {
    const url = `mysql://portal:canary-word@127.0.0.1:${await freePort()}/portal`;
    const { exitCode, of, checks } = await examine({ DATABASE_URL: url });
    expect(exitCode).toBe(1);
    expect(of('database')).toMatchObject([
      { status: 'failure', message: expect.stringContaining('No database answers at 127.0.0.1') },
    ]);
    expect(JSON.stringify(checks)).not.toContain('canary-word');
  });
});
