import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { folderWith } from '../config/support.js';
import type { Envelope } from '../support/http-client.js';
import { servePortal, spawnPortal, type ServingPortal } from '../support/portal-process.js';
import { passOwnChecks, run } from './support.js';

/** What an installation may take, in bytes as `du -sb` counts them; docs/performance.md has the same. */
const MOST_INSTALLED = 110_000_000;
/** The bundled kit for MCP; nothing else that is written by hand or taken from others is that large. */
const BUNDLE = 'dist/agents/mcp-sdk.js';
const PASSWORD = 'correct horse battery 9';

interface Manifest {
  dependencies: Record<string, string>;
}

async function sizeOf(folder: string): Promise<number> {
  const paths = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(paths.map(async (path) => (await lstat(join(folder, path))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** What every developer comes for, in a project that was just made, over HTTP. */
function walkMainJob(project: () => string): void {
  const bin = () => join(project(), 'node_modules', 'portalkit', 'bin', 'portal.js');
  const call = (args: readonly string[], input = '') => spawnPortal(args, { cwd: project(), bin: bin(), input });
  const adminPassword = randomBytes(18).toString('base64url');
  let serving: ServingPortal;
  afterAll(async () => void (await serving?.stop()));

  const send = async (method: string, path: string, body?: unknown, token?: string) => {
    const response = await fetch(`${serving.url}/api/v1${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: (await response.json()) as Envelope };
  };
  const verify = async (key?: string) => {
    const headers = key === undefined ? undefined : { 'x-api-key': key };
    return (await fetch(`${serving.url}/gateway/verify/exchange-rates`, { headers })).status;
  };

  it('passes its own type check and its own tests', () => passOwnChecks(project()));

  it('has tables and roles, seeds content, creates an admin, and is well', async () => {
    expect((await call(['migrate'])).stdout).toBe('✓ Nothing to migrate.');
    expect((await call(['rbac:seed'])).stdout).toBe('✓ Nothing was missing.');
    const account = ['--email', 'ada@example.com', '--name', 'Ada', '--role', 'super_admin', '--password-stdin'];
    expect((await call(['admin:create', ...account], adminPassword)).exitCode).toBe(0);
    expect((await call(['demo:seed'])).exitCode).toBe(0);
    expect((await call(['doctor'])).exitCode).toBe(0);
  });

  it('serves, ready, with the route of the project', async () => {
    serving = await servePortal([], { cwd: project(), bin: bin() });
    await serving.printed('Ready.');
    expect((await send('GET', '/health/ready')).status).toBe(200);
    expect((await send('GET', '/status')).json.data).toMatchObject({ open: true });
  });

  it('lets a developer register, find a product and get a key that opens, until it is revoked', async () => {
    const person = { first_name: 'Zoë', last_name: 'Meyer', email: 'zoe@example.com' };
    const passwords = { password: PASSWORD, password_confirmation: PASSWORD };
    const registered = await send('POST', '/auth/register', { ...person, ...passwords });
    expect(registered.status).toBe(201);
    const token: string = registered.json.data.access_token;
    const catalog = await send('GET', '/api-products', undefined, token);
    expect(catalog.json.data.map(({ slug }: { slug: string }) => slug)).toContain('exchange-rates');
    const app = { name: 'trip-planner', products: ['exchange-rates'] };
    const created = await send('POST', '/me/apps', app, token);
    expect(created.status).toBe(201);
    const [{ id, consumer_key: key }] = created.json.data.credentials;
    expect([await verify(), await verify(key)]).toEqual([401, 200]);
    expect((await send('POST', `/me/apps/trip-planner/credentials/${id}/revoke`, {}, token)).status).toBe(200);
    expect(await verify(key)).toBe(403);
  });

  it('answers agents with the kit that is inside of it', async () => {
    const search = async (values: object) => {
      const response = await fetch(`${serving.url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({
          ...{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'search_apis', arguments: values } },
        }),
      });
      return [response.status, await response.text()];
    };
    expect(await search({ query: 'exchange rates' })).toEqual([200, expect.stringContaining('exchange-rates')]);
    expect(await search({ of: 1 })).toEqual([200, expect.stringContaining('Input validation error')]);
  });

  it('lets the admin see the developer', async () => {
    const login = await send('POST', '/admin/auth/login', { email: 'ada@example.com', password: adminPassword });
    const users = await send('GET', '/admin/users?q=zoe', undefined, login.json.data.access_token);
    expect(users.json.data).toMatchObject([{ email: 'zoe@example.com' }]);
  });

  it('ends in order', async () => expect(await serving.stop()).toBe(0));
}

describe('the packed package', () => {
  let parent: string;
  let packed: { filename: string; size: number; files: { path: string; size: number }[] };
  beforeAll(async () => {
    parent = await folderWith({});
    await mkdir(join(parent, 'packed'));
    const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', join(parent, 'packed')];
    [packed] = JSON.parse((await run('npm', args, process.cwd())).stdout) as [typeof packed];
  });

  it('holds what runs, what is copied and what is read, and nothing else', () => {
    const paths = packed.files.map(({ path }) => path);
    for (const needed of [
      'LICENSE',
      'README.md',
      'bin/portal.js',
      'docs/configuration.md',
      'dist/index.js',
      'dist/index.d.ts',
      'dist/cli/main.js',
      'dist/database/migrations/20260101000100-create-users.js',
      'src/database/migrations/20260101000100-create-users.ts',
      'stubs/project/gitignore',
      'stubs/project/env',
      'stubs/project/package.json',
      'templates/demo/catalog.yaml',
    ]) {
      expect(paths).toContain(needed);
    }
    const surplus = paths.filter(
      (path) =>
        /(^|\/)(test|tests|bench|scripts|coverage|node_modules)\/|\.map$|\.test\.|tsbuildinfo/.test(path) &&
        !path.startsWith('stubs/project/test/') &&
        !/^stubs\/make\/[a-z-]+\.test\.js$/.test(path),
    );
    expect(surplus).toEqual([]);
  });

  it('holds nothing that is secret, of this machine, or larger than it should be (S87)', async () => {
    const places = new Set(packed.files.map(({ path }) => path.split('/')[0]));
    expect([...places].sort()).toEqual([
      ...['CHANGELOG.md', 'LICENSE', 'README.md', 'bin', 'dist', 'docs', 'package.json', 'src', 'stubs', 'templates'],
    ]);
    const kinds = new Set(packed.files.map(({ path }) => path.split('/').at(-1)?.replace(/^.*\./, '') ?? ''));
    const known = 'LICENSE md js ts json hbs css svg yaml yml conf env example txt toml service timer sh';
    const stubs = 'Dockerfile dockerignore gitignore';
    expect([...kinds].filter((kind) => !`${known} ${stubs}`.split(' ').includes(kind))).toEqual([]);
    expect(packed.size).toBeLessThan(2_600_000);
    const large = packed.files.filter(({ path, size }) => size > 500_000 && !path.startsWith('dist/chunks/'));
    expect(large).toEqual([expect.objectContaining({ path: BUNDLE })]);
    expect(large[0]?.size).toBeLessThan(1_000_000);
    const suspicious =
      /-----BEGIN [A-Z ]*PRIVATE KEY-----\n|\bnpm_[A-Za-z0-9]{36}\b|\bgh[pousr]_[A-Za-z0-9]{36}\b|\bAKIA[A-Z0-9]{16}\b/;
    const texts = await Promise.all(
      packed.files.map(async ({ path }) => [path, await readFile(path, 'utf8')] as const),
    );
    const home = process.cwd();
    expect(texts.filter(([, text]) => suspicious.test(text) || text.includes(home)).map(([path]) => path)).toEqual([]);
  });

  it('brings the kit for MCP inside of one file, with the licences of all that is in it, and asks for none of its packages', async () => {
    const bundle = await readFile(BUNDLE, 'utf8');
    expect(bundle.length).toBeGreaterThan(100_000);
    expect(bundle).toContain('THIRD_PARTY_NOTICES.txt in dist');
    const imported = [...bundle.matchAll(/^(?:import|export)\b[^;'"]*\bfrom\s*["']([^"']+)["']/gm)].map(
      ([, name]) => name,
    );
    expect(imported.filter((name) => !name?.startsWith('node:'))).toEqual([]);
    const notices = await readFile('dist/THIRD_PARTY_NOTICES.txt', 'utf8');
    for (const name of ['@modelcontextprotocol/server', '@modelcontextprotocol/core', 'zod', 'ajv', 'fast-uri'])
      expect(notices).toMatch(new RegExp(`^  ${name} \\d+\\.\\d+\\.\\d+ \\(`, 'm'));
    expect(notices).toContain('Copyright (c) 2025 Colin McDonnell');
    expect(notices).toContain('Apache License');
    const { dependencies } = JSON.parse(await readFile('package.json', 'utf8')) as Manifest;
    const isOfKit = (text: string) => /@modelcontextprotocol|["']zod/.test(text);
    expect(Object.keys(dependencies).filter((name) => isOfKit(`'${name}`))).toEqual([]);
    const paths = packed.files.map(({ path }) => path).filter((path) => /^dist\/.*\.(?:js|d\.ts)$/.test(path));
    const texts = await Promise.all(paths.map(async (path) => [path, await readFile(path, 'utf8')] as const));
    expect(texts.filter(([path, text]) => path !== BUNDLE && isOfKit(text)).map(([path]) => path)).toEqual([]);
  });

  describe('installed into an empty folder, with a project made by npx portal init', () => {
    let installed = 0;
    beforeAll(async () => {
      const tool = join(parent, 'tool');
      await mkdir(tool);
      await run('npm', ['install', join(parent, 'packed', packed.filename)], tool);
      installed = await sizeOf(join(tool, 'node_modules'));
      const { stdout } = await run('npx', ['portal', 'init', 'acme', '--yes'], tool);
      expect(stdout).toContain('acme is ready in');
    });

    it(`takes less than ${MOST_INSTALLED / 1_000_000} MB`, () => {
      process.stdout.write(`an installation takes ${(installed / 1_000_000).toFixed(1)} MB\n`);
      expect(installed).toBeLessThan(MOST_INSTALLED);
    });

    it('depends on the tarball it came from', async () => {
      const project = join(parent, 'tool', 'acme');
      const { dependencies } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8')) as Manifest;
      expect(dependencies['portalkit']).toBe(`file:vendor/${packed.filename}`);
      const original = await readFile(join(parent, 'packed', packed.filename));
      expect(original.equals(await readFile(join(project, 'vendor', packed.filename)))).toBe(true);
    });

    walkMainJob(() => join(parent, 'tool', 'acme'));

    it('writes the documentation of its API with the tool that it got for that', async () => {
      const cwd = join(parent, 'tool', 'acme');
      const bin = join(cwd, 'node_modules', 'portalkit', 'bin', 'portal.js');
      const built = await spawnPortal(['docs:build'], { cwd, bin });
      expect([built.exitCode, built.stdout]).toEqual([0, expect.stringMatching(/docs\/api\/index\.html +created/)]);
    });

    it('serves without what only documentation takes, and says what to install for it', async () => {
      const project = join(parent, 'tool', 'acme');
      await rm(join(project, 'docs'), { recursive: true });
      await run('npm', ['ci', '--omit=dev', '--ignore-scripts'], project);
      const bin = join(project, 'node_modules', 'portalkit', 'bin', 'portal.js');
      const { exitCode, stdout, stderr } = await spawnPortal(['docs:build'], { cwd: project, bin });
      expect([exitCode, stdout]).toEqual([1, '']);
      expect(stderr).toContain(
        '@redocly/cli 2, which lints the document and writes the page to read, is not installed',
      );
      expect(stderr).toMatch(/Fix: run npm install --save-dev @redocly\/cli@\d+\.\d+\.\d+ in it, once\.$/m);
      expect(existsSync(join(project, 'docs'))).toBe(false);
      expect((await spawnPortal(['doctor'], { cwd: project, bin })).exitCode).toBe(0);
      const serving = await servePortal([], { cwd: project, bin });
      await serving.printed('Ready.');
      expect(await serving.stop()).toBe(0);
    });
  });
});
