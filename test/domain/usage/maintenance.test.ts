import { Developer, verify } from '../../support/apps.js';
import { createProduct } from '../../support/factories.js';
import type { FakeClock } from '../../support/fake-clock.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { appIdOf, countedCalls, flushUsage } from '../../support/usage.js';

let test: TestPortal;
let ada: Developer;
let key: string;
let appId: number;

const DAY_S = 86_400;
const dayOf = (clock: FakeClock) => Math.floor(clock.now().getTime() / (DAY_S * 1000));

beforeEach(async () => {
  test = await startTestPortal({ replicas: 1, config: { usage: { hours: '4d', days: '10d' } } });
  await createProduct(test, { slug: 'payments' });
  ada = await Developer.create(test);
  ({ key } = await ada.createApp('shop', ['payments']));
  appId = await appIdOf(test, 'shop');
});
afterEach(() => test.stop());

const call = async () => {
  await verify(test, key, 'payments');
  await flushUsage(test);
};
/** The job as its holder runs it, past its lease. */
const maintain = () => test.portal.services.usage.maintain(new AbortController().signal);
const days = async () =>
  (
    await test.portal.database.select<{ day: number; calls: number }>(
      'SELECT day, calls FROM portal_usage_days ORDER BY day',
    )
  ).map(({ day, calls }) => [day, calls]);
const rowsOf = async (table: string) => {
  const [row] = await test.portal.database.select<{ total: number }>(
    `SELECT COUNT(*) AS total FROM portal_usage_${table}`,
  );
  return Number(row?.total);
};
const untilMidnight = () => DAY_S - (Math.floor(test.clock.now().getTime() / 1000) % DAY_S);

describe('the days', () => {
  it('are sums of their hours in UTC, however often they are computed', async () => {
    test.clock.advance(untilMidnight() - 1);
    const day = dayOf(test.clock);
    await call();
    test.clock.advance(1);
    await call();
    test.clock.advance(3_600);
    await call();
    await maintain();
    await maintain();
    expect(await days()).toEqual([
      [day, 1],
      [day + 1, 2],
    ]);
    expect(await countedCalls(test.portal.database, appId, 'days')).toEqual({ 'payments allowed': 3 });
  });

  it('are computed again while calls may still be added to them', async () => {
    test.clock.advance(untilMidnight() - 10);
    const day = dayOf(test.clock);
    await call();
    await maintain();
    await verify(test, key, 'payments');
    test.clock.advance(11);
    await flushUsage(test);
    await maintain();
    expect(await days()).toEqual([[day, 2]]);
  });

  it('are made up for when no job ran for days', async () => {
    const day = dayOf(test.clock);
    for (let round = 0; round < 6; round += 1) {
      await call();
      test.clock.advance(DAY_S);
    }
    await maintain();
    expect(await days()).toEqual([0, 1, 2, 3, 4, 5].map((index) => [day + index, 1]));
  });
});

describe('what has been kept long enough', () => {
  it('is removed: hours and networks after usage.hours, days after usage.days', async () => {
    for (let round = 0; round < 13; round += 1) {
      await verify(test, 'pk_00000000000000000000000000000000', 'payments');
      await call();
      await maintain();
      test.clock.advance(DAY_S);
    }
    await maintain();
    expect(await rowsOf('hours')).toBe(4);
    expect(await rowsOf('refusals')).toBe(4);
    expect((await days()).map(([, calls]) => calls)).toEqual(Array(10).fill(1));
    expect(await rowsOf('flushes')).toBe(1);
  });

  it('leaves the sum of a day alone whose hours are gone', async () => {
    const day = dayOf(test.clock);
    await call();
    await call();
    await maintain();
    test.clock.advance(6 * DAY_S);
    await maintain();
    await maintain();
    expect(await rowsOf('hours')).toBe(0);
    expect(await days()).toEqual([[day, 2]]);
  });
});

describe('the calls of an app', () => {
  it('go with the app, and with the account', async () => {
    const other = await ada.createApp('other', ['payments']);
    await verify(test, other.key, 'payments');
    await call();
    await maintain();
    await ada.delete('/shop');
    await test.portal.background.flush();
    expect(await countedCalls(test.portal.database)).toEqual({ 'payments allowed': 1 });
    expect((await days()).map(([, calls]) => calls)).toEqual([1]);
    await test.portal.services.accounts.users.delete(ada.user.id);
    await test.portal.background.flush();
    expect([await rowsOf('hours'), await rowsOf('days')]).toEqual([0, 0]);
  });

  it('go too when they were counted before the deletion and written after it', async () => {
    await verify(test, key, 'payments');
    await ada.delete('/shop');
    await flushUsage(test);
    expect(await rowsOf('hours')).toBe(0);
  });

  it('are removed by the job when the process died behind the deletion, also what came late', async () => {
    await call();
    await ada.delete('/shop');
    await test.portal.background.flush();
    await test.portal.database.execute(
      `INSERT INTO portal_usage_hours VALUES (${appId}, 1, 1, 0, 0, 'allowed', 1, 1), (${appId}, 99, 1, 0, 0, 'allowed', 1, 1)`,
    );
    await test.portal.database.execute(`INSERT INTO portal_usage_days VALUES (${appId}, 1, 1, 0, 0, 'allowed', 1)`);
    await maintain();
    expect([await rowsOf('hours'), await rowsOf('days'), await rowsOf('erasures')]).toEqual([0, 0, 1]);
    test.clock.advance(3_600);
    await maintain();
    expect(await rowsOf('erasures')).toBe(0);
  });
});
