import assert from 'node:assert/strict';
import { GatewayConflictError, GatewayNotFoundError } from '../index.js';
import type { GatewayCheck } from './check.js';

/** From the first app to the last key. */
export const lifecycleChecks: readonly GatewayCheck[] = [
  {
    name: 'is well when its backend is',
    run: ({ driver }) => driver.check(),
  },
  {
    name: 'lists its products',
    async run({ driver, one, two }) {
      const names = (await driver.products.list()).map(({ name }) => name);
      for (const product of [one, two]) assert.ok(names.includes(product), `products.list contains ${product}`);
    },
  },
  {
    name: 'creates an app with a first key that opens its products and no other',
    async run(stage) {
      const { issued, created } = await stage.appWithKey(stage.ada);
      assert.notEqual(created.appId, '', 'the app has an id');
      assert.match(issued.consumerKey, /^[A-Za-z0-9_-]{20,255}$/);
      assert.notEqual(issued.consumerSecret, issued.consumerKey);
      await stage.expectKey(issued, stage.one, true, 'right after it was issued');
      await stage.expectKey(issued, stage.two, false, 'that it was never given');
    },
  },
  {
    name: 'creates an app without a key',
    async run(stage) {
      const created = await stage.driver.apps.create(stage.app(await stage.ensure(stage.ada)), null);
      assert.equal(created.key, null);
    },
  },
  {
    name: 'refuses an app of a developer it does not know',
    async run(stage) {
      const work = stage.driver.apps.create(stage.app(stage.ada), null);
      await stage.rejects(work, GatewayNotFoundError, 'apps.create for an unknown developer');
    },
  },
  {
    name: 'refuses a second app of a name, but not for another developer',
    async run(stage) {
      const { app } = await stage.appWithKey(stage.ada);
      const second = stage.app(app.developer, app.name);
      await stage.rejects(stage.driver.apps.create(second, null), GatewayConflictError, 'a name that is taken');
      await stage.appWithKey(stage.bob);
    },
  },
  {
    name: 'knows a developer who is made known twice, and returns the same id',
    async run(stage) {
      const first = await stage.ensure(stage.ada);
      const again = await stage.ensure({ ...stage.ada, lastName: 'Lovelace' });
      assert.equal(again.gatewayId, first.gatewayId);
    },
  },
  {
    name: 'gives a team apps of its own, beside one of that name of a developer, until the team is closed',
    needs: ['teams'],
    async run(stage) {
      await stage.appWithKey(stage.ada);
      const members = [
        { email: 'boss@example.com', isAdmin: true },
        { email: 'mate@example.com', isAdmin: false },
      ];
      const { app, issued, address } = await stage.appWithKey({ ...stage.person('Crew'), isTeam: true, members });
      await stage.expectKey(issued, stage.one, true, 'of a team');
      await stage.driver.apps.update({ ...app, displayName: 'Till' });
      await stage.driver.keyProducts.add(address, { product: stage.two, status: 'approved' });
      await stage.expectKey(issued, stage.two, true, 'that was put on the key of a team');
      const second = await stage.driver.keys.issue(app, stage.key(stage.one));
      await stage.driver.keys.setStatus({ app, keyRef: second.keyRef }, 'revoked');
      await stage.expectKey(second, stage.one, false, 'of a team, revoked');
      const found = await stage.driver.inventory?.apps(app.developer.gatewayId ?? '');
      if (found)
        assert.deepEqual(
          found.map(({ name, portalId }) => [name, portalId]),
          [[app.name, app.portalId]],
        );
      const teams = await stage.driver.inventory?.teams?.(null);
      const listed = teams?.items.find(({ gatewayId }) => gatewayId === app.developer.gatewayId);
      if (teams) assert.deepEqual([listed?.portalId, listed?.status], [app.developer.id, 'active']);
      // Where the backend shows nobody, or others than those whom it was told, that is its own matter.
      if (listed && listed.members.length > 0) assert.deepEqual(listed.members, members);
      await stage.driver.apps.setStatus(app, 'revoked');
      await stage.expectKey(issued, stage.one, false, 'of an app of a team, revoked');
      await stage.driver.apps.setStatus(app, 'approved');
      await stage.driver.developers.setStatus(app.developer, 'inactive');
      await stage.expectKey(issued, stage.one, false, 'of a team that was closed');
    },
  },
  {
    name: 'lets two keys of an app work beside each other',
    needs: ['productsPerKey'],
    async run(stage) {
      const { app, issued } = await stage.appWithKey(stage.ada);
      const second = await stage.driver.keys.issue(app, stage.key(stage.one));
      assert.notEqual(second.keyRef, issued.keyRef);
      await stage.expectKey(issued, stage.one, true, 'beside a second key');
      await stage.expectKey(second, stage.one, true, 'as the second key');
    },
  },
  {
    name: 'shows a key again',
    needs: ['readSecret'],
    async run(stage) {
      const { app, issued, address } = await stage.appWithKey(stage.ada);
      const { consumerKey, consumerSecret } = issued;
      assert.deepEqual({ ...(await stage.driver.keys.reveal(address)) }, { consumerKey, consumerSecret });
      const second = await stage.driver.keys.issue(app, stage.key(stage.one));
      const shown = await stage.driver.keys.reveal({ app, keyRef: second.keyRef });
      assert.equal(shown.consumerSecret, second.consumerSecret);
    },
  },
  {
    name: 'changes what an app shows and leaves its keys alone',
    async run(stage) {
      const { app, issued } = await stage.appWithKey(stage.ada);
      await stage.driver.apps.update({ ...app, displayName: 'Till', callbackUrl: 'https://shop.example/back' });
      await stage.expectKey(issued, stage.one, true, 'after its app was renamed');
    },
  },
  {
    name: 'removes without complaint what is gone already, and leaves what is not ours',
    async run(stage) {
      const { app, issued, address } = await stage.appWithKey(stage.ada);
      await stage.driver.apps.remove({ ...app, portalId: 'another' });
      await stage.expectKey(issued, stage.one, true, 'after an app of another portal was removed');
      for (let round = 0; round < 2; round += 1) {
        if (stage.driver.capabilities.productsPerKey) await stage.driver.keyProducts.remove(address, stage.two);
        await stage.driver.apps.remove(app);
        await stage.driver.keys.remove(address);
        await stage.driver.developers.remove(app.developer);
      }
      await stage.expectKey(issued, stage.one, false, 'after its developer was removed');
    },
  },
];
