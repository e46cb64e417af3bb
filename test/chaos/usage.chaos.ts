import { setTimeout as pause } from 'node:timers/promises';
import { startBreakableMariaDb, type BreakableMariaDb } from '../support/chaos/breakable-mariadb.js';
import { finding } from '../support/chaos/finding.js';
import { CallLoad } from '../support/crash/call-load.js';
import { startCountedPortal, type CountedPortal } from '../support/crash/counted-portal.js';
import { describeWith } from '../support/describe-with.js';
import { startBreakableRedis, type BreakableRedis } from '../support/redis.js';

const CALLS = Number(process.env.PORTAL_CHAOS_CALLS ?? 40_000);
/** Deaths of each, spread over the calls. */
const DEATHS = 5;
const AWAY_MS = 500;

describeWith('mariadb', 'calls over two replicas while MariaDB and Redis are killed', () => {
  let mariadb: BreakableMariaDb;
  let redis: BreakableRedis;
  let portal: CountedPortal;
  beforeAll(async () => {
    mariadb = await startBreakableMariaDb();
    redis = await startBreakableRedis();
    portal = await startCountedPortal({ session: { store: 'redis' }, redis: { url: redis.url } }, mariadb.url);
  }, 120_000);
  afterAll(async () => {
    await portal.stop();
    await redis.stop();
    await mariadb.stop();
  });

  it('are counted once each, whoever dies', async () => {
    const replicas = [await portal.serve(), await portal.serve()] as const;
    const loads = replicas.map(({ url }) => new CallLoad(url, portal.keys));
    const sum = (of: (load: CallLoad) => number) => loads.reduce((total, load) => total + of(load), 0);
    const until = async (answered: number) => {
      while (sum((load) => load.answered) < answered) await pause(20);
    };
    for (let death = 1; death <= DEATHS; death += 1) {
      await until((CALLS / (DEATHS + 1)) * death);
      for (const service of death % 2 === 0 ? [redis, mariadb] : [mariadb, redis]) {
        await service.kill();
        await pause(AWAY_MS);
        await service.revive();
      }
    }
    await until(CALLS);
    await Promise.all(loads.map((load) => load.stop()));
    await Promise.all(replicas.map((replica) => replica.stop()));
    const [answered, unanswered] = [sum((load) => load.answered), sum((load) => load.unanswered)];
    const counted = await portal.counted();
    finding(
      'R27',
      `MariaDB and Redis killed ${DEATHS} times each under ${answered} calls over two replicas`,
      `${counted} counted, ${unanswered} calls without an answer`,
    );
    expect(counted).toBeGreaterThanOrEqual(answered);
    expect(counted).toBeLessThanOrEqual(answered + unanswered);
  }, 3_600_000);
});
