import { readdirSync, readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import type { FakeApigee } from '../../../src/modules/apigee/index.js';
import { AdminClient } from '../../support/admin-client.js';
import { Developer } from '../../support/apps.js';
import { createPlan, createProduct } from '../../support/factories.js';
import { FakeClock } from '../../support/fake-clock.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { FLAVOURS, startFakeApigee } from './support.js';

const BUNDLE = 'examples/gateways/apigee/sharedflowbundle';
const SCRIPT = readFileSync(`${BUNDLE}/resources/jsc/portalkit-limits.js`, 'utf8');
const DAY_S = 86_400;

describe.each(FLAVOURS)('plans at Apigee (%s)', (flavour) => {
  let fake: FakeApigee;
  let test: TestPortal;
  let admin: AdminClient;
  let ada: Developer;

  /** What the shared flow lets a call with this key make of the attributes that Apigee has. */
  function limitsAt(key: string, product: string): Record<string, string> {
    const app = fake.organization.apps().find(({ keys }) => keys.some(({ consumerKey }) => consumerKey === key));
    const verified: Record<string, unknown> = { client_id: key, 'apiproduct.name': product, 'app.id': app?.appId };
    for (const { name, value } of app?.attributes ?? []) verified[`app.${name}`] = value;
    const set: Record<string, string> = {};
    const context = {
      getVariable: (name: string) =>
        name === 'system.timestamp' ? test.clock.now().getTime() : verified[name.replace('verifyapikey.Verify.', '')],
      setVariable: (name: string, value: string) => void (set[name.replace('portalkit.', '')] = value),
    };
    runInContext(SCRIPT, createContext({ context, properties: { verify: 'Verify', attribute: 'portalkit-id' } }));
    const { counter, plan, ...limits } = set;
    if (plan !== undefined) expect(counter).toBe(`${app?.appId} ${product}`);
    return limits;
  }
  const setPlan = (app: string, id: number, plan: string) =>
    ada.put(`/${app}/credentials/${id}/products/one/plan`, { plan });

  beforeAll(async () => {
    const clock = new FakeClock();
    fake = await startFakeApigee(flavour, clock);
    const apigee = { ...fake.settings('token'), callsPerMinute: 600_000 };
    test = await startTestPortal({ clock, config: { gateway: { driver: 'apigee', apigee } } });
    await createPlan(test, { slug: 'free' }, { ratePerSecond: 5, quotaPerDay: 1_000 });
    await createPlan(test, { slug: 'pro' }, { ratePerMinute: 600, quotaPerAnchoredMonth: 90_000, gracePercent: 10 });
    await createPlan(test, { slug: 'soft' }, { quotaPerDay: 10, enforcement: 'soft' });
    await createProduct(test, { slug: 'one', gatewayProductId: 'gw-one', plans: ['free', 'pro', 'soft'] });
    await createProduct(test, { slug: 'two', gatewayProductId: 'gw-two' });
    await createProduct(test, { slug: 'asked', gatewayProductId: 'gw-manual', approval: 'manual', plans: ['free'] });
    admin = await AdminClient.create(test);
    ada = await Developer.create(test);
  });
  afterAll(async () => {
    await test.stop();
    await fake.stop();
  });

  it('come with a new app, a further key and a product that is added, each with its own limits', async () => {
    const { id, key } = await ada.createApp('shop', ['two', { slug: 'one', plan: 'pro' }]);
    expect(limitsAt(key, 'gw-one')).toEqual({ minute: '600', month: '99000' });
    expect(limitsAt(key, 'gw-two')).toEqual({});
    const second = (await ada.post('/shop/credentials', { products: ['one'] })).json.data.consumer_key as string;
    expect(limitsAt(second, 'gw-one')).toEqual({ second: '5ps', day: '1000' });
    expect(limitsAt(key, 'gw-one')).toEqual({ minute: '600', month: '99000' });
    await ada.post(`/shop/credentials/${id}/products`, { products: ['asked'] });
    expect(fake.opens(key, 'gw-manual')).toBe(false);
    const app = `/users/${ada.user.id}/apps/shop/credentials/${id}/products/asked`;
    expect((await admin.post(`${app}/approve`)).status).toBe(200);
    expect([fake.opens(key, 'gw-manual'), limitsAt(key, 'gw-manual')]).toEqual([true, { second: '5ps', day: '1000' }]);
  });

  it('change without a new key, and a soft one refuses nothing', async () => {
    const { id, key } = await ada.createApp('moves', ['one']);
    expect((await setPlan('moves', id, 'pro')).status).toBe(200);
    expect(limitsAt(key, 'gw-one')).toEqual({ minute: '600', month: '99000' });
    await setPlan('moves', id, 'soft');
    expect([limitsAt(key, 'gw-one'), fake.opens(key, 'gw-one')]).toEqual([{}, true]);
    await ada.put('/moves', { display_name: 'Moves', description: 'Still the same key.' });
    await setPlan('moves', id, 'free');
    expect(limitsAt(key, 'gw-one')).toEqual({ second: '5ps', day: '1000' });
    expect(fake.organization.apps().find(({ name }) => name === 'moves')?.attributes).toEqual(
      expect.arrayContaining([{ name: 'Notes', value: 'Still the same key.' }]),
    );
  });

  it('are raised for a while, and hold again to the second without anybody telling Apigee', async () => {
    const { key } = await ada.createApp('sale', ['one']);
    const endsAt = new Date(test.clock.now().getTime() + DAY_S * 1000).toISOString();
    const raised = { product: 'one', quota_per_day: 9_000, ends_at: endsAt, reason: 'A sale.' };
    const overrides = `/users/${ada.user.id}/apps/sale/overrides`;
    expect((await admin.post(overrides, raised)).status).toBe(201);
    expect(limitsAt(key, 'gw-one')).toEqual({ second: '5ps', day: '9000' });
    const before = fake.requests.length;
    test.clock.advance(DAY_S);
    expect([limitsAt(key, 'gw-one'), fake.requests.length]).toEqual([{ second: '5ps', day: '1000' }, before]);
    await ada.signInAgain();
    admin = await AdminClient.create(test);
    const exempt = await admin.post(overrides, { product: 'one', exempt: true, reason: 'A partner.' });
    expect(limitsAt(key, 'gw-one')).toEqual({});
    await admin.post(`${overrides}/${exempt.json.data.id}/end`);
    expect(limitsAt(key, 'gw-one')).toEqual({ second: '5ps', day: '1000' });
  });

  it('are found to differ by a comparison, and are written again', async () => {
    const { key } = await ada.createApp('drift', ['one']);
    const app = fake.organization.apps().find(({ name }) => name === 'drift');
    if (app) app.attributes = app.attributes.filter(({ name }) => name !== 'portalkit-id-plans');
    expect(limitsAt(key, 'gw-one')).toEqual({});
    const { sync } = test.portal.services.apps;
    const wishes = { plan: false, reopen: false, prune: false };
    const { drifts } = await sync.run({ ...wishes, plan: true });
    expect(drifts.map(({ kind, app: name, product }) => [kind, name, product])).toEqual([
      ['product_plan', 'drift', 'gw-one'],
    ]);
    await sync.run(wishes);
    expect(limitsAt(key, 'gw-one')).toEqual({ second: '5ps', day: '1000' });
    expect((await sync.run({ ...wishes, plan: true })).drifts).toEqual([]);
  });

  it('survive nonsense in the attribute, forget keys that are gone and go on in a second attribute', async () => {
    const { id } = await ada.createApp('many', ['one']);
    const app = fake.organization.apps().find(({ name }) => name === 'many');
    if (!app) throw new Error('no app');
    const set = (value: string) =>
      void (app.attributes = [
        ...app.attributes.filter(({ name }) => name !== 'portalkit-id-plans'),
        { name: 'portalkit-id-plans', value },
      ]);
    for (const nonsense of ['{', 'null', '[1]', '{"a":1}', '{"__proto__":{"x":["1",""]}}']) {
      set(nonsense);
      expect((await setPlan('many', id, 'pro')).status).toBe(200);
      expect((await setPlan('many', id, 'free')).status).toBe(200);
    }
    const keys = [];
    for (let count = 0; count < 60; count += 1) {
      const pair = { consumerKey: `${'k'.repeat(30)}-${1_000_000_000 + count}`, consumerSecret: `secret-${count}` };
      keys.push(fake.organization.addKey(app, pair, -1).consumerKey);
    }
    const plans = Object.fromEntries(keys.map((key) => [key.slice(-12), { 'gw-one': ['1.1', '7d'] }]));
    set(JSON.stringify({ ...plans, gone: { 'gw-one': ['1.1', '7d'] } }));
    await setPlan('many', id, 'pro');
    const texts = app.attributes.filter(({ name }) => name.startsWith('portalkit-id-plans'));
    expect(texts.map(({ name }) => name)).toEqual(['portalkit-id-plans', 'portalkit-id-plans-2']);
    expect(texts.every(({ value }) => value.length <= 2_048)).toBe(true);
    expect(texts.some(({ value }) => value.includes('gone'))).toBe(false);
    for (const key of keys) expect(limitsAt(key, 'gw-one')).toEqual({ day: '7' });
    await ada.delete('/many');
  });

  it('cannot start a used quota anew, because Apigee counts', async () => {
    await ada.createApp('used', ['one']);
    const path = `/users/${ada.user.id}/apps/used/quota-resets`;
    const { status, json } = await admin.post(path, { product: 'one', reason: 'Our outage.' });
    expect([status, json.errors]).toEqual([409, { gateway: ['The gateway cannot start a used quota anew.'] }]);
  });
});

describe('the shared flow', () => {
  it('has a policy for each step, which counts what the script sets', () => {
    const flow = readFileSync(`${BUNDLE}/sharedflows/default.xml`, 'utf8');
    const steps = [...flow.matchAll(/<Name>(.+)<\/Name>/g)].map(([, name]) => `${name}.xml`);
    expect(readdirSync(`${BUNDLE}/policies`).sort()).toEqual([...steps].sort());
    const used = readdirSync(`${BUNDLE}/policies`).flatMap((file) => {
      const text = readFileSync(`${BUNDLE}/policies/${file}`, 'utf8');
      expect(text).toContain(` name="${file.replace('.xml', '')}" `);
      return [...text.matchAll(/ref="portalkit\.(\w+)"|countRef="portalkit\.(\w+)"/gi)].map(([, a, b]) => a ?? b);
    });
    expect([...new Set(used)].sort()).toEqual(['counter', 'day', 'hour', 'minute', 'month', 'second']);
    for (const [, name] of flow.matchAll(/portalkit\.(\w+) != null/g)) expect(SCRIPT).toContain(`'${name}'`);
  });
});
