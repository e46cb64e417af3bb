import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { folderWith, JWT_SECRET, KEY, SECRETS } from '../config/support.js';
import { portal } from '../support/portal-command.js';
import { spawnPortal } from '../support/portal-process.js';

/** With nothing but what the test gives it in its environment. */
const run = (args: readonly string[], cwd = process.cwd(), env: Record<string, string> = {}) =>
  portal(args, { cwd, env });

const host = (files: Record<string, string> = {}) =>
  folderWith({ 'portal.config.ts': "export default { app: { env: 'development' } };", ...files });

describe('portal', () => {
  it('lists its commands in groups, with and without --help', async () => {
    for (const args of [[], ['--help']]) {
      const { stdout, exitCode } = await run(args);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/Inspect:\n[^]*config:show/);
    }
  });

  it('tells its version', async () => {
    expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+/);
  });

  it('explains a command with an example', async () => {
    const { stdout, exitCode } = await run(['config:show', '--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Example:\n  $ portal config:show');
    expect((await run(['help', 'config:show'])).stdout).toBe(stdout);
  });

  it.each([
    [['confg:show'], 'Did you mean config:show?'],
    [['config:show', '--chnged'], 'Did you mean --changed?'],
    [['config:show', 'a', 'b'], 'too many arguments'],
    [['--bogus'], "unknown option '--bogus'"],
  ])('ends %j with exit code 2 and says %s', async (args, expected) => {
    const { stdout, stderr, exitCode } = await run(args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(expected);
    expect(stdout).toBe('');
  });

  it('hands over to the copy that the host project has installed', async () => {
    const root = await realpath(await host({ 'package.json': '{"type":"module"}' }));
    const copy = join(root, 'node_modules', 'portalkit');
    await mkdir(join(copy, 'dist', 'cli'), { recursive: true });
    await writeFile(join(copy, 'package.json'), '{"name":"portalkit","type":"module"}');
    await writeFile(
      join(copy, 'dist', 'cli', 'main.js'),
      'export const main = async (argv, { stdout }) => (stdout.write(`host copy ${argv.join(" ")}\\n`), 3);',
    );
    expect(await spawnPortal(['config:show'], { cwd: root })).toMatchObject({
      stdout: 'host copy config:show',
      exitCode: 3,
    });
    expect(await run(['--cwd', root, 'routes'])).toMatchObject({
      stdout: `host copy --cwd ${root} routes`,
      exitCode: 3,
    });
  });
});

describe('portal config:show', () => {
  it('shows values with their source and masks secrets', async () => {
    const root = await host({ '.env': 'DATABASE_URL=mysql://u:canary@h/db\n' });
    const { stdout, exitCode } = await run(['config:show'], root, SECRETS);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^app\.env +development +file$/m);
    expect(stdout).toMatch(/^app\.key +\*{8} +environment$/m);
    expect(stdout).toMatch(/^database\.url +mysql:\/\/u:\*{8}@h\/db +\.env$/m);
    expect(stdout).toMatch(/^portalApi\.accessTtl +15m +default$/m);
    for (const secret of [KEY, JWT_SECRET, 'canary']) expect(stdout).not.toContain(secret);
  });

  it('prints nothing but JSON with --json, and only what was asked for', async () => {
    const root = await host();
    const { stdout } = await run(['config:show', 'app', '--changed', '--json', '--cwd', root], '/', SECRETS);
    expect(JSON.parse(stdout)).toEqual({
      settings: [
        { path: 'app.env', env: 'APP_ENV', value: 'development', source: 'file' },
        { path: 'app.key', env: 'APP_KEY', value: '********', source: 'environment' },
      ],
      warnings: [],
    });
  });

  it.each([
    ['app.nam', 'There is no setting app.nam. Did you mean app.name?'],
    ['portalapi', 'There is no setting portalapi. Did you mean portalApi?'],
    ['telepathy', 'There is no setting telepathy. portal config:show lists them.'],
  ])('ends with exit code 2 when asked for %s, which is no setting', async (path, message) => {
    const { stdout, stderr, exitCode } = await run(['config:show', path, '--cwd', await host()], '/', SECRETS);
    expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
  });

  it('ends a bad configuration with 78 and all faults', async () => {
    const root = await host();
    const env = { APP_ENV: 'production', HTTP_BODY_LIMIT: 'abc' };
    const { stderr, stdout, exitCode } = await run(['config:show'], root, env);
    expect([exitCode, stdout]).toEqual([78, '']);
    for (const path of ['http.bodyLimit', 'app.key', 'portalApi.jwtSecret', 'app.url'])
      expect(stderr).toContain(`- ${path} (`);
    expect(stderr).not.toContain('    at ');
    const json = await run(['config:show', '--json'], root, env);
    expect(json.exitCode).toBe(78);
    expect((JSON.parse(json.stdout) as { error: { faults: string[] } }).error.faults).toHaveLength(4);
  });

  it('names the fix outside a host project', async () => {
    const { stdout, stderr, exitCode } = await run(['config:show', '--json'], await folderWith({}));
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/is no host project.*\nFix: .*portal init/);
    expect((JSON.parse(stdout) as { error: { fix: string } }).error.fix).toContain('portal init');
  });
});
