import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import mysql from 'mysql2/promise';
import { PATIENCE } from './patience.js';
import { roomyMemory } from './roomy-memory.js';

/**
 * The URL (`mysql://root@127.0.0.1:<port>`) of a private server, shared by the test files of one run of jest and ended
 * with it, however it ends.
 */
async function mariaDbServer(): Promise<string> {
  const given = process.env.PORTAL_TEST_MARIADB_URL;
  if (given) return given.replace(/\/$/, '');
  const owner = process.send ? process.ppid : process.pid;
  // One answer for all processes of a run.
  const place = process.env.PORTAL_TEST_PLACE ?? roomyMemory() ?? tmpdir();
  const folder = join(place, `portalkit-mariadb-${owner}`);
  if (claim(folder)) startKeeper(folder, owner);
  const deadline = performance.now() + PATIENCE.start;
  while (!existsSync(join(folder, 'url'))) {
    const failure = join(folder, 'failure');
    if (existsSync(failure)) throw new Error(readFileSync(failure, 'utf8'));
    if (performance.now() > deadline) throw new Error(`MariaDB did not start within ${PATIENCE.start} ms`);
    await sleep(50);
  }
  return readFileSync(join(folder, 'url'), 'utf8');
}

/** A new, empty database whose default is latin1, as old servers have it: the portal must not depend on the default. */
export async function createMariaDbDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const server = await mariaDbServer();
  const name = `portal_test_${randomBytes(6).toString('hex')}`;
  await administer(server, `CREATE DATABASE ${name} CHARACTER SET latin1`);
  return { url: `${server}/${name}`, drop: () => administer(server, `DROP DATABASE ${name}`) };
}

/** One statement as root, beside every pool. */
async function administer(server: string, sql: string): Promise<void> {
  const connection = await mysql.createConnection(`${server}/mysql`);
  try {
    await connection.query(sql);
  } finally {
    await connection.end();
  }
}

// The first test file of a run makes the folder; mkdir tells who that is.
function claim(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o755 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function startKeeper(folder: string, owner: number): void {
  const keeper = fileURLToPath(new URL('./mariadb-keeper.js', import.meta.url));
  spawn(process.execPath, [keeper, folder, String(owner)], { detached: true, stdio: 'ignore' }).unref();
}
