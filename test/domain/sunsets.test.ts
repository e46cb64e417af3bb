import { AdminClient } from '../support/admin-client.js';
import { Developer, verify } from '../support/apps.js';
import { createAdmin, createProduct, createRole } from '../support/factories.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';
import { flushUsage } from '../support/usage.js';

const DAY_S = 86_400;
/** Of each kind: those that close by themselves, and those that wait for an admin. */
const PRODUCTS = 12;
const KINDS = ['automatic', 'manual'] as const;
const slugs = KINDS.flatMap((kind) => Array.from({ length: PRODUCTS }, (_, index) => `${kind}-${index}`));

let one: TestPortal;
let two: TestPortal;
let boss: string;
let callers: Developer[];
let keys: string[];
let sunset: Date;

beforeAll(async () => {
  one = await startTestPortal({ replicas: 1 });
  two = await startTestPortal({ replicas: 1, clock: one.clock, databaseUrl: one.databaseUrl });
  const admin = await AdminClient.create(one, ['catalog_manager']);
  const roles = [await createRole(one, ['portal.admin.access', 'portal.products.update'])];
  boss = (await createAdmin(one, { roles })).email;
  callers = await Promise.all([1, 2].map(() => Developer.create(one)));
  for (const slug of slugs) await createProduct(one, { slug });
  sunset = new Date(`${new Date(one.clock.now().getTime() + 100 * DAY_S * 1_000).toISOString().slice(0, 10)}T00:00Z`);
  keys = [];
  for (const caller of callers) {
    keys.push((await caller.createApp('shop', slugs)).key);
    const { endpoints } = one.portal.services.webhooks;
    const input = { url: 'https://hooks.example.com/', events: ['product.*'] };
    const { endpoint } = await endpoints.create(input, caller.user.id, null);
    await one.portal.database.execute("UPDATE portal_webhook_endpoints SET status = 'active' WHERE id = ?", [
      endpoint.id,
    ]);
  }
  await call();
  for (const slug of slugs) {
    const body = { sunset_at: sunset.toISOString(), closes: slug.split('-', 1)[0] };
    const { id } = (await admin.post(`/products/${slug}/deprecations`, body)).json.data;
    expect((await admin.post(`/products/${slug}/deprecations/${id as number}/announce`)).status).toBe(200);
  }
});
afterAll(async () => {
  await two.stop();
  await one.stop();
});

/** Each app calls each product; what was counted is summed up. */
async function call(): Promise<void> {
  for (const slug of slugs) await Promise.all(keys.map((key) => verify(one, key, slug)));
  await flushUsage(one);
  await one.portal.jobs.run('usage');
}
/** On both replicas at the same moment, as if neither had a lease. */
const run = (job: string) => Promise.all([one, two].map(({ portal }) => portal.jobs.run(job)));
const until = (at: Date) => one.clock.advance((at.getTime() - one.clock.now().getTime()) / 1_000);
/** How often each of these stands in the table: the number of times → how many of them. */
async function times(sql: string, values: string[]): Promise<Record<number, number>> {
  const rows = await one.portal.database.select<{ times: number }>(sql, values);
  const counted: Record<number, number> = {};
  for (const row of rows) counted[Number(row.times)] = (counted[Number(row.times)] ?? 0) + 1;
  return counted;
}
const mailed = (template: string, to: string) =>
  times('SELECT COUNT(*) AS times FROM portal_mails WHERE template = ? AND recipient = ?', [template, to]);
const recorded = (action: string) =>
  times('SELECT COUNT(*) AS times FROM portal_activities WHERE action = ? GROUP BY subject_id', [action]);
const hooked = (type: string) =>
  times('SELECT COUNT(*) AS times FROM portal_webhook_messages WHERE type = ? GROUP BY subject', [type]);
const askLifecycles = ({ client }: TestPortal) => {
  const all = KINDS.map(async (kind) => {
    const { headers } = await client.get(`/gateway/verify/${kind}-0`, { headers: { 'X-API-Key': keys[0] ?? '' } });
    return headers.get('x-auth-reason') ?? headers.get('x-portal-lifecycle');
  });
  return Promise.all(all);
};

describe('a sunset that comes due on two replicas at once', () => {
  it('is announced to those who call, and reminded of at each stage, once', async () => {
    await run('change-notices');
    for (const { user } of callers)
      expect(await mailed('deprecation-announced', user.email)).toEqual({ [2 * PRODUCTS]: 1 });
    for (const [stage, days] of [90, 30, 7, 1].entries()) {
      until(new Date(sunset.getTime() - (days * DAY_S - 1) * 1_000));
      await call();
      await run('change-notices');
      for (const { user } of callers) {
        expect(await mailed('sunset-near', user.email)).toEqual({ [(stage + 1) * 2 * PRODUCTS]: 1 });
      }
    }
  });

  it('closes on both in the same second, and is recorded, told and mailed once', async () => {
    until(new Date(sunset.getTime() - 1_000));
    for (const replica of [one, two]) expect(await askLifecycles(replica)).toEqual(['sunset', 'sunset']);
    until(sunset);
    for (const replica of [one, two]) expect(await askLifecycles(replica)).toEqual(['product_retired', 'sunset']);
    await run('sunsets');
    await run('sunsets');
    const ofEach = { 1: PRODUCTS };
    expect(await recorded('product.deprecation_retired')).toEqual(ofEach);
    expect(await recorded('product.sunset_reached')).toEqual(ofEach);
    expect(await hooked('product.deprecation_retired')).toEqual(ofEach);
    expect(await hooked('product.sunset_reached')).toEqual(ofEach);
    expect(await mailed('sunset-waiting', boss)).toEqual({ [PRODUCTS]: 1 });
    expect(await times('SELECT COUNT(*) AS times FROM portal_deprecations GROUP BY state', [])).toEqual({
      [PRODUCTS]: 2,
    });
    for (const replica of [one, two]) expect(await askLifecycles(replica)).toEqual(['product_retired', 'sunset']);
  });
});

describe('a digest that comes due on two replicas at once', () => {
  it('is sent once to each who wants one, with all that changed', async () => {
    const { changeMails } = one.portal.services;
    for (const { user } of callers) await changeMails.choose(user.id, 'daily');
    const { post } = await AdminClient.create(one, ['catalog_manager']);
    for (const product of slugs.filter((slug) => slug.startsWith('manual'))) {
      const draft = await post(`/products/${product}/changes`, { kind: 'breaking', name: 'Amounts are texts' });
      const path = `/products/${product}/changes/${draft.json.data.id as number}/publish`;
      expect((await post(path, { notice: true })).status).toBe(200);
    }
    await run('change-notices');
    await run('change-digests');
    for (const { user } of callers) expect(await mailed('changes-digest', user.email)).toEqual({ 0: 1 });
    until(new Date(one.clock.now().getTime() + DAY_S * 1_000));
    await run('change-digests');
    await run('change-digests');
    for (const { user } of callers) {
      expect(await mailed('changes-digest', user.email)).toEqual({ 1: 1 });
      expect(await mailed('change-published', user.email)).toEqual({ 0: 1 });
    }
    expect(
      await times("SELECT COUNT(*) AS times FROM portal_notices WHERE digest = 'sent' GROUP BY user_id", []),
    ).toEqual({
      [PRODUCTS]: callers.length,
    });
  });
});
