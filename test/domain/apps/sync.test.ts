import type { UserRecord } from '../../../src/domain/accounts/index.js';
import type { Drift, GatewaySyncReport } from '../../../src/domain/apps/index.js';
import { gatewaySide, portalSide } from '../../support/both-sides.js';
import { createProduct, createUser } from '../../support/factories.js';
import { MemoryGateway, type MemoryDeveloper } from '../../support/memory-gateway.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

let test: TestPortal;
let memory: MemoryGateway;
let ada: UserRecord;
let shop: { id: number };

const services = () => test.portal.services;
const sync = (wishes: { plan?: boolean; reopen?: boolean; prune?: boolean } = {}): Promise<GatewaySyncReport> =>
  services().apps.sync.run({ plan: false, reopen: false, prune: false, ...wishes });
const kinds = ({ drifts }: { drifts: readonly Drift[] }) => drifts.map(({ kind, fix }) => `${kind}: ${fix}`);
const there = (): MemoryDeveloper =>
  [...memory.people.values()].find(({ portalId }) => portalId === String(ada.id)) as MemoryDeveloper;
const appThere = () => [...there().apps.values()][0] as NonNullable<ReturnType<MemoryDeveloper['apps']['get']>>;
const keyThere = () => appThere().keys[0] as typeof appThere extends () => { keys: (infer K)[] } ? K : never;
const view = async () => services().apps.apps.view(await services().apps.apps.find(ada, 'shop'));

beforeAll(async () => {
  memory = new MemoryGateway();
  test = await startTestPortal({
    config: { gateway: { driver: 'memory' } },
    extensions: { gatewayDrivers: { memory: () => memory } },
  });
  for (const slug of ['payments', 'geo']) await createProduct(test, { slug, gatewayProductId: slug });
});
beforeEach(async () => {
  for (const row of await test.portal.database.select<{ id: number }>('SELECT id FROM portal_users')) {
    await services().accounts.users.delete(row.id);
  }
  memory.people.clear();
  ada = await createUser(test);
  const by = { type: 'developer', id: ada.id } as const;
  shop = (await services().apps.apps.create(ada, { name: 'shop', products: ['payments'] }, by)).app;
});
afterAll(() => test.stop());

describe('gateway:sync', () => {
  it('finds nothing where both sides agree', async () => {
    expect(await sync({ plan: true })).toMatchObject({ developers: 1, drifts: [], fixed: 0, failed: [] });
  });

  it('closes at the gateway what is open only there, whoever opened it', async () => {
    const by = { type: 'admin', id: 1 } as const;
    await services().apps.apps.revoke(await services().apps.apps.find(ada, 'shop'), by);
    appThere().status = 'approved';
    keyThere().products.push({ product: 'geo', status: 'approved' });
    const expected = ['app_status: gateway', 'product_unknown: gateway'];
    expect(kinds(await sync({ plan: true }))).toEqual(expected);
    expect(appThere().status).toBe('approved');
    expect(await sync()).toMatchObject({ fixed: 2, failed: [] });
    expect([appThere().status, keyThere().products.map(({ product }) => product)]).toEqual(['revoked', ['payments']]);
    expect((await sync()).drifts).toEqual([]);
  });

  it('has the portal follow what was closed at the gateway, and opens it again only when asked to (R18)', async () => {
    keyThere().status = 'revoked';
    keyThere().products = [];
    expect(kinds(await sync({ plan: true }))).toEqual(['key_status: portal', 'product_missing: portal']);
    expect(kinds(await sync({ plan: true, reopen: true }))).toEqual([
      'key_status: gateway',
      'product_missing: gateway',
    ]);
    await sync({ reopen: true });
    expect(memory.opens(keyThere().keyRef, 'payments')).toBe(true);

    appThere().status = 'revoked';
    keyThere().status = 'revoked';
    keyThere().products = [];
    expect(await sync()).toMatchObject({ fixed: 3, failed: [] });
    expect(await view()).toMatchObject({
      app: { status: 'revoked', revokedBy: 'admin', statusReason: 'Closed at the gateway.' },
      credentials: [{ status: 'revoked', products: [{ status: 'revoked' }] }],
    });
    expect((await sync()).drifts).toEqual([]);
  });

  it('makes again what was deleted at the gateway, without its keys', async () => {
    there().apps.clear();
    expect(kinds(await sync({ plan: true }))).toEqual(['app_missing: gateway', 'key_missing: portal']);
    expect(await sync()).toMatchObject({ fixed: 2, failed: [] });
    expect(appThere()).toMatchObject({ name: 'shop', portalId: String(shop.id), keys: [] });
    expect((await view()).credentials).toMatchObject([
      { status: 'revoked', statusReason: expect.stringMatching(/no longer/) },
    ]);
    const by = { type: 'developer', id: ada.id } as const;
    const owned = await services().apps.apps.find(ada, 'shop');
    await expect(services().apps.credentials.create(owned, { products: ['geo'] }, by)).resolves.toBeDefined();
    expect((await sync()).drifts).toEqual([]);
  });

  it('follows a name that was changed there, and writes texts that were', async () => {
    const app = appThere();
    there().apps.clear();
    there().apps.set('renamed', { ...app, name: 'renamed', displayName: 'Vandalised' });
    expect(kinds(await sync())).toEqual(['app_renamed: portal', 'app_details: gateway']);
    expect(appThere().displayName).toBe('shop');
    expect((await sync()).drifts).toEqual([]);
  });

  it('leaves alone what others made there, and removes leftovers of its own only when asked to', async () => {
    memory.addApp(there(), 'by-hand', ['payments']);
    const foreign = memory.addDeveloper({
      ...{ portalId: null, email: 'x@example.com', firstName: 'X', lastName: 'X', status: 'active' },
    });
    memory.addApp(foreign, 'x', ['payments']);
    appThere().keys.push({ ...structuredClone(keyThere()), keyRef: 'leftover', portalId: '987654' });
    there().apps.set('old', { ...structuredClone(appThere()), name: 'old', portalId: '987654', keys: [] });
    const left = ['key_unknown: none', 'app_unknown: none', 'app_unknown: none'];
    expect(kinds(await sync())).toEqual(left);
    expect(kinds(await sync({ prune: true }))).toEqual([
      'key_unknown: gateway',
      'app_unknown: none',
      'app_unknown: gateway',
    ]);
    expect([appThere().keys.length, [...there().apps.keys()]]).toEqual([1, ['shop', 'by-hand']]);
    expect(foreign.apps.size).toBe(1);
  });

  it('closes a disabled developer, and opens an enabled one only when asked to', async () => {
    there().status = 'inactive';
    expect(kinds(await sync())).toEqual(['developer_status: none']);
    expect(there().status).toBe('inactive');
    await sync({ reopen: true });
    expect(there().status).toBe('active');
    await services().accounts.users.setStatus(ada.id, 'inactive');
    there().status = 'active';
    expect(kinds(await sync())).toEqual(['developer_status: gateway']);
    expect(there().status).toBe('inactive');
  });

  it('looks at one app alone, and refuses a gateway that cannot be read', async () => {
    appThere().status = 'revoked';
    memory.addApp(there(), 'by-hand', []);
    const options = { plan: false, reopen: true, prune: false, app: { userId: ada.id, id: shop.id } };
    expect(await services().apps.sync.run(options)).toMatchObject({ developers: 1, drifts: [{ kind: 'app_status' }] });
    const { inventory } = memory;
    Object.assign(memory, { inventory: undefined });
    await expect(sync()).rejects.toMatchObject({ status: 409 });
    Object.assign(memory, { inventory });
  });

  it('brings both sides together whatever was done to the gateway by hand (R18)', async () => {
    const by = { type: 'developer', id: ada.id } as const;
    await services().apps.apps.create(ada, { name: 'second', products: ['geo', 'payments'] }, by);
    await services().apps.apps.create(ada, { name: 'third', products: ['geo'] }, by);
    const [one, two, three] = [...there().apps.values()];
    if (!one || !two || !three) throw new Error('three apps were made');
    one.keys.length = 0;
    two.status = 'revoked';
    two.keys[0]?.products.pop();
    there().apps.delete('third');
    await sync();
    expect(await gatewaySide(memory)).toEqual(
      (await portalSide(test.portal.database)).filter((line) => !/key .* shut/.test(line)),
    );
    expect((await sync()).drifts).toEqual([]);
  });
});
