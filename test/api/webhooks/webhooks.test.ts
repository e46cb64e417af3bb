import { createPublicKey, verify } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { Admin } from '../../support/admin.js';
import { createAdmin, createUser } from '../../support/factories.js';
import { ProcessMetrics, silentLogger } from '../../../src/core/index.js';
import { webhookMessageRecord } from '../../../src/domain/webhooks/webhook.js';
import { WebhookDispatcher } from '../../../src/domain/webhooks/webhook-dispatcher.js';
import type { UserRecord } from '../../../src/domain/accounts/index.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { WebhookReceiver, type ReceivedWebhook } from '../../support/webhook-receiver.js';

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

let test: TestPortal;
let boss: Admin;
let receiver: WebhookReceiver;
beforeAll(async () => {
  test = await startTestPortal({ config: { outbound: { allow: ['127.0.0.1'] } }, replicas: 1 });
  boss = await Admin.create(test);
});
afterAll(() => test.stop());
beforeEach(async () => {
  receiver = await WebhookReceiver.start();
  await test.portal.database.execute('DELETE FROM portal_webhook_endpoints');
  await test.portal.database.execute('DELETE FROM portal_webhook_messages');
});
afterEach(() => receiver.stop());

/** An endpoint of the operator that is told of `events`. */
async function hook(events: readonly string[], url = receiver.url): Promise<{ id: number; secret: string }> {
  const { status, json } = await boss.post('/webhooks', { url, events });
  expect(status).toBe(201);
  expect((await boss.post(`/webhooks/${json.data.id}/verify`)).status).toBe(200);
  return json.data as { id: number; secret: string };
}
async function deliver(): Promise<void> {
  await test.portal.jobs.run('webhooks');
  await test.portal.services.webhooks.dispatcher.idle();
}
/** Signs in again, for tokens end sooner than messages are given up. */
async function later(seconds: number): Promise<void> {
  test.clock.advance(seconds);
  boss.token = await signIn(test, boss.record);
}
const say = (name: string) => test.portal.services.catalog.categories.create({ slug: name, name });
const deliveries = async (id: number) =>
  (await boss.get(`/webhooks/${id}/deliveries?order_by=created_at&order=asc`)).json.data as {
    id: number;
    state: string;
    tries: number;
    due_at: string;
  }[];
const state = async (id: number) => (await boss.get(`/webhooks/${id}`)).json.data as Record<string, unknown>;
/** At the time of the receiver, which is now: the clock of the test portal stands elsewhere. */
function verifyNow(secret: string, { headers, body }: ReceivedWebhook): unknown {
  const now = Date.now;
  Date.now = () => Number(headers['webhook-timestamp']) * 1000;
  try {
    return new Webhook(secret).verify(body, headers as Record<string, string>);
  } finally {
    Date.now = now;
  }
}
const mailsTo = (email: string) =>
  test.portal.database.select<{ template: string }>('SELECT template FROM portal_mails WHERE recipient = ?', [email]);

describe('a webhook', () => {
  it('tells an endpoint what happened, thinly and signed as Standard Webhooks says', async () => {
    const { id, secret } = await hook(['category.*']);
    const category = await say('maps');
    await deliver();
    const [got] = receiver.received as [ReceivedWebhook];
    expect(verifyNow(secret, got)).toEqual({
      type: 'category.created',
      timestamp: test.clock.now().toISOString(),
      data: {
        subject: { type: 'category', id: String(category.id) },
        ...{ owner_id: null, changed: expect.arrayContaining(['slug']), facts: {}, url: null },
      },
    });
    expect(got.id).toMatch(/^msg_[0-9a-f]{32}$/);
    expect(await deliveries(id)).toMatchObject([{ state: 'sent', tries: 1 }]);
    for (const broken of [
      { ...got, body: got.body.replace('created', 'deleted') },
      { ...got, headers: { ...got.headers, 'webhook-id': 'msg_other' } },
      {
        ...got,
        headers: { ...got.headers, 'webhook-timestamp': String(Number(got.headers['webhook-timestamp']) + 1) },
      },
    ]) {
      expect(() => verifyNow(secret, broken)).toThrow('No matching signature');
    }
  });

  it('carries a signature that anybody can check with the public keys', async () => {
    await hook(['category.*']);
    await say('roads');
    await deliver();
    const { status, json } = await test.client.get('/.well-known/webhooks-keys');
    const [key = ''] = (json as unknown as { keys: string[] }).keys;
    expect([status, key]).toEqual([200, expect.stringMatching(/^whpk_/)]);
    const raw = Buffer.from(key.slice('whpk_'.length), 'base64');
    const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]);
    const [{ headers, body }] = receiver.received as [ReceivedWebhook];
    const signature = /v1a,(\S+)/.exec(String(headers['webhook-signature']))?.[1] ?? '';
    const text = (changed: string) =>
      Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${changed}`);
    const check = (changed: string) =>
      verify(
        null,
        text(changed),
        createPublicKey({ key: der, format: 'der', type: 'spki' }),
        Buffer.from(signature, 'base64'),
      );
    expect([check(body), check(`${body} `)]).toEqual([true, false]);
  });

  it('is not there when the change is not', async () => {
    const { id } = await hook(['*']);
    const before = (await deliveries(id)).length;
    const { database, events, services } = test.portal;
    const { CategoryCreatedEvent } = await import('../../../src/domain/catalog/index.js');
    const category = await services.catalog.categories.create({ slug: 'kept', name: 'kept' });
    const undone = database.transaction(async (transaction) => {
      await events.emit(new CategoryCreatedEvent({ category, occurredAt: test.clock.now() }), transaction);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await deliveries(id)).toHaveLength(before + 1);
  });

  it('goes to nobody who has not echoed a challenge', async () => {
    const { json } = await boss.post('/webhooks', { url: receiver.url, events: ['category.*'] });
    receiver.isLiar = true;
    const refused = await boss.post(`/webhooks/${json.data.id}/verify`);
    expect([refused.status, refused.json.errors?.url?.[0]]).toEqual([422, expect.stringContaining('did not echo')]);
    expect((await boss.post(`/webhooks/${json.data.id}/verify`)).status).toBe(429);
    await say('silent');
    await deliver();
    expect([receiver.received, await deliveries(json.data.id)]).toEqual([[], []]);
  });

  it('stays turned off where its challenge is echoed after that', async () => {
    const { id } = await hook(['category.*']);
    await later(11);
    receiver.beforeEcho = () => boss.put(`/webhooks/${id}`, { enabled: false });
    const late = await boss.post(`/webhooks/${id}/verify`);
    expect([late.status, late.json.errors, (await state(id)).status]).toEqual([
      409,
      { status: ['The endpoint was turned off meanwhile.'] },
      'disabled',
    ]);
    await later(11);
    receiver.beforeEcho = () => Promise.resolve();
    expect((await boss.post(`/webhooks/${id}/verify`)).json.data.status).toBe('active');
  });

  it.each(['https://localhost', 'https://127.0.0.2/', 'https://[::ffff:7f00:1]/', 'http://example.com/'])(
    'does not go to %s (S63)',
    async (url) => {
      const { json } = await boss.post('/webhooks', { url, events: ['*'] });
      const answer = await boss.post(`/webhooks/${json.data.id}/verify`);
      expect([answer.status, answer.json.errors]).toEqual([422, { url: ['URL not allowed or not reachable.'] }]);
    },
  );

  it('follows no redirect, and its log shows no answer of a host that is not public', async () => {
    const { id } = await hook(['category.*']);
    receiver.answer = { status: 302, headers: { location: receiver.url }, body: 'secret of the network' };
    await say('moved');
    await deliver();
    const [{ id: delivery } = { id: 0 }] = await deliveries(id);
    const shown = (await boss.get(`/webhooks/${id}/deliveries/${delivery}`)).json.data;
    expect(receiver.received).toHaveLength(1);
    expect(shown).toMatchObject({ state: 'queued', attempts: [{ number: 1, status: 302, answer: null }] });
  });

  it('is tried eight times over a day, with the same id', async () => {
    const { id } = await hook(['category.*']);
    receiver.answer = { status: 500 };
    await say('again');
    for (const pause of [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 36_000]) {
      // Two seconds before, as the first pause began a second ago and may be longer by nothing at all.
      await later(Math.max(0, pause - 2));
      const count = receiver.received.length;
      await deliver();
      if (pause > 0) expect(receiver.received).toHaveLength(count);
      await later(pause * 0.2 + 2);
      await deliver();
      expect(receiver.received).toHaveLength(count + 1);
    }
    expect(await deliveries(id)).toMatchObject([{ state: 'failed', tries: 8 }]);
    expect(new Set(receiver.received.map((message) => message.id)).size).toBe(1);
  });

  it('waits as long as a busy receiver asks, with everything for it', async () => {
    const { id } = await hook(['category.*']);
    receiver.answer = { status: 429, headers: { 'retry-after': '600' } };
    await say('busy');
    await deliver();
    receiver.answer = { status: 200 };
    await say('later');
    await later(590);
    await deliver();
    expect(receiver.received).toHaveLength(1);
    await later(20);
    await deliver();
    expect((await deliveries(id)).map((delivery) => delivery.state)).toEqual(['sent', 'sent']);
  });

  it('is not held up by another receiver that hangs', async () => {
    const slow = await WebhookReceiver.start();
    const stuck = await hook(['category.*'], slow.url);
    slow.answer = null;
    const { id } = await hook(['category.*']);
    for (const name of ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']) await say(name);
    await test.portal.jobs.run('webhooks');
    for (let tries = 0; tries < 500 && receiver.received.length < 6; tries += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      await test.portal.database.select('SELECT 1');
    }
    const reached = receiver.received.length;
    expect((await deliveries(stuck.id)).every((delivery) => delivery.state === 'queued')).toBe(true);
    await slow.stop();
    expect(reached).toBe(6);
    await test.portal.services.webhooks.dispatcher.idle();
    expect((await deliveries(id)).every((delivery) => delivery.state === 'sent')).toBe(true);
  });

  it('tells Prometheus how late the oldest one is', async () => {
    const processMetrics = new ProcessMetrics();
    const { database } = test.portal;
    const parts = { database, clock: test.clock, logger: silentLogger, processMetrics };
    const dispatcher = new WebhookDispatcher({ ...parts, sender: undefined as never, health: undefined as never });
    /** Looks at what is due, and sends nothing of it. */
    const look = async () => {
      await dispatcher.run(AbortSignal.abort());
      await dispatcher.idle();
      return processMetrics.read('webhook_lag_seconds');
    };
    await hook(['category.*']);
    expect(await look()).toBe(0);
    await say('overdue');
    await later(90);
    expect(await look()).toBe(90);
    await deliver();
    expect(await look()).toBe(0);
  });

  it('is sent once by two who send at once', async () => {
    await hook(['category.*']);
    for (const name of ['t1', 't2', 't3']) await say(name);
    await Promise.all([deliver(), deliver()]);
    expect(receiver.received).toHaveLength(3);
  });
});

describe('an endpoint', () => {
  it('that is gone is turned off, and who made it is told', async () => {
    const { id } = await hook(['category.*']);
    receiver.answer = { status: 410 };
    await say('gone');
    await deliver();
    expect(await state(id)).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
    expect(await mailsTo(boss.record.email)).toContainEqual({ template: 'webhook-disabled' });
  });

  it('that fails is warned of after two and a half days, and turned off after five', async () => {
    const { id } = await hook(['category.*']);
    receiver.answer = { status: 500 };
    await say('f1');
    await deliver();
    await later(2.6 * DAY_S);
    await deliver();
    expect(await mailsTo(boss.record.email)).toContainEqual({ template: 'webhook-failing' });
    expect(await state(id)).toMatchObject({ status: 'active' });
    await later(2.6 * DAY_S);
    await deliver();
    expect(await state(id)).toMatchObject({ status: 'disabled', disabled_reason: 'failing' });
  });

  it('gets what it missed, exactly, once it is verified again', async () => {
    const { id } = await hook(['category.*']);
    const since = test.clock.now().toISOString();
    await say('m1');
    await deliver();
    await boss.put(`/webhooks/${id}`, { enabled: false });
    await say('m2');
    await later(60);
    const until = test.clock.now().toISOString();
    await say('m3');
    await boss.post(`/webhooks/${id}/verify`);
    const replay = async (body: object) => (await boss.post(`/webhooks/${id}/replay`, body)).json;
    expect((await replay({ since: until, until: since })).errors).toHaveProperty('until');
    expect((await replay({ since, until: since })).errors).toHaveProperty('until');
    expect((await replay({ since, until })).data).toEqual({ messages: 1 });
    expect((await replay({ since, until: null })).data).toEqual({ messages: 1 });
    expect((await boss.post(`/webhooks/${id}/replay`, { since })).json.data).toEqual({ messages: 0 });
    await deliver();
    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map((message) => message.id)).size).toBe(3);
  });

  it('gets all that it missed, also where that is more than is read at once', async () => {
    const { id } = await hook(['category.*']);
    const type = 'category.created';
    const data = { subject: null, owner_id: null, changed: [], facts: {}, url: null };
    const missed = Array.from({ length: 1_201 }, (_, index) => ({
      ...{ webhookId: `msg_${index}`, type, ownerId: null, endpointId: null, body: JSON.stringify({ type, data }) },
      ...{ details: null, subject: null, audiences: null, createdAt: test.clock.now() },
    }));
    await webhookMessageRecord.insertAll(test.portal.database, missed);
    const since = test.clock.now().toISOString();
    const replay = async () => (await boss.post(`/webhooks/${id}/replay`, { since })).json.data as object;
    expect([await replay(), await replay()]).toEqual([{ messages: 1_201 }, { messages: 0 }]);
  });

  it('gets again what was given up, and one message when somebody asks', async () => {
    const { id } = await hook(['category.*']);
    const since = test.clock.now().toISOString();
    await say('r1');
    await deliver();
    await test.portal.database.execute("UPDATE portal_webhook_deliveries SET state = 'failed'");
    const until = new Date(test.clock.now().getTime() + 1_000).toISOString();
    const before = new Date(Date.parse(since) - 1_000).toISOString();
    const early = { since: before, until: since };
    expect((await boss.post(`/webhooks/${id}/recover`, early)).json.data).toEqual({ messages: 0 });
    expect((await boss.post(`/webhooks/${id}/recover`, { since, until })).json.data).toEqual({ messages: 1 });
    await deliver();
    const [{ id: delivery } = { id: 0 }] = await deliveries(id);
    expect((await boss.post(`/webhooks/${id}/deliveries/${delivery}/resend`)).status).toBe(200);
    await deliver();
    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map((message) => message.id)).size).toBe(1);
  });

  it('misses nothing while its secret is replaced, whichever it knows', async () => {
    const { id, secret: old } = await hook(['category.*']);
    const { secret } = (await boss.post(`/webhooks/${id}/rotate`, { overlap: HOUR_S })).json.data as { secret: string };
    await say('o1');
    await deliver();
    const [during] = receiver.received as [ReceivedWebhook];
    verifyNow(old, during);
    verifyNow(secret, during);
    await later(HOUR_S + 1);
    await say('o2');
    await deliver();
    const after = receiver.received[1] as ReceivedWebhook;
    verifyNow(secret, after);
    expect(() => verifyNow(old, after)).toThrow('No matching signature');
  });

  it('keeps its secret sealed, and no answer but the first shows it', async () => {
    const { id, secret } = await hook(['category.*']);
    const [row] = await test.portal.database.select<{ secret: string }>('SELECT secret FROM portal_webhook_endpoints');
    expect(row?.secret).toMatch(/^v1\./);
    expect((await boss.get(`/webhooks/${id}`)).text).not.toContain(secret);
    expect((await boss.get('/activities')).text).not.toContain(receiver.url);
  });

  it('of an unknown event, with a password in its address, or without the permission, is refused', async () => {
    for (const url of ['https://u:p@example.com/', 'https://example.com/\r\nX: 1']) {
      const { status, json } = await boss.post('/webhooks', { url, events: ['*'] });
      expect([status, json.errors]).toEqual([422, { url: [expect.stringContaining('neither a user name')] }]);
    }
    const answer = await boss.post('/webhooks', { url: receiver.url, events: ['app.exploded'] });
    expect([answer.status, answer.json.errors?.events?.[0]]).toEqual([422, expect.stringContaining('app.exploded')]);
    const ada = await Admin.create(test, ['portal.webhooks.view']);
    expect((await ada.get('/webhooks')).status).toBe(200);
    expect((await ada.post('/webhooks', { url: receiver.url, events: ['*'] })).status).toBe(403);
  });
});

describe('a developer', () => {
  let ada: UserRecord;
  let token = '';
  beforeEach(async () => {
    ada = await createUser(test);
    token = await signIn(test, ada);
  });
  const send = (method: string, path: string, body?: unknown) =>
    test.client.send(method, `/api/v1/me${path}`, { token, ...(body === undefined ? {} : { body }) });

  it('is told of their own apps and of nobody else’s, nor of other events', async () => {
    const { json } = await send('POST', '/webhooks', { url: receiver.url, events: ['*'] });
    expect((await send('POST', `/webhooks/${json.data.id}/verify`, {})).status).toBe(200);
    await send('POST', '/apps', { name: 'mine' });
    const grace = await createUser(test);
    await test.client.post('/api/v1/me/apps', { name: 'hers' }, { token: await signIn(test, grace) });
    await say('elsewhere');
    await deliver();
    expect(receiver.received.map(({ body }) => JSON.parse(body) as object)).toMatchObject([
      { type: 'app.created', data: { owner_id: ada.id, url: expect.stringMatching(/\/me\/apps\/mine$/) } },
    ]);
  });

  it('sees no endpoint of others, makes ten at most, and is forgotten with the account', async () => {
    const { id } = await hook(['category.*']);
    expect((await send('GET', `/webhooks/${id}`)).status).toBe(404);
    const input = { url: receiver.url, events: ['app.*'] };
    for (let count = 0; count < 10; count += 1) expect((await send('POST', '/webhooks', input)).status).toBe(201);
    expect((await send('POST', '/webhooks', input)).status).toBe(409);
    expect((await send('POST', '/webhooks', { ...input, events: ['product.created'] })).status).toBe(422);
    await test.portal.services.accounts.users.delete(ada.id);
    const [left] = await test.portal.database.select<{ total: number }>(
      'SELECT COUNT(*) AS total FROM portal_webhook_endpoints WHERE owner_id IS NOT NULL',
    );
    expect(Number(left?.total)).toBe(0);
  });
});

it('messages are kept for a month', async () => {
  await hook(['category.*']);
  await say('old');
  await createAdmin(test);
  await later(31 * DAY_S);
  await test.portal.jobs.run('housekeeping');
  expect(await test.portal.database.select('SELECT id FROM portal_webhook_messages')).toEqual([]);
  expect(await test.portal.database.select('SELECT id FROM portal_webhook_deliveries')).toEqual([]);
});
