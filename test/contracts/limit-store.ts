import type { AttemptOutcome, AttemptRule, LimitStore } from '../../src/limits/index.js';
import { FakeClock } from '../support/fake-clock.js';

export const rule = (changes: Partial<AttemptRule> = {}): AttemptRule => ({
  key: 'account',
  max: 5,
  window: 60,
  clearedBySuccess: true,
  ...changes,
});

/**
 * One guarded attempt; `took` runs while it is under way.
 * @returns whether it was evaluated, or the seconds to wait
 */
export async function attemptAt(
  store: LimitStore,
  rules: AttemptRule[],
  outcome: AttemptOutcome,
  took: () => Promise<unknown> = tick,
): Promise<true | number> {
  const place = await store.reserve(rules);
  if (!place.granted) return place.retryAfter;
  await took();
  await store.settle(place.reservation, outcome);
  return true;
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What every store of limits must do. @param create an empty store of that clock */
export function describeLimitStore(
  title: string,
  create: (clock: FakeClock) => LimitStore | Promise<LimitStore>,
): void {
  async function setUp() {
    const clock = new FakeClock();
    const store = await create(clock);
    const attempt = (rules: AttemptRule[], outcome: AttemptOutcome) => attemptAt(store, rules, outcome);
    return { clock, store, attempt };
  }

  describe(title, () => {
    describe('attempts that are guarded by a rule', () => {
      it('evaluates exactly five of a hundred parallel wrong ones', async () => {
        const { attempt } = await setUp();
        const results = await Promise.all(Array.from({ length: 100 }, () => attempt([rule()], 'failed')));
        expect(results.filter((result) => result === true)).toHaveLength(5);
        expect(results.filter((result) => result === 60)).toHaveLength(95);
      });

      it('refuses at once what would be under way together with another, where the rule says so', async () => {
        const { store, attempt } = await setUp();
        const alone = [rule({ atOnce: 1 })];
        const place = await store.reserve(alone);
        expect(await store.reserve(alone)).toEqual({ granted: false, retryAfter: 1 });
        if (place.granted) await store.settle(place.reservation, 'failed');
        expect(await attempt(alone, 'dropped')).toBe(true);
      });

      it('lets twenty parallel right ones pass', async () => {
        const { attempt } = await setUp();
        const results = await Promise.all(Array.from({ length: 20 }, () => attempt([rule()], 'passed')));
        expect(results).toEqual(Array(20).fill(true));
      });

      it('gives the place of an attempt that was never evaluated back', async () => {
        const { attempt } = await setUp();
        for (let round = 0; round < 10; round += 1) expect(await attempt([rule()], 'dropped')).toBe(true);
      });

      it('slides: each failure leaves after its own window', async () => {
        const { attempt, clock } = await setUp();
        for (let round = 0; round < 5; round += 1) {
          await attempt([rule()], 'failed');
          clock.advance(10);
        }
        expect(await attempt([rule()], 'failed')).toBe(10);
        clock.advance(10);
        expect(await attempt([rule()], 'failed')).toBe(true);
        expect(await attempt([rule()], 'failed')).toBe(10);
      });

      it('forgets the failures of a key after a success, unless the rule says otherwise', async () => {
        const { attempt } = await setUp();
        const address = rule({ key: 'address', clearedBySuccess: false });
        for (let round = 0; round < 4; round += 1) await attempt([rule(), address], 'failed');
        expect(await attempt([rule(), address], 'passed')).toBe(true);
        expect(await attempt([rule(), address], 'failed')).toBe(true);
        expect(await attempt([rule()], 'failed')).toBe(true);
        expect(await attempt([address], 'failed')).toBe(60);
      });

      it('takes a place under all rules or under none', async () => {
        const { attempt, store } = await setUp();
        const full = rule({ key: 'full', max: 1 });
        await attempt([full], 'failed');
        for (let round = 0; round < 20; round += 1) expect(await attempt([rule(), full], 'failed')).toBe(60);
        const places = await Promise.all(Array.from({ length: 5 }, () => store.reserve([rule()])));
        expect(places.every(({ granted }) => granted)).toBe(true);
      });

      it('counts different members, and refuses everything once there are too many', async () => {
        const { attempt } = await setUp();
        const spray = (member: string) => [
          rule({ key: 'network', max: 20, window: 600, member, clearedBySuccess: false }),
        ];
        const results = await Promise.all(
          Array.from({ length: 25 }, (_, index) => attempt(spray(`a${index}`), 'failed')),
        );
        expect(results.filter((result) => result === true)).toHaveLength(20);
        expect(await attempt(spray('a0'), 'passed')).toBe(600);
      });

      it('lets one member fail again and again without taking a second place', async () => {
        const { attempt } = await setUp();
        const spray = [rule({ key: 'network', max: 2, member: 'one', clearedBySuccess: false })];
        for (let round = 0; round < 10; round += 1) expect(await attempt(spray, 'failed')).toBe(true);
      });

      it('frees the place of a holder that died', async () => {
        const { attempt, clock, store } = await setUp();
        const single = rule({ max: 1 });
        await store.reserve([single]);
        clock.advance(31);
        expect(await attempt([single], 'passed')).toBe(true);
      });

      it('counts nothing when a place is settled twice or too late', async () => {
        const { attempt, clock, store } = await setUp();
        const place = await store.reserve([rule()]);
        if (!place.granted) throw new Error('expected a place');
        for (let round = 0; round < 9; round += 1) await store.settle(place.reservation, 'failed');
        for (let round = 0; round < 4; round += 1) expect(await attempt([rule()], 'failed')).toBe(true);
        expect(await attempt([rule()], 'failed')).toBe(60);
        clock.advance(61);
        const late = await store.reserve([rule({ max: 1 })]);
        clock.advance(31);
        if (late.granted) await store.settle(late.reservation, 'failed');
        expect(await attempt([rule({ max: 1 })], 'passed')).toBe(true);
      });

      it('never waits longer, nor counts for longer, because the clock went back', async () => {
        const { attempt, clock } = await setUp();
        for (let round = 0; round < 5; round += 1) await attempt([rule()], 'failed');
        clock.advance(-3600);
        expect(await attempt([rule()], 'failed')).toBe(60);
        clock.advance(60);
        expect(await attempt([rule()], 'failed')).toBe(true);
      });
    });

    describe('the lock of a key', () => {
      const locking = rule({ max: 10, window: 900, lockout: { initial: 30, longest: 900, maxInARow: 100 } });

      it('begins with 30 seconds after ten failures and doubles up to 15 minutes', async () => {
        const { attempt, clock } = await setUp();
        for (let round = 0; round < 10; round += 1) expect(await attempt([locking], 'failed')).toBe(true);
        for (const seconds of [30, 60, 120, 240, 480, 900, 900]) {
          expect(await attempt([locking], 'failed')).toBe(seconds);
          clock.advance(seconds - 1);
          expect(await attempt([locking], 'passed')).toBe(1);
          clock.advance(1);
          expect(await attempt([locking], 'failed')).toBe(true);
        }
      });

      it('tries one attempt at a time when it ends, however many come at once', async () => {
        const { attempt, clock } = await setUp();
        for (let round = 0; round < 10; round += 1) await attempt([locking], 'failed');
        clock.advance(30);
        const results = await Promise.all(Array.from({ length: 20 }, () => attempt([locking], 'failed')));
        expect(results.filter((result) => result === true)).toHaveLength(1);
      });

      it('stays after a hundred failures in a row until it is cleared', async () => {
        const { attempt, clock, store } = await setUp();
        let evaluated = 0;
        for (let round = 0; round < 300; round += 1) {
          if ((await attempt([locking], 'failed')) === true) evaluated += 1;
          clock.advance(901);
        }
        expect(evaluated).toBe(100);
        clock.advance(30 * 24 * 3600);
        const wait = await attempt([locking], 'passed');
        expect(wait).toBeGreaterThan(300 * 24 * 3600);
        clock.advance(Number(wait) - 1);
        expect(await attempt([locking], 'passed')).toBe(1);
        await store.clear([locking.key]);
        expect(await attempt([locking], 'passed')).toBe(true);
      });

      it('ends with a success', async () => {
        const { attempt, clock } = await setUp();
        for (let round = 0; round < 10; round += 1) await attempt([locking], 'failed');
        clock.advance(30);
        expect(await attempt([locking], 'passed')).toBe(true);
        for (let round = 0; round < 10; round += 1) expect(await attempt([locking], 'failed')).toBe(true);
        expect(await attempt([locking], 'failed')).toBe(30);
      });
    });

    describe('counted requests', () => {
      it('are refused beyond the maximum until the window ends', async () => {
        const { clock, store } = await setUp();
        for (let round = 0; round < 30; round += 1) expect((await store.consume('ip', 30, 60)).granted).toBe(true);
        clock.advance(12.5);
        expect(await store.consume('ip', 30, 60)).toEqual({ granted: false, retryAfter: 48 });
        clock.advance(47.5);
        expect((await store.consume('ip', 30, 60)).granted).toBe(true);
      });

      it('wait no longer than a window after the clock went back', async () => {
        const { clock, store } = await setUp();
        await store.consume('ip', 1, 60);
        clock.advance(-7200);
        expect(await store.consume('ip', 1, 60)).toEqual({ granted: false, retryAfter: 60 });
        clock.advance(60);
        expect((await store.consume('ip', 1, 60)).granted).toBe(true);
      });
    });
  });
}
