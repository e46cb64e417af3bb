import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An empty database for one measurement; `drop` removes it. @param kind `sqlite` or `mysql` */
export async function createDatabase(kind) {
  // Only who measures on MariaDB needs the compiled tests, which know how to start one.
  if (kind === 'mysql') return (await import('./mariadb.mjs')).createBenchDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'portalkit-bench-'));
  return {
    url: `sqlite:${join(folder, 'portal.sqlite')}`,
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
