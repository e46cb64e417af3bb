import { OutageDetector } from '../../src/database/drivers/outage-detector.js';

const FULL = 2_000;
const BRIEF = 300;

describe('the patience with a database server (R06)', () => {
  let now = 0;
  const outages = new OutageDetector(() => now);

  it('is full as long as it answers', () => {
    expect([outages.limit(FULL), outages.limit(FULL)]).toEqual([FULL, FULL]);
  });

  it('is brief after a vain wait, but for one now and then; no request of four waits meets two of those', () => {
    outages.noteTimeout(FULL);
    const patientAt: number[] = [];
    for (const end = now + 20_000; now < end; now += 50) if (outages.limit(FULL) === FULL) patientAt.push(now);
    expect(patientAt).toEqual([2_000, 6_000, 10_000, 14_000, 18_000]);
    expect(FULL + 3 * BRIEF).toBeLessThan(2 * FULL);
    expect(outages.limit(FULL)).toBe(BRIEF);
    expect(outages.limit(100)).toBe(100);
  });

  it('is full again after any answer', () => {
    outages.noteAnswer();
    expect(outages.limit(FULL)).toBe(FULL);
  });
});
