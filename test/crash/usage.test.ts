import { setTimeout as pause } from 'node:timers/promises';
import { startBreakableMariaDb, type BreakableMariaDb } from '../support/chaos/breakable-mariadb.js';
import { CallLoad } from '../support/crash/call-load.js';
import { startCountedPortal, type CountedPortal } from '../support/crash/counted-portal.js';
import { describeWith } from '../support/describe-with.js';
import { servePortal, type ServingPortal } from '../support/portal-process.js';

const FLUSH_S = 1;
/** What a busy machine adds between two flushes. */
const SLACK_S = 2;

let portal: CountedPortal;
let serving: ServingPortal[] = [];
afterEach(async () => {
  await Promise.all(serving.map((replica) => replica.stop()));
  serving = [];
});

async function replicas(): Promise<[ServingPortal, ServingPortal]> {
  const both: [ServingPortal, ServingPortal] = [await portal.serve(), await portal.serve()];
  serving.push(...both);
  return both;
}

describe('calls of processes that end in the middle of them', () => {
  beforeAll(async () => {
    portal = await startCountedPortal({ usage: { flush: `${FLUSH_S}s` } });
  }, 90_000);
  afterAll(() => portal.stop());

  it('are all counted, and none twice, when two replicas are stopped', async () => {
    const before = await portal.counted();
    const [one, two] = await replicas();
    const loads = [one, two].map(({ url }) => new CallLoad(url, portal.keys));
    await Promise.all(loads.map((load) => load.until(1_500)));
    // Under load: what is asked while it drains is answered, or cut off and asked again by nobody.
    const stopping = one.stop();
    await pause(50);
    await Promise.all(loads.map((load) => load.stop()));
    await Promise.all([stopping, two.stop()]);
    const answered = loads.reduce((sum, load) => sum + load.answered, 0);
    const unanswered = loads.reduce((sum, load) => sum + load.unanswered, 0);
    const counted = (await portal.counted()) - before;
    expect(counted).toBeGreaterThanOrEqual(answered);
    expect(counted).toBeLessThanOrEqual(answered + unanswered);
  }, 60_000);

  it('are exactly those that were answered when they end one after the other', async () => {
    const before = await portal.counted();
    const [one, two] = await replicas();
    const loads = [one, two].map(({ url }) => new CallLoad(url, portal.keys));
    await Promise.all(loads.map((load) => load.until(1_000)));
    await Promise.all(loads.map((load) => load.stop()));
    await Promise.all([one.stop(), two.stop()]);
    expect(loads.map((load) => [load.unanswered, load.refused])).toEqual([
      [0, {}],
      [0, {}],
    ]);
    expect((await portal.counted()) - before).toBe(loads.reduce((sum, load) => sum + load.answered, 0));
  }, 60_000);

  it('are exactly those that were answered by workers of one process', async () => {
    const before = await portal.counted();
    const { cwd, env } = portal.project;
    const pool = await servePortal(['--workers', '2'], { cwd, env });
    serving.push(pool);
    await pool.printed('Ready');
    const load = new CallLoad(pool.url, portal.keys);
    await load.until(1_000);
    await load.stop();
    await pool.stop();
    expect([load.unanswered, load.refused]).toEqual([0, {}]);
    expect((await portal.counted()) - before).toBe(load.answered);
  }, 60_000);

  it('lack at most those of the last flush when one is killed, and are never more', async () => {
    for (let round = 0; round < 3; round += 1) {
      const before = await portal.counted();
      const [victim, survivor] = await replicas();
      const [dying, living] = [new CallLoad(victim.url, portal.keys), new CallLoad(survivor.url, portal.keys)] as const;
      await dying.until(800 + 700 * round);
      victim.process.kill('SIGKILL');
      const diedAt = performance.now();
      await pause(300);
      await Promise.all([dying.stop(), living.stop()]);
      await survivor.stop();
      const counted = (await portal.counted()) - before;
      const answered = dying.answered + living.answered;
      expect(counted).toBeGreaterThanOrEqual(answered - dying.answeredSince(diedAt - (FLUSH_S + SLACK_S) * 1_000));
      expect(counted).toBeLessThanOrEqual(answered + dying.unanswered + living.unanswered);
    }
  }, 90_000);
});

describeWith('mariadb', 'calls while the database is killed', () => {
  let mariadb: BreakableMariaDb;
  beforeAll(async () => {
    mariadb = await startBreakableMariaDb();
    portal = await startCountedPortal({ usage: { flush: `${FLUSH_S}s` } }, mariadb.url);
  }, 120_000);
  afterAll(async () => {
    await portal.stop();
    await mariadb.stop();
  });

  it('are all counted, once, whatever a flush was doing', async () => {
    const [one, two] = await replicas();
    const loads = [one, two].map(({ url }) => new CallLoad(url, portal.keys));
    for (let death = 0; death < 4; death += 1) {
      const [load] = loads;
      await load?.until(load.answered + 700 + 100 * death);
      await mariadb.kill();
      await pause(400);
      await mariadb.revive();
    }
    const [load] = loads;
    await load?.until(load.answered + 200);
    await Promise.all(loads.map((running) => running.stop()));
    await Promise.all([one.stop(), two.stop()]);
    const answered = loads.reduce((sum, { answered }) => sum + answered, 0);
    const unanswered = loads.reduce((sum, { unanswered }) => sum + unanswered, 0);
    expect(loads.every(({ refused }) => (refused['503'] ?? 0) > 0)).toBe(true);
    const counted = await portal.counted();
    expect(counted).toBeGreaterThanOrEqual(answered);
    expect(counted).toBeLessThanOrEqual(answered + unanswered);
  }, 120_000);
});
