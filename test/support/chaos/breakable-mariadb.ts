import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { requireService } from '../binaries.js';
import { installMariaDb, mariaDbArguments } from '../mariadb-place.js';
import { startPrivately, type PrivateService } from '../private-process.js';
import { freePort } from '../ports.js';

/** A MariaDB that tests may kill. Port and data survive. */
export interface BreakableMariaDb {
  readonly port: number;
  /** `database.url` of a database that is empty at first. */
  readonly url: string;
  /** Sends SIGKILL, like the kernel when memory runs out. */
  kill(): Promise<void>;
  /** Starts it again. Resolves once it answers. */
  revive(): Promise<void>;
  /** Stops it from answering; it still accepts connections. */
  freeze(): void;
  thaw(): void;
  /** Runs one statement as root on a new connection. */
  ask(sql: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

/** Run before the first connection. With a separate account, since root may exceed `max_connections` by one. */
const SET_UP = [
  'CREATE DATABASE IF NOT EXISTS portal CHARACTER SET latin1',
  "CREATE USER IF NOT EXISTS portal@'127.0.0.1' IDENTIFIED BY 'portal'",
  "GRANT ALL ON portal.* TO portal@'127.0.0.1'",
];

/** Commits survive a SIGKILL; the tests' usual server may lose its last second. */
const LASTING = '--innodb-flush-log-at-trx-commit=2';

/**
 * @param options further command line options of mariadbd, for example `['--wait-timeout=2']`
 * @param place where its folder is made
 */
export async function startBreakableMariaDb(
  options: readonly string[] = [],
  place = tmpdir(),
): Promise<BreakableMariaDb> {
  const stopped = await prepareMariaDb(options, place);
  await stopped.revive();
  return stopped;
}

/** The same, not yet started. */
export async function prepareMariaDb(options: readonly string[] = [], place = tmpdir()): Promise<BreakableMariaDb> {
  const program = requireService('mariadb');
  const folder = mkdtempSync(join(place, 'portalkit-chaos-mariadb-'));
  installMariaDb(folder);
  const setUp = join(folder, 'set-up.sql');
  writeFileSync(setUp, SET_UP.map((statement) => `${statement};\n`).join(''));
  const port = await freePort();
  let service: PrivateService | undefined;
  const signal = (name: NodeJS.Signals) => service && process.kill(-service.pid, name);
  const isReady = async () => {
    try {
      await administer(port, 'SELECT 1');
      return true;
    } catch {
      return false;
    }
  };
  const kill = async () => {
    signal('SIGKILL');
    await service?.stop();
    service = undefined;
  };
  return {
    ...{ port, url: `mysql://portal:portal@127.0.0.1:${port}/portal`, kill },
    revive: async () => {
      const parameters = mariaDbArguments(folder, port, [LASTING, `--init-file=${setUp}`, ...options]);
      service ??= await startPrivately('mariadb', () => ({ program, arguments: parameters, isReady }));
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    ask: (sql) => administer(port, sql),
    // A clean shutdown takes seconds, for data that is not needed any more.
    stop: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function administer(port: number, sql: string): Promise<Record<string, unknown>[]> {
  const connection = await mysql.createConnection({ host: '127.0.0.1', port, user: 'root', connectTimeout: 2_000 });
  // Losing a connection while closing it does not matter.
  connection.on('error', () => undefined);
  try {
    const [rows] = await connection.query(sql);
    return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : [];
  } finally {
    connection.destroy();
  }
}
