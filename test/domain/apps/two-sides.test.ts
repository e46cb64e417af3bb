import { UserDeletedEvent } from '../../../src/domain/accounts/index.js';
import {
  CredentialCreatedEvent,
  CredentialDeletedEvent,
  CredentialRotatedEvent,
} from '../../../src/domain/apps/index.js';
import {
  GatewayConflictError,
  GatewayRefusedError,
  GatewayTimeoutError,
  GatewayUnavailableError,
  type GatewayCapabilities,
} from '../../../src/gateway/index.js';
import type { PortalEvent } from '../../../src/core/index.js';
import { Developer, readKeyAccess } from '../../support/apps.js';
import { createProduct } from '../../support/factories.js';
import { FlakyGateway } from '../../support/flaky-gateway.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const AWAY = new GatewayUnavailableError(7);
const SLOW = new GatewayTimeoutError();

let test: TestPortal;
let gateway: FlakyGateway;
let ada: Developer;
let count = 0;
let app: { name: string; path: string; id: number; key: string };
/** Events whose `within` listener throws, as a broken audit trail would. */
let refused: string[] = [];

beforeAll(async () => {
  test = await startTestPortal({
    config: {
      gateway: { driver: 'flaky' },
      verify: { enabled: true },
      // One connection: whoever asked the gateway with a transaction open would wait for ever (R12, R25).
      database: { pool: { max: 1 } },
    },
    extensions: {
      gatewayDrivers: { flaky: async (context: never) => (gateway = await FlakyGateway.open(context)) },
    },
  });
  test.portal.events.within(CredentialCreatedEvent, refuseIfAsked);
  test.portal.events.within(CredentialRotatedEvent, refuseIfAsked);
  test.portal.events.within(CredentialDeletedEvent, refuseIfAsked);
  test.portal.events.within(UserDeletedEvent, refuseIfAsked);
  await createProduct(test, { slug: 'payments' });
  await createProduct(test, { slug: 'geo' });
  ada = await Developer.create(test);
});
beforeEach(async () => {
  count += 1;
  const name = `app-${count}`;
  const { id, key } = await ada.createApp(name, ['payments']);
  app = { name, path: `/${name}/credentials/${id}`, id, key };
});
afterEach(() => {
  gateway.mend();
  refused = [];
});
afterAll(() => test.stop());

function refuseIfAsked(event: PortalEvent): void {
  if (refused.includes(event.constructor.name)) throw new Error('the audit trail is full');
}

const gatewayRows = async (table: string): Promise<number> => {
  const [row] = await test.portal.database.select<{ total: number }>(`SELECT COUNT(*) AS total FROM ${table}`);
  return Number(row?.total);
};

describe('creating an app', () => {
  it.each([
    ['away', AWAY, 'before', 503, 'Service unavailable.'],
    ['slow, having done it', SLOW, 'after', 504, 'Gateway timeout.'],
    ['unwilling', new GatewayRefusedError(), 'before', 502, 'Gateway error.'],
  ] as const)('leaves nothing on either side when the gateway is %s', async (_case, error, when, status, message) => {
    const apps = await gatewayRows('portal_gateway_apps');
    gateway.cut(error, when, 'apps.create');
    const answer = await ada.post('', { name: 'fresh', products: ['payments'] });
    expect([answer.status, answer.json.message]).toEqual([status, message]);
    expect(answer.headers.get('retry-after')).toBe(status === 503 ? '7' : null);
    expect((await ada.get('/fresh')).status).toBe(404);
    expect(await gatewayRows('portal_gateway_apps')).toBe(apps);
    gateway.mend();
    expect((await ada.post('', { name: 'fresh', products: ['payments'] })).status).toBe(201);
    await ada.delete('/fresh');
  });

  it('takes back the gateway\u2019s part when the portal\u2019s fails', async () => {
    const keys = await gatewayRows('portal_gateway_keys');
    refused = ['CredentialCreatedEvent'];
    expect((await ada.post('', { name: 'unrecorded', products: ['payments'] })).status).toBe(500);
    expect((await ada.post(`/${app.name}/credentials`, { products: ['geo'] })).status).toBe(500);
    expect(await gatewayRows('portal_gateway_keys')).toBe(keys);
    expect((await ada.get('/unrecorded')).status).toBe(404);
    expect((await ada.get(`/${app.name}/credentials`)).json.meta.pagination.total).toBe(1);
  });

  it('hides what a dead process left, and the next attempt with that name takes it over', async () => {
    gateway.cut(SLOW, 'after', 'apps.create');
    gateway.cut(AWAY, 'before', 'apps.remove');
    expect((await ada.post('', { name: 'Stale', products: ['payments'] })).status).toBe(504);
    gateway.mend();
    const shown = await ada.get('?per_page=100');
    expect(shown.text).not.toContain('Stale');
    expect((await ada.get('/stale')).status).toBe(404);
    expect((await ada.post('', { name: 'stale' })).status).toBe(422);
    test.clock.advance(61);
    const answer = await ada.post('', { name: 'stale', products: ['geo'] });
    expect(answer.status).toBe(201);
    expect(answer.json.data).toMatchObject({ name: 'stale', credentials: [{ products: [{ slug: 'geo' }] }] });
    const rows = await test.portal.database.select(
      "SELECT id FROM portal_gateway_apps WHERE name IN ('Stale', 'stale')",
    );
    expect(rows).toHaveLength(1);
    expect(await readKeyAccess(test, answer.json.data.credentials[0].consumer_key, 'geo')).toBe('open');
  });

  it('is a taken name when something else at the gateway has it', async () => {
    gateway.cut(new GatewayConflictError(), 'before', 'apps.create');
    const answer = await ada.post('', { name: 'theirs' });
    expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, ['name']]);
  });
});

describe('a new key', () => {
  it('that the gateway did not give leaves its place free, and one that got lost is never shown', async () => {
    for (const [error, when] of [
      [AWAY, 'before'],
      [SLOW, 'after'],
    ] as const) {
      gateway.cut(error, when, 'keys.issue');
      expect((await ada.post(`/${app.name}/credentials`, { products: ['geo'] })).status).toBe(error.status);
    }
    const { total } = (await ada.get(`/${app.name}/credentials`)).json.meta.pagination;
    expect(total).toBe(1);
  });

  it('of a rotation that fails half way does not exist, and the old one is as it was', async () => {
    const keys = await gatewayRows('portal_gateway_keys');
    for (const fail of [
      () => gateway.cut(SLOW, 'after', 'keys.setExpiry'),
      () => gateway.cut(AWAY, 'before', 'keys.setExpiry'),
      () => (refused = ['CredentialRotatedEvent']),
    ]) {
      fail();
      expect((await ada.post(`${app.path}/rotate`)).status).toBeGreaterThanOrEqual(500);
      // The repair was cut too where the line stayed cut; the next change repeats it.
      gateway.mend();
      refused = [];
      expect(await gatewayRows('portal_gateway_keys')).toBe(keys);
      expect((await ada.get(app.path)).json.data).toMatchObject({ replaced_by: null, expires_at: null });
      expect(await readKeyAccess(test, app.key)).toBe('open');
    }
    expect((await ada.post(`${app.path}/rotate`)).status).toBe(201);
  });
});

describe('approving and revoking', () => {
  const targets = (): [string, string][] => [
    [`/${app.name}`, 'apps.setStatus'],
    [app.path, 'keys.setStatus'],
    [`${app.path}/products/payments`, 'keyProducts.add'],
  ];

  it('change nothing when the gateway is away', async () => {
    for (const [path, call] of targets()) {
      gateway.cut(AWAY, 'before', call);
      expect((await ada.post(`${path}/revoke`)).status).toBe(503);
      gateway.mend();
      expect(await readKeyAccess(test, app.key, 'payments')).toBe('open');
    }
    expect((await ada.get(app.path)).json.data).toMatchObject({
      status: 'approved',
      products: [{ status: 'approved' }],
    });
    expect((await ada.get(`/${app.name}`)).json.data.status).toBe('approved');
  });

  it('never leave the gateway more open than the portal says, and doing it again heals', async () => {
    for (const [path, call] of targets()) {
      gateway.cut(SLOW, 'after', call);
      // Revoked there, the answer was lost: shut, while the portal still says approved.
      expect((await ada.post(`${path}/revoke`)).status).toBe(504);
      expect(await readKeyAccess(test, app.key, 'payments')).not.toBe('open');
      gateway.mend();
      expect((await ada.post(`${path}/revoke`)).status).toBe(200);
      // Approved there, the answer was lost: shut again, as the portal says.
      gateway.cut(SLOW, 'after', call);
      expect((await ada.post(`${path}/approve`)).status).toBe(504);
      expect(await readKeyAccess(test, app.key, 'payments')).not.toBe('open');
      gateway.mend();
      expect((await ada.post(`${path}/approve`)).status).toBe(200);
      expect(await readKeyAccess(test, app.key, 'payments')).toBe('open');
    }
  });

  it('end the same on both sides, however many cross each other', async () => {
    const turns = Array.from({ length: 12 }, (_, turn) => ada.post(`${app.path}/${turn % 2 ? 'approve' : 'revoke'}`));
    expect((await Promise.all(turns)).map(({ status }) => status)).toEqual(Array(12).fill(200));
    const { status } = (await ada.get(app.path)).json.data;
    expect(await readKeyAccess(test, app.key)).toBe(status === 'approved' ? 'open' : 'revoked_key');
  });

  it('wait for another change of the app, but not for one whose process died', async () => {
    const hold = (until: Date) =>
      test.portal.database.execute(
        "UPDATE portal_apps SET lease_token = 'dead', lease_until = ? WHERE user_id = ? AND name = ?",
        [until, ada.user.id, app.name],
      );
    await hold(test.clock.now());
    expect((await ada.post(`${app.path}/revoke`)).status).toBe(200);
  });
});

describe('deleting', () => {
  it('keeps what the gateway could not delete, and works again later', async () => {
    gateway.cut(AWAY, 'before', 'apps.remove', 'keys.remove');
    expect((await ada.delete(app.path)).status).toBe(503);
    expect((await ada.delete(`/${app.name}`)).status).toBe(503);
    expect((await ada.post(`${app.path}/approve`)).status).toBe(200);
    expect(await readKeyAccess(test, app.key)).toBe('open');
    expect((await ada.put(`/${app.name}`, { description: 'Still here.' })).status).toBe(200);
    gateway.mend();
    expect((await ada.delete(app.path)).status).toBe(200);
    expect((await ada.delete(`/${app.name}`)).status).toBe(200);
  });

  it('is finished by deleting again after a crash, and nothing else is done to the app until then', async () => {
    const broken = "UPDATE portal_apps SET sync_state = 'deleting' WHERE user_id = ? AND name = ?";
    await test.portal.database.execute(broken, [ada.user.id, app.name]);
    expect((await ada.get(`/${app.name}`)).status).toBe(200);
    expect((await ada.post(`/${app.name}/approve`)).status).toBe(409);
    expect((await ada.post(`${app.path}/rotate`)).status).toBe(409);
    expect((await ada.delete(`/${app.name}`)).status).toBe(200);
    expect(await readKeyAccess(test, app.key)).toBe('unknown_key');
  });
});

describe('deleting a key', () => {
  it('is finished by deleting again after a crash, and nothing else is done to the key until then', async () => {
    const broken = "UPDATE portal_credentials SET sync_state = 'deleting' WHERE id = ?";
    await test.portal.database.execute(broken, [app.id]);
    expect((await ada.get(app.path)).status).toBe(200);
    for (const change of ['approve', 'revoke', 'rotate', 'reveal', 'products']) {
      const body = change === 'products' ? { products: ['geo'] } : {};
      expect([change, (await ada.post(`${app.path}/${change}`, body)).status]).toEqual([change, 409]);
    }
    expect((await ada.put(`/${app.name}`, { description: 'Not the app.' })).status).toBe(200);
    expect((await ada.delete(app.path)).status).toBe(200);
    expect(await readKeyAccess(test, app.key)).toBe('unknown_key');
  });

  it('never leaves a key that looks whole when the gateway has none any more', async () => {
    refused = ['CredentialDeletedEvent'];
    expect((await ada.delete(app.path)).status).toBe(500);
    expect(await readKeyAccess(test, app.key)).toBe('unknown_key');
    expect((await ada.post(`${app.path}/revoke`)).status).toBe(409);
    refused = [];
    expect((await ada.delete(app.path)).status).toBe(200);
  });
});

describe('an account', () => {
  it('whose deletion broke off keeps apps that can only be deleted', async () => {
    const { users } = test.portal.services.accounts;
    const eve = await Developer.create(test);
    const { key } = await eve.createApp('shop', ['payments']);
    refused = ['UserDeletedEvent'];
    await expect(users.delete(eve.user.id)).rejects.toThrow('the audit trail is full');
    refused = [];
    expect(await readKeyAccess(test, key)).toBe('unknown_key');
    expect((await eve.post('/shop/revoke')).status).toBe(409);
    await users.delete(eve.user.id);
    await expect(users.find(eve.user.id)).rejects.toMatchObject({ status: 404 });
  });

  it('is neither disabled nor deleted while the gateway is away, and takes its apps with it (R16)', async () => {
    const { users } = test.portal.services.accounts;
    const eve = await Developer.create(test);
    const { key } = await eve.createApp('shop', ['payments']);
    gateway.cut(AWAY, 'before', 'developers.setStatus', 'developers.remove');
    await expect(users.setStatus(eve.user.id, 'inactive')).rejects.toBe(AWAY);
    await expect(users.delete(eve.user.id)).rejects.toBe(AWAY);
    expect((await users.find(eve.user.id)).status).toBe('active');
    gateway.mend();
    await users.setStatus(eve.user.id, 'inactive');
    expect(await readKeyAccess(test, key)).toBe('inactive_developer');
    await users.delete(eve.user.id);
    const left = await test.portal.database.select('SELECT id FROM portal_apps WHERE user_id = ?', [eve.user.id]);
    expect([left, await readKeyAccess(test, key)]).toEqual([[], 'unknown_key']);
  });

  it('that was disabled while the gateway made its app keeps no key', async () => {
    const { users } = test.portal.services.accounts;
    const eve = await Developer.create(test);
    const stale = await users.find(eve.user.id);
    await users.setStatus(eve.user.id, 'inactive');
    const keys = await gatewayRows('portal_gateway_keys');
    const creation = test.portal.services.apps.apps.create(
      stale,
      { name: 'late', products: ['payments'] },
      { type: 'developer', id: stale.id },
    );
    await expect(creation).rejects.toMatchObject({ status: 403 });
    expect(await gatewayRows('portal_gateway_keys')).toBe(keys);
  });
});

describe('a gateway that cannot do everything', () => {
  const without = (missing: Partial<GatewayCapabilities>) => {
    gateway.capabilities = { ...gateway.capabilities, ...missing };
  };
  let all: GatewayCapabilities;
  beforeEach(() => {
    all = gateway.capabilities;
    gateway.calls.length = 0;
  });
  afterEach(() => {
    gateway.capabilities = all;
  });

  it('is asked for nothing that it lacks: 409 with a sentence, or another way', async () => {
    without({ readSecret: false });
    const revealed = await ada.post(`${app.path}/reveal`);
    expect([revealed.status, revealed.json.message]).toEqual([409, 'Conflict.']);
    expect(revealed.json.errors).toEqual({ gateway: ['The gateway cannot show a key again.'] });

    without({ expiry: 'fixed' });
    const rotated = await ada.post(`${app.path}/rotate`, { overlap: 0 });
    expect([rotated.status, await readKeyAccess(test, app.key)]).toEqual([201, 'revoked_key']);

    without({ usage: false });
    gateway.calls.length = 0;
    await ada.get(`/${app.name}`);
    expect(gateway.calls).toEqual([]);
  });

  it('has the portal end a replaced key where no key can be given an end', async () => {
    without({ expiry: 'fixed' });
    expect((await ada.post(`${app.path}/rotate`, { overlap: 60 })).status).toBe(201);
    expect(gateway.calls).not.toContain('keys.setExpiry');
    test.clock.advance(59);
    await test.portal.services.apps.recovery.run();
    expect(await readKeyAccess(test, app.key)).toBe('open');
    test.clock.advance(1);
    await test.portal.services.apps.recovery.run();
    expect(await readKeyAccess(test, app.key)).toBe('revoked_key');
  });

  it('puts only approved products on a key where they have no status', async () => {
    without({ productStatusPerKey: false });
    const grant = `${app.path}/products/payments`;
    await ada.post(`${grant}/revoke`);
    expect(await readKeyAccess(test, app.key, 'payments')).toBe('product_not_granted');
    await ada.post(`${grant}/approve`);
    expect(await readKeyAccess(test, app.key, 'payments')).toBe('open');
  });

  it('loses a revoked key for good where keys have no status', async () => {
    without({ keyStatus: false });
    expect((await ada.post(`${app.path}/revoke`)).json.data.status).toBe('revoked');
    expect(await readKeyAccess(test, app.key)).toBe('unknown_key');
    expect((await ada.post(`${app.path}/approve`)).status).toBe(409);
  });

  it('gives an app one key where products belong to apps', async () => {
    without({ productsPerKey: false });
    expect((await ada.post(`/${app.name}/credentials`, { products: ['geo'] })).status).toBe(409);
    expect((await ada.post(`${app.path}/products`, { products: ['geo'] })).status).toBe(409);
    expect((await ada.post(`${app.path}/rotate`)).status).toBe(201);
  });

  it('has each app closed where developers have no status', async () => {
    without({ developers: false });
    const { users } = test.portal.services.accounts;
    const eve = await Developer.create(test);
    const { key } = await eve.createApp('shop', ['payments']);
    await users.setStatus(eve.user.id, 'inactive');
    expect(await readKeyAccess(test, key)).toBe('revoked_app');
    await users.setStatus(eve.user.id, 'active');
    expect(await readKeyAccess(test, key)).toBe('open');
  });
});
