import type { PlanAllowance } from '../../../../src/domain/usage/limits/call-limits.js';
import { OwnCounts } from '../../../../src/domain/usage/limits/own-counts.js';
import { SharedCounts } from '../../../../src/domain/usage/limits/shared-counts.js';
import { ownerKey, type CallOwner } from '../../../../src/domain/usage/limits/stored-calls.js';
import { describeWith } from '../../../support/describe-with.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { redisUnderTest } from '../../../support/redis.js';

const DAY_MS = 86_400_000;
const OWNER: CallOwner = { appId: 7, productId: 9 };
const NONE: PlanAllowance = { rates: [], quotas: [], isSoft: false, day: 1 };
const daily = (max: number): PlanAllowance => ({
  ...NONE,
  quotas: [{ name: 'daily', max, passing: max, period: 'day' }],
});

describeWith('redis', 'calls counted in Redis', () => {
  const redis = redisUnderTest();
  beforeEach(async () => void (await redis.ask('FLUSHALL')));

  /** What the database has: day → calls. */
  let stored: Map<number, number>;
  let reads: number;
  let unread: unknown[];
  beforeEach(() => {
    stored = new Map();
    reads = 0;
    unread = [];
  });

  function counts(clock: FakeClock, isMachineClock = false): SharedCounts {
    const connection = redis.open();
    const read = () => {
      reads += 1;
      return Promise.resolve(new Map(stored));
    };
    const onUnread = (error: unknown) => void unread.push(error);
    return new SharedCounts({ connection, stored: { read }, clock, isMachineClock, flush: 5, onUnread });
  }
  const passedOf = async (calls: number, decide: () => Promise<{ passes: boolean }>) => {
    const decisions = await Promise.all(Array.from({ length: calls }, decide));
    return decisions.filter(({ passes }) => passes).length;
  };
  const dayOf = (clock: FakeClock) => Math.floor(clock.now().getTime() / DAY_MS);

  it('pass exactly as often as the quota says, over replicas and in parallel', async () => {
    const clock = new FakeClock();
    const replicas = [counts(clock), counts(clock)] as const;
    let turn = 0;
    const passed = await passedOf(900, () => replicas[(turn += 1) % 2 ? 0 : 1].decide(OWNER, daily(500)));
    expect(passed).toBe(500);
  });

  it('are decided about as a process alone decides, whatever the limits and times', async () => {
    const clock = new FakeClock('2026-01-29T23:59:00.000Z');
    const shared = counts(clock);
    const progress = { begun: 0, isFlushing: false };
    const own = new OwnCounts({ stored: null, progress, clock, flush: 5, onUnread: () => undefined }, ownerKey);
    // The same steps in every run: quick bursts, pauses over several windows, days and the ends of months.
    let seed = 11;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const limits: PlanAllowance = {
      ...{ isSoft: false, day: 30 },
      rates: [
        { name: 'per-second', max: 3, windowMs: 1_000 },
        { name: 'per-minute', max: 20, windowMs: 60_000 },
      ],
      quotas: [
        { name: 'daily', max: 25, passing: 27, period: 'day' },
        { name: 'monthly', max: 300, passing: 330, period: 'month' },
        { name: 'anchored-monthly', max: 300, passing: 330, period: 'anchoredMonth' },
      ],
    };
    const refusals = new Set<string | null>();
    for (let step = 0; step < 3_000; step += 1) {
      const isLong = step % 100 === 0;
      clock.advance(isLong ? random(200_000) : random(900) / 1_000);
      const decision = await shared.decide(OWNER, limits);
      expect(decision).toEqual(await own.decide(OWNER, limits));
      if (!decision.passes) for (const name of decision.violated) refusals.add(name);
    }
    expect([...refusals].sort()).toEqual(['anchored-monthly', 'daily', 'monthly', 'per-minute', 'per-second']);
  });

  it('are those of all apps of an account where they share a plan, apart from those of an app of that number', async () => {
    const shared = counts(new FakeClock());
    const account: CallOwner = { userId: 7, productId: 9 };
    expect(await passedOf(5, () => shared.decide(account, daily(3)))).toBe(3);
    expect(await passedOf(5, () => shared.decide(OWNER, daily(3)))).toBe(3);
  });

  it('are let pass beyond soft limits, and counted', async () => {
    const shared = counts(new FakeClock());
    const soft = { ...daily(2), isSoft: true };
    expect(await passedOf(5, () => shared.decide(OWNER, soft))).toBe(5);
    expect(await shared.decide(OWNER, daily(6))).toMatchObject({ passes: true });
    expect(await shared.decide(OWNER, daily(6))).toMatchObject({ passes: false });
  });

  it('that nobody remembers are taken up from the database, once for all that wait', async () => {
    const clock = new FakeClock();
    const shared = counts(clock);
    stored.set(dayOf(clock), 40);
    expect(await passedOf(100, () => shared.decide(OWNER, daily(50)))).toBe(10);
    expect(reads).toBe(1);
    await redis.ask('FLUSHALL');
    stored.set(dayOf(clock), 45);
    // Five of them had not been flushed when Redis was emptied: those, and no more, are there again.
    expect(await passedOf(100, () => shared.decide(OWNER, daily(50)))).toBe(5);
    expect(await passedOf(1, () => shared.decide({ ...OWNER, appId: 8 }, daily(46)))).toBe(1);
  });

  it('that Redis lacks are added to it for three flushes after it forgot, and never more than were made', async () => {
    const clock = new FakeClock();
    const shared = counts(clock);
    stored.set(dayOf(clock), 40);
    await shared.decide(OWNER, daily(50));
    // Others flush what they had counted when Redis was emptied.
    stored.set(dayOf(clock), 48);
    clock.advance(5);
    await shared.decide(OWNER, daily(50));
    clock.advance(1);
    expect(await passedOf(10, () => shared.decide(OWNER, daily(50)))).toBeLessThanOrEqual(2);
    // What the database has late is never taken away from Redis.
    stored.set(dayOf(clock), 20);
    clock.advance(5);
    await shared.decide(OWNER, daily(50));
    expect(await passedOf(10, () => shared.decide(OWNER, daily(50)))).toBe(0);
    const before = reads;
    clock.advance(3_600);
    for (let call = 0; call < 5; call += 1) await shared.decide(OWNER, daily(50));
    expect([reads, unread]).toEqual([before, []]);
  });

  it('belong to the day of Redis, whose clock all replicas share', async () => {
    // The machine is a year behind: the days that it asks for are not those of Redis.
    const behind = new FakeClock(new Date(Date.now() - 366 * DAY_MS).toISOString());
    const shared = counts(behind, true);
    const right = counts(new FakeClock(new Date().toISOString()), true);
    expect(await passedOf(3, () => shared.decide(OWNER, daily(5)))).toBe(3);
    expect(await passedOf(3, () => right.decide(OWNER, daily(5)))).toBe(2);
  });

  it('keep nothing for ever, and one number for each day of the last forty', async () => {
    const clock = new FakeClock();
    const shared = counts(clock);
    const limits = { ...daily(5), rates: [{ name: 'per-hour', max: 9, windowMs: 3_600_000 }] };
    for (let day = 0; day < 60; day += 1) {
      await shared.decide(OWNER, limits);
      clock.advance(86_400);
    }
    const keys = ((await redis.ask('KEYS', '*')) as string[]).sort();
    expect(keys).toEqual(['test:calls:7:9', 'test:rates:7:9']);
    expect(Number(await redis.ask('HLEN', 'test:calls:7:9'))).toBeLessThanOrEqual(42);
    for (const key of keys) expect(Number(await redis.ask('PTTL', key))).toBeGreaterThan(0);
  });

  it('start anew from what was counted at a reset, on every replica, and stay so when Redis forgets', async () => {
    const clock = new FakeClock();
    const replicas = [counts(clock), counts(clock)] as const;
    const day = dayOf(clock);
    expect(await passedOf(20, () => replicas[0].decide(OWNER, daily(10)))).toBe(10);
    // The database lacks what was not written yet, and Redis what another process decided about by itself yesterday.
    const calls = await replicas[1].readCounted(
      OWNER,
      new Map([
        [day, 4],
        [day - 1, 7],
      ]),
    );
    expect(calls).toEqual(
      new Map([
        [day, 10],
        [day - 1, 7],
      ]),
    );
    const countStart = { id: 1, at: clock.now(), reason: 'An outage.', calls };
    let turn = 0;
    const decide = () => replicas[(turn += 1) % 2 ? 0 : 1].decide(OWNER, { ...daily(10), countStart });
    expect(await passedOf(6, decide)).toBe(6);
    await redis.ask('FLUSHALL');
    // Of the calls since the reset four were written; it takes away no more than it found.
    stored.set(day, 8);
    expect(await decide()).toMatchObject({ passes: true, policies: [{ remaining: 9 }] });
    stored.set(day, 16);
    await redis.ask('FLUSHALL');
    expect(await passedOf(20, decide)).toBe(4);
  });
});
