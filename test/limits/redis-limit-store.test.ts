import {
  FallbackLimitStore,
  MemoryLimitStore,
  RedisLimitStore,
  ReplicaCount,
  type LimitStore,
} from '../../src/limits/index.js';
import { silentLogger, systemClock, ProcessMetrics, type Clock } from '../../src/core/index.js';
import { attemptAt, describeLimitStore, rule } from '../contracts/limit-store.js';
import { describeWith } from '../support/describe-with.js';
import { FakeClock } from '../support/fake-clock.js';
import { redisUnderTest } from '../support/redis.js';

describeWith('redis', 'limits in Redis', () => {
  const redis = redisUnderTest();
  beforeEach(async () => {
    await redis.ask('FLUSHALL');
  });

  const newStore = (clock: Clock | null) => new RedisLimitStore({ connection: redis.open(), clock });

  describeLimitStore('as every store of limits', async (clock) => {
    await redis.ask('FLUSHALL');
    return newStore(clock);
  });

  describe('of two replicas', () => {
    const both = (): readonly [LimitStore, LimitStore] => [newStore(null), newStore(null)];

    it('add up by the clock of Redis: five of a hundred parallel wrong attempts are evaluated (S15, R30)', async () => {
      const stores = both();
      const results = await Promise.all(
        Array.from({ length: 100 }, (_, index) => attemptAt(stores[index % 2 ? 0 : 1], [rule()], 'failed')),
      );
      expect(results.filter((result) => result === true)).toHaveLength(5);
      for (const result of results.filter((one) => one !== true)) expect(result).toBeGreaterThanOrEqual(50);
    });

    it('let twenty parallel right attempts pass (S16)', async () => {
      const stores = both();
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) => attemptAt(stores[index % 2 ? 0 : 1], [rule()], 'passed')),
      );
      expect(results).toEqual(Array(20).fill(true));
    });

    it('lose nothing where many rules share a key', async () => {
      const stores = both();
      const spray = (index: number) => [
        rule({ key: `account ${index}` }),
        rule({ key: 'network', max: 20, member: `account ${index}`, clearedBySuccess: false }),
      ];
      const results = await Promise.all(
        Array.from({ length: 60 }, (_, index) => attemptAt(stores[index % 2 ? 0 : 1], spray(index), 'failed')),
      );
      expect(results.filter((result) => result === true)).toHaveLength(20);
    });

    it('count exactly as many requests as are allowed', async () => {
      const stores = both();
      const outcomes = await Promise.all(
        Array.from({ length: 60 }, (_, index) => stores[index % 2 ? 0 : 1].consume('ip', 25, 60)),
      );
      expect(outcomes.filter(({ granted }) => granted)).toHaveLength(25);
    });
  });

  it('that have run out leave no keys behind', async () => {
    const store = newStore(null);
    await store.consume('ip', 1, 1);
    await attemptAt(store, [rule({ window: 1 })], 'failed');
    const ttls = await Promise.all(['counter:ip', 'ledger:account'].map((key) => redis.ask('PTTL', `test:${key}`)));
    for (const ttl of ttls) expect(Number(ttl) > 0 && Number(ttl) <= 1000).toBe(true);
    await attemptAt(store, [rule({ key: 'passed' })], 'passed');
    expect(await redis.ask('EXISTS', 'test:ledger:passed')).toBe(0);
  });

  it('go on when Redis forgot its scripts', async () => {
    const store = newStore(null);
    await store.consume('ip', 2, 60);
    await redis.ask('SCRIPT', 'FLUSH');
    expect((await store.consume('ip', 2, 60)).granted).toBe(true);
    expect((await store.consume('ip', 2, 60)).granted).toBe(false);
  });

  describe('while Redis comes and goes (R09)', () => {
    const replicas = () => 2;
    const resilient = (clock: Clock = systemClock) =>
      new FallbackLimitStore({
        shared: newStore(clock === systemClock ? null : clock),
        own: new MemoryLimitStore(clock),
        ...{ replicas, clock, logger: silentLogger, processMetrics: new ProcessMetrics() },
      });

    it('evaluates at most twice the limit when it is killed in the middle and comes back empty; nobody gets an error', async () => {
      const stores = [resilient(), resilient()];
      const evaluated = async (attempts: number) => {
        const results = await Promise.all(
          Array.from({ length: attempts }, (_, index) =>
            attemptAt(stores[index % 2] as LimitStore, [rule({ max: 10 })], 'failed'),
          ),
        );
        return results.filter((result) => result === true).length;
      };
      const before = await evaluated(300);
      await redis.kill();
      const without = await evaluated(300);
      await redis.revive();
      await redisIsBack();
      const after = await evaluated(400);
      expect([before, without <= 10, after]).toEqual([10, true, 0]);
    });

    it('counts an attempt that began with Redis and ended without', async () => {
      const clock = new FakeClock();
      const store = resilient(clock);
      const places = await Promise.all([1, 2].map(() => store.reserve([rule({ max: 4 })])));
      await redis.kill();
      for (const place of places) if (place.granted) await store.settle(place.reservation, 'failed');
      expect(await attemptAt(store, [rule({ max: 4 })], 'failed')).toBe(60);
      await redis.revive();
      clock.advance(61);
      expect(await attemptAt(store, [rule({ max: 4 })], 'passed')).toBe(true);
    });

    it('does not say that a lock is lifted when it is not', async () => {
      const store = resilient();
      await store.consume('ip', 1, 60);
      await redis.kill();
      await expect(store.clear(['account'])).rejects.toMatchObject({ code: 'redis_unavailable', status: 503 });
      await redis.revive();
    });

    const redisIsBack = async () => {
      for (const connection of redis.connections) await until(() => connection.send(['PING']));
    };
  });

  it('know how many replicas there are, also after Redis forgot them', async () => {
    const counts = [redis.open(), redis.open(), redis.open()].map((connection) => ({
      connection,
      count: new ReplicaCount(connection, silentLogger),
    }));
    expect(counts.map(({ count }) => count.current)).toEqual([1, 1, 1]);
    for (const { connection } of counts) {
      await connection.send(['PING']);
      // The beat that a new connection brings was sent before this.
      await connection.send(['PING']);
    }
    expect(counts.at(-1)?.count.current).toBe(3);
    await redis.ask('FLUSHALL');
    expect(counts.at(-1)?.count.current).toBe(3);
  });
});

/** Asks again and again until it works, for a minute at most. */
async function until(work: () => Promise<unknown>): Promise<void> {
  for (let left = 2_400; ; left -= 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}
