import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageMigrations } from '../../src/database/index.js';
import { shippedMigrations } from '../support/shipped-migrations.js';
import { folderWith, SECRETS } from '../config/support.js';
import { freePort } from '../support/ports.js';
import { portal } from '../support/portal-command.js';

const CONFIG = "export default { app: { env: 'development' } };";
const SHIPPED = shippedMigrations.length;
const ENV = { ...SECRETS, DATABASE_URL: 'sqlite:storage/test.sqlite' };

const creating = (table: string) => `
import { column, defineMigration } from 'portalkit';

interface Named { readonly name: string }
const table: Named = { name: '${table}' };

export const migration = defineMigration({
  up: (schema) => schema.createTable(table.name, { columns: { id: column.id() } }),
  down: (schema) => schema.dropTable(table.name),
});
`;

let cwd: string;
const run = (args: readonly string[], env: Record<string, string> = {}) =>
  portal(args, { cwd, env: { ...ENV, ...env } });

interface Listed {
  migrations: { name: string; state?: string; batch?: number | null; statements?: string[] }[];
}
const status = async () => (JSON.parse((await run(['migrate:status', '--json'])).stdout) as Listed).migrations;

describe('portal migrate and its companions', () => {
  beforeAll(async () => {
    cwd = await folderWith({
      'portal.config.ts': CONFIG,
      'migrations/20990101000000-create-tenants.ts': creating('tenants'),
    });
  });

  it('--pretend prints the SQL and changes nothing', async () => {
    const { stdout, exitCode } = await run(['migrate', '--pretend']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('-- 20990101000000-create-tenants\nCREATE TABLE');
    expect(stdout).toContain(`✓ Would run ${SHIPPED + 1} migrations.`);
    expect((await status()).every(({ state }) => state === 'pending')).toBe(true);
  });

  it('runs those of the package and of the project, one line each, and nothing the second time', async () => {
    const first = await run(['migrate']);
    expect([first.exitCode, first.stdout]).toEqual([0, `✓ Ran ${SHIPPED + 1} migrations.`]);
    expect(first.stderr).toContain('Migrating: 20260101000100-create-users\n');
    expect(first.stderr).toContain('Migrating: 20990101000000-create-tenants\n');
    expect((await run(['migrate'])).stdout).toBe('✓ Nothing to migrate.');
  });

  it('shows what ran, in which run', async () => {
    const { stdout } = await run(['migrate:status']);
    expect(stdout).toMatch(/^MIGRATION +STATE +BATCH +RUN AT$/m);
    expect(stdout).toMatch(/^20990101000000-create-tenants +ran +1 +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/m);
  });

  it('counts a compiled migration as the same one, and lets it win', async () => {
    const compiled = "throw new Error('the compiled one was read');\n";
    const file = join(cwd, 'migrations/20990101000000-create-tenants.js');
    await writeFile(file, compiled);
    await writeFile(join(cwd, 'package.json'), '{"type":"module"}');
    const again = await run(['migrate']);
    const undoing = await run(['migrate:rollback', '--step', '1']);
    await rm(file);
    expect(again.stdout).toBe('✓ Nothing to migrate.');
    expect([undoing.exitCode, undoing.stderr]).toEqual([78, expect.stringContaining('the compiled one was read')]);
  });

  it('undoes as many as are asked for, or the last run', async () => {
    const pretended = await run(['migrate:rollback', '--step', '1', '--pretend', '--json']);
    expect(JSON.parse(pretended.stdout)).toEqual({
      pretend: true,
      migrations: [{ name: '20990101000000-create-tenants', statements: [expect.stringMatching(/^DROP TABLE/)] }],
    });
    const undone = await run(['migrate:rollback', '--step', '1', '--json']);
    expect(JSON.parse(undone.stdout)).toMatchObject({ migrations: [{ name: '20990101000000-create-tenants' }] });
    expect((await run(['migrate:rollback'])).stdout).toBe(`✓ Undid ${SHIPPED} migrations.`);
    expect((await run(['migrate:rollback'])).stdout).toBe('✓ Nothing to undo.');
  });

  it.each([
    ['--step', '0'],
    ['--step', 'two'],
    ['--steps', '1'],
  ])('refuses %s %s', async (...args) => {
    expect((await run(['migrate:rollback', ...args])).exitCode).toBe(2);
  });
});

describe('a migration of the project', () => {
  beforeEach(async () => {
    cwd = await folderWith({ 'portal.config.ts': CONFIG });
    await mkdir(join(cwd, 'migrations'));
  });

  it('replaces the one of the package with the same name', async () => {
    const name = packageMigrations().at(-1)?.name ?? '';
    await writeFile(join(cwd, 'migrations', `${name}.ts`), creating('replaced'));
    const { stdout } = await run(['migrate', '--pretend', '--json']);
    const { migrations } = JSON.parse(stdout) as Listed;
    expect(migrations).toHaveLength(SHIPPED);
    expect(migrations.at(-1)).toMatchObject({ name, statements: [expect.stringContaining('`replaced`')] });
  });

  it('that breaks off keeps what ran before, names the step, and goes on after it was mended', async () => {
    const file = join(cwd, 'migrations/20990101000000-half.ts');
    const half = (second: string) =>
      creating('half').replace(
        '{ columns: { id: column.id() } })',
        "{ columns: { id: column.id() } }).then(async () => {\n    await schema.execute('" + second + "');\n  })",
      );
    await writeFile(file, half('INSERT INTO absent VALUES (1)'));
    const broken = await run(['migrate']);
    expect([broken.exitCode, broken.stderr]).toEqual([
      1,
      expect.stringMatching(
        /Error: Migrating 20990101000000-half failed at step 2 \(execute a statement\): .*absent.*\nFix: mend the cause/,
      ),
    ]);
    expect(broken.stderr).not.toContain('    at ');
    const states = await status();
    expect(states.filter(({ state }) => state === 'pending').map(({ name }) => name)).toEqual(['20990101000000-half']);
    await writeFile(file, half('SELECT 1'));
    expect((await run(['migrate'])).stdout).toBe('✓ Ran 1 migration.');
  });

  it.each([
    ['without a place in the order', 'tenants.ts', creating('tenants'), /migrations\/tenants\.ts: is not named like/],
    ['that exports nothing', '20990101000000-a.ts', 'export const other = 1;', /exports no migration\. Fix: write/],
    ['that cannot be parsed', '20990101000000-a.ts', 'export const = 1;', /20990101000000-a\.ts:1:13/],
  ])('%s is refused with its name', async (_case, name, text, message) => {
    await writeFile(join(cwd, 'migrations', name), text);
    const { exitCode, stderr } = await run(['migrate']);
    expect([exitCode, stderr]).toEqual([78, expect.stringMatching(message)]);
    expect(stderr).not.toContain('create-users');
  });
});

describe('portal migrate without its database', () => {
  beforeAll(async () => {
    cwd = await folderWith({ 'portal.config.ts': CONFIG, 'data.txt': 'no database '.repeat(200) });
  });

  it('names host and port and never the password', async () => {
    const port = await freePort();
    const url = `mysql://portal:canary-word@127.0.0.1:${port}/portal`;
    const { exitCode, stderr, stdout } = await run(['migrate'], { DATABASE_URL: url });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`Error: No database answers at 127.0.0.1:${port}/portal (database.url): ECONNREFUSED.`);
    expect(stderr).toContain('Fix: start it, or correct DATABASE_URL.');
    expect(stderr + stdout).not.toContain('canary-word');
  });

  it('names the host that does not exist', async () => {
    const { exitCode, stderr } = await run(['migrate'], { DATABASE_URL: 'mysql://portal@database.invalid/portal' });
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('The host database.invalid of database.url is not'),
    ]);
  });

  it.each([
    ['is no database', 'sqlite:data.txt', /data\.txt is not a SQLite database\.\nFix: /],
    ['lies below a file', 'sqlite:data.txt/portal.sqlite', /data\.txt\/portal\.sqlite lies below a file\.\nFix: /],
  ])('names the file that %s', async (_case, url, message) => {
    const { exitCode, stderr } = await run(['migrate'], { DATABASE_URL: url });
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(message)]);
  });

  it('refuses a folder that is no host project, and a broken configuration with file and line', async () => {
    cwd = await folderWith({});
    expect((await run(['migrate'])).stderr).toMatch(/is no host project.*\nFix: .*portal init/);
    cwd = await folderWith({ 'portal.config.ts': 'export default {\n  app: { name: },\n};' });
    const broken = await run(['migrate']);
    expect([broken.exitCode, broken.stderr]).toEqual([78, expect.stringContaining('portal.config.ts:2:')]);
    cwd = await folderWith({ 'portal.config.ts': 'export default { server: { prot: 1 } };' });
    const misspelt = await run(['migrate']);
    expect([misspelt.exitCode, misspelt.stderr]).toEqual([
      78,
      expect.stringMatching(
        /server\.prot \(from portal\.config\.ts\): is not a setting\. Fix: did you mean server\.port\?/,
      ),
    ]);
  });
});

describe('portal make:migration', () => {
  beforeAll(async () => {
    cwd = await folderWith({ 'portal.config.ts': CONFIG });
  });
  const made = async (name: string) => {
    const { stdout, exitCode } = await run(['make:migration', name, '--json']);
    expect(exitCode).toBe(0);
    const { file } = JSON.parse(stdout) as { file: string };
    return { file, text: await readFile(join(cwd, file), 'utf8') };
  };

  it('writes a table or a column that works as it stands', async () => {
    const table = await made('create-acme-tenants');
    expect(table.file).toMatch(/^migrations\/\d{14}-create-acme-tenants\.ts$/);
    await made('add-region-to-portal-users');
    const { stdout } = await run(['migrate', '--pretend']);
    expect(stdout).toMatch(/-- \d{14}-create-acme-tenants\nCREATE TABLE IF NOT EXISTS `acme_tenants`/);
    expect(stdout).toMatch(/ALTER TABLE `portal_users` ADD COLUMN `region`/);
    expect((await run(['migrate'])).exitCode).toBe(0);
    expect((await run(['migrate:rollback', '--step', '2'])).exitCode).toBe(0);
  });

  it('writes anything else as something that cannot be recorded as done before it is written', async () => {
    const { text } = await made('move-old-keys');
    expect(text).toContain("from 'portalkit'");
    const { exitCode, stderr } = await run(['migrate']);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('this migration is not written yet')]);
  });

  it.each([
    ['Create Tenants', 'Try create-tenants.'],
    ['../../etc/passwd', 'Try etc-passwd.'],
    ['9', 'Use words such as create-tenants.'],
  ])('refuses %j and writes nothing', async (name, hint) => {
    const before = await readdir(join(cwd, 'migrations'));
    const { exitCode, stderr } = await run(['make:migration', name]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(hint)]);
    expect(await readdir(join(cwd, 'migrations'))).toEqual(before);
  });
});
