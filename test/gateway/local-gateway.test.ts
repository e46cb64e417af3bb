import { randomBytes } from 'node:crypto';
import { configureGateway, type GatewayContext } from '../../src/gateway/index.js';
import { ConfigurationError, DecryptionError, Encrypter, silentLogger } from '../../src/core/index.js';
import { gatewayDriverContract } from '../contracts/gateway-driver.js';
import { createProduct } from '../support/factories.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
let context: GatewayContext;
beforeAll(async () => {
  test = await startTestPortal();
  for (const slug of ['one', 'two']) await createProduct(test, { slug, gatewayProductId: `gw-${slug}` });
  context = {
    database: test.portal.database,
    clock: test.clock,
    logger: silentLogger,
    encrypter: new Encrypter([randomBytes(32)]),
  };
});
afterAll(() => test.stop());

gatewayDriverContract('local', async () => {
  await test.portal.database.execute('DELETE FROM portal_gateway_developers');
  const gateway = configureGateway('local', context);
  const driver = await gateway.open();
  return {
    driver,
    products: ['gw-one', 'gw-two'],
    opens: async ({ consumerKey }, product) => {
      const decision = await driver.verifier?.verify(consumerKey, product.replace('gw-', ''));
      return decision?.allowed === true;
    },
    advance: (seconds) => test.clock.advance(seconds),
    now: () => test.clock.now(),
    stop: () => gateway.close(),
  };
});

describe('a driver that nobody has', () => {
  it('is a fault of the configuration, with its fix', () => {
    const fault =
      /no driver "acme"; known are local, apigee\. Fix: use one of them, or give a driver .* as gatewayDrivers/;
    const shipped = { apigee: () => configureGateway('local', context).open() };
    expect(() => configureGateway('acme', context, {}, shipped)).toThrow(fault);
  });
});

describe('the local gateway', () => {
  const developer = { id: '7', email: 'eve@example.com', firstName: 'Eve', lastName: 'E', status: 'active' } as const;
  const shown = { displayName: '', description: '', callbackUrl: null, status: 'approved' } as const;

  it('keeps no key in clear, and opens a sealed one only in its own row', async () => {
    const driver = await configureGateway('local', context).open();
    await driver.developers.ensure(developer);
    const app = { developer, portalId: '70', name: 'vault', ...shown };
    const plan = { portalId: '700', products: [], expiresAt: null };
    const { key: first } = await driver.apps.create(app, plan);
    const second = await driver.keys.issue(app, { ...plan, portalId: '701' });
    const rows = await test.portal.database.select('SELECT * FROM portal_gateway_keys');
    for (const secret of [first?.consumerKey, first?.consumerSecret, second.consumerKey, second.consumerSecret]) {
      expect(JSON.stringify(rows)).not.toContain(secret);
    }
    const [one] = await test.portal.database.select<{ sealed: string }>(
      'SELECT key_sealed AS sealed FROM portal_gateway_keys WHERE id = ?',
      [Number(first?.keyRef)],
    );
    const swap = 'UPDATE portal_gateway_keys SET key_sealed = ? WHERE id = ?';
    await test.portal.database.execute(swap, [one!.sealed, Number(second.keyRef)]);
    await expect(driver.keys.reveal({ app, keyRef: second.keyRef })).rejects.toBeInstanceOf(DecryptionError);
  });

  it('is loaded by name, once, and an unknown name is a fault of the configuration', async () => {
    const gateway = configureGateway('local', context);
    expect(await gateway.open()).toBe(await gateway.open());
    expect(() => configureGateway('toString', context)).toThrow(ConfigurationError);
    const own = { acme: () => gateway.open() };
    const [built, given] = [await gateway.open(), await configureGateway('acme', context, own).open()];
    expect([given.name, given.capabilities]).toEqual([built.name, built.capabilities]);
  });
});
