import { AppDeletedEvent, CredentialRevokedEvent } from '../../../src/domain/apps/index.js';
import { GatewayTimeoutError, GatewayUnavailableError, type GatewayContext } from '../../../src/gateway/index.js';
import type { PortalEvent } from '../../../src/core/index.js';
import { Developer, readKeyAccess } from '../../support/apps.js';
import { gatewaySide, portalSide } from '../../support/both-sides.js';
import { createProduct, createUser } from '../../support/factories.js';
import { FlakyGateway } from '../../support/flaky-gateway.js';
import { MemoryGateway } from '../../support/memory-gateway.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const AWAY = new GatewayUnavailableError(7);
const SLOW = new GatewayTimeoutError();

let test: TestPortal;
let gateway: FlakyGateway;
let ada: Developer;
let app: { name: string; path: string; key: string };
let count = 0;
const seen: PortalEvent[] = [];

const recover = () => test.portal.services.apps.recovery.run();
const loggedKinds = async () => {
  const rows = await test.portal.database.select<{ kind: string }>(
    'SELECT kind FROM portal_gateway_intents ORDER BY id',
  );
  return rows.map(({ kind }) => kind);
};
const expectAgreement = async () => {
  expect(await gatewaySide(await test.portal.gateway.open())).toEqual(await portalSide(test.portal.database));
};

beforeAll(async () => {
  test = await startTestPortal({
    config: { gateway: { driver: 'flaky' }, verify: { enabled: true }, database: { pool: { max: 1 } } },
    extensions: {
      gatewayDrivers: {
        flaky: async (context: GatewayContext) => (gateway = await FlakyGateway.open(context)),
      },
    },
  });
  test.portal.events.on(CredentialRevokedEvent, (event) => void seen.push(event));
  test.portal.events.on(AppDeletedEvent, (event) => void seen.push(event));
  for (const slug of ['payments', 'geo', 'maps']) await createProduct(test, { slug, gatewayProductId: slug });
});
beforeEach(async () => {
  ada = await Developer.create(test);
  count += 1;
  const name = `app-${count}`;
  const { id, key } = await ada.createApp(name, ['payments']);
  app = { name, path: `/${name}/credentials/${id}`, key };
  seen.length = 0;
});
afterEach(async () => {
  gateway.mend();
  test.clock.advance(600);
  await recover();
  expect(await loggedKinds()).toEqual([]);
  await expectAgreement();
});
afterAll(() => test.stop());

describe('a change whose answer was lost', () => {
  it('that closes is finished: the portal shows it too, on behalf of who wanted it', async () => {
    gateway.cut(SLOW, 'after', 'keys.setStatus');
    expect((await ada.post(`${app.path}/revoke`)).status).toBe(504);
    gateway.mend();
    expect(await recover()).toEqual({ settled: 1, failed: 0 });
    expect((await ada.get(app.path)).json.data).toMatchObject({ status: 'revoked', revoked_by: 'developer' });
    expect(seen).toMatchObject([{ by: { type: 'developer', id: ada.user.id } }]);
    const sql = "SELECT actor_type AS type FROM portal_activities WHERE action = 'credential.revoked' ORDER BY id DESC";
    expect((await test.portal.database.select(sql))[0]).toEqual({ type: 'developer' });
  });

  it('that opens is taken back at once, and again when a late call may have arrived', async () => {
    await ada.post(`${app.path}/revoke`);
    let calls = 0;
    gateway.cutWhen(SLOW, 'keys.setStatus', () => (calls += 1) === 1, 'late');
    expect((await ada.post(`${app.path}/approve`)).status).toBe(504);
    gateway.mend();
    await gateway.arrive();
    // It arrived after all: open there, revoked here.
    expect(await readKeyAccess(test, app.key)).toBe('open');
    test.clock.advance(61);
    await recover();
    expect(await readKeyAccess(test, app.key)).toBe('revoked_key');
  });

  it('never leaves a second app or key, also when the call arrives late (R15)', async () => {
    gateway.cut(SLOW, 'late', 'apps.create', 'keys.issue');
    expect((await ada.post('', { name: 'twin', products: ['payments'] })).status).toBe(504);
    expect((await ada.post(`/${app.name}/credentials`, { products: ['geo'] })).status).toBe(504);
    gateway.mend();
    await gateway.arrive();
    test.clock.advance(61);
    await recover();
    await expectAgreement();
    await ada.signInAgain();
    expect((await ada.get(`/${app.name}/credentials`)).json.meta.pagination.total).toBe(1);
    expect((await ada.post('', { name: 'twin', products: ['payments'] })).status).toBe(201);
  });

  it('is brought to an end before the next change of the app begins', async () => {
    gateway.cut(SLOW, 'after', 'apps.setStatus');
    expect((await ada.post(`/${app.name}/revoke`)).status).toBe(504);
    gateway.mend();
    expect((await ada.post(`/${app.name}/approve`)).json.data.status).toBe('approved');
    await recover();
    expect((await ada.get(`/${app.name}`)).json.data.status).toBe('approved');
    expect(await readKeyAccess(test, app.key)).toBe('open');
  });

  it('of a deletion ends with the deletion', async () => {
    gateway.cut(SLOW, 'after', 'apps.remove');
    expect((await ada.delete(`/${app.name}`)).status).toBe(504);
    gateway.mend();
    await recover();
    expect((await ada.get(`/${app.name}`)).status).toBe(404);
    expect(seen).toHaveLength(1);
  });
});

describe('recovery', () => {
  it('tries again, later and later, and says what is in the way', async () => {
    gateway.cut(SLOW, 'after', 'keys.setStatus');
    await ada.post(`${app.path}/revoke`);
    gateway.cut(AWAY, 'before', 'keys.setStatus');
    expect(await recover()).toEqual({ settled: 0, failed: 1 });
    expect(await recover()).toEqual({ settled: 0, failed: 0 });
    test.clock.advance(5);
    expect(await recover()).toEqual({ settled: 0, failed: 1 });
    const report = await test.portal.services.apps.sync.run({ plan: true, reopen: false, prune: false });
    expect(report.unfinished).toMatchObject([{ kind: 'key.status', attempts: 2 }]);
    gateway.mend();
    test.clock.advance(10);
    expect(await recover()).toEqual({ settled: 1, failed: 0 });
  });

  it('leaves alone what a living process holds, and is done once by two', async () => {
    gateway.cut(SLOW, 'after', 'keys.setStatus');
    await ada.post(`${app.path}/revoke`);
    gateway.mend();
    const hold = 'UPDATE portal_apps SET lease_token = ?, lease_until = ? WHERE user_id = ?';
    await test.portal.database.execute(hold, ['x', new Date(test.clock.now().getTime() + 1000), ada.user.id]);
    expect(await recover()).toEqual({ settled: 0, failed: 0 });
    test.clock.advance(2);
    const [one, two] = await Promise.all([recover(), recover()]);
    expect(one.settled + two.settled).toBe(1);
    expect(seen).toHaveLength(1);
  });
});

describe('a PUT of an app\u2019s products that fails half way', () => {
  const slugs = async () => (await ada.get(`/${app.name}`)).json.data.products.map((one: { slug: string }) => one.slug);

  it('is finished by itself', async () => {
    await ada.post(`/${app.name}/credentials`, { products: ['payments'] });
    let calls = 0;
    gateway.cutWhen(AWAY, 'keyProducts.add', () => (calls += 1) > 1);
    expect((await ada.put(`/${app.name}`, { products: ['geo', 'maps'] })).status).toBe(503);
    gateway.mend();
    await recover();
    const keys = (await ada.get(`/${app.name}/credentials`)).json.data as { products: { slug: string }[] }[];
    expect(keys.map(({ products }) => products.map((one) => one.slug))).toEqual([
      ['geo', 'maps'],
      ['geo', 'maps'],
    ]);
    await expectAgreement();
  });

  it('is as if it had not been asked for, when it failed before anything was done', async () => {
    gateway.cut(AWAY, 'before', 'keyProducts.remove', 'keyProducts.add');
    expect((await ada.put(`/${app.name}`, { products: ['geo', 'maps'] })).status).toBe(503);
    gateway.mend();
    test.clock.advance(60);
    await recover();
    await ada.signInAgain();
    expect(await slugs()).toEqual(['payments']);
  });
});

describe('an account', () => {
  it('whose disabling broke off is as open at the gateway as in the portal (R16)', async () => {
    const { users } = test.portal.services.accounts;
    gateway.cut(SLOW, 'after', 'developers.setStatus');
    await expect(users.setStatus(ada.user.id, 'inactive')).rejects.toBe(SLOW);
    expect(await readKeyAccess(test, app.key)).toBe('inactive_developer');
    gateway.mend();
    test.clock.advance(45);
    await recover();
    expect((await users.find(ada.user.id)).status).toBe('active');
    expect(await readKeyAccess(test, app.key)).toBe('open');
  });

  it('that was enabled while the gateway was away opens when it is back', async () => {
    const { users } = test.portal.services.accounts;
    await users.setStatus(ada.user.id, 'inactive');
    gateway.cut(AWAY, 'before', 'developers.setStatus');
    await users.setStatus(ada.user.id, 'active');
    expect(await readKeyAccess(test, app.key)).toBe('inactive_developer');
    gateway.mend();
    test.clock.advance(45);
    await recover();
    expect(await readKeyAccess(test, app.key)).toBe('open');
  });

  it('that was deleted while the gateway could only be asked once leaves nothing there', async () => {
    const { users } = test.portal.services.accounts;
    let calls = 0;
    gateway.cutWhen(AWAY, 'developers.remove', () => (calls += 1) > 1);
    await users.delete(ada.user.id);
    expect(await loggedKinds()).toEqual(['developer', 'developer']);
    gateway.mend();
    test.clock.advance(45);
    await recover();
    expect(await loggedKinds()).toEqual([]);
  });
});

describe('a developer at a gateway that knows people by e-mail (S70)', () => {
  let memory: MemoryGateway;
  let other: TestPortal;
  beforeAll(async () => {
    memory = new MemoryGateway();
    other = await startTestPortal({
      config: { gateway: { driver: 'memory' } },
      extensions: { gatewayDrivers: { memory: () => memory } },
    });
    await createProduct(other, { slug: 'payments', gatewayProductId: 'payments' });
  });
  afterAll(() => other.stop());

  it('is never somebody whom the portal did not make', async () => {
    const victim = memory.addDeveloper({
      ...{ portalId: null, email: 'victim@example.com', firstName: 'Vic', lastName: 'Tim', status: 'active' },
    });
    memory.addApp(victim, 'theirs', ['payments']);
    const eve = await createUser(other, { email: 'victim@example.com' });
    const by = { type: 'developer', id: eve.id } as const;
    const creating = other.portal.services.apps.apps.create(eve, { name: 'mine', products: ['payments'] }, by);
    await expect(creating).rejects.toMatchObject({ status: 409, errors: { email: [expect.any(String)] } });
    expect([victim.portalId, [...victim.apps.keys()]]).toEqual([null, ['theirs']]);
  });

  it('stays who they are when their e-mail changes, also to one that the gateway gives to somebody else', async () => {
    const { users } = other.portal.services.accounts;
    const { apps } = other.portal.services.apps;
    const bob = await createUser(other, { email: 'bob@example.com' });
    const by = { type: 'developer', id: bob.id } as const;
    await apps.create(bob, { name: 'shop', products: ['payments'] }, by);
    await users.update(bob.id, { email: 'robert@example.com' });
    const [mine] = [...memory.people.values()].filter(({ portalId }) => portalId === String(bob.id));
    expect(mine).toMatchObject({ email: 'robert@example.com' });

    memory.addDeveloper({ portalId: null, email: 'taken@example.com', firstName: '', lastName: '', status: 'active' });
    const renamed = await users.update(bob.id, { email: 'taken@example.com' });
    expect(mine).toMatchObject({ email: 'robert@example.com' });
    await apps.revoke(await apps.find(renamed, 'shop'), by);
    expect(mine?.apps.get('shop')).toMatchObject({ status: 'revoked' });
    const { drifts } = await other.portal.services.apps.sync.run({ plan: true, reopen: false, prune: false });
    expect(drifts).toMatchObject([
      { kind: 'developer_email', portal: 'taken@example.com', gateway: 'robert@example.com' },
    ]);
    expect(await other.portal.database.select('SELECT id FROM portal_gateway_intents')).toEqual([]);
  });
});
