import { GatewayConflictError, GatewayNotFoundError } from '../../../src/gateway/index.js';
import type { FakeApigee } from '../../../src/modules/apigee/index.js';
import { FLAVOURS, startApigee, startFakeApigee } from './support.js';
import { createProduct, createUser } from '../../support/factories.js';
import { FakeClock } from '../../support/fake-clock.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const EMAIL = 'ada@example.com';

describe.each(FLAVOURS)('two portals with one organization of Apigee (%s)', (flavour) => {
  let fake: FakeApigee;
  let first: TestPortal;
  const started: TestPortal[] = [];

  async function startPortal(): Promise<TestPortal> {
    const config = { gateway: { driver: 'apigee', apigee: fake.settings('token') } };
    const test = await startTestPortal({ clock: new FakeClock(), config });
    started.push(test);
    await createProduct(test, { slug: 'one', gatewayProductId: 'gw-one' });
    return test;
  }
  beforeEach(async () => {
    fake = await startFakeApigee(flavour, new FakeClock());
    first = await startPortal();
  });
  afterEach(async () => {
    for (const test of started.splice(0)) await test.stop();
    await fake.stop();
  });

  /** Somebody of the same number and address in each portal. */
  async function ada(test: TestPortal) {
    const { services } = test.portal;
    const known = await services.accounts.users.findByEmail(EMAIL);
    const owner = known?.user ?? (await createUser(test, { email: EMAIL }));
    const by = { type: 'developer', id: owner.id } as const;
    return { owner, by, ...services.apps };
  }
  async function createApp(test: TestPortal, name: string): Promise<string> {
    const { apps, owner, by } = await ada(test);
    const { credentials } = await apps.create(owner, { name, products: ['one'] }, by);
    return credentials?.[0]?.key?.consumerKey ?? '';
  }
  const person = () => fake.organization.developer(EMAIL);

  /** As an earlier release has left everything: the ids of the portal's records, and nothing of which portal. */
  function unsign(): void {
    const plain = <T extends { name: string }>(attributes: readonly T[]) =>
      attributes.filter(({ name }) => name === 'portalkit-id' || !name.startsWith('portalkit'));
    const developer = person();
    developer.attributes = plain(developer.attributes);
    for (const app of developer.apps.values()) {
      app.attributes = plain(app.attributes);
      for (const key of app.keys) key.attributes = plain(key.attributes);
    }
  }

  it('have an id of their own, for good', async () => {
    const read = (test: TestPortal) => test.portal.database.select('SELECT * FROM portal_installation');
    const second = await startPortal();
    const [one, other] = [await read(first), await read(second)];
    expect([one.length, other.length]).toEqual([1, 1]);
    expect(one[0]?.installation).not.toBe(other[0]?.installation);
    await first.portal.migrator.up();
    expect(await read(first)).toEqual(one);
  });

  it.each([
    ['signed', () => undefined],
    ['left by an earlier release', unsign],
  ])('never take over, close or remove each other’s developers: %s', async (_what, change) => {
    const key = await createApp(first, 'shop');
    change();
    const second = await startPortal();
    const { owner } = await ada(second);
    expect(owner.id).toBe((await ada(first)).owner.id);
    await expect(createApp(second, 'stolen')).rejects.toMatchObject({ errors: { email: [expect.any(String)] } });
    await second.portal.services.apps.recovery.run();
    await second.portal.services.apps.sync.run({ plan: false, reopen: true, prune: true });
    await second.portal.services.accounts.users.setStatus(owner.id, 'inactive');
    await second.portal.services.accounts.users.delete(owner.id);
    await second.portal.services.apps.recovery.run();
    expect([...person().apps.keys(), person().status]).toEqual(['shop', 'active']);
    expect(fake.opens(key, 'gw-one')).toBe(true);
    expect((await ada(first)).owner.id).toBe(owner.id);
    await createApp(first, 'another');
  });

  it('take each other’s developers over when the operator imports them, and not before', async () => {
    const key = await createApp(first, 'shop');
    const second = await startPortal();
    const importing = (foreign: boolean) =>
      second.portal.services.apps.import.run({ dryRun: false, foreign, parallel: 1 });
    expect(await importing(false)).toMatchObject({ developers: 0, skipped: 1 });
    expect(await importing(true)).toMatchObject({ developers: 1, apps: 1, keys: 1, skipped: 0 });
    expect(await importing(false)).toMatchObject({ developers: 0, already: 1, skipped: 0 });
    const { apps, owner, by } = await ada(second);
    await apps.revoke(await apps.find(owner, 'shop'), by);
    expect(fake.opens(key, 'gw-one')).toBe(false);
    await expect(createApp(first, 'lost')).rejects.toMatchObject({ errors: { email: [expect.any(String)] } });
  });

  it('a portal goes on with what it made before it had an id, and signs it by and by', async () => {
    const key = await createApp(first, 'shop');
    unsign();
    const { apps, credentials, rotation, owner, by, sync } = await ada(first);
    const report = await sync.run({ plan: true, reopen: true, prune: true });
    expect(report.drifts).toEqual([]);
    const shop = await apps.find(owner, 'shop');
    await apps.update(shop, { displayName: 'Till' }, by);
    const [{ id } = { id: 0 }] = (await apps.view(shop)).credentials ?? [];
    const credential = await credentials.find(shop, id);
    await credentials.revoke(credential, by);
    expect(fake.opens(key, 'gw-one')).toBe(false);
    await credentials.approve(credential, by);
    const successor = await rotation.rotate(credential, { overlap: 0 }, by);
    expect(fake.opens(successor.key?.consumerKey ?? '', 'gw-one')).toBe(true);
    const second = await createApp(first, 'second');
    expect(
      person()
        .attributes.map(({ name }) => name)
        .sort(),
    ).toEqual(['portalkit-id', 'portalkit-id-installation']);
    await apps.delete(shop, by);
    await first.portal.services.accounts.users.delete(owner.id);
    await first.portal.services.apps.recovery.run();
    expect(fake.opens(second, 'gw-one')).toBe(false);
    expect(() => person()).toThrow();
  });

  it('an import without anything new signs what the portal made before', async () => {
    await createApp(first, 'shop');
    unsign();
    const report = await first.portal.services.apps.import.run({ dryRun: false, foreign: false, parallel: 1 });
    expect(report).toMatchObject({ developers: 0, already: 1, skipped: 0, failed: 0 });
    expect(person().attributes.map(({ name }) => name)).toContain('portalkit-id-installation');
  });
});

describe.each(FLAVOURS)('the driver of another installation (%s)', (flavour) => {
  it('finds nobody by a number that both portals count', async () => {
    const test = await startApigee(flavour);
    try {
      const ada = { id: '1', email: EMAIL, firstName: 'Ada', lastName: 'L', status: 'active' } as const;
      await test.driver.developers.ensure(ada);
      const app = { developer: ada, portalId: '10', name: 'checkout', displayName: '', description: '' };
      await test.driver.apps.create({ ...app, callbackUrl: null, status: 'approved' }, null);
      test.fake.requests.length = 0;
      const other = test.as('6f1d7a1e-0000-4000-8000-000000000002');
      await expect(other.developers.ensure(ada)).rejects.toBeInstanceOf(GatewayConflictError);
      await expect(other.developers.setStatus(ada, 'inactive')).rejects.toBeInstanceOf(GatewayNotFoundError);
      await expect(other.apps.setStatus(app, 'revoked')).rejects.toBeInstanceOf(GatewayNotFoundError);
      await other.apps.remove(app);
      await other.developers.remove(ada);
      expect(test.fake.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
      expect(await other.inventory.developerByEmail(EMAIL)).toMatchObject({
        portalId: '6f1d7a1e-0000-4000-8000-000000000001:1',
      });
      expect(await test.driver.inventory.developerByEmail(EMAIL)).toMatchObject({ portalId: '1' });
    } finally {
      await test.stop();
    }
  });
});
