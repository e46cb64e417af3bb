import type { ImportReport } from '../../../src/domain/apps/index.js';
import { GatewayUnavailableError } from '../../../src/gateway/index.js';
import { gatewaySide, portalSide } from '../../support/both-sides.js';
import { createUser } from '../../support/factories.js';
import { importOrganization } from '../../support/import-run.js';
import { MemoryGateway, type MemoryDeveloper } from '../../support/memory-gateway.js';
import { dialectUnderTest } from '../../support/test-database.js';
import { createTeam } from '../../support/teams.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

let test: TestPortal;
let memory: MemoryGateway;

const run = (
  wishes: { dryRun?: boolean; foreign?: boolean; onProgress?: (done: number, total: number | null) => void } = {},
) => test.portal.services.apps.import.run({ dryRun: false, foreign: false, parallel: 4, ...wishes });
const rows = async (table: string): Promise<number> => {
  const [row] = await test.portal.database.select<{ total: number }>(`SELECT COUNT(*) AS total FROM ${table}`);
  return Number(row?.total);
};
const developer = (name: string, more: Partial<MemoryDeveloper> = {}): MemoryDeveloper =>
  memory.addDeveloper({
    ...{ portalId: null, email: `${name}@Example.com`, firstName: name, lastName: 'Of Old', status: 'active', ...more },
  });

beforeAll(async () => {
  memory = new MemoryGateway();
  test = await startTestPortal({
    config: { gateway: { driver: 'memory' } },
    extensions: { gatewayDrivers: { memory: () => memory } },
  });
});
beforeEach(async () => {
  for (const table of ['apps', 'teams', 'users', 'products', 'gateway_links']) {
    await test.portal.database.execute(`DELETE FROM portal_${table}`);
  }
  memory.people.clear();
  memory.catalog = [{ name: 'Payments API', displayName: 'Payments', description: 'Takes money.' }];
});
afterAll(() => test.stop());

describe('gateway:import', () => {
  it('brings developers, apps and keys of an organization into a fresh portal', async () => {
    const ada = developer('ada');
    memory.addApp(ada, 'My Shop', ['Payments API', 'hidden']);
    memory.addApp(ada, 'my-shop', ['Payments API']).status = 'revoked';
    developer('idle', { status: 'inactive' });
    const steps: [number, number | null][] = [];
    const report = await run({ onProgress: (done, total) => steps.push([done, total]) });
    expect(report).toEqual({
      ...{ developers: 2, teams: 0, apps: 2, keys: 2, products: 2, already: 0, skipped: 0, failed: 0, notes: [] },
    } satisfies ImportReport);
    expect(steps).toEqual([
      [1, 2],
      [2, 2],
    ]);
    const { users } = test.portal.services.accounts;
    const account = await users.findByEmail('ada@example.com');
    if (!account) throw new Error('she was imported');
    expect(account).toMatchObject({ user: { status: 'active', firstName: 'ada' }, passwordHash: '' });
    expect((await users.findByEmail('idle@example.com'))?.user.status).toBe('inactive');
    const { apps } = test.portal.services;
    const page = { page: 1, perPage: 10, orderBy: 'id', direction: 'ASC', filters: [] } as const;
    const { items } = await apps.apps.list(account.user, { ...page, with: ['credentials', 'products'] });
    expect(items).toMatchObject([
      {
        app: { name: 'My-Shop', gatewayName: 'My Shop', status: 'approved' },
        products: [{ name: 'hidden' }, { name: 'Payments' }],
      },
      { app: { name: 'my-shop-2', gatewayName: 'my-shop', status: 'revoked', revokedBy: 'admin' } },
    ]);
    const drafts = "SELECT slug FROM portal_products WHERE visibility = 'draft' ORDER BY slug";
    expect(await test.portal.database.select(drafts)).toEqual([{ slug: 'hidden' }, { slug: 'payments-api' }]);
    // Theirs from now on: the portal changes what it imported, under the names of the gateway.
    expect(await gatewaySide(memory)).toEqual(await portalSide(test.portal.database));
    const owned = await apps.apps.find(account.user, 'My-Shop');
    await apps.apps.revoke(owned, { type: 'developer', id: account.user.id });
    expect(ada.apps.get('My Shop')?.status).toBe('revoked');
    expect((await apps.sync.run({ plan: true, reopen: false, prune: false })).drifts).toEqual([]);
    expect(await rows('portal_mails')).toBe(0);
  });

  it('changes nothing with --dry-run, and counts the same', async () => {
    memory.addApp(developer('ada'), 'shop', ['Payments API']);
    const planned = await run({ dryRun: true });
    expect([await rows('portal_users'), await rows('portal_products')]).toEqual([0, 0]);
    expect([...memory.people.values()][0]?.portalId).toBeNull();
    expect(await run()).toEqual(planned);
  });

  it('goes on where it was interrupted, at any call, and does nothing a second time', async () => {
    for (let name = 0; name < 6; name += 1) memory.addApp(developer(`d${name}`), 'shop', ['Payments API']);
    const { inventory } = memory;
    let left = 0;
    const failing = new Proxy(inventory, {
      get:
        (target, method: keyof typeof inventory) =>
        async (...values: never[]) => {
          if ((left -= 1) < 0) throw new GatewayUnavailableError(1);
          return (target[method] as (...all: never[]) => Promise<unknown>)(...values);
        },
    });
    Object.assign(memory, { inventory: failing });
    for (let allowed = 1; ; allowed += 1) {
      left = allowed;
      try {
        await run();
        break;
      } catch (error) {
        expect(error).toBeInstanceOf(GatewayUnavailableError);
      }
    }
    Object.assign(memory, { inventory });
    expect(await gatewaySide(memory)).toEqual(await portalSide(test.portal.database));
    expect([await rows('portal_users'), await rows('portal_apps'), await rows('portal_credentials')]).toEqual([
      6, 6, 6,
    ]);
    expect(await run()).toMatchObject({ developers: 0, apps: 0, already: 6, failed: 0 });
    expect(await rows('portal_apps')).toBe(6);
  });

  it('never takes over an account by its address, nor what belongs to another portal unless asked to', async () => {
    await createUser(test, { email: 'ada@example.com' });
    memory.addApp(developer('ada'), 'shop', ['Payments API']);
    developer('lost', { portalId: '4711' });
    developer('no address', { email: 'not an address' });
    expect(await run({ dryRun: true })).toMatchObject({ developers: 0, skipped: 3 });
    const report = await run();
    expect(report).toMatchObject({ developers: 0, skipped: 3 });
    expect(report.notes.map(({ reason }) => reason).sort()).toEqual([
      'carries the id 4711 of another portal; take them over with --foreign',
      'not a usable e-mail address',
      'the portal has an account with this e-mail already',
    ]);
    expect(await rows('portal_apps')).toBe(0);
    expect(await run({ foreign: true })).toMatchObject({ developers: 1, skipped: 2 });
  });

  // As everywhere without the capability `teams`.
  it('leaves the account of a team what it is at the gateway, a developer of its own', async () => {
    const { apps, teams } = test.portal.services;
    const owner = await createUser(test);
    const team = await createTeam(test, owner);
    const account = await teams.teams.accountOf(team);
    await apps.apps.create(account, { name: 'till' }, { type: 'developer', id: owner.id });
    const [service, ...more] = [...memory.people.values()];
    expect([service?.email, service?.portalId, more]).toEqual([account.email, String(account.id), []]);
    expect(account.email).toMatch(/^team-\d+@/);
    expect(await run()).toMatchObject({ developers: 0, teams: 0, already: 1 });
    expect((await apps.sync.run({ plan: true } as never)).drifts).toEqual([]);
  });

  it('leaves out apps whose names could leave their place in an address (S56)', async () => {
    const ada = developer('ada');
    for (const name of ['..', 'a/../../victim', 'a?x=1', 'ok']) memory.addApp(ada, name, []);
    const report = await run();
    expect(report).toMatchObject({ developers: 1, apps: 1 });
    expect(report.notes.map(({ app }) => app)).toEqual(['..', 'a/../../victim', 'a?x=1']);
  });

  // `scripts/test-import.mjs` does the same with 10 000 and looks at the memory, in a process of its own.
  it('takes many developers, and goes on after an interruption', async () => {
    const result = await importOrganization(dialectUnderTest(), 1_000);
    expect(result).toMatchObject({ isEqual: true, again: 0, report: { failed: 0, skipped: 0 } });
  });
});
