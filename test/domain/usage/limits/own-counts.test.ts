import type { PlanAllowance } from '../../../../src/domain/usage/limits/call-limits.js';
import { OwnCounts } from '../../../../src/domain/usage/limits/own-counts.js';
import { ownerKey } from '../../../../src/domain/usage/limits/stored-calls.js';
import { FakeClock } from '../../../support/fake-clock.js';

const DAY_MS = 86_400_000;
const OWNER = { appId: 7, productId: 9 };
const FLUSH_S = 5;
const daily = (max: number): PlanAllowance => ({
  ...{ rates: [], isSoft: false, day: 1 },
  quotas: [{ name: 'daily', max, passing: max, period: 'day' }],
});

/** A database that answers when it is told to, and a process that flushes when it is told to. */
function start() {
  const clock = new FakeClock();
  const progress = { begun: 0, isFlushing: false };
  const waiting: ((calls: number) => void)[] = [];
  const unread: unknown[] = [];
  const read = () =>
    new Promise<Map<number, number>>((resolve, reject) => {
      waiting.push((calls) => {
        if (calls < 0) reject(new Error('away'));
        else resolve(new Map([[Math.floor(clock.now().getTime() / DAY_MS), calls]]));
      });
    });
  const counts = new OwnCounts(
    { stored: { read }, progress, clock, flush: FLUSH_S, onUnread: (e) => unread.push(e) },
    ownerKey,
  );
  const decide = (limits: PlanAllowance) => counts.decide(OWNER, limits);
  const passes = async (max: number) => (await decide(daily(max))).passes;
  /** Lets every reading that waits end. */
  const answer = (calls: number) => waiting.splice(0).forEach((resolve) => resolve(calls));
  return { clock, progress, waiting, unread, passes, decide, answer };
}

const passedOf = async (calls: number, decide: () => Promise<boolean>) => {
  let passed = 0;
  for (let call = 0; call < calls; call += 1) if (await decide()) passed += 1;
  return passed;
};

describe('calls counted by one process', () => {
  it('wait for what the database has, and read it once', async () => {
    const { waiting, passes, answer } = start();
    const decided = Promise.all(Array.from({ length: 20 }, () => passes(10)));
    await Promise.resolve();
    expect(waiting).toHaveLength(1);
    answer(6);
    expect((await decided).filter(Boolean)).toHaveLength(4);
  });

  it('are decided about by what is known when the database does not answer in time, or not at all', async () => {
    const { waiting, unread, passes, answer } = start();
    // A quarter of a second is waited, once.
    expect(await passedOf(5, () => passes(3))).toBe(3);
    expect([waiting.length, unread.length]).toEqual([1, 1]);
    answer(3);
    const failing = start();
    const decided = failing.passes(3);
    failing.answer(-1);
    expect([await decided, failing.unread.length]).toEqual([true, 1]);
    expect(await passedOf(5, () => failing.passes(3))).toBe(2);
  });

  it('are never counted twice, whenever a flush happens to meet a reading', async () => {
    const { clock, progress, passes, answer } = start();
    const first = passes(10);
    answer(0);
    await first;
    expect(await passedOf(4, () => passes(10))).toBe(4);
    // The five are handed to the database while a reading is under way, which sees them already.
    clock.advance(FLUSH_S);
    expect(await passes(10)).toBe(true);
    progress.begun = 1;
    progress.isFlushing = true;
    answer(6);
    await Promise.resolve();
    expect(await passedOf(9, () => passes(10))).toBe(4);
  });

  it('that others made are learned with the next reading, without waiting for it', async () => {
    const { clock, progress, waiting, passes, answer } = start();
    const first = passes(100);
    answer(0);
    await first;
    progress.begun = 1;
    clock.advance(FLUSH_S);
    expect(await passes(100)).toBe(true);
    expect(waiting).toHaveLength(1);
    answer(98);
    await new Promise(setImmediate);
    expect(await passedOf(5, () => passes(100))).toBe(1);
  });

  it('are read every second once a quota is about to be used up', async () => {
    const { clock, progress, waiting, passes, answer } = start();
    const first = passes(100);
    answer(0);
    await first;
    for (const calls of [30, 60]) {
      progress.begun += 1;
      clock.advance(FLUSH_S);
      await passes(100);
      answer(calls);
      await new Promise(setImmediate);
    }
    // Sixty, and thirty more with every flush: the end is near.
    await passes(100);
    clock.advance(1);
    await passes(100);
    expect(waiting).toHaveLength(1);
  });

  it('start anew from what was counted at a reset, once what the database has is read again', async () => {
    const { clock, passes, answer, decide } = start();
    const first = passes(3);
    answer(2);
    expect([await first, await passes(3)]).toEqual([true, false]);
    const today = Math.floor(clock.now().getTime() / DAY_MS);
    const countStart = { id: 4, at: clock.now(), reason: 'An outage.', calls: new Map([[today, 3]]) };
    const again = decide({ ...daily(3), countStart });
    answer(3);
    expect((await again).policies).toMatchObject([{ remaining: 1 }]);
    // A key that was not told yet changes nothing for those that were.
    expect(await passes(3)).toBe(false);
    expect(await passedOf(4, async () => (await decide({ ...daily(3), countStart })).passes)).toBe(1);
    clock.advance(86_400);
    const next = decide({ ...daily(3), countStart });
    answer(0);
    expect((await next).policies).toMatchObject([{ remaining: 2 }]);
  });

  it('start anew with a reset in a process that reads nothing', async () => {
    const clock = new FakeClock();
    const progress = { begun: 0, isFlushing: false };
    const counts = new OwnCounts(
      { stored: null, progress, clock, flush: FLUSH_S, onUnread: () => undefined },
      ownerKey,
    );
    const today = Math.floor(clock.now().getTime() / DAY_MS);
    const countStart = { id: 4, at: clock.now(), reason: 'An outage.', calls: new Map([[today, 50]]) };
    const passed = (limits: PlanAllowance) => passedOf(5, async () => (await counts.decide(OWNER, limits)).passes);
    expect(await passed(daily(3))).toBe(3);
    expect([await passed({ ...daily(3), countStart }), await passed({ ...daily(3), countStart })]).toEqual([3, 0]);
  });
});
