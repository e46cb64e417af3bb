import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/database/index.js';
import { silentLogger } from '../../src/core/index.js';
import { startBreakableMariaDb, type BreakableMariaDb } from '../support/chaos/breakable-mariadb.js';
import { startCrew, type Crew } from '../support/chaos/crew.js';
import { finding } from '../support/chaos/finding.js';
import { registration } from '../support/chaos/sign-ups.js';
import { startChild } from '../support/child-process.js';
import { testConfig } from '../support/database-config.js';
import { describeWith } from '../support/describe-with.js';

const AT_ONCE = 50;
const PROCESSES = 4;
const TRANSACTIONS = 500;

/** Status → how often. */
function counted(answers: readonly { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function manyAtOnce(title: string, start: () => Promise<Crew>): void {
  let crew: Crew;
  beforeAll(async () => {
    crew = await start();
  }, 90_000);
  afterAll(() => crew.stop());

  const each = <T>(times: number, run: (client: Crew['clients'][number], number: number) => Promise<T>) =>
    Promise.all(Array.from({ length: times }, (_, number) => run(crew.clients[number % 2] ?? crew.clients[0], number)));

  it('R20: one registers an address, everybody else is told that it is taken', async () => {
    const body = registration('everybody@example.com');
    const counts = counted(await each(AT_ONCE, (client) => client.post('/api/v1/auth/register', body)));
    expect(counts).toEqual({ 201: 1, 422: AT_ONCE - 1 });
    expect(await crew.count('SELECT COUNT(*) FROM portal_users')).toBe(1);
    finding('R20', `${AT_ONCE} registrations of one address at once, two replicas (${title})`, JSON.stringify(counts));
  }, 60_000);

  it('R21: who write the same row all succeed, or are told to come again', async () => {
    const { token } = await crew.signUp();
    const rounds = [1, 2, 3, 4];
    const answers = [];
    for (const round of rounds) {
      const rename = (number: number) => ({ last_name: `Round ${round} of ${number}` });
      answers.push(...(await each(AT_ONCE, (client, number) => client.put('/api/v1/me', rename(number), { token }))));
    }
    const counts = counted(answers);
    expect(['200', '503']).toEqual(expect.arrayContaining(Object.keys(counts)));
    expect(counts[200]).toBeGreaterThan((AT_ONCE * rounds.length) / 2);
    const { json } = await crew.clients[0].get('/api/v1/me', { token });
    expect(json.data.last_name).toMatch(/^Round 4 of/);
    finding(
      'R21',
      `${AT_ONCE} writers of one row at once, ${rounds.length} rounds, two replicas (${title})`,
      JSON.stringify(counts),
    );
  }, 60_000);
}

describe('many at once on SQLite [fast]', () => {
  manyAtOnce('SQLite', () => startCrew({ dialect: 'sqlite' }));
});

describeWith('mariadb', 'many at once on MariaDB', () => {
  // ON is what newer servers have, and refuses more.
  describe.each([
    ['OFF', ''],
    ['ON', ' [fast]'],
  ])('with innodb_snapshot_isolation=%s%s', (isolation) => {
    let mariadb: BreakableMariaDb;
    afterAll(() => mariadb.stop());
    manyAtOnce(`MariaDB, snapshot isolation ${isolation}`, async () => {
      mariadb = await startBreakableMariaDb([`--innodb-snapshot-isolation=${isolation}`]);
      return startCrew({ databaseUrl: mariadb.url });
    });
  });
});

describe('R33: processes that read and then write one row [fast]', () => {
  async function countUp(url: string): Promise<void> {
    const database = openDatabase(testConfig(url), { logger: silentLogger });
    await database.execute('CREATE TABLE counters (id INTEGER PRIMARY KEY, n INT NOT NULL)');
    await database.execute('INSERT INTO counters (id, n) VALUES (1, 0)');
    const start = performance.now();
    const children = Array.from({ length: PROCESSES }, () =>
      startChild(import.meta.url, '../database/children/count-up.js', [url, String(TRANSACTIONS)]),
    );
    const failures = await Promise.all(children.map(async ({ result }) => JSON.parse(await result) as string[]));
    const seconds = (performance.now() - start) / 1000;
    const [row] = await database.select<{ n: number }>('SELECT n FROM counters');
    await database.close();
    expect(failures.flat()).toEqual([]);
    expect(row?.n).toBe(PROCESSES * TRANSACTIONS);
    finding(
      'R33',
      `${PROCESSES} processes × ${TRANSACTIONS} read-then-write transactions (SQLite)`,
      `0 errors, no update lost, ${seconds.toFixed(1)} s`,
    );
  }

  it('lose no update and meet no error on SQLite', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portalkit-chaos-'));
    await countUp(`sqlite:${join(folder, 'portal.sqlite')}`);
    rmSync(folder, { recursive: true });
  }, 90_000);
});
