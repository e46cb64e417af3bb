import { setTimeout as pause } from 'node:timers/promises';
import { CategoryCreatedEvent } from '../../src/domain/catalog/index.js';
import { folderWith, SECRETS } from '../config/support.js';
import { startBreakableMariaDb, type BreakableMariaDb } from '../support/chaos/breakable-mariadb.js';
import { describeWith } from '../support/describe-with.js';
import { FakeClock } from '../support/fake-clock.js';
import { servePortal, type ServingPortal } from '../support/portal-process.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const EVENTS = 150;
/** Longer than a statement may take, so that the portals give up on what they asked. */
const FROZEN_MS = 4_000;

describeWith('mariadb', 'a database that freezes while webhooks are sent', () => {
  let mariadb: BreakableMariaDb;
  let test: TestPortal;
  let receiver: WebhookReceiver;
  let portal: ServingPortal | undefined;
  beforeAll(async () => {
    mariadb = await startBreakableMariaDb();
    // The portal that delivers goes by the clock of the machine.
    const clock = new FakeClock(new Date(performance.timeOrigin + performance.now()).toISOString());
    const config = { app: { key: SECRETS.APP_KEY }, outbound: { allow: ['127.0.0.1'] } };
    test = await startTestPortal({ config, clock, databaseUrl: mariadb.url, replicas: 1 });
    await test.portal.migrator.up();
    receiver = await WebhookReceiver.start();
  }, 120_000);
  afterAll(async () => {
    mariadb.thaw();
    await portal?.stop();
    await receiver.stop();
    await test.stop();
    await mariadb.stop();
  });

  const asRoot = async (sql: string) => (await mariadb.ask(sql)) as { id: string }[];
  const until = async (isReached: () => boolean | Promise<boolean>) => {
    while (!(await isReached())) await pause(10);
  };

  it('delivers every event that was committed at least once, with its id, and none without a commit', async () => {
    const { catalog, webhooks } = test.portal.services;
    const { endpoint } = await webhooks.endpoints.create({ url: receiver.url, events: ['category.*'] }, null, null);
    await webhooks.endpoints.verify(endpoint);
    const category = await catalog.categories.create({ slug: 'c0', name: 'Category 0' });
    const root = await folderWith({
      'portal.config.ts':
        "export default { app: { env: 'development', url: 'http://127.0.0.1' }, outbound: { allow: ['127.0.0.1'] } };",
    });
    portal = await servePortal([], { cwd: root, env: { ...SECRETS, DATABASE_URL: mariadb.url } });
    let refused = 0;
    const emit = () =>
      test.portal.database
        .transaction((transaction) =>
          test.portal.events.emit(new CategoryCreatedEvent({ category, occurredAt: test.clock.now() }), transaction),
        )
        .catch(() => (refused += 1));
    for (const least of [1, 50, 100]) {
      for (let event = 0; event < EVENTS / 3; event += 1) await emit();
      await until(() => receiver.received.length >= least);
      mariadb.freeze();
      // Some of them in flight, others begun while nothing answers.
      const during = Promise.all(Array.from({ length: 5 }, emit));
      await pause(FROZEN_MS);
      mariadb.thaw();
      await during;
    }
    await until(async () => {
      // Claims of what was in hand when the database froze, as if their minute was over.
      await asRoot(
        'UPDATE portal.portal_webhook_deliveries SET claimed_until = NULL, due_at = NOW(3) - INTERVAL 1 DAY',
      );
      await pause(1_000);
      const open = await asRoot("SELECT webhook_id AS id FROM portal.portal_webhook_deliveries WHERE state = 'queued'");
      return open.length === 0;
    });
    const committed = (await asRoot('SELECT webhook_id AS id FROM portal.portal_webhook_messages')).map(({ id }) => id);
    const ids = new Set(receiver.received.map(({ id }) => id));
    expect([...ids].sort()).toEqual(committed.sort());
    expect(committed.length).toBeGreaterThanOrEqual(EVENTS + 1);
    // Of those whose emitter was told of a failure, some may have been committed all the same; nothing else was.
    expect(committed.length).toBeLessThanOrEqual(EVENTS + 1 + 15);
    expect(committed.length + refused).toBeGreaterThanOrEqual(EVENTS + 1 + 15);
    const bodies = new Map(receiver.received.map(({ id, body }) => [id, body]));
    for (const { id, body } of receiver.received) expect(body).toBe(bodies.get(id));
  }, 240_000);
});
