// A process of its own that starts MariaDB and ends it when the owner (a run of jest) is gone, even by kill -9.
import { spawn } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import { requireService } from './binaries.js';
import { installMariaDb, mariaDbArguments } from './mariadb-place.js';
import { PATIENCE } from './patience.js';
import { freePort } from './ports.js';

const OWNER_POLL_MS = 300;

const [folder = '', owner = ''] = process.argv.slice(2);

try {
  await keep();
} catch (error) {
  writeFileSync(join(folder, 'failure'), `MariaDB could not be started: ${String(error)}`);
  while (ownerLives()) await sleep(OWNER_POLL_MS);
}
rmSync(folder, { recursive: true, force: true });

async function keep(): Promise<void> {
  installMariaDb(folder);
  const port = await freePort();
  const server = spawn(requireService('mariadb'), mariaDbArguments(folder, port), { stdio: 'ignore' });
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

async function answers(url: string): Promise<void> {
  const deadline = performance.now() + PATIENCE.start;
  for (;;) {
    try {
      const connection = await mysql.createConnection(url);
      await connection.end();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
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
