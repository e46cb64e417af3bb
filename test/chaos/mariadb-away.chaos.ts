import { setTimeout as pause } from 'node:timers/promises';
import { startBreakableMariaDb, type BreakableMariaDb } from '../support/chaos/breakable-mariadb.js';
import { startCrew, type Crew } from '../support/chaos/crew.js';
import { finding } from '../support/chaos/finding.js';
import { Load, slowestOf, statusesOf, stopLoads } from '../support/chaos/load.js';
import { describeWith } from '../support/describe-with.js';
import type { Answer } from '../support/http-client.js';

/** R05: a dead database is told so fast. */
const DEAD_MS = 2_000;
/** R06: whatever it does, nobody waits longer. */
const FROZEN_MS = 3_000;
/** R05: and so soon after its return all is as before. */
const BACK_MS = 5_000;

describeWith('mariadb', 'two processes and a MariaDB that fails [fast]', () => {
  let mariadb: BreakableMariaDb;
  let crew: Crew;
  beforeAll(async () => {
    mariadb = await startBreakableMariaDb();
    crew = await startCrew({ databaseUrl: mariadb.url });
  }, 90_000);
  afterEach(stopLoads);
  afterAll(async () => {
    await crew.stop();
    await mariadb.stop();
  });

  /** Reads and writes of people and machines, and a probe that needs nothing. */
  async function startLoad(): Promise<Load> {
    const { page, token } = await crew.signUp();
    const load = new Load();
    let name = 0;
    for (const [index, client] of crew.clients.entries()) {
      const browser = page.copy(client);
      load.add(`catalog ${index}`, 2, async () => politely(await client.get('/api/v1/api-products')));
      load.add(`page ${index}`, 1, () => browser.get('/portal/profile', { follow: false }));
      load.add(`write ${index}`, 2, async () => {
        name += 1;
        return politely(await client.put('/api/v1/me', { last_name: `Lovelace ${name}` }, { token }));
      });
      load.add(`live ${index}`, 1, () => client.get('/api/v1/health/live'));
      for (const kind of ['catalog', 'page', 'write']) await load.until(`${kind} ${index}`, 200, 3);
    }
    return load;
  }

  /** Milliseconds until every kind of request on every replica is answered with 200, again and again. */
  async function untilBack(load: Load): Promise<number> {
    const start = performance.now();
    for (const index of crew.clients.keys()) {
      for (const kind of ['catalog', 'page', 'write']) await load.until(`${kind} ${index}`, 200, 5);
    }
    return performance.now() - start;
  }

  it('R05: killed under load: 503 with Retry-After in time, and all is well again soon after its return', async () => {
    const processes = crew.replicas.map((replica) => replica.process.pid);
    const load = await startLoad();
    load.next();
    await mariadb.kill();
    await pause(3_000);
    const away = load.next();
    await mariadb.revive();
    load.next();
    const back = await untilBack(load);
    load.next();
    await pause(500);
    const after = await load.stop();
    for (const index of crew.clients.keys()) {
      for (const kind of ['catalog', 'page', 'write'])
        expect(Object.keys(away[`${kind} ${index}`]?.statuses ?? {})).toContain('503');
      expect(Object.keys(away[`live ${index}`]?.statuses ?? {})).toEqual(['200']);
    }
    expect(['200', '503']).toEqual(expect.arrayContaining(statusesOf(away)));
    expect(slowestOf(away)).toBeLessThan(DEAD_MS);
    expect(back).toBeLessThan(BACK_MS);
    expect(statusesOf(after)).toEqual(['200']);
    for (const replica of crew.replicas) expect(replica.process.exitCode).toBeNull();
    expect(crew.replicas.map((replica) => replica.process.pid)).toEqual(processes);
    finding(
      'R05',
      'MariaDB killed -9 under load for 3 s',
      `503 with Retry-After, slowest answer ${Math.round(slowestOf(away))} ms; all well ${Math.round(back)} ms after its return, no restart`,
    );
  }, 60_000);

  it('R06: frozen for 10 s under load: every request is answered in time', async () => {
    const load = await startLoad();
    load.next();
    mariadb.freeze();
    await pause(10_000);
    const frozen = load.next();
    mariadb.thaw();
    const back = await untilBack(load);
    const thawing = load.next();
    await pause(500);
    const after = await load.stop();
    const seen = {
      ...frozen,
      ...Object.fromEntries(Object.entries(thawing).map(([name, tally]) => [`${name} thawing`, tally])),
    };
    expect(['200', '503']).toEqual(expect.arrayContaining(statusesOf(seen)));
    expect(slowestOf(seen)).toBeLessThan(FROZEN_MS);
    expect(back).toBeLessThan(BACK_MS);
    expect(statusesOf(after)).toEqual(['200']);
    finding(
      'R06',
      'MariaDB frozen for 10 s under load',
      `503, slowest answer ${Math.round(slowestOf(seen))} ms; all well ${Math.round(back)} ms after it went on`,
    );
  }, 60_000);
});

/** A refusal that does not say when to come again is told apart. */
function politely({ status, headers }: Answer): { status: number | string } {
  return { status: status === 503 && headers.get('retry-after') === null ? '503 without Retry-After' : status };
}
