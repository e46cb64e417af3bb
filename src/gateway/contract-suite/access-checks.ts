import assert from 'node:assert/strict';
import type { GatewayCheck } from './check.js';
import type { AppWithKey, GatewayStage } from './stage.js';

type Turn = (stage: GatewayStage, made: AppWithKey, isOpen: boolean) => Promise<void>;

/** Closes and reopens, trying the key each time. */
function opensAndCloses(what: string, needs: GatewayCheck['needs'], turn: Turn): GatewayCheck {
  return {
    name: `closes a key with ${what}, and opens it again`,
    needs: ['door', ...(needs ?? [])],
    async run(stage) {
      const made = await stage.appWithKey(stage.ada);
      await stage.expectKey(made.issued, stage.one, true, 'at first');
      for (const isOpen of [false, true]) {
        await turn(stage, made, isOpen);
        await stage.expectKey(made.issued, stage.one, isOpen, `after ${what} was ${isOpen ? 'opened' : 'closed'}`);
      }
    },
  };
}

const grant = (product: string, isOpen: boolean) => ({ product, status: isOpen ? 'approved' : 'revoked' }) as const;

/** What makes a key work, and what stops it. */
export const accessChecks: readonly GatewayCheck[] = [
  opensAndCloses('its developer', ['developers'], ({ driver }, { app }, isOpen) =>
    driver.developers.setStatus(app.developer, isOpen ? 'active' : 'inactive'),
  ),
  opensAndCloses('its app', [], ({ driver }, { app }, isOpen) =>
    driver.apps.setStatus(app, isOpen ? 'approved' : 'revoked'),
  ),
  opensAndCloses('the key itself', ['keyStatus'], ({ driver }, { address }, isOpen) =>
    driver.keys.setStatus(address, isOpen ? 'approved' : 'revoked'),
  ),
  opensAndCloses('its product', ['productsPerKey', 'productStatusPerKey'], ({ driver, one }, { address }, isOpen) =>
    driver.keyProducts.setStatus(address, grant(one, isOpen)),
  ),
  opensAndCloses(
    'a product that is taken off and put on',
    ['productsPerKey'],
    ({ driver, one }, { address }, isOpen) =>
      isOpen ? driver.keyProducts.add(address, grant(one, true)) : driver.keyProducts.remove(address, one),
  ),
  {
    name: 'closes a key for good when it is removed',
    needs: ['door'],
    async run(stage) {
      const { issued, address } = await stage.appWithKey(stage.ada);
      await stage.driver.keys.remove(address);
      await stage.expectKey(issued, stage.one, false, 'after it was removed');
    },
  },
  {
    name: 'keeps a disabled developer disabled when they are made known again',
    needs: ['door', 'developers'],
    async run(stage) {
      const { app, issued } = await stage.appWithKey(stage.ada);
      await stage.driver.developers.setStatus(app.developer, 'inactive');
      await stage.ensure({ ...app.developer, lastName: 'Lovelace', status: 'active' });
      await stage.expectKey(issued, stage.one, false, 'of a developer who is disabled');
    },
  },
  {
    name: 'adds a product to one key, again without harm, and takes it off',
    needs: ['productsPerKey'],
    async run(stage) {
      const { app, issued, address } = await stage.appWithKey(stage.ada);
      const second = await stage.driver.keys.issue(app, stage.key(stage.one));
      await stage.driver.keyProducts.add(address, grant(stage.two, true));
      await stage.driver.keyProducts.add(address, grant(stage.two, true));
      await stage.expectKey(issued, stage.two, true, 'after it was added');
      await stage.expectKey(second, stage.two, false, 'that was given to another key');
      await stage.driver.keyProducts.remove(address, stage.two);
      await stage.expectKey(issued, stage.two, false, 'after it was taken off');
      await stage.expectKey(issued, stage.one, true, 'after another product was taken off');
    },
  },
  {
    name: 'keeps the plan of a product on a key, through changes of its status',
    needs: ['inventory', 'productsPerKey', 'productStatusPerKey', 'plans'],
    async run(stage) {
      const product = { product: stage.one, status: 'approved', plan: '7.31' } as const;
      const { app, address } = await stage.appWithKey(stage.ada, { ...stage.key(), products: [product] });
      const { driver } = stage;
      const planOf = async () => {
        const apps = (await driver.inventory?.apps(app.developer.gatewayId ?? '')) ?? [];
        return apps[0]?.keys[0]?.products.find(({ product: name }) => name === stage.one)?.plan ?? null;
      };
      assert.equal(await planOf(), '7.31', 'a new key has the plan that it was issued with');
      await driver.keyProducts.setStatus(address, grant(stage.one, false));
      assert.equal(await planOf(), '7.31', 'a change of the status leaves the plan');
      await driver.keyProducts.add(address, { ...product, plan: '8' });
      assert.equal(await planOf(), '8', 'the product gets another plan');
      await driver.keyProducts.add(address, grant(stage.one, true));
      assert.equal(await planOf(), null, 'the plan is taken away');
    },
  },
  {
    name: 'does not open a product that is put on a key without approval',
    needs: ['door', 'productsPerKey', 'productStatusPerKey'],
    async run(stage) {
      const { issued, address } = await stage.appWithKey(stage.ada);
      await stage.driver.keyProducts.add(address, grant(stage.two, false));
      await stage.expectKey(issued, stage.two, false, 'that is not approved');
      await stage.driver.keyProducts.add(address, grant(stage.two, true));
      await stage.expectKey(issued, stage.two, true, 'after it was approved');
    },
  },
  {
    name: 'creates an app that is not approved closed',
    needs: ['door'],
    async run(stage) {
      const app = { ...stage.app(await stage.ensure(stage.ada)), status: 'revoked' as const };
      const { key } = await stage.driver.apps.create(app, stage.key(stage.one));
      if (key) await stage.expectKey(key, stage.one, false, 'of an app that is not approved');
    },
  },
  {
    name: 'ends a key at its time',
    needs: ['expiry', 'door', 'clock'],
    async run(stage) {
      const { advance = () => undefined, now } = stage.subject;
      const expiresAt = new Date(now().getTime() + 60_000);
      const { issued } = await stage.appWithKey(stage.ada, { ...stage.key(stage.one), expiresAt });
      advance(58);
      await stage.expectKey(issued, stage.one, true, 'before its end');
      advance(2);
      await stage.expectKey(issued, stage.one, false, 'after its end');
    },
  },
  {
    name: 'ends a second key of an app at its time',
    needs: ['expiry', 'door', 'clock'],
    async run(stage) {
      const { advance = () => undefined, now } = stage.subject;
      const { app, issued } = await stage.appWithKey(stage.ada);
      const expiresAt = new Date(now().getTime() + 60_000);
      const second = await stage.driver.keys.issue(app, { ...stage.key(stage.one), expiresAt });
      advance(60);
      await stage.expectKey(second, stage.one, false, 'after its end');
      await stage.expectKey(issued, stage.one, true, 'after another key ended');
    },
  },
  {
    name: 'moves the end of a key',
    needs: ['movableExpiry', 'door', 'clock'],
    async run(stage) {
      const { advance = () => undefined, now } = stage.subject;
      const { issued, address } = await stage.appWithKey(stage.ada);
      await stage.driver.keys.setExpiry(address, new Date(now().getTime() + 60_000));
      advance(60);
      await stage.expectKey(issued, stage.one, false, 'after the end that was set');
      await stage.driver.keys.setExpiry(address, null);
      await stage.expectKey(issued, stage.one, true, 'after its end was taken away');
    },
  },
];
