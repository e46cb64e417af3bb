import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { silentLogger } from '../../src/core/index.js';
import { Migrator, openDatabase, type Database } from '../../src/database/index.js';
import { testConfig } from './database-config.js';
import { createMariaDbDatabase } from './mariadb.js';

const SQLITE = 'sqlite:';
/** Gives each portal an id of its own. */
const INSTALLATION = '20260201040200-create-installation';

/**
 * Puts a database there in which the package's migrations have run, all but the one that makes it unlike others:
 * `migrator.up()` has that one left, and those that need a key or belong to modules and hosts. Only in a run of the tests,
 * which keeps the original in a folder that it removes, and its MariaDB, which ends with it.
 * @param url of an empty database that nobody has opened
 */
export async function copyMigrated(url: string): Promise<void> {
  const folder = process.env['PORTAL_TEST_TEMPLATES'];
  if (folder === undefined) return;
  if (url.startsWith(SQLITE)) return copyFile(join(folder, 'migrated.sqlite'), url.slice(SQLITE.length));
  if (process.env['PORTAL_TEST_MARIADB_URL'] === undefined) await copyTables(join(folder, 'migrated.sql'), url);
}

async function copyFile(template: string, file: string): Promise<void> {
  if (!existsSync(template)) {
    await putInPlace(template, async (own) => {
      await migrate(`${SQLITE}${own}`, async (database) => {
        // From here on the file alone is everything.
        await database.select('PRAGMA wal_checkpoint(TRUNCATE)');
      });
    });
  }
  copyFileSync(template, file);
}

/** A third of the time that the migrations take: the same tables, each made in one statement, their first rows and triggers. */
async function copyTables(template: string, url: string): Promise<void> {
  if (!existsSync(template)) {
    await putInPlace(template, async (own) => {
      const { url: source } = await createMariaDbDatabase();
      await migrate(source, async (database) => writeFileSync(own, await describeTables(database)));
    });
  }
  const connection = await mysql.createConnection({ uri: url, multipleStatements: true });
  try {
    await connection.query(readFileSync(template, 'utf8'));
  } finally {
    await connection.end();
  }
}

async function describeTables(database: Database): Promise<string> {
  const statements = ['SET FOREIGN_KEY_CHECKS = 0'];
  const [place] = await database.select<{ name: string }>('SELECT DATABASE() AS name');
  for (const row of await database.select<Record<string, string>>('SHOW TABLES')) {
    const [table = ''] = Object.values(row);
    const [made] = await database.select<Record<string, string>>(`SHOW CREATE TABLE ${table}`);
    const [first] = await database.select(`SELECT 1 FROM ${table} LIMIT 1`);
    statements.push(made?.['Create Table'] ?? '');
    if (first) statements.push(`INSERT INTO ${table} SELECT * FROM ${place?.name ?? ''}.${table}`);
  }
  for (const { Trigger } of await database.select<{ Trigger: string }>('SHOW TRIGGERS')) {
    const [made] = await database.select<Record<string, string>>(`SHOW CREATE TRIGGER ${Trigger}`);
    statements.push(made?.['SQL Original Statement'] ?? '');
  }
  return statements.join(';\n');
}

async function migrate(url: string, finish: (database: Database) => Promise<void>): Promise<void> {
  const database = openDatabase(testConfig(url), { logger: silentLogger });
  try {
    await new Migrator(database).up();
    await database.execute('DROP TABLE portal_installation');
    await database.execute('DELETE FROM portal_migrations WHERE name = ?', [INSTALLATION]);
    await finish(database);
  } finally {
    await database.close();
  }
}

/** Renamed into place: two processes may make it at once, and neither copies half of it. */
async function putInPlace(file: string, make: (own: string) => Promise<void>): Promise<void> {
  const own = `${file}.${process.pid}`;
  await make(own);
  renameSync(own, file);
}
