import type { PlanLimits } from '../../src/domain/catalog/index.js';
import { AdminClient } from '../support/admin-client.js';
import { Developer, verify } from '../support/apps.js';
import { createPlan, createProduct } from '../support/factories.js';
import type { Answer } from '../support/http-client.js';
import { createTeam } from '../support/teams.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';
import { appIdOf, countedCalls, flushUsage } from '../support/usage.js';

let test: TestPortal;
let ada: Developer;
let count = 0;

/** What is known of calls is read again after so many seconds. */
const FLUSH_S = 5;

beforeAll(async () => {
  test = await startTestPortal({ replicas: 1 });
  ada = await Developer.create(test);
});
afterAll(() => test.stop());
beforeEach(async () => {
  count += 1;
  await ada.signInAgain();
});

async function goTo(time: string): Promise<void> {
  test.clock.advance((new Date(time).getTime() - test.clock.now().getTime()) / 1_000);
  // Sign-ins end meanwhile.
  await ada.signInAgain();
}

/** A product with one plan, and an app with a key for it. */
async function limited(limits: Partial<PlanLimits>) {
  const [product, name] = [`limited-${count}`, `app-${count}`];
  await createPlan(test, { slug: `${product}-plan` }, limits);
  await createProduct(test, { slug: product, plans: [`${product}-plan`] });
  const { id, key } = await ada.createApp(name, [product]);
  const ask = (path = '') => verify(test, key, `${product}${path}`);
  return { product, name, id, key, ask };
}

async function statuses(calls: number, ask: () => Promise<Answer>): Promise<number[]> {
  const seen: number[] = [];
  for (let call = 0; call < calls; call += 1) seen.push((await ask()).status);
  return seen;
}

const headersOf = ({ headers }: Answer, ...names: string[]) => names.map((name) => headers.get(name));
const repeat = (times: number, value: number) => Array<number>(times).fill(value);

describe('a call within its plan', () => {
  it('passes, and is told what is left of every limit', async () => {
    await goTo('2026-06-03T18:00:00.000Z');
    const { ask } = await limited({ ratePerMinute: 5, quotaPerDay: 1_000, quotaPerMonth: 20_000 });
    await ask();
    const answer = await ask();
    expect([answer.status, ...headersOf(answer, 'x-portal-limit', 'retry-after')]).toEqual([200, 'within', null]);
    expect(answer.headers.get('ratelimit-policy')).toBe(
      '"per-minute";q=5;w=60, "daily";q=1000;w=86400, "monthly";q=20000;w=2592000',
    );
    expect(answer.headers.get('ratelimit')).toBe(
      '"per-minute";r=3;t=60, "daily";r=998;t=21600, "monthly";r=19998;t=2354400',
    );
  });

  it('of a key without a plan is told of no limit', async () => {
    await createProduct(test, { slug: 'plain' });
    const { key } = await ada.createApp('plain', ['plain']);
    const answer = await verify(test, key, 'plain');
    expect([answer.status, ...headersOf(answer, 'x-portal-limit', 'ratelimit', 'ratelimit-policy')]).toEqual([
      ...[200, 'none', null, null],
    ]);
  });
});

describe('a call beyond its plan', () => {
  it('is refused with 403, which nginx understands, with the reason and when to try again', async () => {
    await goTo('2026-06-04T23:00:00.000Z');
    const { ask } = await limited({ quotaPerDay: 2 });
    expect(await statuses(2, ask)).toEqual([200, 200]);
    const answer = await ask();
    expect([answer.status, answer.json]).toEqual([403, { error: 'quota_exceeded' }]);
    expect(headersOf(answer, 'x-auth-reason', 'retry-after', 'x-violated-policies', 'ratelimit')).toEqual([
      ...['quota_exceeded', '3600', '"daily"', '"daily";r=0;t=3600'],
    ]);
    expect(headersOf(answer, 'x-portal-app', 'x-portal-developer', 'www-authenticate')).toEqual([null, null, null]);
  });

  it('is refused with 429 and a problem where the proxy passes that on', async () => {
    const { ask, key, product } = await limited({ quotaPerDay: 1 });
    await ask();
    const envoy = await test.client.get(`/gateway/ext-authz/${product}/v1/charge`, { headers: { 'X-API-Key': key } });
    for (const answer of [await ask('/429'), envoy]) {
      expect([answer.status, answer.headers.get('content-type')]).toEqual([429, 'application/problem+json']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(answer.json).toEqual({
        type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
        title: 'The calls that the plan allows are used up.',
        ...{ status: 429, error: 'quota_exceeded', 'violated-policies': ['daily'] },
      });
    }
    expect((await ask('/429/403')).status).toBe(429);
    expect((await ask('/403')).status).toBe(403);
    // A key that does not open is refused as before.
    expect((await verify(test, null, `${product}/429`)).status).toBe(401);
  });

  it('does not use the quota up, and is counted under its own reason and its plan', async () => {
    const { ask, name } = await limited({ quotaPerDay: 2, ratePerSecond: 1 });
    await ask();
    await ask();
    test.clock.advance(2);
    await ask();
    test.clock.advance(2);
    await ask();
    await flushUsage(test);
    const appId = await appIdOf(test, name);
    const product = `limited-${count}`;
    expect(await countedCalls(test.portal.database, appId)).toEqual({
      ...{ [`${product} allowed`]: 2, [`${product} rate_exceeded`]: 1, [`${product} quota_exceeded`]: 1 },
    });
    const rows = await test.portal.database.select<{ plan: number }>(
      'SELECT DISTINCT plan_version_id AS plan FROM portal_usage_hours WHERE app_id = ?',
      [appId],
    );
    expect(rows).toEqual([{ plan: expect.any(Number) }]);
    expect(rows[0]?.plan).toBeGreaterThan(0);
    const refusals = (await ada.get(`/${name}/usage/refusals`)).json.data as { outcome: string }[];
    expect(refusals.map(({ outcome }) => outcome).sort()).toEqual(['quota_exceeded', 'rate_exceeded']);
  });

  it('passes and is marked where the limits are soft', async () => {
    const { ask, name } = await limited({ quotaPerDay: 1, enforcement: 'soft' });
    const answers = [await ask(), await ask(), await ask('/429')];
    expect(answers.map((answer) => [answer.status, answer.headers.get('x-portal-limit')])).toEqual([
      ...[
        [200, 'within'],
        [200, 'quota_exceeded'],
        [200, 'quota_exceeded'],
      ],
    ]);
    expect(headersOf(answers[2] as Answer, 'ratelimit', 'retry-after', 'x-auth-reason')).toEqual([
      ...[expect.stringContaining('"daily";r=0;t='), null, null],
    ]);
    await flushUsage(test);
    expect(await countedCalls(test.portal.database, await appIdOf(test, name))).toEqual({
      [`limited-${count} allowed`]: 3,
    });
  });

  it('passes within the grace of a quota, marked, and not beyond it', async () => {
    const { ask } = await limited({ quotaPerDay: 10, gracePercent: 25 });
    const answers: Answer[] = [];
    for (let call = 0; call < 13; call += 1) answers.push(await ask());
    expect(answers.map(({ status }) => status)).toEqual([...repeat(12, 200), 403]);
    expect(answers.map(({ headers }) => headers.get('x-portal-limit'))).toEqual([
      ...[...Array<string>(10).fill('within'), 'quota_exceeded', 'quota_exceeded', null],
    ]);
  });
});

describe('a quota', () => {
  it('belongs to the app: more keys do not multiply it, and another app has its own', async () => {
    const { product, name, ask } = await limited({ quotaPerMonth: 3 });
    const second = (await ada.post(`/${name}/credentials`, { products: [product] })).json.data.consumer_key as string;
    const other = await ada.createApp(`${name}-other`, [product]);
    expect(await statuses(2, ask)).toEqual([200, 200]);
    expect(await statuses(2, () => verify(test, second, product))).toEqual([200, 403]);
    expect((await ask()).status).toBe(403);
    expect(await statuses(4, () => verify(test, other.key, product))).toEqual([200, 200, 200, 403]);
  });

  it('also when its keys began their months on different days', async () => {
    await goTo('2026-07-05T12:00:00.000Z');
    const { product, name, ask } = await limited({ quotaPerAnchoredMonth: 3 });
    expect(await statuses(2, ask)).toEqual([200, 200]);
    await goTo('2026-07-20T12:00:00.000Z');
    await flushUsage(test);
    const second = (await ada.post(`/${name}/credentials`, { products: [product] })).json.data.consumer_key as string;
    expect(await statuses(2, () => verify(test, second, product))).toEqual([200, 200]);
    // Four since the 5th, for which the plan of the first key allows three; two since the 20th.
    expect((await ask()).status).toBe(403);
  });

  it('is not touched by who has no key of the app, whatever is guessed or sent along', async () => {
    const { product, ask } = await limited({ quotaPerDay: 2 });
    for (const key of ['pk_00000000000000000000000000000000', 'short', 'x'.repeat(300)])
      await verify(test, key, product);
    const headers = {
      'X-Portal-App': `app-${count}`,
      'X-Portal-Key-Id': '1',
      'X-Portal-Limit': 'within',
      RateLimit: 'x',
    };
    await test.client.get(`/gateway/verify/${product}`, { headers });
    const answer = await ask();
    expect(answer.headers.get('ratelimit')).toContain('"daily";r=1;');
  });

  it('begins anew at midnight of UTC, whatever was flushed when', async () => {
    await goTo('2026-08-10T23:59:59.000Z');
    const { ask } = await limited({ quotaPerDay: 3 });
    expect(await statuses(4, ask)).toEqual([200, 200, 200, 403]);
    await goTo('2026-08-11T00:00:00.000Z');
    // Yesterday's calls reach the database today.
    await flushUsage(test);
    expect(await statuses(4, ask)).toEqual([200, 200, 200, 403]);
    test.clock.advance(2 * FLUSH_S);
    await flushUsage(test);
    expect((await ask()).status).toBe(403);
  });

  it.each([
    ['a calendar month', { quotaPerMonth: 2 }, '2026-12-31T23:59:59.000Z', '2027-01-01T00:00:00.000Z'],
    [
      'a month from the 31st, in February',
      { quotaPerAnchoredMonth: 2 },
      '2027-02-27T23:59:59.000Z',
      '2027-02-28T00:00:00.000Z',
      '2027-01-31T08:00:00.000Z',
    ],
    [
      'a month from the 30th, in a leap year',
      { quotaPerAnchoredMonth: 2 },
      '2028-02-28T23:59:59.000Z',
      '2028-02-29T00:00:00.000Z',
      '2028-01-30T08:00:00.000Z',
    ],
    [
      'a month from the 29th, in February',
      { quotaPerAnchoredMonth: 2 },
      '2029-02-27T23:59:59.000Z',
      '2029-02-28T00:00:00.000Z',
      '2029-01-29T08:00:00.000Z',
    ],
  ])('of %s ends at its boundary and no second earlier', async (_, limits, before, after, since = before) => {
    await goTo(since);
    const { ask } = await limited(limits);
    await goTo(before);
    expect(await statuses(3, ask)).toEqual([200, 200, 403]);
    await flushUsage(test);
    await goTo(after);
    expect(await statuses(3, ask)).toEqual([200, 200, 403]);
    await flushUsage(test);
    test.clock.advance(2 * FLUSH_S);
    expect((await ask()).status).toBe(403);
  });

  it('goes on where it was after a restart, and does not count what was called before there was a plan', async () => {
    await goTo('2029-08-03T10:00:00.000Z');
    const admin = await AdminClient.create(test);
    const product = `restarted-${count}`;
    await createProduct(test, { slug: product });
    const { id, key } = await ada.createApp(`restarted-${count}`, [product]);
    await statuses(5, () => verify(test, key, product));
    await createPlan(test, { slug: `${product}-plan` }, { quotaPerMonth: 3 });
    await admin.put(`/products/${product}/plans`, { plans: [`${product}-plan`] });
    await ada.put(`/restarted-${count}/credentials/${id}/products/${product}/plan`, { plan: `${product}-plan` });
    expect(await statuses(2, () => verify(test, key, product))).toEqual([200, 200]);
    await flushUsage(test);
    const again = await startTestPortal({ databaseUrl: test.databaseUrl, clock: test.clock });
    expect(await statuses(2, () => verify(again, key, product))).toEqual([200, 403]);
    await again.stop();
  });

  it('of another plan counts what was called with the one before, from the next call on', async () => {
    const { product, name, id, ask } = await limited({ quotaPerDay: 2 });
    await createPlan(test, { slug: `${product}-pro` }, { quotaPerDay: 4 });
    const admin = await AdminClient.create(test);
    await admin.put(`/products/${product}/plans`, { plans: [`${product}-plan`, `${product}-pro`] });
    const change = (plan: string) => ada.put(`/${name}/credentials/${id}/products/${product}/plan`, { plan });
    expect(await statuses(3, ask)).toEqual([200, 200, 403]);
    expect((await change(`${product}-pro`)).status).toBe(200);
    expect(await statuses(3, ask)).toEqual([200, 200, 403]);
    expect((await change(`${product}-plan`)).status).toBe(200);
    expect((await ask()).status).toBe(403);
  });
});

describe('a plan that all apps of an owner share', () => {
  it('holds the calls of all apps of a team against one quota, and those of nobody else', async () => {
    await goTo('2029-10-03T10:00:00.000Z');
    const { product, ask } = await limited({ quotaPerDay: 4, isShared: true });
    const { teams } = test.portal.services.teams;
    const { apps } = test.portal.services.apps;
    const owner = await teams.accountOf(await createTeam(test, ada.user));
    const by = { type: 'developer', id: ada.user.id } as const;
    const made = [];
    for (const name of ['one', 'two']) {
      const view = await apps.create(owner, { name, displayName: name, products: [product] }, by);
      made.push({ id: view.app.id, key: view.credentials?.[0]?.key?.consumerKey ?? '' });
    }
    const [one, two] = made.map(
      ({ key }) =>
        () =>
          verify(test, key, product),
    ) as [typeof ask, typeof ask];
    expect(await statuses(3, () => one())).toEqual([200, 200, 200]);
    expect(await statuses(2, () => two())).toEqual([200, 403]);
    expect((await one()).headers.get('ratelimit')).toContain('"daily";r=0;');
    // The developer has the same plan, and a quota of their own.
    expect(await statuses(2, ask)).toEqual([200, 200]);
    await flushUsage(test);
    const [use] = await test.portal.services.usage.quotas.ofApp(made[1]?.id ?? 0);
    expect([use?.plan.limits.isShared, use?.quotas[0]?.used]).toEqual([true, 4]);
    // Another process learns it from the tables.
    const again = await startTestPortal({ databaseUrl: test.databaseUrl, clock: test.clock });
    expect((await verify(again, made[1]?.key ?? '', product)).status).toBe(403);
    await again.stop();
  });

  it('is told of where quotas are, and is not reset for one of the apps', async () => {
    await goTo('2029-10-05T10:00:00.000Z');
    const { product, name, ask } = await limited({ quotaPerDay: 4, isShared: true });
    const other = await ada.createApp(`${name}-other`, [product]);
    await ask();
    await verify(test, other.key, product);
    await flushUsage(test);
    expect((await ada.get(`/${name}/usage/quotas`)).json.data).toMatchObject([{ shared: true, quotas: [{ used: 2 }] }]);
    const admin = await AdminClient.create(test);
    const reset = { product, reason: 'Our outage used them up.' };
    const refused = await admin.post(`/users/${ada.user.id}/apps/${name}/quota-resets`, reset);
    expect([refused.status, refused.json.errors.product?.[0]]).toEqual([409, expect.stringContaining('All apps')]);
  });
});

describe('without Redis', () => {
  it('replicas learn of the calls of each other with each flush', async () => {
    const { ask, key, product } = await limited({ quotaPerDay: 10 });
    const other = await startTestPortal({ databaseUrl: test.databaseUrl, clock: test.clock });
    const there = () => verify(other, key, product);
    expect(await statuses(4, ask)).toEqual(repeat(4, 200));
    expect(await statuses(4, there)).toEqual(repeat(4, 200));
    await flushUsage(test);
    await flushUsage(other);
    test.clock.advance(FLUSH_S);
    // The first call has what is known read again and does not wait for it.
    await ask();
    await there();
    await flushUsage(test);
    await flushUsage(other);
    test.clock.advance(2 * FLUSH_S);
    expect(await statuses(2, ask)).toEqual([403, 403]);
    expect(await statuses(2, there)).toEqual([403, 403]);
    await other.stop();
  });

  it('let pass at most what the others let pass since they wrote last', async () => {
    const { key, product } = await limited({ quotaPerDay: 100 });
    const other = await startTestPortal({ databaseUrl: test.databaseUrl, clock: test.clock });
    let passed = 0;
    let last = 0;
    for (let round = 0; round < 20; round += 1) {
      last = 0;
      for (const portal of [test, other])
        for (const status of await statuses(8, () => verify(portal, key, product))) if (status === 200) last += 1;
      passed += last;
      await flushUsage(test);
      await flushUsage(other);
      test.clock.advance(FLUSH_S);
    }
    expect(last).toBe(0);
    expect(passed).toBeGreaterThanOrEqual(100);
    // What one of them lets pass between two flushes.
    expect(passed).toBeLessThanOrEqual(100 + 8);
    await other.stop();
  });
});

describe('refused calls of an app', () => {
  it('are told by their reason, once for each product and key, whatever the hours', async () => {
    await goTo('2026-07-20T09:00:00.000Z');
    const { name, ask } = await limited({ quotaPerDay: 1 });
    expect(await statuses(3, ask)).toEqual([200, 403, 403]);
    test.clock.advance(3_600);
    expect(await statuses(1, ask)).toEqual([403]);
    await flushUsage(test);
    await ada.signInAgain();
    const { json } = await ada.get(`/${name}/usage/refusals`);
    expect(json.data).toMatchObject([{ outcome: 'quota_exceeded', calls: 3, last_at: '2026-07-20T10:00:00.000Z' }]);
  });
});
