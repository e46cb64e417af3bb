import type { RedisConnection } from '../../../../src/cache/index.js';
import type { PlanAllowance } from '../../../../src/domain/usage/limits/call-limits.js';
import { NetworkCounts, type NetworkOwner } from '../../../../src/domain/usage/limits/network-counts.js';
import { OwnCounts } from '../../../../src/domain/usage/limits/own-counts.js';
import { describeWith } from '../../../support/describe-with.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { redisUnderTest } from '../../../support/redis.js';

describeWith('redis', 'calls of networks counted in Redis', () => {
  const redis = redisUnderTest();
  let connection: RedisConnection;
  beforeAll(() => void (connection = redis.open()));
  beforeEach(async () => void (await redis.ask('FLUSHALL')));

  it('are decided about as a process alone decides, whatever the limits and times', async () => {
    const clock = new FakeClock('2026-01-29T23:59:00.000Z');
    const shared = new NetworkCounts({ connection, clock });
    const progress = { begun: 0, isFlushing: false };
    const parts = { stored: null, progress, clock, flush: 0, onUnread: () => undefined };
    const own = new OwnCounts<NetworkOwner>(parts, ({ productId, network }) => `${productId} ${network}`);
    let seed = 11;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const limits: PlanAllowance = {
      ...{ isSoft: false, day: 1 },
      rates: [
        { name: 'per-second', max: 3, windowMs: 1_000 },
        { name: 'per-minute', max: 20, windowMs: 60_000 },
      ],
      quotas: [
        { name: 'daily', max: 25, passing: 27, period: 'day' },
        { name: 'monthly', max: 90, passing: 95, period: 'month' },
      ],
    };
    const refusals = new Set<string | null>();
    for (let step = 0; step < 2_000; step += 1) {
      clock.advance(step % 100 === 0 ? random(200_000) : random(900) / 1_000);
      const owner = { productId: 9, network: `192.0.2.${random(2)}/32` };
      const decision = await shared.decide(owner, limits);
      expect(decision).toEqual(await own.decide(owner, limits));
      if (!decision.passes) for (const name of decision.violated) refusals.add(name);
    }
    expect([...refusals].sort()).toEqual(['daily', 'monthly', 'per-minute', 'per-second']);
  });

  it('take bounded room: further networks count as one, and nothing outlives its period', async () => {
    const clock = new FakeClock();
    const shared = new NetworkCounts({ connection, clock, most: 3 });
    const limits: PlanAllowance = {
      ...{ isSoft: false, day: 1, rates: [{ name: 'per-minute', max: 50, windowMs: 60_000 }] },
      quotas: [{ name: 'daily', max: 5, passing: 5, period: 'day' }],
    };
    const decide = (number: number) => shared.decide({ productId: 9, network: `192.0.2.${number}/32` }, limits);
    let passed = 0;
    for (let number = 0; number < 40; number += 1) if ((await decide(number)).passes) passed += 1;
    // Three of their own, and five together.
    expect(passed).toBe(8);
    expect((await decide(0)).policies.map(({ remaining }) => remaining)).toContain(3);
    const keys = (await redis.ask('KEYS', '*')) as string[];
    expect(keys).toHaveLength(2);
    for (const key of keys) {
      expect(await redis.ask('HLEN', key)).toBeLessThanOrEqual(4);
      expect(Number(await redis.ask('PTTL', key))).toBeGreaterThan(0);
    }
  });
});
