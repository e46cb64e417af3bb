import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile, mkdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { unifiedDiff } from '../../src/cli/project/unified-diff.js';
import { packageMigrations } from '../../src/database/index.js';
import { folderWith, resolve, SECRETS } from '../config/support.js';
import { portal } from '../support/portal-command.js';

const CONFIG = { 'portal.config.ts': "export default { app: { env: 'test' } };\n" };
const HERO = 'partials/landing/hero.hbs';

interface Report {
  written: string[];
  overwritten: string[];
  kept: string[];
  skipped: string[];
}
interface Compared {
  files: { path: string; state: string; published_from: string | null; diff: string | null }[];
}

let cwd: string;
beforeEach(async () => {
  cwd = await folderWith(CONFIG);
});
const run = (args: readonly string[], env: Record<string, string> = {}) =>
  portal(args, { cwd, env: { ...SECRETS, ...env } });
async function json<T>(args: readonly string[]): Promise<T> {
  const { stdout, stderr, exitCode } = await run([...args, '--json']);
  if (exitCode !== 0) throw new Error(`${exitCode}: ${stderr}${stdout}`);
  return JSON.parse(stdout) as T;
}
const publish = (...args: string[]) => json<Report>(['publish', ...args]);
const diff = async (...args: string[]) => (await json<Compared>(['theme:diff', ...args])).files;
const states = async (...args: string[]) => (await diff(...args)).map(({ path, state }) => [path, state]);
const read = (path: string) => readFile(join(cwd, path), 'utf8');
const write = (path: string, text: string) => writeFile(join(cwd, path), text);
const shipped = (path: string) => readFile(join('templates/theme', path), 'utf8');

/** As if the copy had been made of an older version of the package, which had this text. */
async function publishedAs(path: string, text: string): Promise<void> {
  const record = JSON.parse(await read('theme/.portalkit.json')) as { files: Record<string, object> };
  const sha256 = createHash('sha256').update(text).digest('hex');
  record.files[path] = { sha256, version: '0.0.9' };
  await write('theme/.portalkit.json', JSON.stringify(record));
}

describe('portal publish theme', () => {
  it('copies every view, mail and language, just as they are', async () => {
    const { written, ...others } = await publish('theme');
    expect(others).toEqual({ overwritten: [], kept: [], skipped: [] });
    const count = async (folder: string) =>
      (await readdir(join('templates', folder), { recursive: true, withFileTypes: true })).filter((e) => e.isFile())
        .length;
    expect(written).toHaveLength((await count('theme')) + (await count('mail')) + (await count('lang')));
    expect(written).toEqual(
      expect.arrayContaining([
        'theme/layouts/main.hbs',
        'theme/assets/portal.css',
        'theme/mail/layout.hbs',
        'theme/lang/ar.json',
      ]),
    );
    expect(await read('theme/pages/landing.hbs')).toBe(await shipped('pages/landing.hbs'));
    expect(new Set((await diff()).map(({ state }) => state))).toEqual(new Set(['same']));
  });

  it('keeps what differs without --force, and says so', async () => {
    await json(['theme:publish', '--only', HERO, 'mail/layout.hbs']);
    await write(`theme/${HERO}`, '<h1>Ours</h1>');
    const { stdout, stderr, exitCode } = await run(['theme:publish', '--only', 'partials/landing', 'mail/layout.hbs']);
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/^kept +theme\/partials\/landing\/hero\.hbs\nthe same +theme\/mail/m),
    ]);
    expect(stderr).toContain('--force');
    expect(await read(`theme/${HERO}`)).toBe('<h1>Ours</h1>');
    expect((await publish('theme', '--only', HERO, '--force')).overwritten).toEqual([`theme/${HERO}`]);
    expect(await read(`theme/${HERO}`)).toBe(await shipped(HERO));
  });

  it('takes files, folders, and paths as they are seen from the project', async () => {
    expect((await publish('theme', '--only', './theme/partials/ui/', 'lang/en.json')).written).toEqual(
      expect.arrayContaining(['theme/lang/en.json', 'theme/partials/ui/card.hbs']),
    );
    expect(existsSync(join(cwd, 'theme/partials/product'))).toBe(false);
  });

  it('writes where theme.viewsDir says', async () => {
    const { exitCode } = await run(['theme:publish', '--only', HERO], { THEME_VIEWS_DIR: 'web/views' });
    expect([exitCode, existsSync(join(cwd, 'web/views', HERO)), existsSync(join(cwd, 'theme'))]).toEqual([
      0,
      true,
      false,
    ]);
  });

  it('gives languages alone with publish lang', async () => {
    expect((await publish('lang')).written).toEqual(['theme/lang/ar.json', 'theme/lang/en.json']);
  });

  it('refuses what makes no sense, with a hint', async () => {
    const outcome = async (...args: string[]) => {
      const { exitCode, stderr } = await run(args);
      return [exitCode, stderr.split('\n')[0]];
    };
    expect(await outcome('publish')).toEqual([2, expect.stringContaining('Say what to publish: theme, config,')]);
    expect(await outcome('publish', 'them')).toEqual([2, expect.stringContaining('There is no them to publish')]);
    expect(await outcome('theme:publish', '--only', 'hero.hbs')).toEqual([2, expect.stringContaining(`mean ${HERO}?`)]);
    expect(await outcome('theme:publish', '--only', '../../etc/passwd')).toEqual([
      2,
      expect.stringContaining('There is no'),
    ]);
    expect(await outcome('publish', 'config', '--only', 'x')).toEqual([2, expect.stringContaining('--only')]);
    await write('portal.config.ts', 'export default { theme: { viewDir: 3 } };');
    expect((await outcome('theme:publish'))[0]).toBe(78);
    cwd = await folderWith({});
    expect(await outcome('theme:publish')).toEqual([1, expect.stringContaining('is no host project')]);
  });
});

describe('portal publish config', () => {
  it('writes every setting with its default, and each of them is taken', async () => {
    expect((await publish('config')).written).toEqual(['portal.config.reference.ts']);
    const text = await read('portal.config.reference.ts');
    expect(text).toContain("// locales: ['en', 'ar'],");
    expect(text).not.toMatch(/\/\/ (key|jwtSecret):/);
    const code = text
      .replace(/^import.*$/m, '')
      .replace('defineConfig(', '(')
      .replace(/^( *)\/\/ (\w+: .*,)$/gm, '$1$2');
    await write('uncommented.mjs', code);
    const { default: definition } = (await import(pathToFileURL(join(cwd, 'uncommented.mjs')).href)) as {
      default: { app: { env: string } };
    };
    expect(definition.app.env).toBe('production');
    const { config } = resolve(
      { ...definition, app: { ...definition.app, url: 'http://localhost', env: 'test' } },
      { APP_ENV: 'test' },
    );
    expect(config.theme).toEqual(resolve({}, { APP_ENV: 'test' }).config.theme);
  });
});

describe('portal publish migrations', () => {
  it('copies those of the package, which import what a host imports', async () => {
    const name = `migrations/${packageMigrations()[0]?.name}.ts`;
    expect((await publish('migrations', '--only', name)).written).toEqual([name]);
    expect(await read(name)).toContain(" from 'portalkit';");
    const { written, skipped } = await publish('migrations');
    expect([written.length + 1, skipped]).toEqual([packageMigrations().length, [name]]);
  });
});

describe('portal init --theme', () => {
  it('publishes the views at once', async () => {
    const { written } = await json<Report>(['init', 'acme', '--theme', '--link', '--no-install', '--yes']);
    expect(written).toEqual(
      expect.arrayContaining(['portal.config.ts', 'theme/layouts/main.hbs', 'theme/mail/layout.hbs']),
    );
    expect(existsSync(join(cwd, 'acme/theme/.portalkit.json'))).toBe(true);
  });
});

describe('portal theme:diff', () => {
  const OLD = '<h1>As it was</h1>\n';

  it('says that nothing is published', async () => {
    const { stdout, exitCode } = await run(['theme:diff']);
    expect([exitCode, stdout]).toEqual([0, 'No views are published: all come from the package.']);
  });

  it('tells who changed what', async () => {
    const names = [
      'pages/landing.hbs',
      'pages/login.hbs',
      'pages/register.hbs',
      'pages/notice.hbs',
      'pages/profile.hbs',
    ];
    const [same = '', yours = '', outdated = '', both = '', unknown = ''] = names;
    await publish('theme', '--only', same, yours, outdated, both);
    await write(`theme/${yours}`, (await shipped(yours)).replace('\n', '\n<p>Ours</p>\n'));
    await publishedAs(outdated, OLD);
    await write(`theme/${outdated}`, OLD.replaceAll('\n', '\r\n'));
    await publishedAs(both, OLD);
    await write(`theme/${both}`, '<h1>As we want it</h1>\n');
    await write(`theme/${unknown}`, '<h1>Copied by hand</h1>\n');
    await publishedAs('pages/former.hbs', OLD);
    await write('theme/pages/former.hbs', OLD);
    await write('theme/pages/our-own.hbs', '<h1>Not of the package</h1>');
    const files = await diff();
    expect(Object.fromEntries(files.map(({ path, state }) => [path, state]))).toEqual({
      ...{ [same]: 'same', [yours]: 'yours', [outdated]: 'outdated', [both]: 'both', [unknown]: 'unknown' },
      'pages/former.hbs': 'gone',
    });
    const of = (name: string) => files.find(({ path }) => path === name);
    expect(of(yours)?.diff).toMatch(
      /^--- theme\/pages\/login\.hbs\n\+\+\+ portalkit \S+: pages\/login\.hbs\n@@.*^-<p>Ours<\/p>$/ms,
    );
    expect([of(same)?.diff, of(outdated)?.published_from]).toEqual([null, '0.0.9']);
    expect(of(outdated)?.diff).toContain('\n-<h1>As it was</h1>\n+');
  });

  it('lists with --brief, and names the command for what only the package changed', async () => {
    await publish('theme', '--only', HERO);
    await publishedAs(HERO, OLD);
    await write(`theme/${HERO}`, OLD);
    const { stdout, stderr } = await run(['theme:diff', '--brief']);
    expect(stdout).toMatch(
      /^theme\/partials\/landing\/hero\.hbs +0\.0\.9 +the package changed it since, you did not$/m,
    );
    expect(stdout).not.toContain('@@');
    expect(stderr).toContain(`portal theme:publish --force --only ${HERO}`);
    await publish('theme', '--force', '--only', HERO);
    expect(await states()).toEqual([[HERO, 'same']]);
  });

  it('notes with --accept that the present version is known', async () => {
    await publish('theme', '--only', HERO);
    await publishedAs(HERO, OLD);
    await write(`theme/${HERO}`, '<h1>Ours</h1>');
    expect(await states()).toEqual([[HERO, 'both']]);
    const { stdout } = await run(['doctor', '--json']);
    const { checks } = JSON.parse(stdout) as { checks: { check: string }[] };
    expect(checks.find(({ check }) => check === 'views')).toEqual({
      check: 'views',
      status: 'warning',
      message: `the package changed ${HERO} since published`,
      fix: 'portal theme:diff',
    });
    expect(await states('--accept', '.')).toEqual([[HERO, 'yours']]);
    expect((await run(['doctor'])).stdout).toContain('1 published, none of them changed in the package since');
  });

  it('compares languages by the keys that both have', async () => {
    await mkdir(join(cwd, 'theme/lang'), { recursive: true });
    await write('theme/lang/en.json', '{ "acme": { "title": "Ours" } }');
    expect(await states()).toEqual([]);
    await write('theme/lang/en.json', '{ "acme": { "title": "Ours" }, "landing": { "headline": "Hello" } }');
    const [file] = await diff();
    expect(file?.diff?.split('\n').slice(2)).toEqual([
      '@@ -1 +1 @@',
      '-landing.headline: "Hello"',
      '+landing.headline: "Build on our APIs"',
    ]);
  });

  it('refuses a record that it did not write', async () => {
    await publish('theme', '--only', HERO);
    await write('theme/.portalkit.json', '{"files":{"a":1}}');
    const { exitCode, stderr } = await run(['theme:diff']);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/is not what portal theme:publish wrote\.\nFix: /)]);
    expect((await run(['doctor'])).stdout).toContain('is not what portal theme:publish wrote');
    await rm(join(cwd, 'theme/.portalkit.json'));
    expect(await states()).toEqual([[HERO, 'same']]);
  });
});

describe('unifiedDiff', () => {
  const lines = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join('');

  it('writes hunks with three lines around, as diff -u does', () => {
    const after = lines(1, 20).replace('2\n', 'two\n').replace('\n19\n', '\n');
    expect(unifiedDiff(lines(1, 20), after, ['a', 'b'])).toBe(
      '--- a\n+++ b\n@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n@@ -16,5 +16,4 @@\n 16\n 17\n 18\n-19\n 20',
    );
    expect(unifiedDiff('', 'x\n', ['a', 'b'])).toBe('--- a\n+++ b\n@@ -0,0 +1 @@\n+x');
  });

  it('is empty for texts that differ in line ends alone', () => {
    expect(unifiedDiff('a\r\nb', 'a\nb\n', ['a', 'b'])).toBe('');
  });
});
