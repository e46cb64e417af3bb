import { setTimeout as pause } from 'node:timers/promises';
import { CategoryCreatedEvent } from '../../src/domain/catalog/index.js';
import { folderWith, SECRETS } from '../config/support.js';
import { FakeClock } from '../support/fake-clock.js';
import { servePortal, type ServingPortal } from '../support/portal-process.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const EVENTS = 240;

let test: TestPortal;
let root: string;
let receiver: WebhookReceiver;
const serving: ServingPortal[] = [];

beforeAll(async () => {
  // The portals that are killed go by the clock of the machine.
  const clock = new FakeClock(new Date(performance.timeOrigin + performance.now()).toISOString());
  const config = { app: { key: SECRETS.APP_KEY }, outbound: { allow: ['127.0.0.1'] } };
  test = await startTestPortal({ config, clock, replicas: 1 });
  receiver = await WebhookReceiver.start();
  root = await folderWith({
    'portal.config.ts':
      "export default { app: { env: 'development', url: 'http://127.0.0.1' }, outbound: { allow: ['127.0.0.1'] } };",
  });
}, 120_000);
afterAll(async () => {
  await Promise.all(serving.map((portal) => portal.stop()));
  await receiver.stop();
  await test.stop();
});

async function serve(): Promise<ServingPortal> {
  const portal = await servePortal([], { cwd: root, env: { ...SECRETS, DATABASE_URL: test.databaseUrl } });
  serving.push(portal);
  return portal;
}
async function until(isReached: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isReached())) await pause(5);
}
const select = <T extends object>(sql: string) => test.portal.database.select<T>(sql);
const queued = async () => {
  const sql = "SELECT COUNT(*) AS total FROM portal_webhook_deliveries WHERE state = 'queued'";
  return Number((await select<{ total: number }>(sql))[0]?.total);
};
/** The claims of a process that was killed, as if their minute was over. */
const releaseClaims = () => test.portal.database.execute('UPDATE portal_webhook_deliveries SET claimed_until = NULL');

describe('processes that are killed while they send webhooks', () => {
  it('lose none that was committed, invent none, and send each with its own id', async () => {
    const { catalog, webhooks } = test.portal.services;
    const { endpoint } = await webhooks.endpoints.create({ url: receiver.url, events: ['category.*'] }, null, null);
    await webhooks.endpoints.verify(endpoint);
    let category = await catalog.categories.create({ slug: 'c0', name: 'Category 0' });
    for (let event = 1; event < EVENTS; event += 1) {
      category = await catalog.categories.create({ slug: `c${event}`, name: `Category ${event}` });
    }
    const undone = test.portal.database.transaction(async (transaction) => {
      await test.portal.events.emit(new CategoryCreatedEvent({ category, occurredAt: test.clock.now() }), transaction);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    let cut = 0;
    for (const least of [1, 40, 80, 120, 160]) {
      const victim = await serve();
      await until(() => receiver.received.length >= least);
      victim.process.kill('SIGKILL');
      await victim.ended;
      if ((await queued()) > 0) cut += 1;
      await releaseClaims();
    }
    expect(cut).toBeGreaterThan(2);
    await serve();
    await until(async () => (await queued()) === 0);
    const committed = await select<{ id: string }>('SELECT webhook_id AS id FROM portal_webhook_messages');
    const ids = new Set(receiver.received.map(({ id }) => id));
    expect([...ids].sort()).toEqual(committed.map(({ id }) => id).sort());
    expect(ids.size).toBe(EVENTS);
    const bodies = new Map(receiver.received.map(({ id, body }) => [id, body]));
    for (const { id, body } of receiver.received) expect(body).toBe(bodies.get(id));
  }, 120_000);
});
