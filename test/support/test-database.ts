import { join } from 'node:path';
import { createMariaDbDatabase } from './mariadb.js';

export interface TestDatabase {
  /** For `database.url`. */
  url: string;
  drop(): Promise<void>;
}

/** An empty database of the dialect under test: SQLite in `directory`, or MariaDB with `PORTAL_TEST_DATABASE=mysql`. */
export async function createTestDatabase(directory: string): Promise<TestDatabase> {
  if (process.env.PORTAL_TEST_DATABASE === 'mysql') return createMariaDbDatabase();
  return { url: `sqlite:${join(directory, 'portal.sqlite')}`, drop: () => Promise.resolve() };
}
