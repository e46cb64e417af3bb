import type { UserRecord } from '../../src/domain/accounts/index.js';
import { GatewayUnavailableError } from '../../src/gateway/index.js';
import { SHIPPED_ROLES } from '../../src/domain/teams/roles.js';
import { createProduct, createUser, PASSWORD } from '../support/factories.js';
import { PageClient } from '../support/page-client.js';
import { createTeam } from '../support/teams.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';
import { createWebhook } from '../support/webhooks.js';

/** Of a webhook, not the word of it in programs. */
const SECRET = /whsec_[\w+/]{8}/;

let test: TestPortal;

async function signIn(email: string): Promise<PageClient> {
  const client = new PageClient(test.client);
  await client.submit('/portal/login', { email, password: PASSWORD });
  return client;
}

describe('the pages of apps of a team', () => {
  const ROLES = ['owner', 'manager', 'developer', 'viewer', 'stranger'] as const;
  type Role = (typeof ROLES)[number];
  const pages = {} as Record<Role, PageClient>;
  let place: string;
  let other: string;
  let key: number;
  let hook: { id: number; delivery: number };
  beforeAll(async () => {
    test = await startTestPortal();
    const emailVerifiedAt = test.clock.now();
    await createProduct(test, { slug: 'payments' });
    const users = await Promise.all(
      ROLES.map((role) => createUser(test, { email: `app-${role}@example.com`, emailVerifiedAt })),
    );
    const [owner, ...rest] = users;
    const members = rest.slice(0, 3).map((user, index) => [user, ROLES[index + 1] ?? ''] as const);
    const { teams } = test.portal.services.teams;
    const { apps } = test.portal.services.apps;
    const made = [];
    for (let count = 0; count < 2; count += 1) {
      const one = await createTeam(test, owner as UserRecord, members);
      const input = { name: 'checkout', displayName: 'Checkout', products: ['payments'] };
      const by = { type: 'developer', id: owner?.id ?? 0 } as const;
      const view = await apps.create(await teams.accountOf(one), input, by);
      if (count === 0) hook = await createWebhook(test, 'https://127.0.0.1/hook', one.accountId);
      made.push({ place: `/portal/teams/${one.id}/apps`, key: view.credentials?.[0]?.id ?? 0 });
    }
    [place, other, key] = [made[0]?.place ?? '', made[1]?.place ?? '', made[0]?.key ?? 0];
    for (const role of ROLES) pages[role] = await signIn(`app-${role}@example.com`);
  });
  afterAll(() => test.stop());

  it('are led to from the dashboard, the list and the form, for me and for each team', async () => {
    for (const path of ['/portal/dashboard', '/portal/apps', place]) {
      expect((await pages.developer.get(path)).html).toContain(`href="${place}"`);
    }
    expect((await pages.developer.get('/portal/apps/create')).html).toContain(`href="${place}/create"`);
    expect((await pages.viewer.get('/portal/apps/create')).html).not.toContain(`href="${place}/create"`);
    for (const path of ['/portal/dashboard', '/portal/apps', '/portal/apps/create']) {
      expect((await pages.stranger.get(path)).html).not.toContain('class="tabs"');
    }
  });

  /** Pages and forms with the ability that each takes; the last ones end what they are about. */
  const cells = (
    [
      ['app.view', 'GET', ''],
      ['app.view', 'GET', '/checkout'],
      ['usage.view', 'GET', '/checkout/usage'],
      ['usage.view', 'GET', '/checkout/usage/export'],
      ['app.transfer', 'GET', '/checkout/transfer'],
      ['app.transfer', 'POST', '/checkout/transfer'],
      ['app.transfer', 'POST', '/checkout/transfer/withdraw'],
      ['app.create', 'GET', '/create'],
      ['app.create', 'POST', ''],
      ['app.update', 'POST', '/checkout'],
      ['app.update', 'POST', '/checkout/revoke'],
      ['app.update', 'POST', '/checkout/approve'],
      ['app.keys.manage', 'POST', '/checkout/credentials'],
      ['app.keys.manage', 'POST', '/checkout/credentials/:key/products'],
      ['app.keys.manage', 'POST', '/checkout/credentials/:key/products/payments/revoke'],
      ['app.keys.manage', 'POST', '/checkout/credentials/:key/products/payments/approve'],
      ['app.keys.reveal', 'POST', '/checkout/credentials/:key/reveal'],
      ['app.keys.rotate', 'POST', '/checkout/credentials/:key/rotate'],
      ['app.keys.manage', 'POST', '/checkout/credentials/:key/revoke'],
      ['app.keys.manage', 'POST', '/checkout/credentials/:key/approve'],
      ['app.keys.manage', 'POST', '/checkout/credentials/:key/delete'],
      ['app.delete', 'POST', '/checkout/delete'],
      ['webhooks.manage', 'GET', '/../webhooks'],
      ['webhooks.manage', 'GET', '/../webhooks/create'],
      ['webhooks.manage', 'POST', '/../webhooks'],
      ['webhooks.manage', 'GET', '/../webhooks/:hook'],
      ['webhooks.manage', 'POST', '/../webhooks/:hook'],
      ['webhooks.manage', 'POST', '/../webhooks/:hook/verify'],
      ['webhooks.manage', 'POST', '/../webhooks/:hook/off'],
      ['webhooks.manage', 'POST', '/../webhooks/:hook/rotate'],
      ['webhooks.manage', 'POST', '/../webhooks/:hook/test'],
      ['webhooks.manage', 'POST', '/../webhooks/:hook/recover'],
      ['webhooks.manage', 'POST', '/../webhooks/:hook/replay'],
      ['webhooks.manage', 'GET', '/../webhooks/:hook/deliveries/:delivery'],
      ['webhooks.manage', 'POST', '/../webhooks/:hook/deliveries/:delivery/resend'],
      ['webhooks.manage', 'POST', '/../webhooks/:hook/delete'],
    ] as const
  ).flatMap(([ability, method, path]) =>
    [...ROLES].reverse().map((role, index) => ({ ability, method, path, role, index })),
  );

  it.each(cells)('$role: $method $path takes $ability', async ({ ability, method, path, role, index }) => {
    const whole = path.replace(':key', String(key)).replace(':hook', String(hook.id));
    const address = new URL(place + whole.replace(':delivery', String(hook.delivery)), 'http://a').pathname;
    const fields = {
      _csrf: await pages[role].csrf('/portal/dashboard'),
      display_name: `Till ${index}`,
      products: 'payments',
      ...{ url: 'https://hooks.example.com', events: 'app.*', type: 'app.approved' },
    };
    const answer =
      method === 'GET' ? await pages[role].get(address) : await pages[role].post(address, fields, { follow: false });
    const may = role !== 'stranger' && SHIPPED_ROLES[role]?.includes(ability);
    // What an earlier role has ended is gone for the next one.
    if (may) expect([200, 303, 404, 409, 422, 429]).toContain(answer.status);
    else expect(answer.status).toBe(role === 'stranger' ? 404 : 403);
  });

  it('have the webhooks of the team beside own ones, for who may manage them', async () => {
    const webhooks = place.replace('/apps', '/webhooks');
    expect((await pages.manager.get('/portal/webhooks')).html).toContain(`href="${webhooks}"`);
    expect((await pages.developer.get('/portal/webhooks')).html).not.toContain('class="tabs"');
    expect((await pages.manager.get(place.replace('/apps', ''))).html).toContain(`href="${webhooks}"`);
    expect((await pages.developer.get(place.replace('/apps', ''))).html).not.toContain(webhooks);
    const fields = { url: 'https://hooks.example.com/team', description: 'Ours', events: 'app.*' };
    const made = await pages.manager.submit(`${webhooks}/create`, fields, { action: webhooks });
    expect(made.html).toMatch(SECRET);
    const [path] = made.path.split('?');
    expect(path).toMatch(new RegExp(`^${webhooks}/\\d+$`));
    const shown = await pages.owner.get(path ?? '');
    expect([SECRET.test(shown.html), shown.html.includes(`action="${path}/rotate"`)]).toEqual([false, true]);
    expect((await pages.owner.get(path?.replace(webhooks, '/portal/webhooks') ?? '')).status).toBe(404);
    expect((await pages.owner.get(path?.replace(webhooks, other.replace('/apps', '/webhooks')) ?? '')).status).toBe(
      404,
    );
  });

  it('show a viewer neither key nor a way to one, and leave the app of the other team alone', async () => {
    const shown = await pages.viewer.get(`${other}/checkout`);
    expect(shown.html).toContain('Checkout');
    expect(shown.html).not.toMatch(/action="[^"]*\/checkout/);
    const owned = await pages.owner.get(`${other}/checkout`);
    for (const act of ['reveal', 'rotate', 'delete'])
      expect(owned.html).toMatch(new RegExp(`action="${other}.*/${act}"`));
  });

  it('show who manages members the keys that somebody has seen who is removed, and rotate them in the act', async () => {
    const team = (/teams\/(\d+)/.exec(other) ?? [])[1] ?? '';
    const leaver = await createUser(test, { email: 'leaver@example.com', emailVerifiedAt: test.clock.now() });
    const { teams, members, sights } = test.portal.services.teams;
    const found = await teams.find(Number(team));
    await members.put(found, leaver, 'developer');
    const { apps, credentials } = test.portal.services.apps;
    const app = await apps.find(await teams.accountOf(found), 'checkout');
    const [first] = (await apps.view(app)).credentials ?? [];
    await credentials.reveal(await credentials.find(app, first?.id ?? 0), { type: 'developer', id: leaver.id });
    const removal = `/portal/teams/${team}/members/${leaver.id}/remove`;
    for (const path of [removal, `/portal/teams/${team}/keys`]) {
      const seen = await Promise.all(ROLES.map(async (role) => (await pages[role].get(path)).status));
      expect(seen).toEqual([200, 200, 403, 403, 404]);
    }
    expect((await pages.manager.get(removal)).html).toContain('••••');
    expect((await pages.manager.get(removal)).html).not.toContain('name="webhooks_off"');
    const { endpoints } = test.portal.services.webhooks;
    const theirs = { url: 'https://hooks.leaver.example/in?key=theirs', events: ['app.*'] };
    const { endpoint } = await endpoints.create(theirs, found.accountId, null, leaver.id);
    const offered = (await pages.manager.get(removal)).html;
    for (const shown of ['hooks.leaver.example', 'name="rotate_webhooks"', 'name="webhooks_off"'])
      expect(offered).toContain(shown);
    expect(offered).not.toContain('key=theirs');
    // Who is gone already while the gateway fails has no such page any more.
    const passing = await createUser(test, { email: 'passing@example.com', emailVerifiedAt: test.clock.now() });
    await members.put(found, passing, 'viewer');
    const away = jest.spyOn(members, 'remove').mockImplementationOnce(async (...of) => {
      away.mockRestore();
      await members.remove(...of);
      throw new GatewayUnavailableError();
    });
    const failed = await pages.manager.submit(removal.replace(String(leaver.id), String(passing.id)), {});
    expect([failed.status, failed.html.includes('role="alert"'), failed.html.includes('passing@')]).toEqual([
      503,
      true,
      false,
    ]);
    // The old ones end as soon as whoever removes says, and the new secret is told once.
    const gone = await pages.manager.submit(removal, {
      rotate: 'yes',
      rotate_webhooks: 'yes',
      webhooks_off: '',
      overlap: '0',
    });
    expect(gone.html).toContain('the keys that they had seen were rotated');
    expect(gone.html).toMatch(SECRET);
    const listed = (await pages.manager.get(`/portal/teams/${team}/keys`)).html;
    expect([SECRET.test(listed), listed.includes('hooks.leaver.example')]).toEqual([false, true]);
    await endpoints.update(endpoint, { isEnabled: false });
    const kept = (await apps.view(app)).credentials ?? [];
    expect(kept.map(({ id, status }) => id === first?.id && status)).toEqual(['revoked', false]);
    expect((await sights.exposed(found)).filter(({ id }) => id === first?.id)).toEqual([]);
    expect((await pages.manager.get(`/portal/teams/${team}`)).html).not.toContain(`/teams/${team}/keys"`);
  });

  it('name the webhooks to whoever made them and leaves, and turn them off where they say so', async () => {
    const team = (/teams\/(\d+)/.exec(other) ?? [])[1] ?? '';
    const { accounts, teams, webhooks } = test.portal.services;
    const [manager, found] = [
      await accounts.users.findByEmail('app-manager@example.com'),
      await teams.teams.find(Number(team)),
    ];
    const page = `/portal/teams/${team}`;
    expect((await pages.manager.get(page)).html).not.toContain('name="webhooks_off"');
    const own = { url: 'https://hooks.manager.example/in', events: ['app.*'] };
    const { endpoint } = await webhooks.endpoints.create(own, found.accountId, null, manager?.user.id);
    expect((await pages.manager.get(page)).html).toContain('hooks.manager.example');
    expect((await pages.owner.get(page)).html).not.toContain('hooks.manager.example');
    await pages.manager.submit(page, { webhooks_off: 'yes' }, { action: `${page}/leave` });
    expect((await pages.manager.get(page)).status).toBe(404);
    expect((await webhooks.endpoints.find(endpoint.id, found.accountId)).status).toBe('disabled');
    await teams.members.put(found, manager?.user as UserRecord, 'manager');
  });

  it('hand an app over: offered on its page, answered where it is offered, with what stands against it before', async () => {
    const [, id = ''] = /teams\/(\d+)/.exec(place) ?? [];
    const form = `${other}/checkout/transfer`;
    expect((await pages.owner.get(`${other}/checkout`)).html).toContain(`href="${form}"`);
    expect((await pages.developer.get(`${other}/checkout`)).html).not.toContain(form);
    const { teams } = test.portal.services.teams;
    const { apps } = test.portal.services.apps;
    const owner = await teams.accountOf(await teams.find(Number(id)));
    // The cells above have deleted the one that was there.
    await apps.create(owner, { name: 'checkout' }, { type: 'admin', id: 1 });
    const offered = await pages.owner.submit(form, { to: `team-${id}` }, { action: form });
    expect(offered.html).toContain('The app is offered.');
    const blocked = await pages.developer.get('/portal/dashboard');
    expect(blocked.html).toContain('There is an app called checkout already.');
    await apps.delete(await apps.find(owner, 'checkout'), { type: 'admin', id: 1 });
    const list = await pages.developer.get('/portal/app-transfers');
    const [, accept = ''] = /action="([^"]*\/accept)"/.exec(list.html) ?? [];
    expect((await pages.stranger.get('/portal/app-transfers')).html).toContain('Nothing is offered');
    const csrf = await pages.stranger.csrf('/portal/dashboard');
    expect((await pages.stranger.post(accept, { _csrf: csrf }, { follow: false })).status).toBe(404);
    const taken = await pages.developer.submit('/portal/app-transfers', {}, { action: accept });
    expect([taken.status, taken.html.includes('The app is here now, with the same keys.')]).toEqual([200, true]);
    expect((await pages.owner.get(`${other}/checkout`)).status).toBe(404);
    expect((await pages.owner.get(`${place}/checkout`)).html).toContain('Checkout');
    // Whoever gets it for themselves is told which keys the team knows.
    const found = await apps.find(owner, 'checkout');
    const [live] = ((await apps.view(found)).credentials ?? []).filter(({ status }) => status === 'approved');
    const { credentials, transfers } = test.portal.services.apps;
    const known = 'Somebody else has seen this key';
    const taker = await test.portal.services.accounts.users.findByEmail('app-stranger@example.com');
    await credentials.reveal(await credentials.find(found, live?.id ?? 0), { type: 'developer', id: owner.id });
    await transfers.move(found, taker?.user as UserRecord, { type: 'admin', id: 1 });
    expect((await pages.stranger.get('/portal/apps/checkout')).html).toContain(known);
  });
});
