import { statisticsReply } from '../../../src/api/console/dashboard-routes.js';
import { LocalGateway } from '../../../src/gateway/local/local-gateway.js';
import type { GatewayFactory } from '../../../src/gateway/index.js';
import { createAdmin, createProduct, createRole, createUser } from '../../support/factories.js';
import { Developer } from '../../support/apps.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const STATS = '/api/v1/admin/dashboard/stats';

let test: TestPortal;
let checks: () => Promise<void> = () => Promise.resolve();
beforeAll(async () => {
  const driver: GatewayFactory = (context) => {
    const gateway = new LocalGateway(context);
    gateway.check = () => checks();
    return gateway;
  };
  test = await startTestPortal({
    config: { gateway: { driver: 'watched' } },
    extensions: { gatewayDrivers: { watched: driver } },
  });
  await test.portal.services.rbac.seed();
});
afterAll(() => test.stop());

const stats = async (token: string) => {
  const { status, json } = await test.client.get(STATS, { token });
  expect(status).toBe(200);
  expect(statisticsReply.validate(json.data, { convert: false }).error).toBeUndefined();
  return json.data;
};
const signInWith = async (permissions: readonly string[]) =>
  signIn(test, await createAdmin(test, { roles: [await createRole(test, ['portal.admin.access', ...permissions])] }));

describe('GET /admin/dashboard/stats', () => {
  it('counts by status, what waits, and by day', async () => {
    const product = await createProduct(test);
    const manual = await createProduct(test, { approval: 'manual' });
    await createProduct(test, { visibility: 'draft' });
    await createUser(test, { status: 'pending' });
    await createUser(test, { status: 'inactive' });
    const developer = await Developer.create(test);
    await developer.createApp('one', [product.slug, manual.slug]);
    await developer.createApp('two', [product.slug]);
    test.clock.advance(86_400);
    await developer.signInAgain();
    const data = await stats(await signIn(test, await createAdmin(test, { roles: ['admin'] })));
    expect(data).toMatchObject({
      developers: { active: 1, inactive: 1, pending: 1 },
      apps: { pending: 0, approved: 2, revoked: 0 },
      credentials: { pending: 0, approved: 2, revoked: 0, expired: 0 },
      products: { public: 2, private: 0, draft: 1 },
      waiting: { developers: 1, apps: 0, credentials: 0, products: 1 },
      keys_ending: 0,
      first_calls: 0,
      top_products: [{ id: product.id, slug: product.slug, name: product.name, keys: 2 }],
      gateway: { driver: 'watched', state: 'up', checked_at: '2026-06-02T12:00:00.000Z' },
    });
    expect(data.sign_ups).toHaveLength(30);
    expect(data.sign_ups.slice(-3)).toEqual([
      { date: '2026-05-31', count: 0 },
      { date: '2026-06-01', count: 3 },
      { date: '2026-06-02', count: 0 },
    ]);
    expect(data.logins[0]).toEqual({ date: '2026-05-04', count: 0 });
    expect(data.logins.slice(-2)).toEqual([
      { date: '2026-06-01', count: 1 },
      { date: '2026-06-02', count: 1 },
    ]);
  });

  it('counts keys that end soon, the mails that wait or failed, and what waits as the queue does', async () => {
    const { database } = test.portal;
    const token = await signIn(test, await createAdmin(test, { roles: ['admin'] }));
    test.clock.advance(5);
    const before = await stats(token);
    const soon = new Date(test.clock.now().getTime() + 13 * 86_400_000);
    await database.execute("UPDATE portal_credentials SET expires_at = ? WHERE status = 'approved'", [soon]);
    const mail = { template: 'keys-closed', to: 'ada@example.com', locale: 'en', values: {} };
    await test.portal.mail.queue(mail);
    await test.portal.mail.queue(mail);
    await database.execute(
      "UPDATE portal_mails SET state = 'failed' WHERE id = (SELECT id FROM (SELECT MAX(id) AS id FROM portal_mails) m)",
    );
    expect((await stats(token)).keys_ending).toBe(before.keys_ending);
    test.clock.advance(5);
    const after = await stats(token);
    expect([before.keys_ending, after.keys_ending]).toEqual([0, 2]);
    expect(after.mails).toEqual({ queued: before.mails.queued + 1, failed: before.mails.failed + 1 });
    const queue = await test.client.get('/api/v1/admin/waiting', { token });
    const { developers, apps, credentials, products } = after.waiting;
    expect(developers + apps + credentials + products).toBe(queue.json.meta.pagination.total);
  });

  it('leaves out what the admin may not view, and refuses whoever is no admin', async () => {
    const nothing = {
      developers: null,
      apps: null,
      credentials: null,
      products: null,
      sign_ups: null,
      logins: null,
      keys_ending: null,
      first_calls: null,
      mails: null,
      top_products: null,
    };
    expect(await stats(await signInWith([]))).toMatchObject(nothing);
    const products = await stats(await signInWith(['portal.products.view']));
    expect(products).toMatchObject({ ...nothing, products: { public: 2, private: 0, draft: 1 } });
    const apps = await stats(await signInWith(['portal.apps.view']));
    expect(apps).toMatchObject({ keys_ending: 2, mails: null, top_products: null });
    const mails = await stats(await signInWith(['portal.mails.view']));
    expect(mails).toMatchObject({ ...nothing, mails: { failed: 1 } });
    expect(apps).toMatchObject({ developers: null, apps: { approved: 2 }, waiting: { developers: null, products: 1 } });
    const nobody = await signIn(test, await createAdmin(test));
    expect((await test.client.get(STATS, { token: nobody })).status).toBe(403);
    expect((await test.client.get(STATS)).status).toBe(401);
  });

  it('asks the gateway once in five seconds, and answers whatever becomes of it', async () => {
    const token = await signInWith([]);
    let asked = 0;
    checks = async () => {
      asked += 1;
      throw new Error('canary of the gateway');
    };
    test.clock.advance(5);
    const { gateway } = await stats(token);
    expect(gateway.state).toBe('down');
    await stats(token);
    expect(asked).toBe(1);
    test.clock.advance(5);
    checks = () => new Promise(() => undefined);
    // An answer that waited for the check would never come.
    expect((await stats(token)).gateway.state).toBe('down');
  });
});
