import type { PlanAllowance } from '../../../../src/domain/usage/limits/call-limits.js';
import { judge, Periods, windowAt, type WindowCount } from '../../../../src/domain/usage/limits/limit-decision.js';

const SECOND = 1_000;
const NONE: PlanAllowance = { rates: [], quotas: [], isSoft: false, day: 1 };

/** So many calls in any ten seconds. */
const perTen = (max: number): PlanAllowance => ({ ...NONE, rates: [{ name: 'rate', max, windowMs: 10 * SECOND }] });
const at = (ms: number) => new Date(ms);

/** Asks at these times, in milliseconds since a window began; tells which of the calls passed. */
function passed(max: number, times: readonly number[]): number[] {
  let count: WindowCount = { index: 0, current: 0, previous: 0 };
  return times.filter((ms) => {
    count = windowAt(count, 10 * SECOND, ms);
    const { passes } = judge(perTen(max), { windows: [count], periods: [], used: [] }, at(ms));
    if (passes) count = { ...count, current: count.current + 1 };
    return passes;
  });
}

const every = (ms: number, from: number, until: number) =>
  Array.from({ length: Math.ceil((until - from) / ms) }, (_, index) => from + index * ms);

describe('the rate of a sliding window', () => {
  it('lets as many calls pass in a window as there may be', () => {
    expect(passed(3, [0, 1, 2, 3, 9_999])).toEqual([0, 1, 2]);
  });

  it('lets no burst pass at the seam of two windows', () => {
    // Five at the end of a window; of five at the beginning of the next one none: half a window later half of them.
    const times = [...every(1, 9_990, 9_995), ...every(1, 10_000, 10_005), ...every(1, 15_000, 15_005)];
    expect(passed(5, times)).toEqual([9_990, 9_991, 9_992, 9_993, 9_994, 15_000, 15_001]);
  });

  it('is steady under steady calls: as many as there may be in each window, however many ask', () => {
    const seen = passed(10, every(20, 0, 100 * SECOND));
    for (let window = 1; window < 10; window += 1) {
      const inWindow = seen.filter((ms) => Math.floor(ms / (10 * SECOND)) === window).length;
      expect(inWindow).toBeGreaterThanOrEqual(9);
      expect(inWindow).toBeLessThanOrEqual(10);
    }
  });

  it('forgets what is two windows old', () => {
    expect(passed(2, [0, 1, 20_000, 20_001, 20_002])).toEqual([0, 1, 20_000, 20_001]);
  });

  it('tells how long to wait, and then a call passes', () => {
    for (const [max, count, now] of [
      [5, { index: 1, current: 0, previous: 5 }, 10_000],
      [5, { index: 1, current: 3, previous: 5 }, 12_345],
      [1, { index: 1, current: 1, previous: 0 }, 10_001],
      [7, { index: 1, current: 7, previous: 7 }, 19_999],
    ] as const) {
      const { passes, retryAfter } = judge(perTen(max), { windows: [count], periods: [], used: [] }, at(now));
      expect([passes, retryAfter]).toEqual([false, expect.any(Number)]);
      const later = now + (retryAfter ?? 0) * SECOND;
      const then = { windows: [windowAt(count, 10 * SECOND, later)], periods: [], used: [] };
      expect(judge(perTen(max), then, at(later)).passes).toBe(true);
      // And a second earlier none does, but for rounding up to whole seconds.
      const early = later - 2 * SECOND;
      const before = { windows: [windowAt(count, 10 * SECOND, early)], periods: [], used: [] };
      if (early > now) expect(judge(perTen(max), before, at(early)).passes).toBe(false);
    }
  });

  it('goes on in the window that has begun when the clock is set back a little, and starts again after a jump (R29)', () => {
    const count = { index: 5, current: 3, previous: 1 };
    expect(windowAt(count, 10 * SECOND, 49_999)).toEqual(count);
    expect(windowAt(count, 10 * SECOND, 10_000)).toEqual({ index: 1, current: 0, previous: 0 });
    const { policies } = judge(perTen(9), { windows: [count], periods: [], used: [] }, at(49_999));
    expect(policies[0]?.reset).toBeLessThanOrEqual(10);
  });
});

describe('a decision', () => {
  const now = at(Date.UTC(2026, 5, 15, 12));
  const limits: PlanAllowance = {
    ...{ isSoft: false, day: 31 },
    rates: [{ name: 'per-second', max: 2, windowMs: SECOND }],
    quotas: [
      { name: 'daily', max: 10, passing: 11, period: 'day' },
      { name: 'monthly', max: 100, passing: 110, period: 'month' },
    ],
  };
  const idle: WindowCount = { index: 0, current: 0, previous: 0 };
  const periods = new Periods().rangesAt(limits, now);
  const busy: WindowCount = { index: now.getTime() / SECOND, current: 2, previous: 0 };

  it('names every limit that refuses, the quota first, and waits for the last of them', () => {
    const decision = judge(limits, { windows: [busy], periods, used: [11, 110] }, now);
    expect(decision).toMatchObject({
      ...{ passes: false, exceeded: 'quota_exceeded', violated: ['per-second', 'daily', 'monthly'] },
      retryAfter: 15.5 * 86_400,
    });
    expect(judge(limits, { windows: [busy], periods, used: [3, 3] }, now)).toMatchObject({
      ...{ passes: false, exceeded: 'rate_exceeded', violated: ['per-second'] },
    });
  });

  it('of a call within the grace passes and says so; one that a rate refuses is not told of the grace', () => {
    const within = { passes: true, exceeded: 'quota_exceeded', violated: ['daily'], retryAfter: null };
    expect(judge(limits, { windows: [idle], periods, used: [10, 10] }, now)).toMatchObject(within);
    expect(judge(limits, { windows: [busy], periods, used: [10, 10] }, now)).toMatchObject({
      ...{ passes: false, exceeded: 'rate_exceeded', violated: ['per-second'] },
    });
  });

  it('with soft limits passes whatever was called, marked', () => {
    const decision = judge({ ...limits, isSoft: true }, { windows: [busy], periods, used: [500, 5_000] }, now);
    expect(decision).toMatchObject({ passes: true, exceeded: 'quota_exceeded', retryAfter: null });
    expect(decision.policies.map(({ remaining }) => remaining)).toEqual([0, 0, 0]);
  });
});
