import { NotFoundError } from '../../../src/core/index.js';
import { Admin } from '../../support/admin.js';
import { Mailbox, tokenOf } from '../../support/mailbox.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { createPerson, createTeam, type Person } from '../../support/teams.js';
import type { TeamAbility } from '../../../src/domain/teams/index.js';
import { SHIPPED_ROLES } from '../../../src/domain/teams/roles.js';

const mailbox = new Mailbox();
const ROLES = ['owner', 'manager', 'developer', 'viewer'] as const;
type Role = (typeof ROLES)[number];

let test: TestPortal;
let boss: Admin;
const people = {} as Record<Role | 'stranger', Person>;
beforeAll(async () => {
  test = await startTestPortal({
    extensions: { mailer: () => mailbox },
    config: { teams: { perDeveloper: 1_000, roles: { billing: ['team.view', 'usage.view'] } } },
  });
  boss = await Admin.create(test);
  for (const role of [...ROLES, 'stranger'] as const) people[role] = await createPerson(test, { firstName: role });
});
afterAll(() => test.stop());

const team = () =>
  createTeam(test, people.owner.user, [
    [people.manager.user, 'manager'],
    [people.developer.user, 'developer'],
    [people.viewer.user, 'viewer'],
  ]);
const ownersOf = async (id: number) =>
  (
    await test.portal.database.select<{ total: number }>(
      "SELECT COUNT(*) AS total FROM portal_team_members WHERE team_id = ? AND role = 'owner'",
      [id],
    )
  )[0]?.total;

describe('a team', () => {
  it('belongs to whoever made it, and to nobody else', async () => {
    const made = await people.owner.call('POST', '/me/teams', { name: 'Engines', description: 'Steam.' });
    expect([made.status, made.json.data]).toMatchObject([201, { name: 'Engines', role: 'owner', members: 1, apps: 0 }]);
    const { id } = made.json.data;
    const listed = await people.owner.call('GET', '/me/teams');
    expect(listed.json.data).toMatchObject([{ id, name: 'Engines' }]);
    const foreign = await people.stranger.call('GET', `/me/teams/${id}`);
    const missing = await people.stranger.call('GET', '/me/teams/999999');
    expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
    expect((await people.stranger.call('GET', '/me/teams')).json.data).toEqual([]);
  });

  it('has an account that nobody finds, signs in with or sees among the developers', async () => {
    const { id, accountId } = await team();
    const account = await test.portal.services.accounts.teamAccounts.find(accountId);
    expect(account.email).toBe(`team-${id}@127.0.0.1`);
    expect((await boss.get(`/users/${accountId}`)).status).toBe(404);
    expect((await boss.get(`/users?q=${encodeURIComponent(account.email)}`)).json.data).toEqual([]);
    const login = { email: account.email, password: '' };
    expect((await test.client.post('/api/v1/auth/login', { ...login, password: 'x' })).status).toBe(401);
    const [row] = await test.portal.database.select<{ password: string }>(
      'SELECT password_hash AS password FROM portal_users WHERE id = ?',
      [accountId],
    );
    expect(row?.password).toBe('');
  });

  it('keeps an address that nobody has when a person has taken its own', async () => {
    const next = (await team()).id + 1;
    await createPerson(test, { email: `team-${next}@127.0.0.1` });
    const { id, accountId } = await team();
    expect(id).toBe(next);
    const { email } = await test.portal.services.accounts.teamAccounts.find(accountId);
    expect(email).toMatch(/^team-[0-9a-f-]{36}@127\.0\.0\.1$/);
  });

  it('is renamed with its version, and deleted with its account', async () => {
    const { id, accountId } = await team();
    const { headers } = await people.owner.call('GET', `/me/teams/${id}`);
    const tag = headers.get('etag') ?? '';
    const send = (name: string) =>
      test.client.send('PUT', `/api/v1/me/teams/${id}`, {
        ...{ token: people.owner.token, body: { name } },
        headers: { 'if-match': tag },
      });
    expect((await send('Renamed')).json.data.name).toBe('Renamed');
    expect((await send('Again')).status).toBe(412);
    const account = await test.portal.services.accounts.teamAccounts.find(accountId);
    expect(account.firstName).toBe('Renamed');
    expect((await people.owner.call('DELETE', `/me/teams/${id}`)).status).toBe(200);
    expect((await people.owner.call('GET', `/me/teams/${id}`)).status).toBe(404);
    await expect(test.portal.services.accounts.teamAccounts.find(accountId)).rejects.toThrow();
  });

  it('is closed, given limits and filled by admins', async () => {
    const made = await boss.post('/teams', { name: 'Partners', owner: people.owner.user.id });
    const { id } = made.json.data;
    const limited = await boss.put(`/teams/${id}`, { members_limit: 2, status: 'closed' });
    expect(limited.json.data).toMatchObject({ members_limit: 2, status: 'closed', members: 1 });
    const put = (person: Person) => boss.post(`/teams/${id}/members`, { user: person.user.id, role: 'viewer' });
    expect((await put(people.viewer)).status).toBe(201);
    expect((await put(people.stranger)).status).toBe(409);
    expect((await boss.get(`/teams/${id}/members?order_by=role`)).json.data).toHaveLength(2);
    expect((await boss.delete(`/teams/${id}`)).status).toBe(200);
  });
});

describe('a role', () => {
  /** Each route with the ability that it takes, and what is sent to it. */
  const routes: readonly [TeamAbility, string, string, unknown?][] = [
    ['team.view', 'GET', ''],
    ['team.update', 'PUT', '', { name: 'Other' }],
    ['team.view', 'PUT', '/notices', { muted: ['usage'] }],
    ['team.members.view', 'GET', '/members'],
    ['team.members.view', 'GET', '/members/:viewer'],
    ['team.members.manage', 'PUT', '/members/:viewer', { role: 'viewer' }],
    ['team.members.manage', 'GET', '/members/:viewer/keys'],
    ['team.members.manage', 'GET', '/members/:viewer/webhooks'],
    ['team.members.manage', 'GET', '/exposed-keys'],
    ['team.members.manage', 'GET', '/exposed-webhooks'],
    ['team.members.manage', 'GET', '/invitations'],
    ['team.members.manage', 'POST', '/invitations', { email: 'new@example.org', role: 'viewer' }],
    ['team.members.manage', 'GET', '/invitations/:invitation'],
    ['team.members.manage', 'POST', '/invitations/:invitation/resend', {}],
    ['team.members.manage', 'DELETE', '/invitations/:invitation'],
    ['team.members.manage', 'DELETE', '/members/:viewer'],
    ['team.delete', 'DELETE', ''],
  ];

  const cells = routes.flatMap(([ability, method, path, body]) =>
    [...ROLES, 'stranger' as const].map((role) => ({ ability, method, path, body, role })),
  );

  it.each(cells)('$role: $method $path takes $ability', async ({ ability, method, path, body, role }) => {
    const { id, ...rest } = await team();
    const { invitations } = test.portal.services.teams;
    const asker = { team: { id, ...rest }, by: null, locale: 'en' };
    const invitation = await invitations.invite(asker, { email: `i${id}@example.org`, role: 'viewer' });
    const place = path.replace(':viewer', String(people.viewer.user.id)).replace(':invitation', String(invitation.id));
    const { status } = await people[role].call(method, `/me/teams/${id}${place}`, body);
    const may = role !== 'stranger' && SHIPPED_ROLES[role]?.includes(ability);
    if (may) expect(status).toBeLessThan(300);
    else expect(status).toBe(role === 'stranger' ? 404 : 403);
  });

  it('is asked by every route to a team, its members and invitations', () => {
    const declared = test.portal.routes.filter(({ path }) => path.startsWith('/me/teams/:team'));
    const names = declared.map(({ method, path }) => `${method.toUpperCase()} ${path.slice('/me/teams/:team'.length)}`);
    const elsewhere = /^\S+ \/(apps|webhook|domains|requests|activities|leave)/;
    const listed = routes.map(([, method, path]) => `${method} ${path}`.replace(':viewer', ':member'));
    expect(names.filter((name) => !elsewhere.test(name)).sort()).toEqual(listed.sort());
  });

  it('is never given or taken by somebody who may do less', async () => {
    const { id } = await team();
    const set = (by: Person, whose: Person, role: string) =>
      by.call('PUT', `/me/teams/${id}/members/${whose.user.id}`, { role });
    expect((await set(people.manager, people.manager, 'owner')).status).toBe(403);
    expect((await set(people.manager, people.owner, 'viewer')).status).toBe(403);
    expect((await people.manager.call('DELETE', `/me/teams/${id}/members/${people.owner.user.id}`)).status).toBe(403);
    const invited = { email: 'boss@example.org', role: 'owner' };
    expect((await people.manager.call('POST', `/me/teams/${id}/invitations`, invited)).status).toBe(403);
    expect((await set(people.manager, people.viewer, 'developer')).status).toBe(200);
    expect((await set(people.owner, people.viewer, 'nobody')).status).toBe(422);
  });

  it('of the host does what the configuration says', async () => {
    const { id } = await team();
    await boss.put(`/teams/${id}/members/${people.viewer.user.id}`, { role: 'billing' });
    const seen = await people.viewer.call('GET', `/me/teams/${id}`);
    expect(seen.json.data).toMatchObject({ role: 'billing', abilities: ['team.view', 'usage.view'] });
    expect((await people.viewer.call('GET', `/me/teams/${id}/members`)).status).toBe(403);
  });
});

describe('the last owner', () => {
  it('cannot leave, be removed, demoted, disabled or deleted without naming another', async () => {
    const lone = await createPerson(test);
    const { id } = await createTeam(test, lone.user, [[people.manager.user, 'manager']]);
    expect((await lone.call('POST', `/me/teams/${id}/leave`)).status).toBe(409);
    expect((await lone.call('PUT', `/me/teams/${id}/members/${lone.user.id}`, { role: 'viewer' })).status).toBe(409);
    expect((await boss.delete(`/teams/${id}/members/${lone.user.id}`)).status).toBe(409);
    expect((await boss.put(`/users/${lone.user.id}`, { status: 'inactive' })).status).toBe(409);
    expect((await boss.delete(`/users/${lone.user.id}`)).status).toBe(409);
    expect(
      (await lone.call('PUT', `/me/teams/${id}/members/${people.manager.user.id}`, { role: 'owner' })).status,
    ).toBe(200);
    expect((await boss.put(`/users/${lone.user.id}`, { status: 'inactive' })).status).toBe(200);
    // One who cannot sign in counts for nothing.
    expect((await people.manager.call('POST', `/me/teams/${id}/leave`)).status).toBe(409);
    expect((await boss.delete(`/users/${lone.user.id}`)).status).toBe(200);
    expect(Number(await ownersOf(id))).toBe(1);
  });

  it('stays through fifty leaves and demotions at once', async () => {
    const { teams, members } = test.portal.services.teams;
    const owners = await Promise.all(Array.from({ length: 50 }, () => createPerson(test)));
    const [first, ...others] = owners as [Person, ...Person[]];
    const made = await createTeam(
      test,
      first.user,
      others.map(({ user }) => [user, 'owner'] as const),
    );
    const seats = await Promise.all(owners.map(({ user }) => teams.requireSeat(user.id, made.id)));
    const outcomes = await Promise.allSettled(
      seats.map((seat, index) =>
        index % 2 === 0
          ? members.remove(made, seat.member.userId, seat)
          : members.setRole(made, seat.member.userId, 'viewer', seat),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(49);
    expect(Number(await ownersOf(made.id))).toBe(1);
  });

  it('is let go by a member who is removed at the next request', async () => {
    const { id } = await team();
    await people.owner.call('DELETE', `/me/teams/${id}/members/${people.manager.user.id}`);
    for (const path of ['', '/members', '/invitations']) {
      expect((await people.manager.call('GET', `/me/teams/${id}${path}`)).status).toBe(404);
    }
    expect((await people.manager.call('PUT', `/me/teams/${id}`, { name: 'Mine' })).status).toBe(404);
  });
});

describe('an invitation', () => {
  const invite = async (id: number, email: string) => {
    const answer = await people.owner.call('POST', `/me/teams/${id}/invitations`, { email, role: 'developer' });
    const [mail] = await mailbox.take(test, email.toLowerCase());
    return { answer, invitation: answer.json.data?.id as number, token: tokenOf(mail), mail };
  };

  it('is accepted once, by whoever has proved its address', async () => {
    const { id } = await team();
    const guest = await createPerson(test, { email: 'guest@example.org' });
    const { token, answer, mail } = await invite(id, 'Guest@example.org');
    expect([answer.status, mail?.subject]).toEqual([201, expect.stringContaining(`Team of ${people.owner.user.id}`)]);
    expect(answer.text).not.toContain(token);
    expect((await people.stranger.call('POST', '/me/team-invitations/open', { token })).status).toBe(404);
    const opened = await guest.call('POST', '/me/team-invitations/open', { token });
    expect(opened.json.data).toMatchObject({ team: { id }, role: 'developer' });
    const path = `/me/team-invitations/${opened.json.data.id}/accept`;
    expect((await people.stranger.call('POST', path)).status).toBe(404);
    const [one, two] = await Promise.all([guest.call('POST', path), guest.call('POST', path)]);
    expect([one.status, two.status].sort()).toEqual([200, 404]);
    expect((await guest.call('GET', `/me/teams/${id}`)).json.data.role).toBe('developer');
    expect((await guest.call('POST', '/me/team-invitations/open', { token })).status).toBe(404);
  });

  it('is answered alike whether the address has an account or not', async () => {
    const { id } = await team();
    await createPerson(test, { email: 'known@example.org' });
    const known = await invite(id, 'known@example.org');
    const unknown = await invite(id, 'unknown@example.org');
    const shape = ({ json }: typeof known.answer) => ({ ...json.data, id: 0, email: '' });
    expect([known.answer.status, shape(known.answer)]).toEqual([unknown.answer.status, shape(unknown.answer)]);
    expect([known.mail?.subject, known.mail?.text.length]).toEqual([unknown.mail?.subject, unknown.mail?.text.length]);
  });

  it('waits for somebody who signs up later and proves the address', async () => {
    const { id } = await team();
    const { token } = await invite(id, 'later@example.org');
    const late = await createPerson(test, { email: 'later@example.org', emailVerifiedAt: null });
    expect((await late.call('POST', '/me/team-invitations/open', { token })).status).toBe(404);
    expect((await late.call('GET', '/me/team-invitations')).json.data).toEqual([]);
    await test.portal.database.execute('UPDATE portal_users SET email_verified_at = created_at WHERE id = ?', [
      late.user.id,
    ]);
    const [waiting] = (await late.call('GET', '/me/team-invitations')).json.data;
    expect((await late.call('POST', `/me/team-invitations/${waiting.id}/accept`)).status).toBe(200);
  });

  it.each(['withdrawn', 'sent again', 'declined', 'expired', 'for another address'])(
    'is dead once it is %s',
    async (how) => {
      const { id } = await team();
      const email = `dead-${how.replaceAll(' ', '-')}@example.org`;
      const guest = await createPerson(test, { email });
      const { token, invitation } = await invite(id, email);
      const place = `/me/teams/${id}/invitations/${invitation}`;
      if (how === 'withdrawn') await people.owner.call('DELETE', place);
      if (how === 'sent again') await people.owner.call('POST', `${place}/resend`, {});
      if (how === 'declined') await guest.call('POST', `/me/team-invitations/${invitation}/decline`);
      if (how === 'expired') {
        const past = new Date(test.clock.now().getTime() - 1);
        await test.portal.database.execute('UPDATE portal_team_invitations SET expires_at = ? WHERE id = ?', [
          past,
          invitation,
        ]);
      }
      if (how === 'for another address') {
        const moved = 'UPDATE portal_users SET email = ? WHERE id = ?';
        await test.portal.database.execute(moved, [`moved-${email}`, guest.user.id]);
      }
      expect((await guest.call('POST', '/me/team-invitations/open', { token })).status).toBe(404);
      const accepted = await guest.call('POST', `/me/team-invitations/${invitation}/accept`);
      // A new link leads to the same invitation.
      expect(accepted.status).toBe(how === 'sent again' ? 200 : 404);
    },
  );

  it.each(['removed', 'demoted', 'deleted'])('leads nobody into the team once whoever sent it is %s', async (how) => {
    const { id } = await team();
    const sender = await createPerson(test);
    await boss.post(`/teams/${id}/members`, { user: sender.user.id, role: 'manager' });
    const email = `${how}-friend@example.org`;
    const guest = await createPerson(test, { email });
    const invited = await sender.call('POST', `/me/teams/${id}/invitations`, { email, role: 'manager' });
    const [mail] = await mailbox.take(test, email);
    const place = `/me/teams/${id}/members/${sender.user.id}`;
    if (how === 'removed') await people.owner.call('DELETE', place);
    if (how === 'demoted') await people.owner.call('PUT', place, { role: 'developer' });
    if (how === 'deleted') expect((await sender.call('DELETE', '/me')).status).toBe(200);
    expect((await guest.call('POST', '/me/team-invitations/open', { token: tokenOf(mail) })).status).toBe(404);
    const path = `/me/team-invitations/${invited.json.data.id}/accept`;
    expect((await guest.call('POST', path)).status).toBe(404);
    // Sent again by somebody else it would be theirs: it is over, and they invite anew.
    const again = `/me/teams/${id}/invitations/${invited.json.data.id}`;
    expect((await people.owner.call('GET', again)).json.data.state).toBe('withdrawn');
    expect((await people.owner.call('POST', `${again}/resend`, {})).status).toBe(409);
  });

  it('is sent by nobody who was removed while the request was on its way', async () => {
    const found = await team();
    const { invitations, teams, members } = test.portal.services.teams;
    const seat = await teams.requireSeat(people.manager.user.id, found.id, 'team.members.manage');
    await members.remove(found, people.manager.user.id, null);
    const asker = { team: found, by: seat, locale: 'en' };
    const late = invitations.invite(asker, { email: 'too-late@example.org', role: 'viewer' });
    await expect(late).rejects.toThrow(NotFoundError);
    expect(await mailbox.take(test, 'too-late@example.org')).toEqual([]);
  });

  it('leaves its token and its address in no row but that of the mail', async () => {
    const { id } = await team();
    const { token } = await invite(id, 'quiet@example.org');
    const rows = await test.portal.database.select<{ text: string }>(
      "SELECT CONCAT_WS(' ', action, changes) AS text FROM portal_activities WHERE action LIKE 'team.%'",
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ text }) => text.includes(token) || text.includes('quiet@'))).toEqual([]);
    const hashes = await test.portal.database.select<{ hash: string }>(
      'SELECT token_hash AS hash FROM portal_team_invitations WHERE token_hash = ?',
      [token],
    );
    expect(hashes).toEqual([]);
  });
});

describe('an app that somebody offered to themselves or to another team of theirs', () => {
  it.each(['removed', 'demoted'])('is not theirs to take any more once they were %s', async (how) => {
    const { manager, owner } = people;
    const [one, other, own] = [await team(), await team(), await createTeam(test, manager.user)];
    const offer = async (from: number, name: string, to: object) => {
      await owner.call('POST', `/me/teams/${from}/apps`, { name });
      return (await manager.call('POST', `/me/teams/${from}/apps/${name}/transfers`, to)).json.data.id as number;
    };
    const gone = [
      await offer(one.id, 'first', { user: manager.user.id }),
      await offer(one.id, 'second', { team: own.id }),
    ];
    const kept = await offer(other.id, `third-${how}`, { user: manager.user.id });
    const place = `/me/teams/${one.id}/members/${manager.user.id}`;
    if (how === 'removed') await owner.call('DELETE', place);
    else await owner.call('PUT', place, { role: 'developer' });
    const accept = (id: number) => manager.call('POST', `/me/app-transfers/${id}/accept`);
    for (const id of gone) expect((await accept(id)).status).toBe(404);
    // In another team they may still.
    expect((await accept(kept)).status).toBe(200);
  });
});
