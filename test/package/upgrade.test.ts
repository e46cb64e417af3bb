import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { DEPLOY_TARGETS } from '../../src/cli/project/deployed.js';
import { folderWith } from '../config/support.js';
import type { Envelope } from '../support/http-client.js';
import { HostProject } from '../support/host-project.js';
import { servePortal, spawnPortal, type ServingPortal } from '../support/portal-process.js';
import { buildRelease, releaseTags } from '../support/releases.js';

const ROOT = process.cwd();
const PASSWORD = 'correct horse battery 9';
const LONG = 300_000;
const shell = (program: string, args: readonly string[], cwd: string) => execa(program, [...args], { cwd });

const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
// The newest release of another version than this one, whose own tag may be there already.
const tag = (await releaseTags()).find((name) => name !== `v${version}`);
if (tag === undefined) process.stdout.write('skipped: the upgrade of a host: this clone has no tag of a release\n');

/** What `npm install` of a packed package leaves in a project, with the dependencies of its source. */
async function installPacked(source: string, project: string, parent: string): Promise<void> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', parent];
  const { stdout } = await shell('npm', args, source);
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const place = join(project, 'node_modules', 'portalkit');
  await rm(place, { recursive: true, force: true });
  await mkdir(place, { recursive: true });
  await shell('tar', ['-xzf', join(parent, filename), '-C', place, '--strip-components=1'], parent);
  await symlink(join(source, 'node_modules'), join(place, 'node_modules'));
}

(tag === undefined ? describe.skip : describe)(`a host project made with ${tag ?? 'the release before'}`, () => {
  let parent: string;
  let project: string;
  let oldBin: string;
  let serving: ServingPortal;
  const bin = () => join(project, 'node_modules', 'portalkit', 'bin', 'portal.js');
  const call = async (args: readonly string[], input = '') => {
    const result = await spawnPortal(args, { cwd: project, bin: bin(), input });
    if (result.exitCode !== 0) throw new Error(`portal ${args.join(' ')}: ${result.stderr}${result.stdout}`);
    return result.stdout;
  };
  const serve = async () => {
    serving = await servePortal([], { cwd: project, bin: bin() });
    await serving.printed('Ready.');
  };
  const send = async (method: string, path: string, body?: unknown, token?: string) => {
    const response = await fetch(`${serving.url}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: (await response.json()) as Envelope };
  };
  const opens = async (key: string) =>
    (await fetch(`${serving.url}/gateway/verify/exchange-rates`, { headers: { 'x-api-key': key } })).status;

  const adminPassword = randomBytes(18).toString('base64url');
  const before = { key: '', secret: '', refresh: '', app: 'trip-planner', email: 'zoe@example.com' };

  beforeAll(async () => {
    parent = await folderWith({});
    project = join(parent, 'acme');
    const release = await buildRelease(tag ?? '', parent);
    oldBin = join(release, 'bin', 'portal.js');
    const init = ['init', 'acme', '--no-install', '--yes'];
    const env = { HOME: process.env['HOME'] ?? '/' };
    const made = await spawnPortal(init, { cwd: parent, env, bin: oldBin });
    if (made.exitCode !== 0) throw new Error(made.stderr);
    await installPacked(release, project, parent);
  }, LONG);
  afterAll(async () => void (await serving?.stop()));

  it(
    'works with that release: an admin, a developer, an app and its key',
    async () => {
      await call(['migrate']);
      await call(['rbac:seed']);
      const account = ['--email', 'ada@example.com', '--name', 'Ada', '--role', 'super_admin', '--password-stdin'];
      await call(['admin:create', ...account], adminPassword);
      await call(['demo:seed']);
      await serve();
      const person = { first_name: 'Zoë', last_name: 'Meyer', email: before.email };
      const passwords = { password: PASSWORD, password_confirmation: PASSWORD };
      const { data } = (await send('POST', '/auth/register', { ...person, ...passwords })).json;
      const app = { name: before.app, products: ['exchange-rates'] };
      const created = await send('POST', '/me/apps', app, data.access_token);
      const [{ consumer_key: key, consumer_secret: secret }] = created.json.data.credentials;
      Object.assign(before, { key, secret, refresh: data.refresh_token });
      expect(await opens(key)).toBe(200);
      await serving.stop();
    },
    LONG,
  );

  it(
    'is upgraded: the new migrations run without being copied, and its own files stay',
    async () => {
      await installPacked(ROOT, project, parent);
      const files = await readdir(join(project, 'migrations'));
      // A release may bring none.
      expect(await call(['migrate'])).toMatch(/✓ (Ran \d+ migrations?|Nothing to migrate)\./);
      const status = JSON.parse(await call(['migrate:status', '--json'])) as { migrations?: unknown[] };
      expect(JSON.stringify(status)).not.toMatch(/"missing":true|"runAt":null|"run_at":null/);
      expect(await readdir(join(project, 'migrations'))).toEqual(files);
      await call(['rbac:seed']);
      await call(['audit:verify']);
      await call(['doctor']);
    },
    LONG,
  );

  it(
    'keeps the files that the release before wrote for each target: the new version finds nothing wrong in them',
    async () => {
      await writeFile(join(project, 'package-lock.json'), '{}');
      const targets = Object.keys(DEPLOY_TARGETS);
      const checked: string[] = [];
      for (const target of targets) {
        const published = await spawnPortal(['publish', target], { cwd: project, bin: oldBin });
        // That release did not know it yet.
        if (published.exitCode === 2) continue;
        expect([target, published.exitCode, published.stderr]).toEqual([target, 0, expect.anything()]);
        checked.push(target);
        const { stdout } = await spawnPortal(['deploy:check', target, '--json'], { cwd: project, bin: bin() });
        const { checks } = JSON.parse(stdout) as { checks: { check: string; status: string }[] };
        // Its addresses are not filled in.
        const bad = checks.filter(({ status, check }) => status !== 'ok' && check !== 'examples');
        expect([target, bad]).toEqual([target, []]);
      }
      expect(checked).toEqual(expect.arrayContaining(['docker', 'kubernetes']));
    },
    LONG,
  );

  it(
    'passes its own type check and tests with the new release',
    async () => {
      const host = await HostProject.link(project);
      await host.typecheck();
      expect(await host.test()).toMatch(/[#ℹ] fail 0/);
    },
    LONG,
  );

  it(
    'goes on: keys open, sign-ins live, passwords and secrets are what they were',
    async () => {
      await serve();
      expect(await opens(before.key)).toBe(200);
      expect((await send('POST', '/auth/refresh', { refresh_token: before.refresh })).status).toBe(200);
      const login = await send('POST', '/auth/login', { email: before.email, password: PASSWORD });
      const token: string = login.json.data.access_token;
      const { data: app } = (await send('GET', `/me/apps/${before.app}`, undefined, token)).json;
      const reveal = `/me/apps/${before.app}/credentials/${app.credentials[0].id}/reveal`;
      const { data: shown } = (await send('POST', reveal, {}, token)).json;
      expect([shown.consumer_key, shown.consumer_secret]).toEqual([before.key, before.secret]);
      const admin = await send('POST', '/admin/auth/login', { email: 'ada@example.com', password: adminPassword });
      const stats = await send('GET', '/admin/dashboard/stats', undefined, admin.json.data.access_token);
      expect(stats.status).toBe(200);
    },
    LONG,
  );

  it(
    'has the pages and the routes of the new release, and those of its own',
    async () => {
      for (const path of ['/portal', '/portal/products', '/portal/login']) {
        expect([path, (await fetch(serving.url + path)).status]).toEqual([path, 200]);
      }
      expect((await send('GET', '/status')).json.data).toMatchObject({ open: true });
      await serving.stop();
    },
    LONG,
  );
});
