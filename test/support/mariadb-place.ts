import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBinary } from './binaries.js';

/** Makes `folder` the home of a private MariaDB: an empty data folder whose root account has no password. */
export function installMariaDb(folder: string): void {
  prepareFolders(folder);
  const account = mysqlAccount() ? ['--user=mysql'] : [];
  const data = `--datadir=${join(folder, 'data')}`;
  const result = spawnSync(
    findBinary('mariadb-install-db') ?? 'mariadb-install-db',
    ['--no-defaults', ...account, data, '--auth-root-authentication-method=normal', '--skip-test-db'],
    { encoding: 'utf8' },
  );
  if (result.status !== 0) throw new Error(`mariadb-install-db: ${result.stderr || String(result.error)}`);
}

/** The defaults of old servers (latin1, no strict mode): the portal must not depend on any (R35). */
export function mariaDbArguments(folder: string, port: number, more: readonly string[] = []): string[] {
  return [
    '--no-defaults',
    ...(mysqlAccount() ? ['--user=mysql'] : []),
    `--datadir=${join(folder, 'data')}`,
    `--tmpdir=${join(folder, 'tmp')}`,
    `--socket=${join(folder, 'my.sock')}`,
    `--pid-file=${join(folder, 'my.pid')}`,
    `--log-error=${join(folder, 'error.log')}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    '--skip-name-resolve',
    '--skip-log-bin',
    '--character-set-server=latin1',
    '--sql-mode=',
    // With 64 MB a database takes five times as long to drop.
    '--innodb-buffer-pool-size=256M',
    '--innodb-flush-log-at-trx-commit=0',
    // A third of what making a table costs is to note what it holds, for plans; who looks at plans asks for that.
    '--innodb-stats-persistent=0',
    '--performance-schema=OFF',
    ...(process.env.PORTAL_TEST_MARIADB_ARGUMENTS?.split(' ') ?? []),
    ...more,
  ];
}

function prepareFolders(folder: string): void {
  chmodSync(folder, 0o755);
  const [data, temporary] = [join(folder, 'data'), join(folder, 'tmp')];
  for (const path of [data, temporary]) mkdirSync(path, { recursive: true });
  const account = mysqlAccount();
  if (!account) return;
  for (const path of [folder, data, temporary]) chownSync(path, account.uid, account.gid);
}

// mariadbd refuses to run as root.
function mysqlAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('mysql:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (!uid || !gid) throw new Error('running as root needs an account named mysql');
  return { uid: Number(uid), gid: Number(gid) };
}
