import type { KeyDecision } from '../../../src/gateway/index.js';
import { UsageBatch } from '../../../src/domain/usage/usage-batch.js';
import { ConnectionLostError } from '../../../src/database/index.js';
import { Developer, verify } from '../../support/apps.js';
import { createProduct } from '../../support/factories.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { appIdOf, countedCalls, flushUsage, sumOfCalls } from '../../support/usage.js';

let test: TestPortal;
let ada: Developer;
let app: { id: number; key: string };
let appId: number;
let count = 0;

beforeAll(async () => {
  test = await startTestPortal({ replicas: 1 });
  await createProduct(test, { slug: 'payments' });
  await createProduct(test, { slug: 'rates', approval: 'manual' });
  await createProduct(test, { slug: 'geo' });
  ada = await Developer.create(test);
});
afterAll(() => test.stop());
beforeEach(async () => {
  count += 1;
  await ada.signInAgain();
  app = await ada.createApp(`app-${count}`, ['payments', 'rates']);
  appId = await appIdOf(test, `app-${count}`);
});

const counted = () => countedCalls(test.portal.database, appId);
const flush = () => flushUsage(test);
const hoursOf = (app: number) =>
  test.portal.database.select<Record<string, unknown>>('SELECT * FROM portal_usage_hours WHERE app_id = ?', [app]);
const refusals = () => test.portal.database.select<Record<string, unknown>>('SELECT * FROM portal_usage_refusals');
const counter = () => {
  const { counter } = test.portal.services.usage;
  if (!counter) throw new Error('nothing is counted');
  return counter;
};
const unknown: KeyDecision = { allowed: false, reason: 'unknown_key' };

describe('a call with a known key', () => {
  it('is counted by hour, app, key, product and outcome once it is flushed, and when it came last', async () => {
    await verify(test, app.key, 'payments');
    test.clock.advance(2);
    await verify(test, app.key, 'payments');
    expect(await counted()).toEqual({});
    await flush();
    const at = test.clock.now().getTime();
    expect(await hoursOf(appId)).toEqual([
      expect.objectContaining({
        ...{ hour: Math.floor(at / 3_600_000), credential_id: app.id, plan_version_id: 0 },
        ...{ outcome: 'allowed', calls: 2, last_at: at },
      }),
    ]);
    expect(await counted()).toEqual({ 'payments allowed': 2 });
  });

  it('counts under the reason it was refused for', async () => {
    await verify(test, app.key, 'rates');
    await verify(test, app.key, 'geo');
    await verify(test, app.key, 'missing');
    await ada.post(`/app-${count}/credentials/${app.id}/revoke`);
    await verify(test, app.key, 'payments');
    await verify(test, app.key);
    await flush();
    expect(await counted()).toEqual({
      ...{ 'rates product_pending': 1, 'geo product_not_granted': 1, '- product_not_granted': 1 },
      ...{ 'payments revoked_key': 1, '- revoked_key': 1 },
    });
  });

  it('for any product counts for the one that the key opens, and for none where it opens several', async () => {
    await verify(test, app.key);
    await verify(test, app.key, '-');
    await test.client.get('/gateway/ext-authz/-/v1/charge', { headers: { 'X-API-Key': app.key } });
    const several = await ada.createApp(`several-${count}`, ['payments', 'geo']);
    await verify(test, several.key);
    await flush();
    expect(await counted()).toEqual({ 'payments allowed': 3 });
    expect(await countedCalls(test.portal.database, await appIdOf(test, `several-${count}`))).toEqual({
      '- allowed': 1,
    });
  });

  it('adds up over flushes, over hours and over replicas', async () => {
    const { databaseUrl, clock } = test;
    const other = await startTestPortal({ databaseUrl, clock });
    try {
      for (let round = 0; round < 3; round += 1) {
        await verify(test, app.key, 'payments');
        await verify(other, app.key, 'payments');
        await flush();
        await flushUsage(other);
        if (round === 1) clock.advance(3_600);
      }
      const hours = await hoursOf(appId);
      expect(hours.map(({ calls }) => calls)).toEqual([4, 2]);
    } finally {
      await other.stop();
    }
  });

  it('that is the first one allowed of its app is noted with the app, once', async () => {
    const read = async () => (await ada.get(`/app-${count}`)).json.data;
    await verify(test, app.key, 'rates');
    await flush();
    expect(await read()).toMatchObject({ first_called_at: null });
    await verify(test, app.key, 'payments');
    const first = test.clock.now().toISOString();
    await flush();
    const { updated_at: updatedAt } = await read();
    test.clock.advance(60);
    await verify(test, app.key, 'payments');
    await flush();
    expect(await read()).toMatchObject({ first_called_at: first, updated_at: updatedAt });
  });

  it('of a deleted key stays counted, since its app is still there', async () => {
    await verify(test, app.key, 'payments');
    await ada.delete(`/app-${count}/credentials/${app.id}`);
    await flush();
    expect(await counted()).toEqual({ 'payments allowed': 1 });
  });

  it('leaves neither path nor address behind', async () => {
    const headers = { 'X-API-Key': app.key, 'X-Forwarded-Uri': '/v1/secret-path', 'X-Forwarded-For': '127.0.0.77' };
    await test.client.get('/gateway/verify/payments', { headers });
    await flush();
    const rows = JSON.stringify([await hoursOf(appId), await refusals()]);
    expect(rows).not.toContain('secret-path');
    expect(rows).not.toContain('127.0.0');
  });

  it('asked about by somebody who may not ask counts nowhere', async () => {
    const before = await sumOfCalls(test.portal.database);
    await test.client.get('/gateway/verify', { headers: { 'X-API-Key': app.key, 'X-Forwarded-For': '192.0.2.1' } });
    await flush();
    expect(await sumOfCalls(test.portal.database)).toBe(before);
  });
});

describe('a call without a known key', () => {
  beforeEach(async () => void (await test.portal.database.execute('DELETE FROM portal_usage_refusals')));

  it('is counted by product, reason and the network that the proxy names', async () => {
    const ask = (headers: Record<string, string>) => test.client.get('/gateway/verify/payments', { headers });
    await ask({});
    await ask({ 'X-API-Key': 'short', 'X-Forwarded-For': '127.0.0.1' });
    await ask({ 'X-API-Key': 'pk_00000000000000000000000000000000', 'X-Forwarded-For': '127.9.9.9, 127.1.2.3' });
    await ask({ 'X-API-Key': 'pk_00000000000000000000000000000001', 'X-Forwarded-For': '127.1.2.200' });
    counter().record({ decision: unknown, limits: null, product: 'payments', caller: '2001:db8:1:2:3::4' });
    counter().record({ decision: unknown, limits: null, product: 'not-a-product', caller: '::ffff:192.0.2.9' });
    counter().record({ decision: unknown, limits: null, product: '%zz', caller: 'unknown' });
    await flush();
    const [product] = await test.portal.database.select<{ id: number }>(
      "SELECT id FROM portal_products WHERE slug = 'payments'",
    );
    const seen = (await refusals()).map((row) => [row.product_id, row.network, row.outcome, row.calls]);
    expect(seen.map((row) => row.join(' ')).sort()).toEqual(
      [
        `${product?.id}  missing_key 1`,
        `${product?.id} 127.0.0.0/24 malformed_key 1`,
        `${product?.id} 127.1.2.0/24 unknown_key 2`,
        `${product?.id} 2001:db8:1::/48 unknown_key 1`,
        '0 192.0.2.0/24 unknown_key 1',
        '0  unknown_key 1',
      ].sort(),
    );
    expect(await counted()).toEqual({});
  });

  it('makes no row for each guessed key: 100 000 of them from as many networks fill neither table nor memory', async () => {
    const before = await sumOfCalls(test.portal.database);
    for (let guess = 0; guess < 100_000; guess += 1) {
      const caller = `${11 + (guess % 200)}.${Math.floor(guess / 200) % 250}.${guess % 7}.9`;
      counter().record({ decision: unknown, limits: null, product: guess % 2 ? 'payments' : `guess-${guess}`, caller });
      if (guess % 20_000 === 0) await flush();
    }
    await flush();
    const rows = await refusals();
    expect(rows.length).toBeLessThanOrEqual(510);
    expect(rows.reduce((sum, { calls }) => sum + Number(calls), 0)).toBe(100_000);
    expect(await sumOfCalls(test.portal.database)).toBe(before);
  });
});

describe('a flush', () => {
  const lost = () => new ConnectionLostError({ detail: 'cut by the test' });

  /** @param isDone whether the database has committed when the answer gets lost */
  async function loseAnswer(isDone: boolean, run: () => Promise<unknown>): Promise<void> {
    const { driver } = test.portal.database;
    const own = driver.commit;
    driver.commit = async (connection) => {
      if (isDone) await own.call(driver, connection);
      throw lost();
    };
    try {
      await expect(run()).rejects.toBeInstanceOf(ConnectionLostError);
    } finally {
      driver.commit = own;
    }
  }

  it.each([true, false])('whose commit got no answer is counted once; it was committed: %s', async (isDone) => {
    await verify(test, app.key, 'payments');
    await loseAnswer(isDone, flush);
    await verify(test, app.key, 'payments');
    await loseAnswer(isDone, flush);
    await verify(test, app.key, 'payments');
    expect(counter().waiting).toBeGreaterThan(0);
    await flush();
    expect(await counted()).toEqual({ 'payments allowed': 3 });
    expect(counter().waiting).toBe(0);
  });

  it('that cannot reach the database loses nothing and refuses nobody', async () => {
    const { driver } = test.portal.database;
    const own = driver.begin;
    driver.begin = () => Promise.reject(lost());
    try {
      await verify(test, app.key, 'payments');
      await expect(flush()).rejects.toThrow();
      expect((await verify(test, app.key, 'payments')).status).toBe(200);
      expect(test.portal.services.usage.counter?.waiting).toBe(2);
    } finally {
      driver.begin = own;
    }
    await flush();
    expect(await counted()).toEqual({ 'payments allowed': 2 });
  });

  it('happens when the portal is closed', async () => {
    const { databaseUrl, clock } = test;
    const other = await startTestPortal({ databaseUrl, clock });
    await verify(other, app.key, 'payments');
    await other.stop();
    expect(await counted()).toEqual({ 'payments allowed': 1 });
  });

  it('of many callers at once counts each call once', async () => {
    const calls = Array.from({ length: 60 }, () => verify(test, app.key, 'payments'));
    await Promise.all([...calls, flush(), flush()]);
    await Promise.all([flush(), flush()]);
    expect(await counted()).toEqual({ 'payments allowed': 60 });
  });

  it('adds what waited for longer than a day to the oldest day that is still open', async () => {
    await verify(test, app.key, 'payments');
    test.clock.advance(5 * 86_400);
    await flush();
    const today = Math.floor(test.clock.now().getTime() / 86_400_000);
    expect((await hoursOf(appId)).map(({ hour }) => hour)).toEqual([(today - 1) * 24]);
  });
});

describe('the memory for counts', () => {
  const call = (credentialId: number) => {
    const outcome = 'allowed' as const;
    return { hour: 1, appId: 1, credentialId, product: null, planVersionId: 0, outcome };
  };

  it('is bounded: what is counted already goes on, further keys are said to be lost', () => {
    const batch = new UsageBatch({ counted: 2, refused: 2 });
    expect([1, 2, 3, 1].map((id) => batch.count(call(id), 5))).toEqual([true, true, false, true]);
    for (const network of ['a', 'b', 'c', 'd', 'a']) {
      batch.refuse({ hour: 1, product: 'payments', network, outcome: 'unknown_key' }, 5);
    }
    expect(batch.refusals().map(({ network, calls }) => [network, calls])).toEqual([
      ['a', 2],
      ['b', 1],
      ['', 2],
    ]);
    expect(batch.calls).toBe(8);
  });
});

describe('usage.enabled', () => {
  it('counts nothing when it is off, and verifies as before', async () => {
    const { databaseUrl, clock } = test;
    const other = await startTestPortal({ databaseUrl, clock, config: { usage: { enabled: false } } });
    expect((await verify(other, app.key, 'payments')).status).toBe(200);
    expect(other.portal.services.usage.counter).toBeNull();
    await other.stop();
    expect(await counted()).toEqual({});
  });
});
