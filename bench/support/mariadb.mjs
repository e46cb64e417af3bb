import { createMariaDbDatabase } from '../../dist-test/test/support/mariadb.js';

/** An empty database of a private MariaDB that ends with this process, with room in memory for a million rows. */
export function createBenchDatabase() {
  process.env.PORTAL_TEST_MARIADB_ARGUMENTS ??= '--innodb-buffer-pool-size=2G --innodb-log-file-size=512M';
  return createMariaDbDatabase();
}
