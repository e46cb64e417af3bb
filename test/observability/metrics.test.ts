import { createServer } from 'node:net';
import type { PortalConfigInput } from '../../src/config/index.js';
import { Developer } from '../support/apps.js';
import { createProduct, createUser } from '../support/factories.js';
import { freePort } from '../support/ports.js';
import { signInPair } from '../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

let stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.reverse()) await stop();
  stops = [];
});

/** A portal that really listens, with its metrics beside it. */
async function start(config: PortalConfigInput = {}): Promise<{ test: TestPortal; url: string; metrics: string }> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const test = await startTestPortal({
    config: { ...config, server: { port, host: '127.0.0.1' }, metrics: { port: metricsPort } },
  });
  stops.push(() => test.stop());
  const server = await test.portal.listen();
  stops.push(() => server.close());
  return { test, url: `http://127.0.0.1:${port}`, metrics: `http://127.0.0.1:${metricsPort}/metrics` };
}

const read = async (address: string) => (await fetch(address)).text();
/** The samples of a metric: its labels → its value. */
const samples = (text: string, name: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith(name))
    .map((line) => line.slice(name.length));

describe('the metrics of a portal', () => {
  it('count answers by route as declared, method and status, whatever was asked for', async () => {
    const { url, metrics } = await start();
    await fetch(`${url}/api/v1/api-products`);
    await fetch(`${url}/api/v1/api-products/no-such`);
    await fetch(`${url}/api/v1/api-products/none-either`);
    await fetch(`${url}/portal/products`);
    await fetch(`${url}/nothing/here`);
    await fetch(`${url}/gateway/verify`);
    const counts = samples(await read(metrics), 'portal_http_request_duration_seconds_count');
    expect(counts.sort()).toEqual([
      '{method="GET",route="/api/v1/api-products",status="200"} 1',
      '{method="GET",route="/api/v1/api-products/:id",status="404"} 2',
      '{method="GET",route="/gateway/verify",status="401"} 1',
      '{method="GET",route="/portal/products",status="200"} 1',
      '{method="GET",route="unknown",status="404"} 1',
    ]);
  });

  it('count used refresh tokens that come again (R39), and hold no secret and no address of anybody', async () => {
    const { test, metrics } = await start();
    const user = await createUser(test);
    const pair = await signInPair(test, user);
    const refresh = () => test.client.post('/api/v1/auth/refresh', { refresh_token: pair.refresh_token });
    await refresh();
    test.clock.advance(3_600);
    await refresh();
    await test.portal.background.flush();
    const text = await read(metrics);
    expect(samples(text, 'portal_refresh_token_reuse_total')).toEqual([' 1']);
    for (const secret of [user.email, pair.refresh_token, pair.access_token]) expect(text).not.toContain(secret);
    expect(text).toMatch(/nodejs_eventloop_lag_p99_seconds [\d.e-]+/);
  });

  it('count what endpoints of webhooks took and refused', async () => {
    const { test, metrics } = await start({ outbound: { allow: ['127.0.0.1'] } });
    const receiver = await WebhookReceiver.start();
    stops.push(() => receiver.stop());
    const { webhooks, catalog } = test.portal.services;
    await webhooks.endpoints.create({ url: receiver.url, events: ['category.*'] }, null, null);
    await test.portal.database.execute("UPDATE portal_webhook_endpoints SET status = 'active'");
    for (const [name, status] of [
      ['maps', 200],
      ['rates', 500],
    ] as const) {
      receiver.answer = { status };
      await catalog.categories.create({ slug: name, name });
      await test.portal.jobs.run('webhooks');
      await webhooks.dispatcher.idle();
    }
    const text = await read(metrics);
    const found = ['webhooks_sent_total', 'webhook_failures_total', 'webhook_lag_seconds'];
    expect(found.map((name) => samples(text, `portal_${name}`))).toEqual([[' 1'], [' 1'], [' 0']]);
  });

  it('count calls by product and outcome, never by key, and those that are not written yet', async () => {
    const { test, url, metrics } = await start();
    await createProduct(test, { slug: 'payments' });
    const ada = await Developer.create(test);
    const { key } = await ada.createApp('shop', ['payments']);
    const ask = (product: string, sent: string) =>
      fetch(`${url}/gateway/verify/${product}`, { headers: { 'X-API-Key': sent } });
    await ask('payments', key);
    await ask('', key);
    await ask('payments', 'pk_00000000000000000000000000000000');
    await ask('Not_a_slug', key);
    const text = await read(metrics);
    expect(samples(text, 'portal_gateway_calls_total').sort()).toEqual([
      '{product="",outcome="product_not_granted"} 1',
      '{product="payments",outcome="allowed"} 2',
      '{product="payments",outcome="unknown_key"} 1',
    ]);
    expect(samples(text, 'portal_usage_lost_calls_total')).toEqual([' 0']);
    expect(Number(samples(text, 'portal_usage_pending_calls')[0])).toBeLessThanOrEqual(4);
    expect(text).not.toContain(key);
  });

  it('are served nowhere else and nothing is served beside them', async () => {
    const { url, metrics } = await start();
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    expect((await fetch(metrics.replace('/metrics', '/'))).status).toBe(404);
    expect((await fetch(metrics, { method: 'POST' })).status).toBe(404);
  });

  it('do not exist unless a port is set', async () => {
    const test = await startTestPortal();
    stops.push(() => test.stop());
    expect(test.portal.config.metrics.port).toBe(0);
  });

  it('name the setting when their port is taken', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    stops.push(() => new Promise((resolve) => taken.close(resolve)));
    const { port } = taken.address() as { port: number };
    const test = await startTestPortal({ config: { metrics: { port } } });
    stops.push(() => test.stop());
    await expect(test.portal.listen()).rejects.toMatchObject({
      faults: [expect.stringMatching(/^metrics\.port: cannot listen on .*EADDRINUSE.*METRICS_PORT/)],
    });
  });
});
