import { DatabaseLimitStore } from '../../src/limits/index.js';
import type { Database } from '../../src/database/index.js';
import { silentLogger } from '../../src/core/index.js';
import { attemptAt, describeLimitStore, rule } from '../contracts/limit-store.js';
import { onDatabaseUnderTest } from '../support/databases.js';
import { FakeClock } from '../support/fake-clock.js';

onDatabaseUnderTest('limits', (place) => {
  let database: Database;
  let other: Database;
  beforeAll(async () => {
    database = await place.openMigrated();
    other = await place.open();
  });

  const count = async (table: string) =>
    Number((await database.select<{ total: number }>(`SELECT COUNT(*) AS total FROM ${table}`))[0]?.total);

  const storeOn = (on: Database, clock: FakeClock) =>
    new DatabaseLimitStore({ database: on, clock, logger: silentLogger });

  async function emptyStores(clock: FakeClock) {
    await database.execute('DELETE FROM portal_limit_ledgers');
    await database.execute('DELETE FROM portal_limit_counters');
    return [storeOn(database, clock), storeOn(other, clock)] as const;
  }

  describeLimitStore('in the database', async (clock) => (await emptyStores(clock))[0]);

  describe('of two workers', () => {
    it('add up: five of a hundred parallel wrong attempts are evaluated (S15)', async () => {
      const stores = await emptyStores(new FakeClock());
      const results = await Promise.all(
        Array.from({ length: 100 }, (_, index) => attemptAt(stores[index % 2 ? 0 : 1], [rule()], 'failed')),
      );
      expect(results.filter((result) => result === true)).toHaveLength(5);
      expect(results.filter((result) => result === 60)).toHaveLength(95);
    });

    it('let twenty parallel right attempts pass (S16)', async () => {
      const stores = await emptyStores(new FakeClock());
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) => attemptAt(stores[index % 2 ? 0 : 1], [rule()], 'passed')),
      );
      expect(results).toEqual(Array(20).fill(true));
    });

    it('give a place that one of them frees to the other', async () => {
      const [here, there] = await emptyStores(new FakeClock());
      const place = await here.reserve([rule({ max: 1 })]);
      const waiting = attemptAt(there, [rule({ max: 1 })], 'passed');
      if (place.granted) await here.settle(place.reservation, 'passed');
      expect(await waiting).toBe(true);
    });

    it('count exactly as many requests as are allowed', async () => {
      const stores = await emptyStores(new FakeClock());
      const outcomes = await Promise.all(
        Array.from({ length: 60 }, (_, index) => stores[index % 2 ? 0 : 1].consume('ip', 25, 60)),
      );
      expect(outcomes.filter(({ granted }) => granted)).toHaveLength(25);
    });

    it('lose no verdict of attempts that end at the same moment', async () => {
      const clock = new FakeClock();
      const stores = await emptyStores(clock);
      const sixty = rule({ max: 60 });
      const places = await Promise.all(
        Array.from({ length: 60 }, (_, index) => stores[index % 2 ? 0 : 1].reserve([sixty])),
      );
      await Promise.all(
        places.map(async (place, index) => {
          if (place.granted) await stores[index % 2 ? 1 : 0].settle(place.reservation, 'failed');
        }),
      );
      expect(await stores[0].reserve([sixty])).toEqual({ granted: false, retryAfter: 60 });
    });

    it('never wait for each other’s rows, whatever the order of their rules', async () => {
      const stores = await emptyStores(new FakeClock());
      const keys = ['a', 'b', 'c', 'd'].map((key) => rule({ key, max: 1000 }));
      const results = await Promise.all(
        Array.from({ length: 60 }, (_, index) => {
          const turned = [...keys.slice(index % 4), ...keys.slice(0, index % 4)];
          return attemptAt(stores[index % 2 ? 0 : 1], turned, 'failed');
        }),
      );
      expect(results).toEqual(Array(60).fill(true));
    });
  });

  it('that have run out leave no rows behind', async () => {
    const clock = new FakeClock();
    const [store] = await emptyStores(clock);
    for (let index = 0; index < 20; index += 1) {
      await store.consume(`ip ${index}`, 1, 60);
      await attemptAt(store, [rule({ key: `account ${index}` })], 'failed');
    }
    expect([await count('portal_limit_ledgers'), await count('portal_limit_counters')]).toEqual([20, 20]);
    clock.advance(61);
    await attemptAt(store, [rule({ key: 'late' })], 'failed');
    expect([await count('portal_limit_ledgers'), await count('portal_limit_counters')]).toEqual([1, 0]);
  });

  it('work with one connection (R25)', async () => {
    const single = await place.open({ pool: { max: 1 } });
    const store = storeOn(single, new FakeClock());
    const results = await Promise.all(
      Array.from({ length: 20 }, () => attemptAt(store, [rule({ key: 'one connection' })], 'failed')),
    );
    expect(results.filter((result) => result === true)).toHaveLength(5);
  });
});
