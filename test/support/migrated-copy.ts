import { copyFileSync, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '../../src/core/index.js';
import { Migrator, openDatabase } from '../../src/database/index.js';
import { testConfig } from './database-config.js';

const SQLITE = 'sqlite:';
/** Gives each portal an id of its own. */
const INSTALLATION = '20260201040200-create-installation';

/**
 * Puts a database there in which the package's migrations have run, all but the one that makes it unlike others:
 * `migrator.up()` has that one left, and those that need a key or belong to modules and hosts. For SQLite, and only in a run
 * of the tests, which keeps the original in a folder that it removes.
 * @param url of an empty database that nobody has opened
 */
export async function copyMigrated(url: string): Promise<void> {
  const folder = process.env['PORTAL_TEST_TEMPLATES'];
  if (folder === undefined || !url.startsWith(SQLITE)) return;
  const template = join(folder, 'migrated.sqlite');
  if (!existsSync(template)) await makeTemplate(template);
  copyFileSync(template, url.slice(SQLITE.length));
}

/** Renamed into place: two processes may make it at once, and neither copies half of it. */
async function makeTemplate(file: string): Promise<void> {
  const own = `${file}.${process.pid}`;
  const database = openDatabase(testConfig(`${SQLITE}${own}`), { logger: silentLogger });
  try {
    await new Migrator(database).up();
    await database.execute('DROP TABLE portal_installation');
    await database.execute('DELETE FROM portal_migrations WHERE name = ?', [INSTALLATION]);
    // From here on the file alone is everything.
    await database.select('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    await database.close();
  }
  renameSync(own, file);
}
