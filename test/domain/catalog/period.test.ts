import { periodEnd } from '../../../src/domain/catalog/plans/period.js';
import type { PlanLimits } from '../../../src/domain/catalog/plans/plan-version.js';

const NONE: PlanLimits = {
  ...{ ratePerSecond: null, ratePerMinute: null, ratePerHour: null, concurrency: null },
  ...{
    quotaPerDay: null,
    quotaPerMonth: null,
    quotaPerAnchoredMonth: null,
    enforcement: 'hard',
    gracePercent: 0,
    isShared: false,
  },
};
const DAY = { quotaPerDay: 1 };
const MONTH = { quotaPerMonth: 1 };
const ANCHORED = { quotaPerAnchoredMonth: 1 };

describe('the end of a period', () => {
  it.each([
    ['now without quotas', {}, 1, '2026-06-15T12:00:00.000Z', '2026-06-15T12:00:00.000Z'],
    ['midnight of UTC for a day', DAY, 1, '2026-06-30T23:59:59.999Z', '2026-07-01T00:00:00.000Z'],
    ['the next midnight at midnight', DAY, 1, '2026-07-01T00:00:00.000Z', '2026-07-02T00:00:00.000Z'],
    ['the first of the next month', MONTH, 1, '2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z'],
    ['the anchor in this month', ANCHORED, 17, '2026-06-16T23:59:59.999Z', '2026-06-17T00:00:00.000Z'],
    [
      'the anchor in the next month, at the anchor',
      ANCHORED,
      17,
      '2026-06-17T00:00:00.000Z',
      '2026-07-17T00:00:00.000Z',
    ],
    ['the last day of a shorter month', ANCHORED, 31, '2027-02-01T00:00:00.000Z', '2027-02-28T00:00:00.000Z'],
    ['the anchor again after a shorter month', ANCHORED, 31, '2027-02-28T00:00:00.000Z', '2027-03-31T00:00:00.000Z'],
    ['the anchor in the next year', ANCHORED, 5, '2026-12-05T00:00:00.000Z', '2027-01-05T00:00:00.000Z'],
    [
      'the longest of several',
      { ...DAY, ...MONTH, ...ANCHORED },
      2,
      '2026-06-03T00:00:00.000Z',
      '2026-07-02T00:00:00.000Z',
    ],
  ])('is %s', (_, limits, day, now, end) => {
    expect(periodEnd({ ...NONE, ...limits }, day, new Date(now)).toISOString()).toBe(end);
  });
});
