import { finding } from '../support/chaos/finding.js';
import { startFleet, type Fleet } from '../support/chaos/fleet.js';
import { Load, stopLoads } from '../support/chaos/load.js';
import { describeWith } from '../support/describe-with.js';

const ROWS = Number(process.env.PORTAL_CHAOS_ROWS ?? 200_000);
/** R38: no lock lasts longer. A write takes its own time besides, on a machine that is busy with removing. */
const LOCK_MS = 200;

describeWith('redis', `housekeeping over ${ROWS} ended sessions by two processes (R38)`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await startFleet({}, async (database) => {
      const old = new Date('2020-01-01T00:00:00.000Z');
      const insert = 'INSERT INTO portal_web_sessions (id, data, expires_at, created_at)';
      if (database.dialect === 'mysql') {
        await database.execute(`${insert} SELECT LPAD(seq, 64, '0'), '{}', ?, ? FROM seq_1_to_${ROWS}`, [old, old]);
      } else {
        const numbers = `WITH RECURSIVE n(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n WHERE seq < ${ROWS})`;
        const select = `SELECT printf('%064d', seq), '{}', ?, ? FROM n`;
        await database.execute(`${insert} ${numbers} ${select}`, [old, old]);
      }
    });
  });
  afterEach(stopLoads);
  afterAll(() => fleet.stop());

  const left = async () => {
    const [row] = await fleet.database.select<{ rows: number }>('SELECT COUNT(*) AS `rows` FROM portal_web_sessions');
    return Number(row?.rows);
  };

  it('removes them all, by one of them, and no write waits for it', async () => {
    const { token } = await fleet.signUp();
    const load = new Load();
    let name = 0;
    for (const [index, client] of fleet.clients.entries()) {
      load.add(`write ${index}`, 1, () => {
        name += 1;
        return client.put('/api/v1/me', { last_name: `Lovelace ${name}` }, { token });
      });
    }
    while ((await left()) > 0) await new Promise((done) => setTimeout(done, 100));
    const tallies = await load.stop();
    for (const { statuses, slowest } of Object.values(tallies)) {
      expect(Object.keys(statuses)).toEqual(['200']);
      expect(slowest).toBeLessThan(LOCK_MS * 2);
    }
    const [lease] = await fleet.database.select<{ name: string; doneAt: unknown; token: unknown }>(
      "SELECT name, done_at AS doneAt, token FROM portal_job_leases WHERE name = 'housekeeping'",
    );
    expect(lease).toMatchObject({ name: 'housekeeping' });
    const slowest = Math.max(...Object.values(tallies).map((tally) => tally.slowest));
    const writes = Object.values(tallies).reduce((sum, { statuses }) => sum + (statuses[200] ?? 0), 0);
    finding(
      'R38',
      `housekeeping over ${ROWS} ended sessions, two processes`,
      `all removed by one of them; ${writes} writes meanwhile, all 200, slowest ${Math.round(slowest)} ms`,
    );
  });
});
