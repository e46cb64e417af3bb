import {
  column,
  defineMigration,
  MigrationError,
  Migrator,
  packageMigrations,
  type Database,
  type NamedMigration,
} from '../../src/database/index.js';
import { startChild } from '../support/child-process.js';
import { onDatabaseUnderTest, type TestDatabase } from '../support/databases.js';

const PACKAGE = packageMigrations().map(({ name }) => name);

function named(name: string, migration: ReturnType<typeof defineMigration>): NamedMigration {
  return { name, load: async () => migration };
}

async function tables(database: Database): Promise<string[]> {
  const sql =
    database.dialect === 'sqlite'
      ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name"
      : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY table_name';
  return (await database.select<{ name: string }>(sql)).map(({ name }) => name);
}

onDatabaseUnderTest('a migration run', (test) => {
  let database: Database;
  let migrator: Migrator;

  beforeAll(async () => {
    database = await test.open();
    migrator = new Migrator(database);
  });

  it('changes nothing while pretending, and tells the SQL', async () => {
    const runs = await migrator.up({ pretend: true });
    expect(runs.map(({ name }) => name)).toEqual(PACKAGE);
    expect(runs[0]?.statements[0]).toMatch(/^CREATE TABLE IF NOT EXISTS `portal_users`/);
    expect(await tables(database)).toEqual([]);
  });

  it('runs every migration once, in order, and then none', async () => {
    expect(await migrator.findPending()).toEqual(PACKAGE);
    const started: string[] = [];
    const runs = await migrator.up({ onStart: (name) => started.push(name) });
    expect(runs.map(({ name }) => name)).toEqual(PACKAGE);
    expect(started).toEqual(PACKAGE);
    expect(await migrator.up()).toEqual([]);
    const status = await migrator.status();
    expect(status.map(({ name, batch, missing }) => [name, batch, missing])).toEqual(
      PACKAGE.map((name) => [name, 1, false]),
    );
  });

  it('undoes as many as told, or the last batch, and runs them again', async () => {
    const undone = await migrator.rollback({ steps: 2 });
    expect(undone.map(({ name }) => name)).toEqual(PACKAGE.slice(-2).reverse());
    expect((await migrator.up()).map(({ name }) => name)).toEqual(PACKAGE.slice(-2));
    expect(await migrator.rollback()).toHaveLength(2);
    expect(await migrator.rollback()).toHaveLength(PACKAGE.length - 2);
    expect(await tables(database)).toEqual(['portal_migrations']);
    expect(await migrator.rollback()).toEqual([]);
    await migrator.up();
  });

  it("takes a host's migrations along, in one order, and a copy instead of the package's", async () => {
    const host = named(
      '20260101000150-add-nickname',
      defineMigration({
        up: (schema) => schema.addColumn('portal_users', 'nickname', column.string(50, { nullable: true })),
        down: (schema) => schema.dropColumn('portal_users', 'nickname'),
      }),
    );
    const withHost = new Migrator(database, { extra: [host] });
    expect(await withHost.findPending()).toEqual([host.name]);
    await withHost.up();
    await withHost.up();
    const status = await migrator.status();
    expect(status.filter(({ missing }) => missing).map(({ name }) => name)).toEqual([host.name]);
    await expect(migrator.rollback()).rejects.toThrow(`${host.name} failed at looking for its file`);
    expect((await withHost.rollback()).map(({ name }) => name)).toEqual([host.name]);

    const copied = named(PACKAGE[0] ?? '', defineMigration({ up: async () => {}, down: async () => {} }));
    const replaced = await new Migrator(database, { extra: [copied] }).rollback({ pretend: true });
    expect(replaced.at(-1)).toEqual({ name: PACKAGE[0], statements: [] });
  });

  it('stops at a failing step, names it, and goes on from there the next time', async () => {
    let broken = true;
    const extra = [
      named(
        '20990101000000-half',
        defineMigration({
          async up(schema) {
            await schema.createTable('portal_half', { columns: { id: column.id(), code: column.code(10) } });
            await schema.addIndex('portal_half', ['code']);
            if (broken) await schema.execute('INSERT INTO portal_absent VALUES (1)');
            await schema.addColumn('portal_half', 'label', column.string(20, { default: 'it\'s "a" \\ label' }));
          },
          async down(schema) {
            await schema.dropIndex('portal_half', ['code']);
            await schema.dropColumn('portal_half', 'label');
            await schema.dropTable('portal_half');
          },
        }),
      ),
    ];
    const failing = new Migrator(database, { extra });
    const error = await failing.up().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(MigrationError);
    expect(String(error)).toContain('Migrating 20990101000000-half failed at step 3 (execute a statement): ');
    expect(String(error)).toContain('portal_absent');
    broken = false;
    expect((await failing.up()).map(({ name }) => name)).toEqual(['20990101000000-half']);
    await database.execute("INSERT INTO portal_half (code) VALUES ('a')");
    const [row] = await database.select('SELECT label FROM portal_half');
    expect(row?.label).toBe('it\'s "a" \\ label');
    await failing.rollback({ steps: 1 });
    expect(await tables(database)).not.toContain('portal_half');
  });

  it('repeats what was done without its record', async () => {
    await database.execute('DELETE FROM portal_migrations');
    expect(await migrator.up()).toHaveLength(PACKAGE.length);
  });
});

onDatabaseUnderTest('migrations of processes that start at once (R22)', (test: TestDatabase) => {
  it('run each once, and a killed holder keeps nobody waiting', async () => {
    const url = await test.url();
    const holder = startChild(import.meta.url, './children/migrate.js', [url, 'stall']);
    await holder.printed('holding');
    const children = Array.from({ length: 5 }, () => startChild(import.meta.url, './children/migrate.js', [url]));
    holder.process.kill('SIGKILL');
    const ran = await Promise.all(children.map(async ({ result }) => JSON.parse(await result) as string[]));
    expect(ran.flat()).toEqual(PACKAGE.slice(1));
    const database = await test.open();
    expect(await new Migrator(database).findPending()).toEqual([]);
  });

  it('give up after the time to wait, naming the lock', async () => {
    const holder = startChild(import.meta.url, './children/migrate.js', [await test.url(), 'stall']);
    await holder.printed('holding');
    const waiting = new Migrator(await test.open(), { wait: 0 });
    await expect(waiting.up()).rejects.toThrow(/Another process has been migrating for 0 s.*(migrate-lock|KILL)/);
    holder.process.kill('SIGKILL');
  });
});

onDatabaseUnderTest('the schema', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.openMigrated();
  });

  it('has an index for the default order of every list', async () => {
    const listed = (await tables(database)).filter((name) =>
      /^portal_(users|admins|roles|permissions|products|categories|audiences|menus|settings|apps|credentials|activities)$/.test(
        name,
      ),
    );
    expect(listed).toHaveLength(12);
    for (const table of listed) {
      const plan = await database.select<{ detail?: string; key?: string }>(
        `EXPLAIN ${database.dialect === 'sqlite' ? 'QUERY PLAN' : ''} SELECT id FROM ${table} ORDER BY created_at DESC, id DESC LIMIT 15`,
      );
      expect(plan.map(({ detail, key }) => detail ?? key).join()).toContain(`${table}__created_at__id__index`);
    }
  });

  if (test.dialect === 'mysql') {
    it('is utf8mb4 and InnoDB, whatever the default of the server', async () => {
      const columns = await database.select<{ charset: string }>(
        'SELECT DISTINCT character_set_name AS charset FROM information_schema.columns WHERE table_schema = DATABASE() AND character_set_name IS NOT NULL ORDER BY 1',
      );
      expect(columns.map(({ charset }) => charset)).toEqual(['utf8mb4']);
      const kinds = await database.select(
        'SELECT DISTINCT engine, table_collation AS collation FROM information_schema.tables WHERE table_schema = DATABASE()',
      );
      expect(kinds.map((kind) => ({ ...kind }))).toEqual([{ engine: 'InnoDB', collation: 'utf8mb4_unicode_ci' }]);
    });

    it('compares any text with any column', async () => {
      expect(await database.select('SELECT sid FROM portal_sessions WHERE sid = ?', ['😀'])).toEqual([]);
      expect(await database.select('SELECT id FROM portal_apps WHERE status = ?', ['😀'])).toEqual([]);
    });
  }
});

describe('names of migrations', () => {
  it('are a time and words, unique, so that their order is one', () => {
    expect(new Set(PACKAGE).size).toBe(PACKAGE.length);
    for (const name of PACKAGE) expect(name).toMatch(/^\d{14}-[a-z0-9]+(-[a-z0-9]+)*$/);
  });
});
