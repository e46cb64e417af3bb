import { setTimeout as pause } from 'node:timers/promises';
import { FakeApigee } from '../support/fake-apigee.js';
import { startBreakableMariaDb, type BreakableMariaDb } from '../support/chaos/breakable-mariadb.js';
import { startCrew, type Crew } from '../support/chaos/crew.js';
import { finding } from '../support/chaos/finding.js';
import { PacedLoad, percentile } from '../support/chaos/paced-load.js';
import { describeWith } from '../support/describe-with.js';
import { startBreakableRedis, type BreakableRedis } from '../support/redis.js';

/** R01 */
const LIVE_MS = 50;
/** R02 */
const FLIP_MS = 3_000;
/** How soon a replica finds MariaDB again, R05, and Redis. */
const BACK_MS = 5_000;

describeWith('mariadb', 'a process that lives on MariaDB, Redis and a gateway', () => {
  describeWith('redis', 'which it loses', () => {
    let mariadb: BreakableMariaDb;
    let redis: BreakableRedis;
    let fake: FakeApigee;
    let crew: Crew;
    beforeAll(async () => {
      [mariadb, redis] = await Promise.all([startBreakableMariaDb(), startBreakableRedis()]);
      fake = await FakeApigee.start({ flavour: 'x', products: [] });
      const config = {
        session: { store: 'redis' },
        redis: { url: redis.url },
        gateway: { driver: 'apigee', apigee: fake.settings() },
      } as const;
      crew = await startCrew({ databaseUrl: mariadb.url, replicas: 1, config });
    }, 90_000);
    afterAll(async () => {
      await crew.stop();
      await Promise.all([mariadb.stop(), redis.stop(), fake.stop()]);
    });

    const ready = () => crew.clients[0].get('/api/v1/health/ready');

    /** Milliseconds until readiness says so. */
    async function until(status: number): Promise<number> {
      const began = performance.now();
      while ((await ready()).status !== status) {
        if (performance.now() - began > 20_000) throw new Error(`readiness never became ${status}`);
        await pause(25);
      }
      return performance.now() - began;
    }

    it.each([
      ['MariaDB killed [fast]', () => mariadb.kill(), () => mariadb.revive()],
      ['MariaDB frozen', async () => mariadb.freeze(), async () => mariadb.thaw()],
      ['Redis killed', () => redis.kill(), () => redis.revive()],
      ['Redis frozen [fast]', async () => redis.freeze(), async () => redis.thaw()],
    ])(
      'R02: readiness turns and comes back: %s',
      async (name, breakIt, mendIt) => {
        await until(200);
        await breakIt();
        const away = await until(503);
        const { headers, json, text } = await ready();
        await mendIt();
        const back = await until(200);
        expect(away).toBeLessThan(FLIP_MS);
        expect(back).toBeLessThan(BACK_MS);
        expect(json).toEqual({ success: false, status: 503, message: 'Service unavailable.', errors: {}, meta: null });
        expect(headers.get('retry-after')).toBe('1');
        expect(text).not.toMatch(/maria|mysql|redis|127\.0\.0\.1|\d+\.\d+\.\d+/i);
        finding(
          'R02',
          name.replace(' [fast]', ''),
          `not ready after ${Math.round(away)} ms, ready again ${Math.round(back)} ms after its return; the answer names nothing`,
        );
      },
      60_000,
    );

    it('R02: a gateway that is away is no reason to go elsewhere; R01: liveness needs nothing at all', async () => {
      await until(200);
      await fake.stop();
      await pause(1_500);
      expect((await ready()).status).toBe(200);
      await Promise.all([mariadb.kill(), redis.kill()]);
      await until(503);
      const load = new PacedLoad();
      load.add('live', 20, () => crew.clients[0].get('/api/v1/health/live'));
      await pause(4_000);
      const { live } = await load.stop();
      expect(Object.keys(live?.statuses ?? {})).toEqual(['200']);
      const [median, p99] = [0.5, 0.99].map((share) => percentile(live?.times ?? [], share)) as [number, number];
      expect(median).toBeLessThan(LIVE_MS);
      finding('R02', 'gateway killed', 'still ready');
      finding(
        'R01',
        'MariaDB, Redis and the gateway killed',
        `/health/live 200 ${live?.times.length} of ${live?.times.length} times, median ${median.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
      );
      await Promise.all([mariadb.revive(), redis.revive()]);
      expect(await until(200)).toBeLessThan(BACK_MS);
    }, 60_000);
  });
});
