import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { askChoices } from '../../src/cli/project/init-choices.js';
import { findPackageSource } from '../../src/cli/project/package-source.js';
import { projectName } from '../../src/cli/project/project-files.js';
import { packageMigrations } from '../../src/database/index.js';
import type { SelectQuestion, TextQuestion, Ui } from '../../src/cli/ui.js';
import { folderWith } from '../config/support.js';
import { portal } from '../support/portal-command.js';

/** npm needs a home for its cache. */
const ENV = { HOME: process.env['HOME'] ?? '/', npm_config_update_notifier: 'false' };
const run = (args: readonly string[], cwd: string) => portal(args, { cwd, env: ENV });

interface Report {
  directory: string;
  written: string[];
  overwritten: string[];
  kept: string[];
  skipped: string[];
  installed: boolean;
  next: string[];
}
async function init(args: readonly string[], cwd: string): Promise<Report> {
  const { stdout, stderr, exitCode } = await run(['init', ...args, '--no-install', '--yes', '--json'], cwd);
  if (exitCode !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Report;
}

describe('portal init', () => {
  let parent: string;
  let report: Report;
  const read = (path: string) => readFile(join(parent, 'acme-bank', path), 'utf8');
  beforeAll(async () => {
    parent = await folderWith({});
    report = await init(['acme-bank'], parent);
  });

  it('writes a whole project and lists it', async () => {
    expect(report.directory).toBe(join(parent, 'acme-bank'));
    expect(report.written.filter((path) => !path.startsWith('migrations/')).sort()).toEqual([
      '.agents/skills/portalkit/SKILL.md',
      '.claude/skills/portalkit/SKILL.md',
      '.dockerignore',
      '.env',
      '.env.example',
      '.gitignore',
      'AGENTS.md',
      'CLAUDE.md',
      'Dockerfile',
      'README.md',
      'content/guides/getting-started.md',
      'package.json',
      'portal.config.ts',
      'src/auth-flow.ts',
      'src/routes.ts',
      'test/auth-flow.test.js',
      'test/portal.test.js',
      'tsconfig.json',
      expect.stringMatching(/^vendor\/portalkit-\d+\.\d+\.\d+\.tgz$/),
    ]);
    expect([report.overwritten, report.kept, report.skipped, report.installed]).toEqual([[], [], [], false]);
    expect(report.next).toEqual([
      'cd acme-bank',
      'npm install',
      'npx portal migrate',
      'npx portal rbac:seed',
      'npx portal admin:create',
      'npm run dev',
    ]);
  });

  it('brings a skill for agents, whose every page and command there is', async () => {
    const skill = await read('.agents/skills/portalkit/SKILL.md');
    const [, name = '', description = ''] = /^---\nname: (.*)\ndescription: (.*)\n---\n/.exec(skill) ?? [];
    expect(name).toBe('portalkit');
    expect(description.length).toBeGreaterThan(50);
    expect(description.length).toBeLessThan(1_024);
    expect(await read('.claude/skills/portalkit/SKILL.md')).toContain(`description: ${description}\n`);
    const pages = [...skill.matchAll(/`((?:\.\.\/)?[A-Za-z-]+\.md)`/g)].map(([, page = '']) => page);
    for (const page of pages.filter((one) => one !== 'AGENTS.md')) await readFile(join('docs', page), 'utf8');
    const known = await readFile(join('docs', 'cli.md'), 'utf8');
    const commands = [...skill.matchAll(/npx portal ([a-z:-]+)/g)].map(([, command = '']) => command);
    expect(commands.length).toBeGreaterThan(10);
    expect(commands.filter((command) => !known.includes(`### \`${command}\``))).toEqual([]);
  });

  it('leaves no word of a template unfilled', async () => {
    for (const path of report.written.filter((name) => !name.endsWith('.tgz'))) {
      expect([path, await read(path)]).toEqual([path, expect.not.stringContaining('{{')]);
    }
    expect(await read('portal.config.ts')).toContain("name: 'Acme Bank Developer Portal'");
  });

  it('takes name and look from options, and refuses what is neither', async () => {
    const folder = await folderWith({});
    await init(['blue', '--name', 'Blue Banking APIs', '--preset', 'paper', '--color', '#0f766e'], folder);
    const config = await readFile(join(folder, 'blue', 'portal.config.ts'), 'utf8');
    expect(config).toContain("name: 'Blue Banking APIs',");
    expect(config).toContain("  theme: {\n    preset: 'paper',\n    brandColor: '#0f766e',\n  },\n");
    for (const wrong of [
      ['--color', 'blue'],
      ['--name', "x', evil: '"],
      ['--preset', 'pink'],
    ]) {
      const { exitCode, stderr } = await run(['init', 'red', ...wrong, '--no-install', '--yes'], folder);
      expect([wrong[0], exitCode, stderr.length > 0]).toEqual([wrong[0], 2, true]);
    }
  });

  it('makes secrets of its own, for their owner alone', async () => {
    const env = await read('.env');
    expect(env).toMatch(/^APP_ENV=development$/m);
    expect(env).toMatch(/^APP_KEY=base64:[A-Za-z0-9+/]{43}=$/m);
    expect(env).toMatch(/^PORTAL_API_JWT_SECRET=[\w-]{64}$/m);
    expect((await stat(join(parent, 'acme-bank/.env'))).mode & 0o777).toBe(0o600);
    expect(await read('.gitignore')).toMatch(/^\.env$/m);
    expect(await read('.env.example')).toMatch(/^APP_KEY=$/m);
    await init(['other', '--link'], parent);
    expect(await readFile(join(parent, 'other/.env'), 'utf8')).not.toContain(/APP_KEY=(\S+)/.exec(env)?.[1]);
  });

  it('copies the migrations of the package, importing what a host may import', async () => {
    const copied = (await readdir(join(parent, 'acme-bank/migrations'))).map((name) => name.replace(/\.ts$/, ''));
    expect(copied.sort()).toEqual(packageMigrations().map(({ name }) => name));
    expect(await read(`migrations/${copied[0]}.ts`)).toContain("from 'portalkit';");
    expect(await read(`migrations/${copied[0]}.ts`)).not.toContain("from '.");
  });

  it('depends on the packed package while that runs from a checkout', async () => {
    const { dependencies } = JSON.parse(await read('package.json')) as { dependencies: Record<string, string> };
    expect(dependencies['portalkit']).toMatch(/^file:vendor\/portalkit-.*\.tgz$/);
    expect(await read('Dockerfile')).toContain('COPY vendor ./vendor\n');
  });

  it('brings the tool of docs:build for developers alone, in the version of this release', async () => {
    const { dependencies, devDependencies } = JSON.parse(await read('package.json')) as Record<string, object>;
    const own = JSON.parse(await readFile('package.json', 'utf8')) as { devDependencies: Record<string, string> };
    expect(devDependencies).toMatchObject({ '@redocly/cli': own.devDependencies['@redocly/cli'] });
    expect(dependencies).not.toHaveProperty('@redocly/cli');
  });

  it('gives a project that the CLI can use at once', async () => {
    const cwd = join(parent, 'acme-bank');
    const { stdout, stderr } = await run(['migrate'], cwd);
    expect([stdout, stderr]).toEqual([
      expect.stringMatching(/^✓ Ran \d+ migrations\.$/),
      expect.stringContaining('Next: npx portal rbac:seed'),
    ]);
    expect((await run(['rbac:seed'], cwd)).stderr).toContain('Next: npx portal admin:create');
    expect((await run(['routes'], cwd)).stdout).toContain('/api/v1/status');
    expect((await run(['doctor'], cwd)).exitCode).toBe(0);
  });
});

describe('portal init in a folder that is not empty', () => {
  it('loses nothing, and says what was written, kept and skipped', async () => {
    const cwd = await folderWith({ 'README.md': 'mine', 'notes.txt': 'mine too', '.env': 'APP_KEY=precious\n' });
    const first = await init([], cwd);
    expect(first.kept).toEqual(['README.md', '.env']);
    const again = await init([], cwd);
    expect([again.written, again.overwritten]).toEqual([[], []]);
    expect(again.kept.sort()).toEqual(['.env', 'README.md', expect.stringMatching(/^vendor\//)]);
    expect(again.skipped).toContain('portal.config.ts');
    for (const [path, text] of [
      ['README.md', 'mine'],
      ['notes.txt', 'mine too'],
      ['.env', 'APP_KEY=precious\n'],
    ]) {
      expect(await readFile(join(cwd, path ?? ''), 'utf8')).toBe(text);
    }
  });

  it('replaces what differs with --force, but never .env and nothing that is not its own', async () => {
    const cwd = await folderWith({ 'README.md': 'mine', 'notes.txt': 'mine too', '.env': 'APP_KEY=precious\n' });
    const report = await init(['--force', '--link'], cwd);
    expect([report.overwritten, report.kept]).toEqual([['README.md'], ['.env']]);
    expect(await readFile(join(cwd, '.env'), 'utf8')).toBe('APP_KEY=precious\n');
    expect(await readFile(join(cwd, 'notes.txt'), 'utf8')).toBe('mine too');
  });

  it('points out a package.json of somebody else', async () => {
    const cwd = await folderWith({ 'package.json': '{"name":"other"}' });
    expect((await init(['--link'], cwd)).next[0]).toContain('package.json was there already');
  });
});

describe('portal init with choices', () => {
  it('writes them down and says what is left to fill in', async () => {
    const cwd = await folderWith({});
    const { next } = await init(['--link', '--database', 'mysql', '--sessions', 'redis', '--gateway', 'apigee'], cwd);
    const env = await readFile(join(cwd, '.env'), 'utf8');
    for (const name of ['DATABASE_URL=mysql://', 'REDIS_URL=redis://', 'GATEWAY_APIGEE_ORGANIZATION='])
      expect(env).toContain(name);
    const config = await readFile(join(cwd, 'portal.config.ts'), 'utf8');
    expect(config).toContain("driver: 'apigee'");
    expect(config).toContain("store: 'redis'");
    expect(next).toContain('# set DATABASE_URL, REDIS_URL, GATEWAY_APIGEE_… in .env');
    expect(next).toContain('# without an organization: npx portal gateway:fake, in another terminal');
    expect(next.join()).not.toContain('no driver');
  });

  it('asks one question at a terminal, and the others of who wants to choose', async () => {
    const converse = async (way: string) => {
      const asked: string[] = [];
      const answer = (message: string, given: string | undefined) => {
        asked.push(message);
        return Promise.resolve(message === 'How shall it begin?' ? way : given);
      };
      const ui = {
        isInteractive: true,
        select: ({ message, default: given }: SelectQuestion<string>) => answer(message, given),
        askText: ({ message, default: given }: TextQuestion) => answer(message, given),
      } as unknown as Ui;
      return { asked, choices: await askChoices(ui, { database: 'mysql' }, false, 'Acme') };
    };
    const usual = await converse('usual');
    expect(usual).toMatchObject({
      asked: { length: 1 },
      choices: { database: 'mysql', gateway: 'local', preset: 'clear' },
    });
    const { asked, choices } = await converse('choose');
    expect([asked.length, choices]).toEqual([6, expect.objectContaining({ title: 'Acme', database: 'mysql' })]);
  });

  it('installs the modules that --with names, and no others', async () => {
    const cwd = await folderWith({});
    await init(['--link', '--with', 'oidc,mfa'], cwd);
    const config = await readFile(join(cwd, 'portal.config.ts'), 'utf8');
    expect(config).toContain("import { mfa } from 'portalkit/mfa';\nimport { oidc } from 'portalkit/oidc';\n");
    expect(config).toContain('  modules: [mfa, oidc],\n');
    const plain = await folderWith({});
    await init(['--link'], plain);
    expect(await readFile(join(plain, 'portal.config.ts'), 'utf8')).not.toMatch(/modules|\n\n\n/);
  });

  it('begins with the records of an export, and nothing else that lies there', async () => {
    const parent = await folderWith({
      'old/products/pay.yaml': 'slug: pay\nname: Pay\n',
      'old/products/pay.openapi.json': '{}',
      'old/token.txt': 'a secret',
      'empty/note.txt': 'no record',
    });
    const { written, next } = await init(['acme', '--from', 'old'], parent);
    const records = written.filter((path) => /^portal[\\/]/.test(path));
    expect(records).toEqual([join('portal', 'products', 'pay.openapi.json'), join('portal', 'products', 'pay.yaml')]);
    expect(next.indexOf('npx portal apply')).toBe(next.indexOf('npx portal rbac:seed') + 1);
    const refused = await run(['init', 'other', '--from', 'empty', '--no-install', '--yes'], parent);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('There are no records in empty.')]);
  });

  it('links the folder for work on the package itself', async () => {
    const cwd = await folderWith({});
    await init(['--link'], cwd);
    expect(await readFile(join(cwd, 'package.json'), 'utf8')).toContain(`"portalkit": "file:${process.cwd()}"`);
    expect(existsSync(join(cwd, 'vendor'))).toBe(false);
  });
});

describe('portal init refuses', () => {
  it.each([
    [['--database', 'oracle'], 2, /Allowed choices are sqlite, mysql/],
    [['--colour', 'red'], 2, /unknown option '--colour'/],
    [['--with', 'mfa,sms'], 2, /There is no module sms\. Modules are mfa, oidc/],
    [['a', 'b'], 2, /too many arguments/],
    [['file.txt'], 1, /file\.txt is a file or lies below one\.\nFix: choose another folder/],
    [['file.txt/below'], 1, /is a file or lies below one/],
    [[process.cwd()], 1, /is portalkit itself\.\nFix: name a folder/],
    [['checkout'], 1, /checkout is portalkit itself\.\nFix: name a folder/],
    [['folders'], 1, /README\.md is a folder where a file belongs/],
  ])('%j with exit code %d', async (args, code, message) => {
    const cwd = await folderWith({
      'file.txt': '',
      'folders/README.md/x': '',
      'checkout/package.json': '{ "name": "portalkit" }',
    });
    const { exitCode, stderr } = await run(['init', '--no-install', '--yes', ...args], cwd);
    expect([exitCode, stderr]).toEqual([code, expect.stringMatching(message)]);
  });

  it('to hide that npm install failed, and keeps the files', async () => {
    const cwd = await folderWith({
      'package.json': '{ "name": "broken", "dependencies": { "x": "file:./absent.tgz" } }',
    });
    const { exitCode, stderr } = await run(['init', '--yes'], cwd);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/npm install failed\.\nFix: the files are written; run npm install/),
    ]);
    expect(existsSync(join(cwd, 'portal.config.ts'))).toBe(true);
  });
});

describe('the name of a project', () => {
  it.each([
    ['acme', 'acme'],
    ['Acme Bank (EU)', 'acme-bank-eu'],
    ['.hidden', 'hidden'],
    ['', 'developer-portal'],
    ['ünïcode', 'n-code'],
    ['portalkit', 'portalkit-project'],
  ])('of the folder %j is %j', (folder, name) => expect(projectName(folder, 'portalkit')).toBe(name));
});

describe('where the package came from', () => {
  const ID = { name: 'portalkit', version: '1.2.3' };
  const lock = (resolved: string) => JSON.stringify({ packages: { 'node_modules/portalkit': { resolved } } });
  const installed = async (files: Record<string, string>, folder = 'node_modules/portalkit') => {
    const root = await folderWith({ [`${folder}/package.json`]: '{}', ...files });
    return findPackageSource(join(root, folder), ID);
  };

  it('is a registry when the installer says so', async () => {
    const url = 'https://registry.example/portalkit/-/portalkit-1.2.3.tgz';
    expect(await installed({ 'node_modules/.package-lock.json': lock(url) })).toEqual({ kind: 'released' });
    const bare = JSON.stringify({ packages: { 'node_modules/portalkit': { integrity: 'sha512-x' } } });
    expect(await installed({ 'node_modules/.package-lock.json': bare })).toEqual({ kind: 'released' });
    const pnpm = 'node_modules/.pnpm/portalkit@1.2.3/node_modules/portalkit';
    expect(await installed({}, pnpm)).toEqual({ kind: 'released' });
  });

  it('is the tarball that it was installed from, as long as that is there', async () => {
    const files = { 'node_modules/.package-lock.json': lock('file:vendor/portalkit-1.2.3.tgz') };
    expect(await installed(files)).toEqual({ kind: 'folder' });
    const found = await installed({ ...files, 'vendor/portalkit-1.2.3.tgz': '' });
    expect(found).toMatchObject({ kind: 'tarball', file: expect.stringMatching(/\/vendor\/portalkit-1\.2\.3\.tgz$/) });
  });

  it('is a folder in every other case: a checkout, a link, an installer that says nothing', async () => {
    expect(await findPackageSource(process.cwd(), ID)).toEqual({ kind: 'folder' });
    expect(await installed({})).toEqual({ kind: 'folder' });
    expect(await installed({ 'node_modules/.package-lock.json': 'no json' })).toEqual({ kind: 'folder' });
    const root = await folderWith({ 'checkout/package.json': '{}' });
    await mkdir(join(root, 'node_modules'));
    await writeFile(join(root, 'node_modules/.package-lock.json'), lock('https://registry.example/p.tgz'));
    await symlink(join(root, 'checkout'), join(root, 'node_modules/portalkit'));
    expect(await findPackageSource(join(root, 'node_modules/portalkit'), ID)).toEqual({ kind: 'folder' });
  });
});
