import { join } from 'node:path';
import type { Dialect } from '../../src/database/index.js';
import { createMariaDbDatabase } from './mariadb.js';

export interface TestDatabase {
  /** For `database.url`. */
  url: string;
  drop(): Promise<void>;
}

/** Of this run of the suite: SQLite, or MariaDB with `PORTAL_TEST_DATABASE=mysql`. */
export const dialectUnderTest = (): Dialect => (process.env.PORTAL_TEST_DATABASE === 'mysql' ? 'mysql' : 'sqlite');

/** An empty database: a SQLite file in `directory`, or one of the private MariaDB. */
export async function createTestDatabase(directory: string, dialect: Dialect): Promise<TestDatabase> {
  if (dialect === 'mysql') return createMariaDbDatabase();
  return { url: `sqlite:${join(directory, 'portal.sqlite')}`, drop: () => Promise.resolve() };
}
