import { BoundedMap } from '../../src/limits/bounded-map.js';
import { MemoryLimitStore } from '../../src/limits/index.js';
import { describeLimitStore, rule } from '../contracts/limit-store.js';
import { FakeClock } from '../support/fake-clock.js';

describeLimitStore('limits in memory', (clock) => new MemoryLimitStore(clock));

describe('memory', () => {
  it('is bounded: the useless go first, then the ones untouched for longest, never the pinned', () => {
    const map = new BoundedMap<string>(10, {
      isUseless: (value) => value === 'useless',
      isPinned: (value) => value === 'pinned',
    });
    map.set('pin', 'pinned');
    for (let index = 0; index < 8; index += 1) map.set(`useless ${index}`, 'useless');
    map.set('kept', 'kept');
    map.set('new', 'new');
    expect([map.size, map.get('kept'), map.get('pin')]).toEqual([3, 'kept', 'pinned']);
    for (let index = 0; index < 1000; index += 1) map.set(`more ${index}`, 'more');
    expect(map.size).toBeLessThanOrEqual(10);
    expect([map.get('pin'), map.get('more 999'), map.get('kept')]).toEqual(['pinned', 'more', undefined]);
  });

  it('holds a flood of accounts within its capacity', async () => {
    const clock = new FakeClock();
    const store = new MemoryLimitStore(clock, 100);
    for (let index = 0; index < 5000; index += 1) {
      const place = await store.reserve([rule({ key: `account ${index}` })]);
      if (place.granted) await store.settle(place.reservation, 'failed');
      await store.consume(`ip ${index}`, 1, 60);
    }
    const { ledgers, counters } = store as unknown as Record<string, { entries: { size: number } }>;
    expect(ledgers?.entries.size).toBeLessThanOrEqual(100);
    expect(counters?.entries.size).toBeLessThanOrEqual(100);
  });
});
