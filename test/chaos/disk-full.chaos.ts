import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startBreakableMariaDb } from '../support/chaos/breakable-mariadb.js';
import { startCrew, type Crew } from '../support/chaos/crew.js';
import { finding } from '../support/chaos/finding.js';
import { Load, slowestOf, statusesOf, stopLoads } from '../support/chaos/load.js';
import { registration } from '../support/chaos/sign-ups.js';
import { mayMountDisks, mountSmallDisk, type SmallDisk } from '../support/chaos/small-disk.js';
import { TestClient } from '../support/http-client.js';
import { freePort } from '../support/ports.js';
import { createProject, type Project } from '../support/project.js';

const BIN = join(process.cwd(), 'bin', 'portal.js');

const mayMount = mayMountDisks();
if (!mayMount) process.stdout.write('skipped: a full disk: mounting one needs root\n');
const describeWithDisk = mayMount ? describe : describe.skip;

interface Place {
  readonly disk: SmallDisk;
  readonly crew: Crew;
  stop(): Promise<void>;
}

/** Reads, pages and writes of both replicas while the disk of their database is full, and after. */
function serveOn(title: string, readsGoOn: boolean, start: () => Promise<Place>): void {
  let place: Place;
  beforeAll(async () => {
    place = await start();
  }, 90_000);
  afterEach(stopLoads);
  afterAll(() => place.stop());

  it('stops writes with 503 and nothing else, and is over when there is room again', async () => {
    const { crew, disk } = place;
    const { token, page } = await crew.signUp();
    const load = new Load();
    let name = 0;
    for (const [index, client] of crew.clients.entries()) {
      const browser = page.copy(client);
      load.add(`read ${index}`, 1, () => client.get('/api/v1/me', { token }));
      load.add(`catalog ${index}`, 1, () => client.get('/portal/products'));
      load.add(`page ${index}`, 1, () => browser.get('/portal/profile', { follow: false }));
      load.add(`write ${index}`, 1, () => {
        // Rows of the activity log, too: each change leaves one.
        const last = `${'Lovelace'.repeat(10)} ${(name += 1)}`;
        return client.put('/api/v1/me', { last_name: last }, { token });
      });
      await load.until(`write ${index}`, 200, 3);
    }
    load.next();
    disk.fill();
    for (const index of [0, 1]) await load.until(`write ${index}`, 503, 5);
    await pause(1_000);
    const full = load.next();
    disk.empty();
    const since = performance.now();
    for (const index of [0, 1]) await load.until(`write ${index}`, 200, 3);
    const back = performance.now() - since;
    load.next();
    await pause(500);
    const after = await load.stop();
    const reads = Object.entries(full).filter(([kind]) => !kind.startsWith('write'));
    if (readsGoOn) expect(statusesOf(Object.fromEntries(reads))).toEqual(['200']);
    // 200 as long as there was room in what the database had already taken.
    expect(['200', '503']).toEqual(expect.arrayContaining(statusesOf(full)));
    expect(slowestOf(full)).toBeLessThan(5_000);
    expect(statusesOf(after)).toEqual(['200']);
    finding(
      'R28',
      `the disk of ${title} full, under load`,
      `writes 503, reads and pages ${statusesOf(Object.fromEntries(reads)).join(' or ')}, slowest ${Math.round(slowestOf(full))} ms; writes again ${Math.round(back)} ms after there was room`,
    );
  }, 60_000);
}

describeWithDisk('R28: a disk that is full below SQLite [fast]', () => {
  serveOn('SQLite', true, async () => {
    const disk = mountSmallDisk(16);
    const crew = await startCrew({ databaseUrl: `sqlite:${join(disk.path, 'portal.sqlite')}`, dialect: 'sqlite' });
    const stop = async () => {
      const [state] = await crew.database.select<{ integrity_check: string }>('PRAGMA integrity_check');
      await crew.stop();
      disk.remove();
      expect(state?.integrity_check).toBe('ok');
    };
    return { disk, crew, stop };
  });
});

describeWithDisk('R28: a disk that is full below MariaDB', () => {
  // MariaDB sorts some lists in files, which are on the same disk here.
  serveOn('MariaDB', false, async () => {
    const disk = mountSmallDisk(192);
    const mariadb = await startBreakableMariaDb(['--innodb-log-file-size=4M'], disk.path);
    const crew = await startCrew({ databaseUrl: mariadb.url });
    const stop = async () => {
      await crew.stop();
      await mariadb.stop();
      disk.remove();
    };
    return { disk, crew, stop };
  });
});

/** `portal serve` whose output goes to a file instead of the test. */
class Muted {
  readonly ended: Promise<unknown>;
  private constructor(
    readonly client: TestClient,
    readonly process: ChildProcess,
  ) {
    this.ended = once(process, 'close');
  }

  static async serve({ cwd, env }: Project, output: string): Promise<Muted> {
    const port = await freePort();
    const file = openSync(output, 'a');
    const production = { APP_ENV: 'production', APP_URL: 'https://portal.test', APP_TRUST_PROXY: '1' };
    const child = spawn(process.execPath, [BIN, 'serve', '--port', String(port)], {
      cwd,
      env: { ...env, ...production, APP_LOG_LEVEL: 'debug', MAIL_TRANSPORT: 'file', PATH: process.env.PATH },
      stdio: ['ignore', file, file],
    });
    closeSync(file);
    const muted = new Muted(TestClient.to(`http://127.0.0.1:${port}`), child);
    const deadline = performance.now() + 20_000;
    while (!(await muted.isReady())) {
      if (performance.now() > deadline || child.exitCode !== null) throw new Error(`not ready, exit ${child.exitCode}`);
      await pause(100);
    }
    return muted;
  }

  /** Requests that leave lines in the log: a sign-up, a refusal. @returns their statuses */
  async work(email: string): Promise<number[]> {
    const headers = { host: 'portal.test', 'x-forwarded-proto': 'https' };
    const send = (path: string, body: object) => {
      const json = Buffer.from(JSON.stringify(body));
      return this.client.sendAsItIs('POST', path, { ...headers, 'content-type': 'application/json' }, json);
    };
    const answers = [
      await send('/api/v1/auth/register', registration(email)),
      await send('/api/v1/auth/login', { email, password: 'wrong' }),
      await this.client.sendAsItIs('GET', '/portal', headers),
    ];
    return answers.map(({ status }) => status);
  }

  async stop(): Promise<unknown> {
    this.process.kill('SIGTERM');
    const [code, signal] = (await this.ended) as [number | null, string | null];
    return code ?? signal;
  }

  private isReady(): Promise<boolean> {
    return this.client.sendAsItIs('GET', '/api/v1/health/ready', {}).then(
      ({ status }) => status === 200,
      () => false,
    );
  }
}

describe('R28: a log that cannot be written [fast]', () => {
  let project: Project;
  beforeAll(async () => {
    project = await createProject('sqlite');
  }, 60_000);
  afterAll(() => project.remove());

  it('stops no request, and no orderly end, when every line fails', async () => {
    const muted = await Muted.serve(project, '/dev/full');
    for (let number = 0; number < 5; number += 1) {
      expect(await muted.work(`full${number}@example.com`)).toEqual([201, 401, 200]);
    }
    expect(await muted.stop()).toBe(0);
    finding('R28', 'standard output and error on /dev/full', 'starts, answers as ever, ends with 0 on SIGTERM');
  }, 40_000);

  (mayMount ? it : it.skip)(
    'goes on when the disk of the log has room again',
    async () => {
      const disk = mountSmallDisk(1);
      try {
        const file = join(disk.path, 'portal.log');
        const muted = await Muted.serve(project, file);
        disk.fill();
        expect(await muted.work('before@example.com')).toEqual([201, 401, 200]);
        const size = readFileSync(file).length;
        disk.empty();
        expect(await muted.work('after@example.com')).toEqual([201, 401, 200]);
        expect(await muted.stop()).toBe(0);
        expect(readFileSync(file).length).toBeGreaterThan(size);
        finding('R28', 'the disk of the log full, then not', 'no request failed; the log goes on by itself');
      } finally {
        disk.remove();
      }
    },
    40_000,
  );
});
