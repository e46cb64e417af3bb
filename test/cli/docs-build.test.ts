import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findRedocly, readTestedRedocly } from '../../src/openapi/index.js';
import { folderWith, SECRETS } from '../config/support.js';
import { portal } from '../support/portal-command.js';

// Each run lints and renders the whole document.

const config = (summary: string) => `
import { defineConfig, defineRoute, Joi } from 'portalkit';

export default defineConfig({
  app: { env: 'development', name: 'Acme' },
  routes: () => [
    defineRoute({
      method: 'get', path: '/opening-hours', context: 'consumer', auth: 'none', operation: 'getOpeningHours',
      tag: 'Acme', summary: ${JSON.stringify(summary)}, reply: { 200: Joi.object() }, handle: () => ({}),
    }),
  ],
});
`;

const FILES = ['openapi.json', 'openapi.yaml', 'postman_collection.json', 'index.html'];

let cwd: string;
beforeAll(async () => {
  cwd = await folderWith({ 'portal.config.ts': config('Show when we are open') });
});

/** No database and no network: what it contacts would fail. */
const ENV = { ...SECRETS, DATABASE_URL: 'mysql://nobody@127.0.0.1:1/none', HTTPS_PROXY: 'http://127.0.0.1:1' };
const run = (args: readonly string[], env: Record<string, string> = {}) =>
  portal(['docs:build', ...args], { cwd, env: { ...ENV, ...env } });
const read = (file: string, out = 'docs/api') => readFile(join(cwd, out, file), 'utf8');

describe('portal docs:build', () => {
  it('writes the same artifacts every time, and --check knows when they are stale', async () => {
    const first = await run([]);
    expect([first.exitCode, first.stderr]).toEqual([0, expect.any(String)]);
    for (const file of FILES) expect(first.stdout).toMatch(new RegExp(`docs/api/${file} +created`));
    const before = await Promise.all(FILES.map((file) => read(file)));
    expect(JSON.parse(before[0] ?? '')).toMatchObject({ paths: { '/opening-hours': { get: {} } } });

    // Built a second time, and held against what lies there byte by byte.
    expect((await run(['--check'])).exitCode).toBe(0);

    await writeFile(join(cwd, 'docs/api/openapi.yaml'), 'stale');
    const checked = await run(['--check', '--json']);
    expect([checked.exitCode, JSON.parse(checked.stdout)]).toEqual([
      1,
      { current: false, files: FILES.map((name) => ({ name, state: name === 'openapi.yaml' ? 'stale' : 'current' })) },
    ]);
    expect(await read('openapi.yaml')).toBe('stale');
  });

  it('renders a page that loads nothing from elsewhere', async () => {
    const page = await read('index.html');
    const found = (pattern: RegExp) => pattern.exec(page)?.[0] ?? null;
    expect(found(/Show when we are open/)).not.toBeNull();
    expect(found(/http-equiv="Content-Security-Policy" content="default-src 'none'/)).not.toBeNull();
    expect(found(/<(?:script|link|img)\b[^>]*\b(?:src|href)="(?:https?:)?\/\/[^"]*/)).toBeNull();
    expect(found(/https?:\/\/(?:cdn\.redoc|fonts\.)[^"`']{0,80}/)).toBeNull();
  });

  it('writes what docs.* asks for and no more', async () => {
    const env = { DOCS_POSTMAN: 'false', DOCS_CONTEXTS: 'consumer', DOCS_SERVERS: 'https://api.acme.example/v1' };
    const { exitCode, stdout } = await run(['--out', 'public', '--json'], env);
    const { files } = JSON.parse(stdout) as { files: { name: string }[] };
    expect([exitCode, files.map(({ name }) => name)]).toEqual([0, ['openapi.json', 'openapi.yaml', 'index.html']]);
    const { servers, paths } = JSON.parse(await read('openapi.json', 'public')) as { servers: unknown; paths: object };
    expect(servers).toEqual([{ url: 'https://api.acme.example/v1' }]);
    expect(Object.keys(paths).filter((path) => path.startsWith('/admin'))).toEqual([]);
  });

  it('fails with what the linter says', async () => {
    await writeFile(join(cwd, 'portal.config.ts'), config(''));
    const { exitCode, stderr } = await run(['--out', 'never']);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/error operation-summary at #\/paths\/~1opening-hours\/get/);
    await expect(read('openapi.json', 'never')).rejects.toThrow();
  });
});

describe('the tool of docs:build', () => {
  const PACKAGE = 'node_modules/@redocly/cli';
  const having = (version: string) => folderWith({ [`${PACKAGE}/package.json`]: JSON.stringify({ version }) });

  it('is the one of the project, else the one beside portalkit, and none where neither has a version that fits', async () => {
    const [own, project, earlier] = [await having('2.77.0'), await having('2.99.1'), await having('1.34.0')];
    const without = await folderWith({});
    const at = (folder: string) => join(folder, PACKAGE, 'bin', 'cli.js');
    const beside = (folder: string) => join(folder, 'dist', 'index.js');
    expect(findRedocly(project, beside(own))).toBe(at(project));
    for (const folder of [without, earlier]) {
      expect(findRedocly(folder, beside(own))).toBe(at(own));
      expect(findRedocly(folder, beside(without))).toBeUndefined();
    }
  });

  it('is named with the version that this release is tested with, and is nothing that production installs', async () => {
    const manifest = JSON.parse(await readFile('package.json', 'utf8')) as Record<string, Record<string, string>>;
    const name = '@redocly/cli';
    expect(readTestedRedocly()).toMatch(/^2\.\d+\.\d+$/);
    expect(manifest.devDependencies?.[name]).toBe(readTestedRedocly());
    // As an optional peer, npm ci --omit=dev would install it where a project has it for development.
    for (const kind of ['dependencies', 'optionalDependencies', 'peerDependencies'])
      expect(manifest[kind] ?? {}).not.toHaveProperty(name);
    for (const page of ['docs/ci.md', 'docs/extending.md']) {
      expect(await readFile(page, 'utf8')).toContain(`npm install --save-dev ${name}@${readTestedRedocly()}`);
    }
  });
});
