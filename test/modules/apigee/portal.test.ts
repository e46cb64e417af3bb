import { randomBytes } from 'node:crypto';
import type { FakeApigee } from '../../../src/modules/apigee/index.js';
import { Developer } from '../../support/apps.js';
import { FLAVOURS, startFakeApigee } from './support.js';
import { Admin } from '../../support/admin.js';
import { createAdmin, createProduct, PASSWORD } from '../../support/factories.js';
import { FakeClock } from '../../support/fake-clock.js';
import { PageClient } from '../../support/page-client.js';
import { createPerson, createTeam, type Person } from '../../support/teams.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

/** Where the secret of a key on its way is kept. */
const KEPT = 'portal_gateway_intents';

describe.each(FLAVOURS)('a portal in front of Apigee (%s)', (flavour) => {
  let fake: FakeApigee;
  let test: TestPortal;
  let ada: Developer;
  const configOf = (changes: { timeout?: number } = {}) => {
    const apigee = { ...fake.settings(flavour === 'x' ? 'service-account' : 'oauth'), ...changes };
    return { gateway: { driver: 'apigee', apigee } };
  };

  beforeAll(async () => {
    const clock = new FakeClock();
    fake = await startFakeApigee(flavour, clock);
    test = await startTestPortal({ clock, config: configOf() });
    for (const slug of ['one', 'two']) await createProduct(test, { slug, gatewayProductId: `gw-${slug}` });
    await createProduct(test, { slug: 'reviewed', gatewayProductId: 'gw-manual', approval: 'manual' });
    ada = await Developer.create(test);
  });
  // A failure opens the circuit for ten seconds.
  afterEach(() => {
    fake.mend();
    test.clock.advance(11);
  });
  afterAll(async () => {
    await test.stop();
    await fake.stop();
  });

  it('opens a key that it created, and closes the one that it revoked', async () => {
    const { id, key } = await ada.createApp('checkout', ['one']);
    expect([fake.opens(key, 'gw-one'), fake.opens(key, 'gw-two')]).toEqual([true, false]);
    const path = `/checkout/credentials/${id}`;
    await ada.post(`${path}/products`, { products: ['two', 'reviewed'] });
    expect([fake.opens(key, 'gw-two'), fake.opens(key, 'gw-manual')]).toEqual([true, false]);
    expect((await ada.post(`${path}/reveal`)).json.data.consumer_key).toBe(key);
    await ada.post(`${path}/revoke`);
    expect(fake.opens(key, 'gw-one')).toBe(false);
    await ada.post(`${path}/approve`);
    expect(fake.opens(key, 'gw-one')).toBe(true);
    await ada.post('/checkout/revoke');
    expect(fake.opens(key, 'gw-one')).toBe(false);
    await ada.delete('/checkout');
    expect(fake.organization.apps()).toEqual([]);
  });

  it('gives a key an end that Apigee keeps', async () => {
    const answer = await ada.post('', { name: 'short', products: ['one'], expires_in: 3_600 });
    const [{ consumer_key: key }] = answer.json.data.credentials;
    const second = await ada.post('/short/credentials', { products: ['one'], expires_in: 7_200 });
    const later = second.json.data.consumer_key;
    test.clock.advance(3_600);
    expect([fake.opens(key, 'gw-one'), fake.opens(later, 'gw-one')]).toEqual([false, true]);
    test.clock.advance(3_600);
    expect(fake.opens(later, 'gw-one')).toBe(false);
    await ada.signInAgain();
    await ada.delete('/short');
  });

  it('answers when Apigee does not, and everything else goes on (R11)', async () => {
    const { clock, databaseUrl } = test;
    const hasty = await startTestPortal({ clock, databaseUrl, config: configOf({ timeout: 250 }) });
    const { token } = ada;
    for (const kind of ['hang', 'status', 'html', 'huge', 'truncated', 'reset'] as const) {
      fake.fail({ kind, times: Infinity });
      const body = { name: `away-${kind}`, products: ['one'] };
      const { status, json } = await hasty.client.post('/api/v1/me/apps', body, { token });
      expect([502, 503, 504]).toContain(status);
      expect(['Gateway error.', 'Gateway timeout.', 'Service unavailable.']).toContain(json.message);
      expect((await hasty.client.get('/api/v1/api-products')).status).toBe(200);
      fake.mend();
      clock.advance(11);
    }
    await hasty.stop();
  });

  describe('teams', () => {
    let owner: Person;
    beforeAll(async () => {
      owner = await createPerson(test);
    });
    const idOf = (name: string) => `${flavour === 'x' ? 'appgroups' : 'companies'}:${name}`;
    const drifts = async () => (await test.portal.services.apps.sync.run({ plan: true } as never)).drifts;

    it('have their apps in an app group, or a company, until the team is closed and deleted', async () => {
      const boss = await Admin.create(test);
      const team = await createTeam(test, owner.user);
      const apps = `/me/teams/${team.id}/apps`;
      const made = await owner.call('POST', apps, { name: 'till', products: ['one'] });
      const key = made.json.data.credentials[0].consumer_key as string;
      const [group] = [...fake.organization.groups.values()].filter(({ displayName }) => displayName === team.name);
      expect([group?.status, [...(group?.apps.keys() ?? [])]]).toEqual(['active', ['till']]);
      expect([fake.opens(key, 'gw-one'), fake.opens(key, 'gw-two')]).toEqual([true, false]);
      const addresses = [...fake.organization.developers.values()].map(({ email }) => email);
      expect(addresses.filter((email) => email.startsWith('team-'))).toEqual([]);
      await owner.call('PUT', `/me/teams/${team.id}`, { name: 'Renamed' });
      expect(group?.displayName).toBe('Renamed');
      // App groups show who is in them, as other portals of Apigee do.
      const people = () => {
        const shown = group?.attributes.find(({ name }) => name === '__apigee_reserved__developer_details')?.value;
        const items = JSON.parse(shown ?? '[]') as { developer: string; roles: string[] }[];
        return items.map(({ developer, roles: [role] }) => [developer, role]);
      };
      const { members } = test.portal.services.teams;
      const mate = await createPerson(test);
      const [first, second] = [[owner.user.email, 'admin'] as const, [mate.user.email, 'member'] as const];
      await members.put(team, mate.user, 'developer');
      await test.portal.background.flush();
      expect(people()).toEqual(flavour === 'x' ? [first, second] : []);
      await members.remove(team, mate.user.id, null);
      await test.portal.background.flush();
      expect(people()).toEqual(flavour === 'x' ? [first] : []);
      expect(await drifts()).toEqual([]);
      await boss.put(`/teams/${team.id}`, { status: 'closed' });
      expect(fake.opens(key, 'gw-one')).toBe(false);
      expect(await drifts()).toEqual([]);
      if (group) group.status = 'active';
      expect(await drifts()).toMatchObject([
        { userId: team.accountId, kind: 'developer_status', portal: 'inactive', gateway: 'active', fix: 'gateway' },
      ]);
      await test.portal.services.apps.sync.run({ plan: false } as never);
      expect(fake.opens(key, 'gw-one')).toBe(false);
      await boss.put(`/teams/${team.id}`, { status: 'active' });
      expect(fake.opens(key, 'gw-one')).toBe(true);
      await owner.call('DELETE', `${apps}/till`);
      expect((await owner.call('DELETE', `/me/teams/${team.id}`)).status).toBe(200);
      expect(fake.organization.groups.has(group?.name ?? '')).toBe(false);
    });

    it('that Apigee had before come with their apps, keys and those of their people whom it knows', async () => {
      const { organization } = fake;
      const names = { firstName: 'Of', lastName: 'Old', attributes: [] };
      for (const email of ['lead@old.example', 'dev@old.example', owner.user.email]) {
        if (email !== owner.user.email) organization.addDeveloper({ email, userName: email, ...names });
      }
      // Has an account here, but Apigee does not know it as a developer of the portal.
      const people = [
        { email: 'lead@old.example', role: 'admin' },
        { email: 'dev@old.example', role: 'developer' },
        { email: owner.user.email, role: 'admin' },
      ];
      const reserved = JSON.stringify(people.map(({ email, role }) => ({ developer: email, roles: [role] })));
      const attributes = flavour === 'x' ? [{ name: '__apigee_reserved__developer_details', value: reserved }] : [];
      const group = organization.addGroup({ name: 'acme-partners', displayName: 'Acme', attributes });
      if (flavour === 'edge') group.members = people;
      const app = organization.addApp(group, { name: 'Old Shop', callbackUrl: undefined, attributes: [], scopes: [] });
      const { consumerKey } = organization.generateKey(app, ['gw-one'], -1);
      organization.addGroup({ name: 'idle', displayName: '', attributes: [] }).status = 'inactive';
      const { apps, teams, accounts } = test.portal.services;
      const run = (dryRun: boolean) => apps.import.run({ dryRun, foreign: false, parallel: 2 });
      expect(await run(true)).toMatchObject({ teams: 2, developers: 2, apps: 1, keys: 1, failed: 0 });
      const report = await run(false);
      expect(report).toMatchObject({ teams: 2, developers: 2, apps: 1, keys: 1, failed: 0 });
      expect(report.notes).toContainEqual({ developer: 'idle', app: null, reason: 'has no owner here; put one in' });
      expect(await run(false)).toMatchObject({ teams: 0, developers: 0, apps: 0, failed: 0 });

      const lead = await accounts.users.findByEmail('lead@old.example');
      const [seat, ...more] = await teams.teams.seatsOf(lead?.user.id ?? 0);
      expect([seat?.team.name, seat?.member.role, more]).toEqual(['Acme', 'owner', []]);
      const dev = await accounts.users.findByEmail('dev@old.example');
      expect((await teams.teams.seatsOf(dev?.user.id ?? 0)).map(({ member }) => member.role)).toEqual(['developer']);
      expect((await teams.teams.seatsOf(owner.user.id)).map(({ team }) => team.name)).not.toContain('Acme');

      if (!seat) throw new Error('the lead is in no team');
      const account = await teams.teams.accountOf(seat.team);
      const shop = await apps.apps.find(account, 'old-shop');
      expect(await drifts()).toEqual([]);
      await apps.apps.revoke(shop, { type: 'developer', id: lead?.user.id ?? 0 });
      expect(fake.opens(consumerKey, 'gw-one')).toBe(false);
      await apps.apps.approve(await apps.apps.find(account, 'old-shop'), { type: 'admin', id: 1 });
      expect(fake.opens(consumerKey, 'gw-one')).toBe(true);
      await apps.apps.create(
        account,
        { name: 'new', products: ['one'] },
        { type: 'developer', id: lead?.user.id ?? 0 },
      );
      expect([[...group.apps.keys()].sort(), [...organization.groups.keys()].includes('acme-partners')]).toEqual([
        ['Old Shop', 'new'],
        true,
      ]);
      expect(group.attributes.map(({ name }) => name)).toEqual(
        expect.arrayContaining([...attributes.map(({ name }) => name), 'portalkit-id']),
      );
      const [link] = await test.portal.database.select<{ id: string }>(
        'SELECT gateway_id AS id FROM portal_gateway_links WHERE user_id = ?',
        [account.id],
      );
      expect(link?.id).toBe(idOf('acme-partners'));
    });
  });

  describe('an app that is handed over', () => {
    let owner: Person;
    let team: Awaited<ReturnType<typeof createTeam>>;
    let key: { consumerKey: string; consumerSecret: string; id: number };
    let offer: number;
    beforeEach(async () => {
      owner = await createPerson(test);
      team = await createTeam(test, owner.user);
      const made = await owner.call('POST', '/me/apps', { name: 'till', products: ['one'] });
      const [{ consumer_key: consumerKey, consumer_secret: consumerSecret, id }] = made.json.data.credentials;
      key = { consumerKey, consumerSecret, id };
      offer = await offerTo('/me/apps', { team: team.id });
    });

    const offerTo = async (apps: string, to: object): Promise<number> => {
      const { json } = await owner.call('POST', `${apps}/till/transfers`, to);
      expect(json.data.keys_pause).toBe(true);
      return json.data.id;
    };
    const accept = (id = offer) => owner.call('POST', `/me/app-transfers/${id}/accept`);
    const ofTeam = (one = team) => `/me/teams/${one.id}/apps`;
    const sync = async (options: object) => (await test.portal.services.apps.sync.run(options as never)).drifts;
    const settle = async () => {
      fake.mend();
      test.clock.advance(301);
      return test.portal.services.apps.recovery.run();
    };
    /** The app is that owner's on both sides, with the key and secret that it was made with. */
    const expectAt = async (apps: string) => {
      const shown = await owner.call('POST', `${apps}/till/credentials/${key.id}/reveal`);
      const { consumer_key: consumerKey, consumer_secret: consumerSecret } = shown.json.data;
      expect({ consumerKey, consumerSecret, id: key.id }).toEqual(key);
      expect(fake.opens(key.consumerKey, 'gw-one')).toBe(true);
      expect(fake.organization.apps().filter(({ name }) => name === 'till')).toHaveLength(1);
      expect(await sync({ plan: true, prune: true, reopen: false })).toEqual([]);
    };
    /** Accepted, with Apigee refusing every key that is made, so that its own is away. */
    const breakOff = async () => {
      fake.fail({ kind: 'status', status: 400, method: 'POST', path: 'keys(/create)?$', times: Infinity });
      expect((await accept()).status).toBe(502);
      expect(fake.opens(key.consumerKey, 'gw-one')).toBe(false);
    };
    /** What is kept is sealed with another `app.key`, and back, as the same key is to open it afterwards. */
    const resealTwice = async () => {
      const { databaseUrl, clock } = test;
      const { key: before } = test.portal.config.app;
      const after = `base64:${randomBytes(32).toString('base64')}`;
      for (const [current, previous] of [
        [after, before],
        [before, after],
      ] as const) {
        const config = { ...configOf(), app: { key: current, previousKeys: [previous] } };
        const rotated = await startTestPortal({ databaseUrl, clock, config });
        const resealed = () => rotated.portal.reEncrypt().then((all) => all.filter(({ table }) => table === KEPT));
        const report = { table: KEPT, column: 'payload', examined: 1, unreadable: 0 };
        expect(await resealed()).toEqual([{ ...report, resealed: 1 }]);
        expect(await resealed()).toEqual([{ ...report, resealed: 0 }]);
        await rotated.stop();
      }
    };
    afterEach(async () => {
      for (const apps of ['/me/apps', ofTeam()]) await owner.call('DELETE', `${apps}/till`);
    });

    it('goes from a person to a team, to another one and back, with its key', async () => {
      const other = await createTeam(test, owner.user);
      expect((await accept()).status).toBe(200);
      await expectAt(ofTeam());
      expect((await owner.call('GET', '/me/apps/till')).status).toBe(404);
      expect((await accept(await offerTo(ofTeam(), { team: other.id }))).status).toBe(200);
      await expectAt(ofTeam(other));
      expect((await accept(await offerTo(ofTeam(other), { user: owner.user.id }))).status).toBe(200);
      await expectAt('/me/apps');
      const [row] = await test.portal.database.select<{ id: string }>(
        'SELECT gateway_app_id AS id FROM portal_apps WHERE user_id = ?',
        [owner.user.id],
      );
      expect(fake.organization.apps().map(({ appId }) => appId)).toContain(row?.id);
      expect((await owner.call('PUT', '/me/apps/till', { display_name: 'Till' })).status).toBe(200);
    });

    it('is moved by an admin whom the console tells before that the keys pause', async () => {
      await test.portal.services.rbac.seed();
      const { email } = await createAdmin(test, { roles: ['super_admin'] });
      const console = new PageClient(test.client);
      await console.submit('/admin/login', { email, password: PASSWORD });
      const page = `/admin/apps/${owner.user.id}/till/hand-over`;
      expect((await console.get(page)).html).toContain('takes the keys over one after another');
      expect((await console.submit(page, { team: String(team.id) })).path).toMatch(/^\/admin\/apps\/\d+\/till$/);
      await expectAt(ofTeam());
    });

    it('is brought to its new owner after its key was away, which syncs and imports leave alone', async () => {
      await breakOff();
      const [entry] = await test.portal.database.select<{ payload: string }>(
        "SELECT payload FROM portal_gateway_intents WHERE kind = 'app.transfer'",
      );
      const payload = JSON.stringify(entry?.payload);
      expect([payload.includes('kept'), payload.includes(key.consumerSecret)]).toEqual([true, false]);
      expect(payload).not.toContain(key.consumerKey);
      await resealTwice();
      for (const plan of [true, false]) expect(await sync({ plan, prune: true, reopen: false })).toEqual([]);
      const { apps } = test.portal.services;
      expect(await apps.import.run({ dryRun: false, foreign: true, parallel: 1 })).toMatchObject({ apps: 0, keys: 0 });
      test.clock.advance(301);
      expect(await apps.recovery.run()).toMatchObject({ failed: 1 });
      // Not before it is there.
      expect((await accept()).status).toBe(502);
      expect(await settle()).toMatchObject({ failed: 0 });
      await expectAt(ofTeam());
      expect((await accept()).status).toBe(200);
    });

    it('is accepted again where its move broke off, which is brought to its end by that', async () => {
      await breakOff();
      fake.mend();
      test.clock.advance(301);
      const again = await accept();
      expect([again.status, again.json.data.name]).toEqual([200, 'till']);
      await expectAt(ofTeam());
      expect((await accept()).json.data).toMatchObject({ name: 'till' });
    });

    it('changes, is deleted and loses an owner only once it is whole again', async () => {
      const boss = await Admin.create(test);
      await breakOff();
      expect((await owner.call('PUT', '/me/apps/till', { display_name: 'Till' })).status).toBe(502);
      expect((await owner.call('DELETE', '/me/apps/till')).status).toBe(502);
      expect((await owner.call('DELETE', `/me/teams/${team.id}`)).status).not.toBe(200);
      expect((await boss.delete(`/developers/${owner.user.id}`)).status).not.toBe(200);
      await settle();
      await expectAt(ofTeam());
      await owner.call('DELETE', `${ofTeam()}/till`);
      expect(fake.opens(key.consumerKey, 'gw-one')).toBe(false);
      expect(fake.organization.apps().filter(({ name }) => name === 'till')).toEqual([]);
    });

    it('stays while the new owner has one of its name at Apigee, and where Apigee is down', async () => {
      fake.fail({ kind: 'status', status: 503, times: Infinity });
      expect((await accept()).status).toBe(503);
      fake.mend();
      test.clock.advance(11);
      await expectAt('/me/apps');
      await owner.call('POST', ofTeam(), { name: 'other' });
      const group = [...fake.organization.groups.values()].at(-1);
      if (!group) throw new Error('the team is not there');
      const app = { name: 'till', callbackUrl: undefined, attributes: [], scopes: [] };
      const foreign = fake.organization.addApp(group, app);
      const refused = await accept();
      expect([refused.status, Object.keys(refused.json.errors)]).toEqual([409, ['name']]);
      fake.organization.removeApp(group, foreign);
      // What is left of a move with an owner who never had it.
      const { attributes } = fake.organization.apps().find(({ name }) => name === 'till') ?? foreign;
      fake.organization.addApp(group, { ...app, attributes });
      expect(await sync({ plan: false, prune: true, reopen: false })).toMatchObject([{ kind: 'app_unknown' }]);
      await expectAt('/me/apps');
    });

    it('has its keys ended in time, also where Apigee does not do that any more', async () => {
      const made = await owner.call('POST', '/me/apps/till/credentials', { products: ['one'], expires_in: 3_600 });
      const short = made.json.data.consumer_key as string;
      await accept();
      test.clock.advance(3_590);
      await test.portal.services.apps.recovery.run();
      expect(fake.opens(short, 'gw-one')).toBe(true);
      test.clock.advance(11);
      await test.portal.services.apps.recovery.run();
      expect(fake.opens(short, 'gw-one')).toBe(false);
    });
  });

  it('says that a product is not there as what it is: a fault between the two sides', async () => {
    await ada.signInAgain();
    await createProduct(test, { slug: 'ghost', gatewayProductId: 'gw-ghost' });
    const { status, json } = await ada.post('', { name: 'haunted', products: ['ghost'] });
    expect([status, json.message]).toEqual([502, 'Gateway error.']);
    expect((await ada.get('/haunted')).status).toBe(404);
  });
});
