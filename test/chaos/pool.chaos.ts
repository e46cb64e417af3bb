import { startCrew, type Crew } from '../support/chaos/crew.js';
import { finding } from '../support/chaos/finding.js';
import { describeWithMariaDb } from '../support/databases.js';
import { createMariaDbDatabase } from '../support/mariadb.js';

const AT_ONCE = 200;
const LIMIT_MS = 5_000;

describeWithMariaDb('R25: a pool of five connections [fast]', () => {
  let crew: Crew;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const made = await createMariaDbDatabase();
    ({ drop } = made);
    crew = await startCrew({ databaseUrl: made.url, replicas: 1, config: { database: { pool: { max: 5 } } } });
  }, 90_000);
  afterAll(async () => {
    await crew.stop();
    await drop();
  });

  async function timed(run: () => Promise<{ status: number }>): Promise<{ status: number; ms: number }> {
    const start = performance.now();
    const { status } = await run();
    return { status, ms: performance.now() - start };
  }

  it('answers 200 requests at once, each in time: none waits for itself', async () => {
    const { token } = await crew.signUp();
    const [client] = crew.clients;
    const kinds = [
      () => client.get('/api/v1/api-products'),
      () => client.get('/api/v1/me', { token }),
      () => client.get('/portal'),
      () => client.put('/api/v1/me', { last_name: `Lovelace ${Math.random()}` }, { token }),
      () => client.get('/api/v1/health/ready'),
    ];
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => timed(kinds[index % kinds.length] ?? (() => client.get('/')))),
    );
    const slowest = Math.max(...answers.map(({ ms }) => ms));
    const counts: Record<number, number> = {};
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
    expect(['200', '503']).toEqual(expect.arrayContaining(Object.keys(counts)));
    expect(slowest).toBeLessThan(LIMIT_MS);
    expect((await client.get('/api/v1/me', { token })).status).toBe(200);
    const open = await crew.count('SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE()');
    // Ours to look with, too.
    expect(open).toBeLessThanOrEqual(6);
    finding(
      'R25',
      `${AT_ONCE} requests at once, reads and writes, on a pool of 5`,
      `${JSON.stringify(counts)}, slowest ${Math.round(slowest)} ms`,
    );
  }, 60_000);
});
