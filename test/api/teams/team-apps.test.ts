import { Admin } from '../../support/admin.js';
import { readKeyAccess } from '../../support/apps.js';
import { createAdmin, createPlan, createProduct } from '../../support/factories.js';
import { Mailbox } from '../../support/mailbox.js';
import { createPerson, createTeam, type Person } from '../../support/teams.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { fullName } from '../../../src/domain/accounts/index.js';
import type { TeamAbility, TeamRecord } from '../../../src/domain/teams/index.js';
import { SHIPPED_ROLES } from '../../../src/domain/teams/roles.js';

const DAY_S = 86_400;
const ROLES = ['owner', 'manager', 'developer', 'viewer'] as const;
type Role = (typeof ROLES)[number];

const box = new Mailbox();
let test: TestPortal;
let boss: Admin;
let by: { type: 'admin'; id: number };
const people = {} as Record<Role | 'stranger', Person>;
/** Two teams, each with an app of the same name. */
let team: TeamRecord;
let other: TeamRecord;
/** One without apps. */
let third: TeamRecord;
let key: { id: number; consumer_key: string };

beforeAll(async () => {
  test = await startTestPortal({
    extensions: { mailer: () => box },
    config: { portalApi: { accessTtl: '2h' }, teams: { perDeveloper: 1_000 } },
  });
  boss = await Admin.create(test);
  by = { type: 'admin', id: (await createAdmin(test)).id };
  await createProduct(test, { slug: 'payments' });
  await createProduct(test, { slug: 'geo' });
  for (const role of [...ROLES, 'stranger'] as const) people[role] = await createPerson(test, { firstName: role });
});
afterAll(() => test.stop());

const newTeam = () =>
  createTeam(test, people.owner.user, [
    [people.manager.user, 'manager'],
    [people.developer.user, 'developer'],
    [people.viewer.user, 'viewer'],
  ]);
const appsOf = ({ id }: TeamRecord) => `/me/teams/${id}/apps`;
const make = (whose: TeamRecord, name = 'checkout') =>
  people.owner.call('POST', appsOf(whose), { name, display_name: 'Checkout', products: ['payments'] });

async function freshTeams(): Promise<void> {
  [team, other, third] = [await newTeam(), await newTeam(), await newTeam()];
  key = (await make(team)).json.data.credentials[0];
  await make(other);
}

/** Who was mailed what since the last time, by first name or address. */
async function told(): Promise<string[]> {
  await test.portal.background.flush();
  await test.portal.jobs.run('mail');
  const roleOf = (to: string) => ROLES.find((role) => people[role].user.email === to) ?? to;
  return box.mails.splice(0).map(({ to, subject }) => `${roleOf(to)}: ${subject}`);
}

describe('an app of a team', () => {
  beforeAll(freshTeams);

  it('opens the API with its key, and is the team’s alone', async () => {
    expect(await readKeyAccess(test, key.consumer_key, 'payments')).toBe('open');
    const shown = await people.viewer.call('GET', `${appsOf(team)}/checkout`);
    expect(shown.json.data).toMatchObject({ name: 'checkout', status: 'approved' });
    expect(shown.text).not.toContain(key.consumer_key);
    expect((await people.owner.call('GET', '/me/apps')).json.data).toEqual([]);
    expect((await people.owner.call('GET', '/me/apps/checkout')).status).toBe(404);
    expect((await people.viewer.call('GET', `/me/teams/${team.id}`)).json.data.apps).toBe(1);
  });

  it('has a name that is its own in the team only', async () => {
    const mine = (await people.owner.call('POST', '/me/apps', { name: 'checkout' })).status;
    const twice = await make(team);
    expect([mine, twice.status, Object.keys(twice.json.errors)]).toEqual([201, 422, ['name']]);
    await people.owner.call('PUT', `${appsOf(other)}/checkout`, { description: 'The other one.' });
    const [one, two] = await Promise.all(
      [team, other].map(async (whose) => (await people.owner.call('GET', `${appsOf(whose)}/checkout`)).json.data),
    );
    expect([one.description, two.description]).toEqual(['', 'The other one.']);
    await people.owner.call('DELETE', '/me/apps/checkout');
  });

  it('never lends its keys to the path of another team', async () => {
    const foreign = await people.owner.call('GET', `${appsOf(other)}/checkout/credentials/${key.id}`);
    expect(foreign.status).toBe(404);
  });

  it('is what the person did and the team owns, in the activity log', async () => {
    const { json } = await boss.get(`/activities?filters=${encodeURIComponent('{"action":"app.created"}')}`);
    expect(json.data).toContainEqual(
      expect.objectContaining({
        actor: expect.objectContaining({ type: 'developer', id: people.owner.user.id }),
        subject: expect.objectContaining({ type: 'app', label: expect.stringContaining('checkout') }),
      }),
    );
  });

  it('is shown to admins with its team, by the team and among all apps', async () => {
    const one = await boss.get(`/teams/${team.id}/apps/checkout`);
    expect(one.json.data).toMatchObject({ user_id: team.accountId, team: { id: team.id, name: team.name } });
    const twin = await boss.get(`/users/${team.accountId}/apps/checkout`);
    expect(twin.json.data).toEqual(one.json.data);
    const all = await boss.get(`/apps?with=user&filters=${encodeURIComponent(`{"user":${team.accountId}}`)}`);
    expect(all.json.data).toMatchObject([{ name: 'checkout', team: { id: team.id } }]);
    const own = await createPerson(test);
    await own.call('POST', '/me/apps', { name: 'mine' });
    expect((await boss.get(`/users/${own.user.id}/apps/mine`)).json.data.team).toBeNull();
    expect((await boss.get('/teams/999999/apps')).status).toBe(404);
  });

  it('opens nothing while an admin has closed the team', async () => {
    await boss.put(`/teams/${team.id}`, { status: 'closed' });
    expect(await readKeyAccess(test, key.consumer_key, 'payments')).not.toBe('open');
    expect((await make(team, 'late')).status).toBe(403);
    await boss.put(`/teams/${team.id}`, { status: 'active' });
    expect(await readKeyAccess(test, key.consumer_key, 'payments')).toBe('open');
  });

  it('is out of reach from the next request on for who was removed', async () => {
    const gone = await createPerson(test);
    await test.portal.services.teams.members.put(team, gone.user, 'developer');
    expect((await gone.call('GET', `${appsOf(team)}/checkout`)).status).toBe(200);
    await people.owner.call('DELETE', `/me/teams/${team.id}/members/${gone.user.id}`);
    const missing = await gone.call('GET', '/me/teams/999999/apps/checkout');
    for (const path of ['', '/checkout', `/checkout/credentials/${key.id}/reveal`]) {
      const answer = await gone.call(path.endsWith('reveal') ? 'POST' : 'GET', appsOf(team) + path);
      expect([answer.status, answer.text]).toEqual([404, missing.text]);
    }
  });

  it('is not answered from an earlier answer to who was removed', async () => {
    const gone = await createPerson(test);
    await test.portal.services.teams.members.put(team, gone.user, 'developer');
    const send = () =>
      test.client.send('POST', `/api/v1${appsOf(team)}/checkout/credentials`, {
        ...{ token: gone.token, body: { products: ['geo'] } },
        headers: { 'idempotency-key': 'again-and-again' },
      });
    expect((await send()).status).toBe(201);
    await people.owner.call('DELETE', `/me/teams/${team.id}/members/${gone.user.id}`);
    expect((await send()).status).toBe(404);
  });
});

describe('a role', () => {
  let isChanged = true;
  beforeEach(async () => {
    if (isChanged) await freshTeams();
    isChanged = false;
  });

  const one = '/checkout';
  const credential = `${one}/credentials/:key`;
  const grant = `${credential}/products/payments`;
  /** Each route with the ability that it takes, and what is sent to it. */
  const routes: readonly [TeamAbility, string, string, unknown?][] = [
    ['app.view', 'GET', ''],
    ['app.create', 'POST', '', { name: 'second' }],
    ['app.view', 'GET', one],
    ['app.update', 'PUT', one, { description: 'Pays.' }],
    ['app.update', 'POST', `${one}/revoke`],
    ['app.update', 'POST', `${one}/approve`],
    ['app.delete', 'DELETE', one],
    ['app.view', 'GET', `${one}/credentials`],
    ['app.keys.manage', 'POST', `${one}/credentials`, { products: ['geo'] }],
    ['app.view', 'GET', credential],
    ['app.keys.manage', 'DELETE', credential],
    ['app.keys.manage', 'POST', `${credential}/revoke`],
    ['app.keys.manage', 'POST', `${credential}/approve`],
    ['app.keys.rotate', 'POST', `${credential}/rotate`, {}],
    ['app.keys.reveal', 'POST', `${credential}/reveal`],
    ['app.keys.manage', 'POST', `${credential}/products`, { products: ['geo'] }],
    ['app.keys.manage', 'DELETE', grant],
    ['app.keys.manage', 'POST', `${grant}/revoke`],
    ['app.keys.manage', 'POST', `${grant}/approve`],
    ['app.keys.manage', 'PUT', `${grant}/plan`, { plan: 'none' }],
    ['app.keys.manage', 'POST', `${grant}/plans/none/approve`],
    ['app.keys.manage', 'POST', `${grant}/plans/none/withdraw`],
    ['app.transfer', 'POST', `${one}/transfers`, { team: 'other' }],
    ['app.view', 'GET', `${one}/transfers/:transfer`],
    ['app.transfer', 'DELETE', `${one}/transfers/:transfer`],
    ['usage.view', 'GET', `${one}/usage`],
    ['usage.view', 'GET', `${one}/usage/export`],
    ['usage.view', 'GET', `${one}/usage/refusals`],
    ['usage.view', 'GET', `${one}/usage/quotas`],
    ['usage.view', 'GET', `${one}/usage/answers`],
  ];

  it('is asked by every route to apps of teams', () => {
    const declared = test.portal.routes.filter(({ path }) => path.startsWith('/me/teams/:team/apps'));
    const listed = new Set(routes.map(([, method, path]) => `${method} ${path}`.replace('checkout', ':appName')));
    const names = declared.map(({ method, path }) =>
      `${method.toUpperCase()} ${path.slice('/me/teams/:team/apps'.length)}`
        .replace('/:id', '/:key')
        .replace('/:product', '/payments')
        .replace('/:plan/', '/none/'),
    );
    expect(names.filter((name) => !listed.has(name))).toEqual([]);
    expect(names).toHaveLength(routes.length);
  });

  const cells = routes.flatMap(([ability, method, path, body]) =>
    [...ROLES, 'stranger' as const].map((role) => ({ ability, method, path, body, role })),
  );

  async function transferFor(path: string): Promise<number> {
    if (!path.endsWith('/:transfer')) return 0;
    const offered = await people.owner.call('POST', `${appsOf(team)}/checkout/transfers`, { team: third.id });
    return offered.json.data.id;
  }

  it.each(cells)('$role: $method $path takes $ability', async ({ ability, method, path, body, role }) => {
    const isOffer = path.endsWith('/transfers');
    const address = path.replace(':key', String(key.id)).replace(':transfer', String(await transferFor(path)));
    const { status, text } = await people[role].call(
      method,
      appsOf(team) + address,
      isOffer ? { team: third.id } : body,
    );
    const may = role !== 'stranger' && SHIPPED_ROLES[role]?.includes(ability);
    isChanged = method !== 'GET' && status < 300;
    // A plan that the product does not offer is refused only to who may choose one.
    const done = path.includes('/plan') ? [404, 422] : [200, 201];
    if (may) expect(done).toContain(status);
    else expect(status).toBe(role === 'stranger' ? 404 : 403);
    const isShown = text.includes(key.consumer_key) || text.includes('consumer_secret');
    expect(isShown).toBe(Boolean(may) && /\/(rotate|reveal)$|^POST .*credentials$/.test(`${method} ${path}`));
    expect((await people.owner.call('GET', `${appsOf(other)}/checkout`)).json.data.status).toBe('approved');
  });
});

describe('a mail about an app of a team', () => {
  beforeAll(async () => {
    await freshTeams();
    await told();
  });

  it('goes to who can do something about it, never to the account of the team', async () => {
    const { apps } = test.portal.services.apps;
    const account = await test.portal.services.teams.teams.accountOf(team);
    await apps.revoke(await apps.find(account, 'checkout'), by, 'Too many calls');
    const subject = `Your app Checkout (${team.name}) was revoked`;
    expect((await told()).sort()).toEqual([`developer: ${subject}`, `manager: ${subject}`, `owner: ${subject}`]);
    await apps.approve(await apps.find(account, 'checkout'), by);
    const [mail] = await box.take(test, people.owner.user.email);
    expect(mail?.text).toContain(`/portal/teams/${team.id}/apps/checkout`);
  });

  it('about a key that ends is left out for a member who has muted keys', async () => {
    await people.manager.call('PUT', `/me/teams/${team.id}/notices`, { muted: ['keys'] });
    await people.owner.call('POST', `${appsOf(team)}/checkout/credentials`, {
      ...{ products: ['geo'], expires_in: 3 * DAY_S },
    });
    await test.portal.jobs.run('expiring-keys');
    const subject = `A key of Checkout (${team.name}) ends soon`;
    expect((await told()).sort()).toEqual([`developer: ${subject}`, `owner: ${subject}`]);
    await test.portal.jobs.run('expiring-keys');
    expect(await told()).toEqual([]);
  });
});

describe('an app that is handed over', () => {
  beforeEach(freshTeams);

  const offer = (by: Person, path: string, body: object) => by.call('POST', `${path}/checkout/transfers`, body);
  const offers = async (to: Person) => (await to.call('GET', '/me/app-transfers')).json.data;

  it('has another owner and the same key, from a team to another, to a person and back', async () => {
    const way: readonly [string, object, string][] = [
      [appsOf(team), { team: third.id }, appsOf(third)],
      [appsOf(third), { user: people.owner.user.id }, '/me/apps'],
      ['/me/apps', { team: team.id }, appsOf(team)],
    ];
    for (const [from, to, next] of way) {
      const offered = await offer(people.owner, from, to);
      expect([offered.status, offered.json.data]).toMatchObject([201, { not_allowed: [], name_taken: false }]);
      expect((await people.owner.call('GET', `${from}/checkout`)).status).toBe(200);
      const { id } = offered.json.data;
      expect((await people.owner.call('POST', `/me/app-transfers/${id}/accept`)).status).toBe(200);
      // An answer may be lost: whoever accepted asks again, nobody else.
      const again = (by: Person, act = 'accept') => by.call('POST', `/me/app-transfers/${id}/${act}`);
      expect((await again(people.owner)).json.data.name).toBe('checkout');
      for (const one of [again(people.manager), again(people.owner, 'decline')]) expect((await one).status).toBe(404);
      expect(await offers(people.owner)).not.toContainEqual(expect.objectContaining({ id }));
      expect((await people.owner.call('GET', `${from}/checkout`)).status).toBe(404);
      expect(
        (await people.owner.call('POST', `${next}/checkout/credentials/${key.id}/reveal`)).json.data,
      ).toMatchObject({
        consumer_key: key.consumer_key,
      });
      expect(await readKeyAccess(test, key.consumer_key, 'payments')).toBe('open');
    }
    const report = await test.portal.services.apps.sync.run({ plan: true } as never);
    expect([report.drifts, report.unfinished]).toEqual([[], []]);
  });

  it('is offered only to those who may answer, and answered once', async () => {
    const { id } = (await offer(people.manager, appsOf(team), { team: third.id })).json.data;
    expect((await offers(people.developer)).map((one: { id: number }) => one.id)).toContain(id);
    expect(await offers(people.stranger)).toEqual([]);
    expect(await offers(people.viewer)).toEqual([]);
    for (const person of [people.stranger, people.viewer]) {
      expect((await person.call('POST', `/me/app-transfers/${id}/accept`)).status).toBe(404);
    }
    expect((await people.developer.call('POST', `/me/app-transfers/${id}/decline`)).status).toBe(200);
    expect((await people.developer.call('POST', `/me/app-transfers/${id}/accept`)).status).toBe(404);
    expect((await people.manager.call('GET', `${appsOf(team)}/checkout/transfers/${id}`)).status).toBe(404);
  });

  it('goes to nobody whom the one who offers has nothing to do with', async () => {
    const own = await createPerson(test);
    await own.call('POST', '/me/apps', { name: 'checkout' });
    const foreign = await offer(own, '/me/apps', { team: team.id });
    const missing = await offer(own, '/me/apps', { team: 999_999 });
    expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
    const known = await offer(own, '/me/apps', { user: people.owner.user.id });
    const unknown = await offer(own, '/me/apps', { user: 999_999 });
    expect([known.status, known.text]).toEqual([422, unknown.text]);
    expect((await offer(people.owner, appsOf(team), { team: team.id })).status).toBe(409);
  });

  it('says before what stands against it, and is refused until that is gone', async () => {
    const taken = (await offer(people.owner, appsOf(team), { team: other.id })).json.data;
    expect(taken).toMatchObject({ name_taken: true });
    expect((await people.owner.call('POST', `/me/app-transfers/${taken.id}/accept`)).status).toBe(409);
    const { products, audiences } = test.portal.services.catalog;
    const partners = await audiences.create({ name: `partners ${team.id}`, users: [team.accountId] });
    const secret = await createProduct(test, { visibility: 'private' });
    await products.update(secret.id, { audiences: [partners.id] });
    const credential = `${appsOf(team)}/checkout/credentials/${key.id}`;
    expect((await people.owner.call('POST', `${credential}/products`, { products: [secret.slug] })).status).toBe(200);
    const { id, not_allowed: kept } = (await offer(people.owner, appsOf(team), { team: third.id })).json.data;
    expect(kept).toEqual([secret.slug]);
    const refused = await people.owner.call('POST', `/me/app-transfers/${id}/accept`);
    expect([refused.status, Object.keys(refused.json.errors)]).toEqual([409, ['products']]);
    await people.owner.call('DELETE', `${credential}/products/${secret.slug}`);
    expect((await people.owner.call('POST', `/me/app-transfers/${id}/accept`)).status).toBe(200);
  });

  it('lists the plans that the new owner may not have, which stand against it like products', async () => {
    const { audiences } = test.portal.services.catalog;
    const partners = await audiences.create({ name: `gold ${team.id}`, users: [team.accountId] });
    await createPlan(test, { slug: `gold-${team.id}`, audiences: [partners.id] });
    const made = await createProduct(test, { plans: [`gold-${team.id}`] });
    const credential = `${appsOf(team)}/checkout/credentials/${key.id}`;
    const held = await people.owner.call('POST', `${credential}/products`, {
      products: [{ slug: made.slug, plan: `gold-${team.id}` }],
    });
    expect(held.status).toBe(200);
    const { id, ...offered } = (await offer(people.owner, appsOf(team), { team: third.id })).json.data;
    expect(offered.plans_not_allowed).toEqual([{ product: made.slug, plan: `gold-${team.id}` }]);
    const refused = await people.owner.call('POST', `/me/app-transfers/${id}/accept`);
    expect([refused.status, Object.keys(refused.json.errors)]).toEqual([409, ['products']]);
  });

  it('does not pass the limits of the team that gets it', async () => {
    await test.portal.services.teams.teams.update(third.id, { appsLimit: 1 });
    await people.owner.call('POST', appsOf(third), { name: 'first' });
    const { id } = (await offer(people.owner, appsOf(team), { team: third.id })).json.data;
    const refused = await people.owner.call('POST', `/me/app-transfers/${id}/accept`);
    expect([refused.status, Object.keys(refused.json.errors)]).toEqual([409, ['app']]);
    expect((await people.owner.call('GET', `${appsOf(team)}/checkout`)).status).toBe(200);
  });

  it('is told to whoever may take it, and the answer to whoever gave it, but never to who did it', async () => {
    await told();
    await offer(people.manager, appsOf(team), { team: third.id });
    const [{ id }] = await offers(people.owner);
    expect(new Set(await told())).toEqual(
      new Set([`The app Checkout is offered to ${third.name}`].flatMap((it) => [`developer: ${it}`, `owner: ${it}`])),
    );
    await people.developer.call('POST', `/me/app-transfers/${id}/decline`);
    const declined = `${third.name} does not take the app Checkout`;
    expect((await told()).sort()).toEqual([`manager: ${declined}`, `owner: ${declined}`]);
    await offer(people.owner, appsOf(team), { team: third.id });
    const [again] = await offers(people.owner);
    await told();
    await people.owner.call('POST', `/me/app-transfers/${again.id}/accept`);
    const moved = `The app Checkout now belongs to ${third.name}`;
    expect((await told()).sort()).toEqual([`developer: ${moved}`, `manager: ${moved}`]);
  });

  it('is moved by an admin without an offer, to a team or to a developer, with its key; both sides are told', async () => {
    const move = (path: string, body: object) => boss.post(`${path}/checkout/move`, body);
    await offer(people.owner, appsOf(team), { team: third.id });
    await told();
    const { email, id } = people.stranger.user;
    const given = await move(`/teams/${team.id}/apps`, { email });
    expect([given.status, given.json.data.user.id]).toEqual([200, id]);
    expect((await told()).length).toBe(4);
    const open = (await offers(people.owner)).map((one: { from: { team: { id: number } } }) => one.from.team.id);
    expect(open).not.toContain(team.id);
    expect(await readKeyAccess(test, key.consumer_key, 'payments')).toBe('open');
    expect((await move(`/users/${id}/apps`, { email: 'nobody@example.com' })).status).toBe(422);
    expect((await move(`/users/${id}/apps`, { email })).status).toBe(409);
    expect((await move(`/users/${id}/apps`, { team: other.id })).status).toBe(409);
    expect((await move(`/users/${id}/apps`, { team: third.id })).json.data.team.id).toBe(third.id);
    const report = await test.portal.services.apps.sync.run({ plan: true } as never);
    expect([report.drifts, report.unfinished]).toEqual([[], []]);
  });
});

describe('a key that somebody has seen who goes', () => {
  beforeEach(freshTeams);

  const exposed = async () => (await people.owner.call('GET', `/me/teams/${team.id}/exposed-keys`)).json.data;

  it('is listed for those who manage members, by name, until it is rotated, and they are mailed', async () => {
    const reveal = `${appsOf(team)}/checkout/credentials/${key.id}/reveal`;
    expect((await people.developer.call('POST', reveal)).status).toBe(200);
    const seen = `/me/teams/${team.id}/members/${people.developer.user.id}/keys`;
    expect((await people.manager.call('GET', seen)).json.data).toMatchObject([
      { id: key.id, app: { name: 'checkout' } },
    ]);
    expect((await people.developer.call('GET', seen)).status).toBe(403);
    expect((await people.stranger.call('GET', seen)).status).toBe(404);
    expect(await exposed()).toEqual([]);
    await told();
    await people.developer.call('POST', `/me/teams/${team.id}/leave`);
    const subject = `${fullName(people.developer.user)} has left ${team.name} and knows secrets of it`;
    expect((await told()).sort()).toEqual([`manager: ${subject}`, `owner: ${subject}`]);
    expect(await exposed()).toMatchObject([{ id: key.id, seen_by: [fullName(people.developer.user)] }]);
    await people.manager.call('POST', `${appsOf(team)}/checkout/credentials/${key.id}/rotate`, {});
    expect(await exposed()).toEqual([]);
  });

  it('is rotated in the act of the removal, and the old one works for the overlap', async () => {
    await people.developer.call('POST', `${appsOf(team)}/checkout/credentials/${key.id}/reveal`);
    const member = `/me/teams/${team.id}/members/${people.developer.user.id}?rotate_keys=true&overlap=3600`;
    expect((await people.manager.call('DELETE', member)).status).toBe(200);
    expect(await exposed()).toEqual([]);
    expect(await readKeyAccess(test, key.consumer_key, 'payments')).toBe('open');
    const keys = (await people.owner.call('GET', `${appsOf(team)}/checkout`)).json.data.credentials;
    expect(keys).toHaveLength(2);
  });

  it('is listed without a name when the account of who saw it is deleted', async () => {
    const passing = await createPerson(test);
    await test.portal.services.teams.members.put(team, passing.user, 'developer');
    await passing.call('POST', `${appsOf(team)}/checkout/credentials/${key.id}/reveal`);
    await told();
    await test.portal.services.accounts.users.delete(passing.user.id);
    expect((await told()).sort()).toMatchObject([
      expect.stringMatching(/^manager: .* knows secrets/),
      expect.stringMatching(/^owner:/),
    ]);
    expect(await exposed()).toMatchObject([{ id: key.id, seen_by: [null] }]);
  });

  it('goes with its app to a team when the account of its developer is deleted, where they ask for it', async () => {
    const leaving = await createPerson(test);
    await test.portal.services.teams.members.put(team, leaving.user, 'developer');
    await leaving.call('POST', '/me/apps', { name: 'own', products: ['payments'] });
    expect((await leaving.call('DELETE', `/me?apps_to=${other.id}`)).status).toBe(404);
    expect((await leaving.call('DELETE', `/me?apps_to=${team.id}`)).status).toBe(200);
    const kept = await people.owner.call('GET', `${appsOf(team)}/own`);
    expect([kept.status, kept.json.data.credentials[0].status]).toEqual([200, 'approved']);
  });

  it('stays with all others of its developer while one of their apps may not go to the team, and goes but for those to close', async () => {
    const leaving = await createPerson(test);
    await test.portal.services.teams.members.put(team, leaving.user, 'developer');
    // The name of the second one is taken in the team.
    for (const name of ['aside', 'checkout']) await leaving.call('POST', '/me/apps', { name, products: ['payments'] });
    const refused = await leaving.call('DELETE', `/me?apps_to=${team.id}`);
    expect([refused.status, Object.keys(refused.json.errors)]).toEqual([409, ['name']]);
    expect((await leaving.call('GET', '/me/apps')).json.data).toHaveLength(2);
    const unknown = await leaving.call('DELETE', `/me?apps_to=${team.id}&close_apps=checkout,nothing`);
    expect([unknown.status, Object.keys(unknown.json.errors)]).toEqual([422, ['close_apps']]);
    expect((await leaving.call('DELETE', `/me?apps_to=${team.id}&close_apps=checkout`)).status).toBe(200);
    const names = (await people.owner.call('GET', appsOf(team))).json.data.map(({ name }: { name: string }) => name);
    expect(names.sort()).toEqual(['aside', 'checkout']);
    expect(await readKeyAccess(test, key.consumer_key, 'payments')).toBe('open');
  });

  it('is listed for the person who gets its app from a team, without saying who has seen it there', async () => {
    const { developer, owner, stranger } = people;
    const listed = async (who: Person) => (await who.call('GET', '/me/exposed-keys')).json.data;
    await developer.call('POST', `${appsOf(team)}/checkout/credentials/${key.id}/reveal`);
    const to = { user: developer.user.id };
    const { id } = (await owner.call('POST', `${appsOf(team)}/checkout/transfers`, to)).json.data;
    expect(await listed(developer)).toEqual([]);
    expect((await developer.call('POST', `/me/app-transfers/${id}/accept`)).status).toBe(200);
    const [one, ...rest] = await listed(developer);
    expect([Object.keys(one).sort(), one.id, rest]).toEqual([['app', 'consumer_key', 'id'], key.id, []]);
    expect(await listed(stranger)).toEqual([]);
    expect(await listed(owner)).toEqual([]);
    expect((await developer.call('POST', `/me/apps/checkout/credentials/${key.id}/rotate`, {})).status).toBe(201);
    expect(await listed(developer)).toEqual([]);
    await developer.call('DELETE', '/me/apps/checkout');
  });
});
