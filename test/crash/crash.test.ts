import { crashAgainAndAgain } from '../support/crash/crash-run.js';
import { dialectUnderTest } from '../support/test-database.js';

describe('a portal that is killed in the middle of its work (R27)', () => {
  // `npm run test:crash` does the same 50 times, with other seeds.
  it('leaves no half of anything, and keeps every promise in its next life', async () => {
    const result = await crashAgainAndAgain({ kills: 10, dialect: dialectUnderTest(), writers: 5, seed: 20_260_101 });
    expect(result.faults).toEqual([]);
    expect(result.accepted).toBeGreaterThan(50);
    expect(result.cutOff).toBeGreaterThan(10);
  }, 120_000);
});
