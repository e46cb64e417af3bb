import { createSecretKey, randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { ProcessMetrics, silentLogger } from '../../../src/core/index.js';
import type { Database } from '../../../src/database/index.js';
import { EndpointHealth } from '../../../src/domain/webhooks/endpoint-health.js';
import { WebhookDispatcher } from '../../../src/domain/webhooks/webhook-dispatcher.js';
import { findSendable } from '../../../src/domain/webhooks/webhook-queries.js';
import { WebhookSender } from '../../../src/domain/webhooks/webhook-sender.js';
import { newWebhookSecret, PortalSignatures } from '../../../src/domain/webhooks/webhook-signing.js';
import { OutboundFetcher, type ResolvedAddress } from '../../../src/outbound/index.js';
import { FakeClock } from '../../support/fake-clock.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';

const ALLOWED = { outbound: { allow: ['127.0.0.1'] } };
/** Seconds after which the work of a process that died is taken over. */
const CLAIM_S = 61;

let test: TestPortal;
let replica: TestPortal;
let receiver: WebhookReceiver;
beforeAll(async () => {
  test = await startTestPortal({ config: ALLOWED, replicas: 1 });
  const { databaseUrl, clock } = test;
  replica = await startTestPortal({ config: ALLOWED, databaseUrl, clock, replicas: 1 });
});
afterAll(async () => {
  await replica.stop();
  await test.stop();
});
beforeEach(async () => {
  receiver = await WebhookReceiver.start();
  await test.portal.database.execute('DELETE FROM portal_webhook_endpoints');
  await test.portal.database.execute('DELETE FROM portal_webhook_messages');
});
afterEach(() => receiver.stop());

async function hook(url = receiver.url) {
  const { endpoints } = test.portal.services.webhooks;
  const { endpoint } = await endpoints.create({ url, events: ['category.*'] }, null, null);
  return endpoints.verify(endpoint);
}
let count = 0;
const say = () => test.portal.services.catalog.categories.create({ slug: `c${(count += 1)}`, name: 'One more' });
async function deliver({ portal } = test): Promise<void> {
  await portal.jobs.run('webhooks');
  await portal.services.webhooks.dispatcher.idle();
}
const ids = async () =>
  (await test.portal.database.select<{ id: string }>('SELECT webhook_id AS id FROM portal_webhook_messages'))
    .map(({ id }) => id)
    .sort();
const received = () => [...new Set(receiver.received.map(({ id }) => id))].sort();
const states = async () =>
  (await test.portal.database.select<{ state: string }>('SELECT DISTINCT state FROM portal_webhook_deliveries')).map(
    ({ state }) => state,
  );

/** A database that answers `calls` times and then is gone, as for a process that is killed or cut off there. */
function dyingAfter(calls: number, database: Database): { database: Database; hasDied: () => boolean } {
  let left = calls;
  const handler: ProxyHandler<Database> = {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function' || !ASKED.includes(String(name))) return value;
      const method = value as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        left -= 1;
        return left < 0 ? Promise.reject(new Error('the database is gone')) : method.apply(target, args);
      };
    },
  };
  return { database: new Proxy(database, handler), hasDied: () => left < 0 };
}
const ASKED = ['select', 'execute', 'transaction'];

function dispatcherOn(database: Database): WebhookDispatcher {
  const { clock } = test;
  const fetcher = new OutboundFetcher(ALLOWED.outbound);
  const signatures = new PortalSignatures([createSecretKey(randomBytes(32))]);
  const encrypter = { decrypt: () => newWebhookSecret() } as never;
  const sender = new WebhookSender({ clock, encrypter, outbound: fetcher, signatures });
  const health = new EndpointHealth({ database, clock } as never);
  const parts = { database, clock, sender, health, logger: silentLogger, processMetrics: new ProcessMetrics() };
  return new WebhookDispatcher(parts);
}

describe('every event that was committed', () => {
  it('arrives once at least and always with its id, whatever step the process dies at', async () => {
    await hook();
    let steps = 0;
    for (let isOver = false; !isOver; steps += 1) {
      await say();
      const dying = dyingAfter(steps, test.portal.database);
      const dispatcher = dispatcherOn(dying.database);
      await dispatcher.run(new AbortController().signal).catch(() => undefined);
      await dispatcher.idle();
      isOver = !dying.hasDied();
      test.clock.advance(CLAIM_S);
      await deliver();
      expect([received(), await states()]).toEqual([await ids(), ['sent']]);
    }
    // Found, claimed, read, and finished in a transaction at least.
    expect(steps).toBeGreaterThan(6);
    // Those alone came twice that had been sent before the process died.
    expect(receiver.received.length).toBeGreaterThan(steps);
    expect(receiver.received.length).toBeLessThan(2 * steps);
  });

  it('arrives after the receiver was down for hours', async () => {
    await hook();
    const port = Number(new URL(receiver.url).port);
    await receiver.stop();
    for (let hour = 0; hour < 9; hour += 1) {
      await say();
      await deliver();
      test.clock.advance(3_600);
    }
    receiver = await WebhookReceiver.start(port);
    for (let hour = 0; hour < 12; hour += 1) {
      await deliver();
      test.clock.advance(3_600);
    }
    expect([received(), await states(), receiver.received.length]).toEqual([await ids(), ['sent'], 9]);
  });

  it('arrives once where two replicas send at the same time', async () => {
    await hook();
    for (let message = 0; message < 30; message += 1) await say();
    await Promise.all([deliver(test), deliver(replica)]);
    await deliver();
    expect([receiver.received.length, received(), await states()]).toEqual([30, await ids(), ['sent']]);
  });
});

describe('an endpoint that never answers', () => {
  it('delays nobody, whatever waits for it', async () => {
    const hanging = await WebhookReceiver.start();
    hanging.answer = null;
    const other = await WebhookReceiver.start();
    for (const { url } of [hanging, receiver, other]) await hook(url);
    const { dispatcher } = test.portal.services.webhooks;
    const stopping = new AbortController();
    for (let event = 0; event < 60; event += 1) {
      await say();
      await dispatcher.run(stopping.signal);
    }
    while (receiver.received.length < 60 || other.received.length < 60) {
      await dispatcher.run(stopping.signal);
      await turn();
    }
    const rows = `SELECT state, COUNT(*) AS total FROM portal_webhook_deliveries GROUP BY state ORDER BY state`;
    // The last answers are written down while the other lane hangs.
    const counted = async () => (await test.portal.database.select(rows)).map((row) => Object.values(row).map(String));
    while (JSON.stringify(await counted()) !== '[["queued","60"],["sent","120"]]') await turn();
    const waiting = await findSendable(test.portal.database, test.clock.now());
    await hanging.stop();
    await other.stop();
    stopping.abort();
    expect([receiver.received.length, other.received.length, waiting.length]).toEqual([60, 60, 1]);
    expect(hanging.received.length).toBeLessThan(5);
    await dispatcher.idle();
  });
});

describe('an address of a webhook', () => {
  /** Of a sender without exemptions; names resolve to what `resolve` says, in turn. */
  function send(url: string, resolved: readonly string[][] = []) {
    let asked = 0;
    const resolve = (): Promise<ResolvedAddress[]> => {
      const addresses = resolved[Math.min(asked, resolved.length - 1)] ?? [];
      asked += 1;
      return Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
    };
    const clock = new FakeClock();
    const signatures = new PortalSignatures([createSecretKey(randomBytes(32))]);
    const encrypter = { decrypt: () => newWebhookSecret() } as never;
    const sender = new WebhookSender({
      clock,
      encrypter,
      outbound: new OutboundFetcher({ allow: [], resolve }),
      signatures,
    });
    const target = { uuid: 'u', url, secret: 's', previousSecret: null, previousUntil: null };
    return sender.send(target, 'msg_1', '{"type":"x","data":{}}');
  }

  it.each([
    ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0.0.0.0', '10.0.0.1', '100.64.0.1'],
    ...['169.254.169.254', '172.16.0.1', '192.168.1.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
    ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[0:0:0:0:0:ffff:a9fe:a9fe]'],
    ...['[fe80::1]', '[fc00::1]', '[fd12::1]', '[ff02::1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[2001:db8::1]'],
  ])('leads nowhere inside: %s (S63)', async (host) => {
    const { port } = new URL(receiver.url);
    for (const url of [`http://${host}:${port}/`, `https://${host}/`, `https://${host}:8443/`]) {
      expect(await send(url)).toMatchObject({ status: null, failure: 'unreachable', answer: null, body: '' });
    }
    expect(receiver.connections).toBe(0);
  });

  it.each([
    ['a user name', 'https://user:word@hooks.example.com/', [['93.184.215.14']]],
    ['an odd port', 'https://hooks.example.com:22/', [['93.184.215.14']]],
    ['plain http', 'http://hooks.example.com/', [['93.184.215.14']]],
    ['a name that leads inside', 'https://hooks.example.com/', [['127.0.0.1']]],
    ['a name that leads inside by IPv6', 'https://hooks.example.com/', [['::ffff:127.0.0.1']]],
    ['a name that leads inside among others', 'https://hooks.example.com/', [['93.184.215.14', '10.0.0.1']]],
    ['a name that leads nowhere', 'https://hooks.example.com/', [[]]],
    ['another scheme', 'ftp://hooks.example.com/', [['93.184.215.14']]],
  ] as const)('is refused with %s (S63)', async (_what, url, resolved) => {
    expect(await send(url, resolved as unknown as string[][])).toMatchObject({ status: null, failure: 'unreachable' });
  });
});
