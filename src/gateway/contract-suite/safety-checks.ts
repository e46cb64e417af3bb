import assert from 'node:assert/strict';
import {
  GatewayConflictError,
  GatewayNotFoundError,
  type FoundDeveloper,
  type GatewayDeveloper,
  type InventoryPage,
} from '../index.js';
import type { GatewayCheck } from './check.js';
import type { GatewayStage } from './stage.js';

/** Names that would traverse a path if sent unencoded (S56). */
const WALKS = ['..', '.', '../x', '..%2Fx', 'a/../../x', '%2e%2e', 'a\u0000b', 'a\nb', 'a?action=approve', 'a#b', ''];

/** Isolation between developers, whatever is requested. */
export const safetyChecks: readonly GatewayCheck[] = [
  {
    name: 'tells apart what is missing',
    async run(stage) {
      const { driver } = stage;
      const { app, address } = await stage.appWithKey(stage.ada);
      const unknown = { ...address, keyRef: '987654321' };
      const missing = stage.app(app.developer, 'missing');
      const grant = { product: stage.two, status: 'approved' } as const;
      const calls: Record<string, Promise<unknown>> = {
        'apps.setStatus': driver.apps.setStatus(missing, 'approved'),
        'apps.update': driver.apps.update(missing),
        'keys.issue': driver.keys.issue(missing, stage.key()),
        ...(driver.capabilities.developers && {
          'developers.setStatus': driver.developers.setStatus(stage.bob, 'active'),
        }),
        ...(driver.capabilities.keyStatus && { 'keys.setStatus': driver.keys.setStatus(unknown, 'revoked') }),
        ...(driver.capabilities.readSecret && { 'keys.reveal': driver.keys.reveal(unknown) }),
        ...(driver.capabilities.productsPerKey && { 'keyProducts.add': driver.keyProducts.add(unknown, grant) }),
      };
      const work = Object.entries(calls).map(([name, call]) =>
        stage.rejects(call, GatewayNotFoundError, `${name} of what is missing`),
      );
      await Promise.all(work);
    },
  },
  {
    name: 'never reaches the key of another developer, whatever the reference says',
    async run(stage) {
      const { driver } = stage;
      const { issued, address } = await stage.appWithKey(stage.ada);
      const other = await stage.appWithKey(stage.bob);
      const crossed = { app: other.app, keyRef: address.keyRef };
      if (driver.capabilities.keyStatus) {
        await stage.rejects(driver.keys.setStatus(crossed, 'revoked'), GatewayNotFoundError, 'closing a foreign key');
      }
      if (driver.capabilities.readSecret) {
        await stage.rejects(driver.keys.reveal(crossed), GatewayNotFoundError, 'showing a foreign key');
      }
      await driver.keys.remove(crossed);
      await stage.expectKey(issued, stage.one, true, 'after another developer tried to remove it');
    },
  },
  {
    name: 'keeps names inside of the developer that they belong to',
    async run(stage) {
      const { driver } = stage;
      const { app, issued, address } = await stage.appWithKey(stage.ada);
      const bob = (await stage.appWithKey(stage.bob)).app.developer;
      const walks = [...WALKS, `../../${app.developer.gatewayId ?? ''}/apps/${app.name}`];
      for (const name of walks) {
        const walking = { ...app, developer: bob, name };
        await failsOrDoesNothing(() => driver.apps.remove(walking));
        await failsOrDoesNothing(() => driver.apps.setStatus(walking, 'revoked'));
        await failsOrDoesNothing(() => driver.keys.remove({ app: walking, keyRef: address.keyRef }));
        await failsOrDoesNothing(() => driver.keyProducts.remove({ ...address, keyRef: name }, stage.one));
        await failsOrDoesNothing(() =>
          driver.keyProducts.remove({ app: { ...app, developer: bob }, keyRef: address.keyRef }, name),
        );
      }
      await stage.expectKey(issued, stage.one, true, 'after names tried to reach it from elsewhere');
    },
  },
  {
    name: 'follows a developer to a new e-mail, with their apps',
    async run(stage) {
      const { app, issued } = await stage.appWithKey(stage.ada);
      const moved = { ...app.developer, email: `countess.${stage.ada.email}` };
      const again = await stage.ensure(moved);
      assert.equal(again.gatewayId, app.developer.gatewayId, 'the id of a developer stays');
      await stage.expectKey(issued, stage.one, true, 'after its developer moved');
      await stage.driver.apps.setStatus({ ...app, developer: again }, 'revoked');
      await stage.expectKey(issued, stage.one, false, 'after its app was closed under the new e-mail');
    },
  },
  {
    name: 'never takes over a developer of the same e-mail whom the portal did not make',
    async run(stage) {
      const { app, issued } = await stage.appWithKey(stage.ada);
      const eve: GatewayDeveloper = { ...app.developer, id: stage.portalId(), gatewayId: null };
      const became = await stage.ensure(eve).catch((error: unknown) => {
        assert.ok(
          error instanceof GatewayConflictError,
          `ensure fails with a conflict, but it failed with ${String(error)}`,
        );
        return undefined;
      });
      const thief = became ?? eve;
      assert.notEqual(thief.gatewayId, app.developer.gatewayId, 'another person has another id');
      await failsOrDoesNothing(() => stage.driver.apps.setStatus({ ...app, developer: thief }, 'revoked'));
      await failsOrDoesNothing(() => stage.driver.developers.setStatus(thief, 'inactive'));
      await stage.driver.developers.remove(thief);
      await stage.expectKey(issued, stage.one, true, 'after somebody with the same e-mail came');
    },
  },
  {
    name: 'tells what is there',
    needs: ['inventory'],
    async run(stage) {
      const { app, created, issued } = await stage.appWithKey(stage.ada);
      const { inventory } = stage.driver;
      assert.ok(inventory);
      const found = await inventory.developerByEmail(stage.ada.email);
      assert.equal(found?.portalId, stage.ada.id);
      assert.equal(found.gatewayId, app.developer.gatewayId);
      const [only, ...others] = await inventory.apps(found.gatewayId);
      assert.deepEqual(others, []);
      assert.equal(only?.appId, created.appId);
      assert.equal(only.portalId, app.portalId);
      assert.deepEqual(
        only.keys.map(({ keyRef }) => keyRef),
        [issued.keyRef],
      );
      assert.deepEqual(
        only.keys[0]?.products.map(({ product, status }) => ({ product, status })),
        [{ product: stage.one, status: 'approved' }],
      );
      assert.ok((await listDeveloperIds(stage)).includes(found.gatewayId), 'developers() names everybody');
    },
  },
];

async function listDeveloperIds({ driver }: GatewayStage): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let after: string | null = null; ;) {
    const page: InventoryPage<FoundDeveloper> | undefined = await driver.inventory?.developers(after);
    ids.push(...(page?.items ?? []).map(({ gatewayId }) => gatewayId));
    if (!page || page.next === null) return ids;
    after = page.next;
  }
}

async function failsOrDoesNothing(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch {
    // Any refusal is fine.
  }
}
