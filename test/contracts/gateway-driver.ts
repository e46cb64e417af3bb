import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  GatewayConflictError,
  GatewayNotFoundError,
  type GatewayApp,
  type GatewayDeveloper,
  type GatewayDriver,
  type IssuedKey,
  type KeyAddress,
  type NewKey,
} from '../../src/gateway/index.js';

/** A driver with a backend that is empty but for the products `gw-one` and `gw-two`. */
export interface DriverUnderTest {
  driver: GatewayDriver;
  /** Whether the backend lets this key through to a product now. */
  opens(consumerKey: string, product: string): Promise<boolean>;
  /** Moves the backend's clock; undefined where nobody can. */
  advance?: (seconds: number) => void;
  now(): Date;
  stop(): Promise<void>;
}

const ada: GatewayDeveloper = { id: '1', email: 'ada@example.com', firstName: 'Ada', lastName: 'L', status: 'active' };
const bob: GatewayDeveloper = { ...ada, id: '2', email: 'bob@example.com', firstName: 'Bob' };

const app = (developer: GatewayDeveloper, portalId: string, name = 'checkout'): GatewayApp => ({
  developer,
  portalId,
  name,
  displayName: 'Checkout',
  description: '',
  callbackUrl: null,
  status: 'approved',
});

const key = (portalId: string, ...products: string[]): NewKey => ({
  portalId,
  products: products.map((product) => ({ product, status: 'approved' as const })),
  expiresAt: null,
});

/** What every driver does alike. What its capabilities exclude is left out by name. */
export function gatewayDriverContract(name: string, start: () => Promise<DriverUnderTest>): void {
  describe(`the gateway driver ${name}`, () => {
    let test: DriverUnderTest;
    let driver: GatewayDriver;
    beforeEach(async () => {
      test = await start();
      driver = test.driver;
    });
    afterEach(() => test.stop());

    async function createApp(owner = ada, portalId = '10'): Promise<{ issued: IssuedKey; address: KeyAddress }> {
      await driver.developers.ensure(owner);
      const created = await driver.apps.create(app(owner, portalId), key(`${portalId}0`, 'gw-one'));
      if (!created.key) throw new Error('no key was issued');
      return { issued: created.key, address: { app: app(owner, portalId), keyRef: created.key.keyRef } };
    }

    it('is well when its backend is', async () => {
      await expect(driver.check()).resolves.toBeUndefined();
    });

    it('lists its products', async () => {
      const names = (await driver.products.list()).map((product) => product.name);
      expect([...names].sort()).toEqual(['gw-one', 'gw-two']);
    });

    it('creates an app with a first key that opens its products and no other', async () => {
      const { issued } = await createApp();
      expect(issued.consumerKey).toMatch(/^[A-Za-z0-9_-]{20,255}$/);
      expect(issued.consumerSecret).not.toBe(issued.consumerKey);
      expect(await test.opens(issued.consumerKey, 'gw-one')).toBe(true);
      expect(await test.opens(issued.consumerKey, 'gw-two')).toBe(false);
    });

    it('creates an app without a key', async () => {
      await driver.developers.ensure(ada);
      const created = await driver.apps.create(app(ada, '10'), null);
      expect(created).toEqual({ appId: expect.stringMatching(/./), key: null });
    });

    it('refuses an app of a developer it does not know, and a second one of a name', async () => {
      await expect(driver.apps.create(app(ada, '10'), null)).rejects.toBeInstanceOf(GatewayNotFoundError);
      await createApp();
      await expect(driver.apps.create(app(ada, '11'), null)).rejects.toBeInstanceOf(GatewayConflictError);
      await expect(createApp(bob, '12')).resolves.toBeDefined();
    });

    it('tells apart what is missing', async () => {
      const { address } = await createApp();
      const unknown = { ...address, keyRef: '987654321' };
      const missing = app(ada, '99', 'missing');
      for (const call of [
        driver.developers.setStatus(bob, 'active'),
        driver.apps.setStatus(missing, 'approved'),
        driver.apps.update(missing),
        driver.keys.issue(missing, key('1')),
        driver.keys.setStatus(unknown, 'revoked'),
        driver.keys.reveal(unknown),
        driver.keyProducts.add(unknown, { product: 'gw-two', status: 'approved' }),
      ]) {
        await expect(call).rejects.toBeInstanceOf(GatewayNotFoundError);
      }
    });

    it('never reaches the key of another developer, whatever the reference says', async () => {
      const { address, issued } = await createApp();
      await createApp(bob, '12');
      const crossed = { app: app(bob, '12'), keyRef: address.keyRef };
      await expect(driver.keys.setStatus(crossed, 'revoked')).rejects.toBeInstanceOf(GatewayNotFoundError);
      await expect(driver.keys.reveal(crossed)).rejects.toBeInstanceOf(GatewayNotFoundError);
      await driver.keys.remove(crossed);
      expect(await test.opens(issued.consumerKey, 'gw-one')).toBe(true);
    });

    it('removes without complaint what is gone already, and leaves what is not ours', async () => {
      const { address, issued } = await createApp();
      await driver.apps.remove(app(ada, '77'));
      expect(await test.opens(issued.consumerKey, 'gw-one')).toBe(true);
      for (let round = 0; round < 2; round += 1) {
        await driver.keyProducts.remove(address, 'gw-two');
        await driver.apps.remove(address.app);
        await driver.keys.remove(address);
        await driver.developers.remove(ada);
      }
      expect(await test.opens(issued.consumerKey, 'gw-one')).toBe(false);
    });

    it('opens only while developer, app, key and product are all good', async () => {
      const { address, issued } = await createApp();
      const opens = () => test.opens(issued.consumerKey, 'gw-one');
      const doors: [(isOpen: boolean) => Promise<void>][] = [
        [(isOpen) => driver.developers.setStatus(ada, isOpen ? 'active' : 'inactive')],
        [(isOpen) => driver.apps.setStatus(address.app, isOpen ? 'approved' : 'revoked')],
        [(isOpen) => driver.keys.setStatus(address, isOpen ? 'approved' : 'revoked')],
        [(isOpen) => driver.keyProducts.setStatus(address, grant(isOpen))],
      ];
      for (const [turn] of doors) {
        await turn(false);
        expect(await opens()).toBe(false);
        await turn(true);
        expect(await opens()).toBe(true);
      }
    });

    it('keeps a disabled developer disabled when they are made known again', async () => {
      const { issued } = await createApp();
      await driver.developers.setStatus(ada, 'inactive');
      await driver.developers.ensure({ ...ada, email: 'countess@example.com' });
      expect(await test.opens(issued.consumerKey, 'gw-one')).toBe(false);
    });

    it('adds a product to one key, again without harm, and takes it off', async () => {
      const { address, issued } = await createApp();
      const second = await driver.keys.issue(address.app, key('101', 'gw-one'));
      const product = { product: 'gw-two', status: 'approved' } as const;
      await driver.keyProducts.add(address, product);
      await driver.keyProducts.add(address, product);
      expect(await test.opens(issued.consumerKey, 'gw-two')).toBe(true);
      expect(await test.opens(second.consumerKey, 'gw-two')).toBe(false);
      await driver.keyProducts.add(address, { ...product, status: 'revoked' });
      expect(await test.opens(issued.consumerKey, 'gw-two')).toBe(false);
      await driver.keyProducts.remove(address, 'gw-two');
      expect(await test.opens(issued.consumerKey, 'gw-one')).toBe(true);
    });

    it('lets two keys of an app work beside each other, and gives both back in full', async () => {
      const { address, issued } = await createApp();
      const second = await driver.keys.issue(address.app, key('101', 'gw-one'));
      expect(second.keyRef).not.toBe(issued.keyRef);
      expect(await test.opens(issued.consumerKey, 'gw-one')).toBe(true);
      expect(await test.opens(second.consumerKey, 'gw-one')).toBe(true);
      if (!driver.capabilities.readSecret) return;
      const { keyRef: _, ...pair } = second;
      expect(await driver.keys.reveal({ app: address.app, keyRef: second.keyRef })).toEqual(pair);
    });

    it('ends a key at its time, which may move', async () => {
      const { address, issued } = await createApp();
      if (driver.capabilities.expiry === 'fixed' || !test.advance) return;
      await driver.keys.setExpiry(address, new Date(test.now().getTime() + 60_000));
      test.advance(59);
      expect(await test.opens(issued.consumerKey, 'gw-one')).toBe(true);
      test.advance(1);
      expect(await test.opens(issued.consumerKey, 'gw-one')).toBe(false);
      await driver.keys.setExpiry(address, null);
      expect(await test.opens(issued.consumerKey, 'gw-one')).toBe(true);
    });
  });
}

function grant(isOpen: boolean) {
  return { product: 'gw-one', status: isOpen ? ('approved' as const) : ('revoked' as const) };
}
