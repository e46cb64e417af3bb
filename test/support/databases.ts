import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Migrator, openDatabase, type Database, type Dialect } from '../../src/database/index.js';
import { silentLogger, type Logger } from '../../src/core/index.js';
import { testConfig, type ConfigChanges } from './database-config.js';
import { describeWith } from './describe-with.js';
import { createMariaDbDatabase } from './mariadb.js';
import { dialectUnderTest } from './test-database.js';

export interface OpenOptions extends ConfigChanges {
  logger?: Logger;
}

/** One empty database of a dialect for the tests of one `describe`. */
export interface TestDatabase {
  readonly dialect: Dialect;
  /** Another connection pool to the same database; closed after the tests. */
  open(options?: OpenOptions): Promise<Database>;
  /** The same, with every migration run. */
  openMigrated(options?: OpenOptions): Promise<Database>;
  url(): Promise<string>;
}

/** Has the database look at what its tables hold, as its plans then know; MariaDB keeps that of those alone that are named. */
export async function analyzeTables(database: Database, tables: readonly string[]): Promise<void> {
  if (database.dialect === 'sqlite') return void (await database.execute('ANALYZE'));
  for (const table of tables) {
    await database.execute(`ALTER TABLE portal_${table} STATS_PERSISTENT = 1`);
    await database.select(`ANALYZE TABLE portal_${table}`);
  }
}

/** Runs the tests on SQLite and, if installed, on a real MariaDB, which is required with CI=true. */
export function onEachDatabase(title: string, define: (database: TestDatabase) => void): void {
  describe(`${title} on SQLite`, () => define(sqliteDatabase()));
  describeWithMariaDb(`${title} on MariaDB`, () => define(mariaDbDatabase()));
}

/** Runs the tests on the database of this run: `npm test` takes SQLite, `npm run test:mariadb` a real MariaDB. */
export function onDatabaseUnderTest(title: string, define: (database: TestDatabase) => void): void {
  if (dialectUnderTest() === 'sqlite') describe(`${title} on SQLite`, () => define(sqliteDatabase()));
  else describeWithMariaDb(`${title} on MariaDB`, () => define(mariaDbDatabase()));
}

/** Tests with a real MariaDB: that of PORTAL_TEST_MARIADB_URL, or a private one. */
export function describeWithMariaDb(title: string, define: () => void): void {
  if (process.env.PORTAL_TEST_MARIADB_URL) describe(title, define);
  else describeWith('mariadb', title, define);
}

function sqliteDatabase(): TestDatabase {
  return testDatabase('sqlite', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portalkit-'));
    return {
      url: `sqlite:${join(folder, 'portal.sqlite')}`,
      drop: async () => rmSync(folder, { recursive: true, force: true }),
    };
  });
}

export function mariaDbDatabase(): TestDatabase {
  return testDatabase('mysql', createMariaDbDatabase);
}

function testDatabase(dialect: Dialect, create: () => Promise<{ url: string; drop(): Promise<void> }>): TestDatabase {
  const opened: Database[] = [];
  let created: ReturnType<typeof create> | undefined;
  const place = () => (created ??= create());

  afterAll(async () => {
    await Promise.all(opened.map((database) => database.close()));
    if (created) await (await created).drop();
  });

  const open = async (options: OpenOptions = {}) => {
    const { url } = await place();
    const database = openDatabase(testConfig(url, options), { logger: options.logger ?? silentLogger });
    opened.push(database);
    return database;
  };
  return {
    dialect,
    open,
    async openMigrated(options) {
      const database = await open(options);
      await new Migrator(database).up();
      return database;
    },
    url: async () => (await place()).url,
  };
}
