// A process of its own that starts MariaDB and ends it when the owner (a run of jest) is gone, even by kill -9.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import { findBinary, requireService } from './binaries.js';

const OWNER_POLL_MS = 300;

const [folder = '', owner = ''] = process.argv.slice(2);
const data = join(folder, 'data');

try {
  await keep();
} catch (error) {
  writeFileSync(join(folder, 'failure'), `MariaDB could not be started: ${String(error)}`);
  while (ownerLives()) await sleep(OWNER_POLL_MS);
}
rmSync(folder, { recursive: true, force: true });

async function keep(): Promise<void> {
  prepareFolders();
  install();
  const port = await freePort();
  const server = spawn(requireService('mariadb'), serverArguments(port), { stdio: 'ignore' });
  try {
    const url = `mysql://root@127.0.0.1:${port}`;
    await answers(url);
    // Renamed into place, so that nobody reads half of it.
    writeFileSync(join(folder, 'url.new'), url);
    renameSync(join(folder, 'url.new'), join(folder, 'url'));
    while (ownerLives() && server.exitCode === null) await sleep(OWNER_POLL_MS);
  } finally {
    server.kill('SIGKILL');
  }
}

function prepareFolders(): void {
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'tmp'), { recursive: true });
  mkdirSync(data, { recursive: true });
  const account = mysqlAccount();
  if (!account) return;
  for (const path of [folder, data, join(folder, 'tmp')]) chownSync(path, account.uid, account.gid);
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

function install(): void {
  const account = mysqlAccount() ? ['--user=mysql'] : [];
  const result = spawnSync(
    findBinary('mariadb-install-db') ?? 'mariadb-install-db',
    ['--no-defaults', ...account, `--datadir=${data}`, '--auth-root-authentication-method=normal', '--skip-test-db'],
    { encoding: 'utf8' },
  );
  if (result.status !== 0) throw new Error(`mariadb-install-db: ${result.stderr || String(result.error)}`);
}

function serverArguments(port: number): string[] {
  return [
    '--no-defaults',
    ...(mysqlAccount() ? ['--user=mysql'] : []),
    `--datadir=${data}`,
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
    '--innodb-buffer-pool-size=64M',
    '--innodb-flush-log-at-trx-commit=0',
    '--performance-schema=OFF',
    ...(process.env.PORTAL_TEST_MARIADB_ARGUMENTS?.split(' ') ?? []),
  ];
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

async function answers(url: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const connection = await mysql.createConnection(url);
      await connection.end();
      return;
    } catch (error) {
      if (attempt === 200) throw error;
    }
    await sleep(100);
  }
}

function ownerLives(): boolean {
  try {
    process.kill(Number(owner), 0);
    return true;
  } catch {
    return false;
  }
}
