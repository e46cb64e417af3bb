import { Admin } from '../../support/admin.js';
import { Developer } from '../../support/apps.js';
import { createProduct } from '../../support/factories.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';

let test: TestPortal;
let boss: Admin;
let receiver: WebhookReceiver;
let other: WebhookReceiver;
beforeAll(async () => {
  test = await startTestPortal({ config: { outbound: { allow: ['127.0.0.1'] } }, replicas: 1 });
  boss = await Admin.create(test);
});
afterAll(() => test.stop());
beforeEach(async () => {
  receiver = await WebhookReceiver.start();
  other = await WebhookReceiver.start();
  await test.portal.database.execute('DELETE FROM portal_webhook_endpoints');
  await test.portal.database.execute('DELETE FROM portal_webhook_messages');
});
afterEach(async () => {
  await receiver.stop();
  await other.stop();
});

async function hook(terms: Record<string, unknown>): Promise<number> {
  const { status, json } = await boss.post('/webhooks', { url: receiver.url, events: ['*'], ...terms });
  expect([status, json.errors]).toEqual([201, undefined]);
  expect((await boss.post(`/webhooks/${json.data.id}/verify`)).status).toBe(200);
  return json.data.id as number;
}
async function deliver(): Promise<void> {
  await test.portal.jobs.run('webhooks');
  await test.portal.services.webhooks.dispatcher.idle();
}
async function later(seconds: number): Promise<void> {
  test.clock.advance(seconds);
  boss.token = await signIn(test, boss.record);
}
const ids = new Map<string, number>();
const say = async (slug: string) =>
  ids.set(slug, (await test.portal.services.catalog.categories.create({ slug, name: slug })).id);
const rename = (slug: string, name: string) =>
  test.portal.services.catalog.categories.update(ids.get(slug) ?? 0, { name });
const bodies = () =>
  receiver.received.map(({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> });
const of = (type: string) => bodies().filter((body) => body.type === type);

describe('the terms of an endpoint', () => {
  it('add the chosen fields to thin messages, and to nobody else’s', async () => {
    await hook({ events: ['category.*'], fields: ['label', 'changes.name'] });
    await hook({ events: ['category.*'], url: other.url });
    await say('maps');
    await rename('maps', 'Sea charts');
    await deliver();
    const [updated] = of('category.updated');
    expect(updated?.data).toMatchObject({
      subject: { type: 'category', label: expect.any(String) },
      changes: { name: { from: 'maps', to: 'Sea charts' } },
    });
    expect(Object.keys(of('category.created')[0]?.data.changes ?? {})).toEqual(['name']);
    const thin = other.received.map(({ body }) => JSON.parse(body) as { data: { subject: object } });
    for (const { data } of thin) {
      expect(data).not.toHaveProperty('changes');
      expect(data.subject).not.toHaveProperty('label');
    }
    expect(thin).toHaveLength(2);
    expect(new Set(other.received.map(({ id }) => id))).toEqual(new Set(receiver.received.map(({ id }) => id)));
  });

  it('tell no key, no secret and nothing of people, whatever is chosen', async () => {
    await hook({ fields: ['label', 'changes'] });
    await createProduct(test, { slug: 'payments', name: 'Payments' });
    const ada = await Developer.create(test);
    const { key } = await ada.createApp('shop', ['payments']);
    await test.portal.services.accounts.users.update(ada.user.id, { lastName: 'Byron' });
    await test.portal.database.execute('UPDATE portal_webhook_deliveries SET due_at = ?', [test.clock.now()]);
    await deliver();
    const all = receiver.received.map(({ body }) => body).join('\n');
    expect(of('app.created')[0]?.data.changes).toMatchObject({ status: { from: null, to: 'approved' } });
    for (const hidden of [key, 'Byron', ada.user.email, '[masked]', 'consumer_key', 'key_hint']) {
      expect(all).not.toContain(hidden);
    }
    expect(of('user.updated')[0]?.data).toMatchObject({ changed: ['lastName'] });
    expect(of('user.updated')[0]?.data).not.toHaveProperty('changes');
  });

  it('give what was missed the same fields', async () => {
    const id = await hook({ events: ['category.*'], fields: ['changes.name'] });
    await boss.put(`/webhooks/${id}`, { enabled: false });
    const since = test.clock.now().toISOString();
    await say('missed');
    await later(60);
    await boss.post(`/webhooks/${id}/verify`);
    expect((await boss.post(`/webhooks/${id}/replay`, { since })).json.data).toEqual({ messages: 1 });
    await deliver();
    expect(bodies()[0]?.data.changes).toEqual({ name: { from: null, to: 'missed' } });
    const [{ id: delivery } = { id: 0 }] = (await boss.get(`/webhooks/${id}/deliveries`)).json.data as { id: number }[];
    expect((await boss.get(`/webhooks/${id}/deliveries/${delivery}`)).json.data.body).toBe(receiver.received[0]?.body);
  });

  it('keep the order of a subject: a later message waits while an earlier one is tried, those of others do not', async () => {
    await hook({ events: ['category.*'], ordered: true });
    receiver.answer = { status: 500 };
    await say('first');
    await deliver();
    receiver.answer = { status: 200 };
    await rename('first', 'second');
    await rename('first', 'third');
    await say('other');
    await deliver();
    expect(of('category.updated')).toHaveLength(0);
    expect(of('category.created')).toHaveLength(2);
    await later(7);
    await deliver();
    expect(bodies().map(({ type }) => type)).toEqual([
      ...['category.created', 'category.created', 'category.created', 'category.updated', 'category.updated'],
    ]);
    const [first, , third] = receiver.received;
    expect(third?.id).toBe(first?.id);
  });

  it('send no more in a minute than asked', async () => {
    const id = await hook({ events: ['category.*'], rate: 24 });
    for (let count = 0; count < 5; count += 1) await say(`rate-${count}`);
    const seen: number[] = [];
    for (const pause of [0, 1, 4, 1, 4]) {
      await later(pause);
      await deliver();
      seen.push(receiver.received.length);
    }
    expect(seen).toEqual([2, 2, 4, 4, 5]);
    expect((await boss.get(`/webhooks/${id}`)).json.data).toMatchObject({ rate: 24, at_once: null, ordered: false });
  });

  it('send no more at once than asked, two replicas together, and free the way when one of them crashes', async () => {
    await hook({ events: ['category.*'], at_once: 1 });
    for (const name of ['c1', 'c2', 'c3', 'c4']) await say(name);
    await Promise.all([deliver(), deliver()]);
    expect([receiver.received.length, receiver.mostAtOnce]).toEqual([4, 1]);
    await say('c5');
    const until = new Date(test.clock.now().getTime() + 59_000);
    await test.portal.database.execute("UPDATE portal_webhook_endpoints SET lane = 'crashed', lane_until = ?", [until]);
    await deliver();
    expect(receiver.received).toHaveLength(4);
    await later(60);
    await deliver();
    expect(receiver.received).toHaveLength(5);
  });

  it('let one of the operator hear of some audiences alone: of their people, products and plans, also of those that go', async () => {
    const { catalog, accounts } = test.portal.services;
    const [ada, eve] = [await Developer.create(test), await Developer.create(test)];
    const partners = await catalog.audiences.create({ name: 'partners', users: [ada.user.email] });
    const { id: others } = await catalog.audiences.create({ name: 'others', users: [eve.user.email] });
    const mine = await createProduct(test, { slug: 'mine', visibility: 'private', audiences: ['partners'] });
    await createProduct(test, { slug: 'theirs', visibility: 'private', audiences: ['others'] });
    const id = await hook({ audiences: ['Partners'] });
    await hook({ url: other.url });
    expect((await boss.get(`/webhooks/${id}`)).json.data.audiences).toEqual([{ id: partners.id, name: 'partners' }]);
    await ada.createApp('shop', ['mine']);
    await eve.createApp('shop', ['theirs']);
    await say('nobody');
    await catalog.products.update(mine.id, { name: 'Mine' });
    await catalog.plans.create({ slug: 'gold', name: 'Gold', approval: 'auto', audiences: ['partners'] });
    await catalog.audiences.update(others, { description: 'Of Eve' });
    await accounts.users.update(eve.user.id, { lastName: 'Byron' });
    await accounts.users.delete(ada.user.id);
    await catalog.products.delete(mine.id);
    await deliver();
    const heard = () => bodies().map(({ type, data }) => `${type} of ${String(data.owner_id)}`);
    const ofAda = ['app.created', 'credential.created', 'app.deleted', 'user.deleted'].map(
      (type) => `${type} of ${ada.user.id}`,
    );
    const ofNobody = ['plan.created', 'product.deleted', 'product.updated'].map((type) => `${type} of null`);
    expect(heard().sort()).toEqual([...ofAda, ...ofNobody].sort());
    await boss.put(`/webhooks/${id}`, { audiences: [others] });
    expect((await boss.delete(`/audiences/${others}`)).json.errors).toEqual({ webhooks: [expect.any(String)] });
    const count = receiver.received.length;
    expect((await boss.post(`/webhooks/${id}/replay`, { since: '2020-01-01' })).status).toBe(200);
    await deliver();
    const ofEve = ['app.created', 'credential.created', 'user.updated'].map((type) => `${type} of ${eve.user.id}`);
    expect(heard().slice(count).sort()).toEqual([...ofEve, 'audience.updated of null'].sort());
    await boss.put(`/webhooks/${id}`, { audiences: [] });
    await say('everybody');
    await deliver();
    expect(heard()).toContain('category.created of null');
    const kept = { url: receiver.url, events: ['*'], audiences: ['nobody'] };
    expect((await boss.post('/webhooks', kept)).json.errors).toHaveProperty('audiences');
    const own = await test.client.send('POST', '/api/v1/me/webhooks', {
      token: await signIn(test, eve.user),
      body: { url: receiver.url, events: ['app.*'], audiences: ['others'] },
    });
    expect([own.status, Object.keys(own.json.errors)]).toEqual([422, ['audiences']]);
  });

  it('are refused beyond their limits', async () => {
    for (const [terms, field] of [
      [{ fields: ['secret'] }, 'fields'],
      [{ fields: ['changes.'] }, 'fields'],
      [{ at_once: 0 }, 'at_once'],
      [{ at_once: 11 }, 'at_once'],
      [{ rate: 6_001 }, 'rate'],
      [{ ordered: 'perhaps' }, 'ordered'],
    ] as const) {
      const { status, json } = await boss.post('/webhooks', { url: receiver.url, events: ['*'], ...terms });
      expect([status, Object.keys(json.errors ?? {})]).toEqual([422, [field]]);
    }
  });
});
