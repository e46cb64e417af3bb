import { Admin } from '../../support/admin.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { createPerson, createTeam, type Person } from '../../support/teams.js';
import { createProduct } from '../../support/factories.js';
import type { TeamAbility, TeamRecord } from '../../../src/domain/teams/index.js';
import { SHIPPED_ROLES } from '../../../src/domain/teams/roles.js';

const ROLES = ['owner', 'manager', 'developer', 'viewer'] as const;
type Role = (typeof ROLES)[number];
const HOST = 'corp.example';

let test: TestPortal;
let boss: Admin;
let count = 0;
const people = {} as Record<Role | 'stranger', Person>;
beforeAll(async () => {
  test = await startTestPortal({
    config: {
      teams: { perDeveloper: 1_000, publicDomains: ['free.example'] },
      limits: { ip: { requests: { max: 1_000 } } },
    },
  });
  boss = await Admin.create(test);
  for (const role of ROLES) people[role] = await createPerson(test, { email: `${role}@${HOST}` });
  people.stranger = await createPerson(test, { email: 'stranger@other.example' });
});
afterAll(() => test.stop());

const team = () =>
  createTeam(test, people.owner.user, [
    [people.manager.user, 'manager'],
    [people.developer.user, 'developer'],
    [people.viewer.user, 'viewer'],
  ]);
const colleague = (overrides: Parameters<typeof createPerson>[1] = {}) =>
  createPerson(test, { email: `colleague${(count += 1)}@${HOST}`, ...overrides });
const list = ({ id }: TeamRecord, mode: 'ask' | 'join', role = 'viewer') =>
  people.owner.call('POST', `/me/teams/${id}/domains`, { domain: `@${HOST.toUpperCase()}`, mode, role });
const ask = (person: Person, { id }: TeamRecord) => person.call('POST', '/me/team-requests', { team: id });
const offered = async (person: Person, { id }: TeamRecord) =>
  (await person.call('GET', '/me/team-offers')).json.data.find(
    (offer: { team: { id: number } }) => offer.team.id === id,
  );

describe('the mail domain of a team', () => {
  it('is that of the proved address of who lists it, and never one where anybody gets an address', async () => {
    const { id } = await team();
    const add = (person: Person, domain: string, role = 'viewer') =>
      person.call('POST', `/me/teams/${id}/domains`, { domain, mode: 'ask', role });
    for (const domain of ['other.example', `sub.${HOST}`, 'example', 'gmail.com', 'free.example', 'a b', `${HOST}/x`])
      expect([domain, (await add(people.owner, domain)).status]).toEqual([domain, 422]);
    expect((await add(people.owner, HOST, 'manager')).status).toBe(422);
    const unproved = await createPerson(test, { email: `unproved@${HOST}`, emailVerifiedAt: null });
    await boss.post(`/teams/${id}/members`, { user: unproved.user.id, role: 'manager' });
    expect((await add(unproved, HOST)).status).toBe(422);
    expect((await boss.post(`/teams/${id}/domains`, { domain: 'gmail.com', mode: 'ask' })).status).toBe(422);
    expect((await boss.post(`/teams/${id}/domains`, { domain: 'other.example', mode: 'ask' })).status).toBe(201);
    expect((await add(people.owner, HOST)).json.data).toMatchObject({ domain: HOST, mode: 'ask', role: 'viewer' });
    expect((await add(people.owner, HOST)).status).toBe(409);
  });

  it('shows the team to people of it alone, and says the same of a team that is not offered and of none', async () => {
    const made = await team();
    const mate = await colleague();
    expect(await offered(mate, made)).toBeUndefined();
    await list(made, 'ask');
    expect(await offered(mate, made)).toMatchObject({ mode: 'ask', request: null });
    const unproved = await colleague({ emailVerifiedAt: null });
    for (const outsider of [people.stranger, unproved]) {
      expect(await offered(outsider, made)).toBeUndefined();
      const [theirs, nobodys] = [await ask(outsider, made), await ask(outsider, { id: 999_999 } as TeamRecord)];
      expect([theirs.status, theirs.text]).toEqual([404, nobodys.text]);
    }
    await boss.put(`/teams/${made.id}`, { status: 'closed' });
    expect((await ask(mate, made)).status).toBe(404);
  });

  it('lets people join at once where the owner chose so, but not who was in the team before', async () => {
    const made = await team();
    await list(made, 'join', 'developer');
    const mate = await colleague();
    const [one, two] = await Promise.all([ask(mate, made), ask(mate, made)]);
    expect([one.status, two.status].sort()).toEqual([201, 404]);
    expect((await mate.call('GET', `/me/teams/${made.id}`)).json.data.role).toBe('developer');
    await people.owner.call('DELETE', `/me/teams/${made.id}/members/${mate.user.id}`);
    expect((await ask(mate, made)).json.data.state).toBe('pending');
    expect((await mate.call('GET', `/me/teams/${made.id}`)).status).toBe(404);
    expect(await offered(people.manager, made)).toBeUndefined();
  });

  it('is changed and taken off; who came in by it stays', async () => {
    const made = await team();
    const { id } = (await list(made, 'join')).json.data;
    const mate = await colleague();
    await ask(mate, made);
    const place = `/me/teams/${made.id}/domains/${id}`;
    expect((await people.owner.call('PUT', place, { mode: 'ask', role: 'owner' })).status).toBe(422);
    expect((await people.owner.call('PUT', place, { mode: 'ask' })).json.data.mode).toBe('ask');
    expect((await people.owner.call('DELETE', place)).status).toBe(200);
    expect((await people.owner.call('GET', place)).status).toBe(404);
    expect((await mate.call('GET', `/me/teams/${made.id}`)).status).toBe(200);
    expect((await ask(await colleague(), made)).status).toBe(404);
  });
});

describe('a request to be in a team', () => {
  const asked = async (made: TeamRecord) => {
    const mate = await colleague();
    return { mate, request: (await ask(mate, made)).json.data.id as number };
  };

  it('is accepted with the role of the domain or another, and declined once and for all', async () => {
    const made = await team();
    await list(made, 'ask', 'viewer');
    const [first, second, third] = [await asked(made), await asked(made), await asked(made)];
    expect((await ask(first.mate, made)).json.data.id).toBe(first.request);
    const place = `/me/teams/${made.id}/requests`;
    const listed = (await people.manager.call('GET', `${place}?state=pending`)).json.data;
    expect(listed.map(({ id }: { id: number }) => id).sort()).toEqual(
      [first, second, third].map(({ request }) => request),
    );
    const answer = (request: number, how: string, body?: unknown) =>
      people.manager.call('POST', `${place}/${request}/${how}`, body ?? {});
    expect((await answer(first.request, 'accept')).json.data.state).toBe('accepted');
    expect((await first.mate.call('GET', `/me/teams/${made.id}`)).json.data.role).toBe('viewer');
    expect((await answer(second.request, 'accept', { role: 'owner' })).status).toBe(403);
    expect((await answer(second.request, 'accept', { role: 'developer' })).status).toBe(200);
    expect((await answer(second.request, 'decline')).status).toBe(409);
    expect((await answer(third.request, 'decline')).json.data.state).toBe('declined');
    expect((await ask(third.mate, made)).status).toBe(409);
  });

  it('is withdrawn by who asked, and by nobody else', async () => {
    const made = await team();
    await list(made, 'ask');
    const { mate, request } = await asked(made);
    expect((await people.stranger.call('DELETE', `/me/team-requests/${request}`)).status).toBe(404);
    expect((await mate.call('DELETE', `/me/team-requests/${request}`)).status).toBe(200);
    expect((await people.owner.call('POST', `/me/teams/${made.id}/requests/${request}/accept`, {})).status).toBe(409);
    expect((await ask(mate, made)).json.data.state).toBe('pending');
  });

  it('is not accepted once the address is of no domain of the team', async () => {
    const made = await team();
    await list(made, 'ask');
    const { mate, request } = await asked(made);
    const moved = 'UPDATE portal_users SET email = ? WHERE id = ?';
    await test.portal.database.execute(moved, [`moved${request}@other.example`, mate.user.id]);
    expect((await people.owner.call('POST', `/me/teams/${made.id}/requests/${request}/accept`, {})).status).toBe(409);
    expect((await boss.post(`/teams/${made.id}/requests/${request}/decline`)).status).toBe(200);
  });
});

describe('a role', () => {
  const routes: readonly [TeamAbility, string, string, unknown?][] = [
    ['team.domains.manage', 'GET', '/domains'],
    ['team.domains.manage', 'POST', '/domains', { domain: HOST, mode: 'ask', role: 'viewer' }],
    ['team.domains.manage', 'GET', '/domains/:domain'],
    ['team.domains.manage', 'PUT', '/domains/:domain', { mode: 'join' }],
    ['team.domains.manage', 'DELETE', '/domains/:domain'],
    ['team.activity.view', 'GET', '/activities'],
    ['team.members.manage', 'GET', '/requests'],
    ['team.members.manage', 'GET', '/requests/:request'],
    ['team.members.manage', 'POST', '/requests/:request/accept', {}],
    ['team.members.manage', 'POST', '/requests/:request/decline'],
  ];
  const cells = routes.flatMap(([ability, method, path, body]) =>
    [...ROLES, 'stranger' as const].map((role) => ({ ability, method, path, body, role })),
  );

  it.each(cells)('$role: $method $path takes $ability', async ({ ability, method, path, body, role }) => {
    const made = await team();
    const { domains, requests } = test.portal.services.teams;
    const domain = await domains.add(made, null, { domain: 'partner.example', mode: 'ask', role: 'viewer' });
    const asker = await createPerson(test, { email: `a${(count += 1)}@partner.example` });
    const { request } = await requests.ask(asker.user, made.id);
    const place = path.replace(':domain', String(domain.id)).replace(':request', String(request.id));
    const { status } = await people[role].call(method, `/me/teams/${made.id}${place}`, body);
    const may = role !== 'stranger' && SHIPPED_ROLES[role]?.includes(ability);
    if (may) expect(status).toBeLessThan(300);
    else expect(status).toBe(role === 'stranger' ? 404 : 403);
  });

  it('is asked by every route to domains, requests and activities', () => {
    const declared = test.portal.routes.filter(({ path }) => path.startsWith('/me/teams/:team'));
    const names = declared.map(({ method, path }) => `${method.toUpperCase()} ${path.slice('/me/teams/:team'.length)}`);
    const here = /^\S+ \/(domains|requests|activities)/;
    const listed = routes.map(([, method, path]) => `${method} ${path}`);
    expect(names.filter((name) => here.test(name)).sort()).toEqual(listed.sort());
  });
});

describe('a code of a team', () => {
  const make = async ({ id }: TeamRecord, input: object = {}) =>
    (
      await boss.post(`/teams/${id}/codes`, {
        name: 'Partners',
        role: 'developer',
        max_uses: 2,
        expires_in: 3_600,
        ...input,
      })
    ).json.data;
  const redeem = (person: Person, code: string) => person.call('POST', '/me/team-codes/redeem', { code });

  it('lets so many people in, however many try at once, and is told once', async () => {
    const made = await team();
    const told = await make(made);
    expect(told).toMatchObject({ state: 'active', uses: 0, max_uses: 2 });
    const crowd = await Promise.all(Array.from({ length: 6 }, () => createPerson(test)));
    const answers = await Promise.all(
      crowd.map((person) => redeem(person, ` ${told.code.toLowerCase().replaceAll('-', ' ')}`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 422, 422, 422, 422]);
    const shown = await boss.get(`/teams/${made.id}/codes/${told.id}`);
    expect([shown.json.data.uses, shown.json.data.state, shown.text.includes(told.code)]).toEqual([
      2,
      'used-up',
      false,
    ]);
  });

  it('uses nothing for who is in the team, and never makes an owner', async () => {
    const made = await team();
    const { code, id } = await make(made);
    expect((await redeem(people.viewer, code)).json.data.role).toBe('viewer');
    expect((await boss.get(`/teams/${made.id}/codes/${id}`)).json.data.uses).toBe(0);
    expect((await boss.post(`/teams/${made.id}/codes`, { name: 'x', role: 'owner', max_uses: 1 })).status).toBe(422);
  });

  it('answers alike when it never was, is revoked or over, and for a closed team', async () => {
    const [made, closed] = [await team(), await team()];
    const [revoked, expired, shut] = [await make(made), await make(made), await make(closed)];
    await boss.post(`/teams/${made.id}/codes/${revoked.id}/revoke`);
    const past = new Date(test.clock.now().getTime() - 1);
    await test.portal.database.execute('UPDATE portal_team_codes SET expires_at = ? WHERE id = ?', [past, expired.id]);
    await boss.put(`/teams/${closed.id}`, { status: 'closed' });
    const answers = [];
    for (const code of ['00000-00000-00000-00000', 'nonsense', revoked.code, expired.code, shut.code])
      answers.push(await redeem(people.stranger, code));
    expect(new Set(answers.map(({ status, json }) => JSON.stringify([status, json.errors]))).size).toBe(1);
    expect(answers[0]?.status).toBe(422);
  });

  it('is found by nobody who tries', async () => {
    const guesser = await createPerson(test);
    const tries = [];
    for (let index = 0; index < 11; index += 1) tries.push((await redeem(guesser, '00000-00000-00000-00000')).status);
    expect(tries.slice(0, 10).every((status) => status === 422)).toBe(true);
    expect(tries[10]).toBe(429);
  });

  it('leaves nothing of itself in the database, the events or the activity log', async () => {
    const made = await team();
    const { code } = await make(made);
    await redeem(await createPerson(test), code);
    const rows = await test.portal.database.select<{ text: string }>(
      "SELECT CONCAT_WS(' ', action, changes) AS text FROM portal_activities WHERE action LIKE 'team.code%'",
    );
    expect(rows.length).toBeGreaterThanOrEqual(2);
    const parts = code.split('-');
    expect(rows.filter(({ text }) => parts.every((part: string) => text.includes(part)))).toEqual([]);
    const kept = await test.portal.database.select('SELECT id FROM portal_team_codes WHERE code_hash = ?', [code]);
    expect(kept).toEqual([]);
  });
});

describe('the limits of a team', () => {
  beforeAll(() => createProduct(test, { slug: 'limited' }));

  it('hold for its apps and keys, however many are made at once', async () => {
    const made = await team();
    const set = await boss.put(`/teams/${made.id}`, { apps_limit: 2, keys_limit: 3 });
    expect(set.json.data).toMatchObject({ apps_limit: 2, keys_limit: 3, members_limit: null });
    const { teams } = test.portal.services.teams;
    const { apps, credentials } = test.portal.services.apps;
    const account = await teams.accountOf(made);
    const by = { type: 'admin', id: boss.record.id } as const;
    const names = ['a', 'b', 'c', 'd', 'e'];
    const create = (name: string) => apps.create(account, { name, products: ['limited'] }, by);
    const outcomes = await Promise.allSettled(names.map(create));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    const first = outcomes.findIndex(({ status }) => status === 'fulfilled');
    const owned = await apps.find(account, names[first] ?? '');
    const keys = await Promise.allSettled(
      Array.from({ length: 4 }, () => credentials.create(owned, { products: ['limited'] }, by)),
    );
    expect(keys.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const person = await createPerson(test);
    for (const name of ['a', 'b', 'c']) expect((await person.call('POST', '/me/apps', { name })).status).toBe(201);
  });
});

describe('the activity of a team', () => {
  it('names its present members, and nobody else', async () => {
    const made = await team();
    const former = await createPerson(test, { firstName: 'Formerly', lastName: 'Here' });
    await boss.post(`/teams/${made.id}/members`, { user: former.user.id, role: 'manager' });
    await former.call('PUT', `/me/teams/${made.id}`, { description: 'Changed.' });
    await former.call('POST', `/me/teams/${made.id}/leave`);
    await people.manager.call('PUT', `/me/teams/${made.id}`, { description: 'Changed again.' });
    await boss.put(`/teams/${made.id}`, { apps_limit: 7 });
    const { json, text } = await people.owner.call('GET', `/me/teams/${made.id}/activities`);
    const actors = json.data.map(({ action, actor }: { action: string; actor: object }) => ({ action, ...actor }));
    const { id } = people.manager.user;
    const name = `${people.manager.user.firstName} ${people.manager.user.lastName}`;
    expect(actors).toContainEqual({ action: 'team.updated', type: 'developer', id, name, email: null });
    expect(actors).toContainEqual({ action: 'team.updated', type: 'developer', id: null, name: null, email: null });
    expect(actors).toContainEqual({ action: 'team.updated', type: 'operator', id: null, name: null, email: null });
    for (const secret of ['Formerly', former.user.email, boss.record.email, boss.record.name, '127.0.0.1'])
      expect([secret, text.includes(secret)]).toEqual([secret, false]);
    const other = await people.owner.call('GET', `/me/teams/${(await team()).id}/activities`);
    expect(other.text).not.toContain('Changed');
  });
});

describe('a team in an audience', () => {
  it('may use its private products in its own apps, and no member gains them', async () => {
    const hidden = await createProduct(test, { slug: 'hidden-one', name: 'Hidden', visibility: 'private' });
    const audience = await test.portal.services.catalog.audiences.create({ name: 'team-partners' });
    const given = await boss.put(`/products/${hidden.id}/audiences`, { audiences: ['team-partners'] });
    expect(given.status).toBe(200);
    const [inside, outside] = [await team(), await team()];
    const set = await boss.put(`/teams/${inside.id}/audiences`, { audiences: ['team-partners'] });
    expect([set.status, set.json.data.audiences]).toEqual([200, [{ id: audience.id, name: 'team-partners' }]]);
    const make = (path: string, name: string) =>
      people.developer.call('POST', path, { name, products: ['hidden-one'] });
    const inTeam = await make(`/me/teams/${inside.id}/apps`, 'inside');
    expect(inTeam.status).toBe(201);
    const refused = await make(`/me/teams/${outside.id}/apps`, 'outside');
    const missing = await people.developer.call('POST', '/me/apps', { name: 'none', products: ['hidden-two'] });
    expect([refused.status, refused.text.replaceAll('hidden-one', 'hidden-two')]).toEqual([422, missing.text]);
    expect((await make('/me/apps', 'own')).status).toBe(422);
    expect((await people.developer.call('GET', '/api-products/hidden-one')).status).toBe(404);
    expect((await people.developer.call('GET', '/api-products')).text).not.toContain('hidden-one');
    await boss.put(`/teams/${inside.id}/audiences`, { audiences: [] });
    expect((await make(`/me/teams/${inside.id}/apps`, 'later')).status).toBe(422);
  });
});
