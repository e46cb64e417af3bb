import type { TeamAbility } from '../../src/domain/teams/index.js';
import { SHIPPED_ROLES } from '../../src/domain/teams/roles.js';
import { teamPages } from '../../src/theme/pages/team-pages.js';
import { createUser, PASSWORD } from '../support/factories.js';
import { Mailbox, tokenOf } from '../support/mailbox.js';
import { PageClient } from '../support/page-client.js';
import { createTeam } from '../support/teams.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const ADA = 'ada@example.com';
const box = new Mailbox();
let test: TestPortal;
let team: Awaited<ReturnType<typeof createTeam>>;
beforeAll(async () => {
  test = await startTestPortal({ extensions: { mailer: () => box }, config: { teams: { perDeveloper: 1_000 } } });
  const emailVerifiedAt = test.clock.now();
  await createUser(test, { email: ADA, emailVerifiedAt });
  team = await createTeam(test, await createUser(test, { email: 'owner@example.com', emailVerifiedAt }));
});
afterAll(() => test.stop());

async function signIn(email: string): Promise<PageClient> {
  const client = new PageClient(test.client);
  await client.submit('/portal/login', { email, password: PASSWORD });
  return client;
}

/** The path of the link in the mail of a new invitation. */
async function invite(email = ADA): Promise<string> {
  const sender = { team, by: null, locale: 'en' };
  await test.portal.services.teams.invitations.invite(sender, { email, role: 'developer' });
  const [mail] = await box.take(test, email);
  return `/portal/teams/invitation/${tokenOf(mail)}`;
}

describe('the pages of teams', () => {
  it('are no part of a dashboard without a team or an invitation', async () => {
    const page = await signIn(ADA);
    expect((await page.get('/portal/dashboard')).html).not.toContain('/portal/teams');
    expect((await page.get('/portal/teams')).html).toContain('No teams yet');
  });

  it('lead from the link of the mail into the team, and out of it again', async () => {
    const link = await invite();
    const page = await signIn(ADA);
    expect((await page.get(link)).html).toContain(`You are invited to ${team.name}.`);
    expect((await page.get('/portal/dashboard')).html).toContain('href="/portal/teams"');
    const [, accept = ''] = /action="([^"]*\/accept)"/.exec((await page.get(link)).html) ?? [];
    expect((await page.submit(link, {}, { action: accept })).html).toContain('You have joined the team.');
    const own = await page.get(`/portal/teams/${team.id}`);
    expect([own.status, own.html.includes('owner@example.com')]).toEqual([200, true]);
    expect((await page.get(link)).status).toBe(404);
    const left = await page.submit(`/portal/teams/${team.id}`, {}, { action: `/portal/teams/${team.id}/leave` });
    expect(left.html).toContain('You have left the team.');
    expect((await page.get(`/portal/teams/${team.id}`)).status).toBe(404);
  });

  it('say the same of an invitation to somebody else and of one that never was', async () => {
    await createUser(test, { email: 'eve@example.com', emailVerifiedAt: test.clock.now() });
    const [link, eve] = [await invite(), await signIn('eve@example.com')];
    const [theirs, nobodys] = [await eve.get(link), await eve.get(`/portal/teams/invitation/${'x'.repeat(43)}`)];
    expect([theirs.status, nobodys.status]).toEqual([404, 404]);
    const main = (html: string) => /<main[^]*<\/main>/.exec(html)?.[0];
    expect(main(theirs.html)).toBe(main(nobodys.html));
  });

  it('lead from the link of the mail by way of the login, and tell no other site of it', async () => {
    const link = await invite('fresh@example.com');
    await createUser(test, { email: 'fresh@example.com', emailVerifiedAt: test.clock.now() });
    const page = new PageClient(test.client);
    const { path } = await page.get(link);
    expect(path).toMatch(/^\/portal\/login/);
    const there = await page.submit(path, { email: 'fresh@example.com', password: PASSWORD });
    expect([there.path, there.html.includes(`You are invited to ${team.name}.`)]).toEqual([link, true]);
    for (const each of [link, path]) {
      expect((await test.client.send('GET', each)).headers.get('referrer-policy')).toMatch(
        /^(no-referrer|same-origin)$/,
      );
    }
  });

  it('tell the last owner why the team cannot be left', async () => {
    const page = await signIn('owner@example.com');
    const place = `/portal/teams/${team.id}`;
    const refused = await page.submit(place, {}, { action: `${place}/leave` });
    expect([refused.status, refused.html.includes('The team needs an owner.')]).toEqual([409, true]);
  });
});

describe('a form of a team', () => {
  const people = {} as Record<string, PageClient>;
  type User = Awaited<ReturnType<typeof createUser>>;
  const users = {} as Record<string, User>;
  const ROLES = ['owner', 'manager', 'developer', 'viewer'] as const;
  beforeAll(async () => {
    for (const role of [...ROLES, 'stranger', 'other']) {
      const email = `${role}@forms.example`;
      users[role] = await createUser(test, { email, emailVerifiedAt: test.clock.now() });
      if (role !== 'other') people[role] = await signIn(email);
    }
  });

  /** Each form with the ability of the route that does the same. */
  const forms: readonly [string, string, Record<string, string>][] = [
    ['team.update', '/settings', { name: 'Renamed', description: '' }],
    ['team.members.manage', '/invitations', { email: 'new@forms.example', role: 'viewer' }],
    ['team.members.manage', '/invitations/:invitation/resend', {}],
    ['team.members.manage', '/invitations/:invitation/withdraw', {}],
    ['team.members.manage', '/members/:other/role', { role: 'developer' }],
    ['team.members.manage', '/members/:other/remove', {}],
    ['team.members.manage', '/requests/:request/accept', {}],
    ['team.members.manage', '/requests/:request/decline', {}],
    ['team.domains.manage', '/domains', { domain: 'forms.example', mode: 'ask', role: 'viewer' }],
    ['team.domains.manage', '/domains/:domain', { mode: 'join', role: 'viewer' }],
    ['team.domains.manage', '/domains/:domain/remove', {}],
    ['team.view', '/notices', { kinds: 'keys' }],
    ['team.view', '/leave', {}],
    ['team.delete', '/delete', {}],
  ];
  const cells = forms.flatMap(([ability, path, fields]) =>
    [...ROLES, 'stranger' as const].map((role) => ({ ability, path, fields, role })),
  );

  it.each(cells)('$path of a team takes $ability, sent by $role', async ({ ability, path, fields, role }) => {
    const { owner, manager, developer, viewer, other } = users as Record<(typeof ROLES)[number] | 'other', User>;
    const made = await createTeam(test, other);
    const { members, invitations, domains, requests } = test.portal.services.teams;
    const domain = await domains.add(made, null, { domain: 'partner.example', mode: 'ask', role: 'viewer' });
    const address = `asks${made.id}@partner.example`;
    const asker = await createUser(test, { email: address, emailVerifiedAt: test.clock.now() });
    const { request } = await requests.ask(asker, made.id);
    for (const [user, as] of [
      [owner, 'owner'],
      [manager, 'manager'],
      [developer, 'developer'],
      [viewer, 'viewer'],
    ] as const)
      await members.put(made, user, as);
    const second = await createUser(test, {});
    await members.put(made, second, 'viewer');
    const sent = { email: `i${made.id}@forms.example`, role: 'viewer' };
    const invitation = await invitations.invite({ team: made, by: null, locale: 'en' }, sent);
    const place = path
      .replace(':invitation', String(invitation.id))
      .replace(':other', String(second.id))
      .replace(':domain', String(domain.id))
      .replace(':request', String(request.id));
    const page = people[role] as PageClient;
    const csrf = await page.csrf('/portal/teams/create');
    const { status } = await page.post(
      `/portal/teams/${made.id}${place}`,
      { ...fields, _csrf: csrf },
      { follow: false },
    );
    const may = role !== 'stranger' && SHIPPED_ROLES[role]?.includes(ability as never);
    expect(status).toBe(may ? 303 : role === 'stranger' ? 404 : 403);
    const shown = await page.get(`/portal/teams/${made.id}`);
    if (role === 'stranger') expect(shown.status).toBe(404);
    // Nobody is offered what they may not do.
    else if (shown.status === 200 && !may) expect(shown.html).not.toContain(`/teams/${made.id}${place}"`);
  });

  /** Each page that shows something, with who may see it. */
  const shown: readonly [TeamAbility, string][] = [
    ['team.view', ''],
    ['team.view', '/notices'],
    ['team.activity.view', '/activity'],
    ['team.update', '/settings'],
    ['team.members.manage', '/keys'],
    ['team.members.manage', '/members/:other/remove'],
  ];

  it.each(shown)('takes %s where it stands on the page %s', async (ability, path) => {
    const roles = ROLES.map((role) => [users[role], role] as const) as [User, string][];
    const made = await createTeam(test, users.other as User, roles);
    const place = `/portal/teams/${made.id}${path.replace(':other', String(users.viewer?.id))}`;
    for (const role of [...ROLES, 'stranger'] as const) {
      const expected = role === 'stranger' ? 404 : SHIPPED_ROLES[role]?.includes(ability) ? 200 : 403;
      expect([role, (await people[role]?.get(place))?.status]).toEqual([role, expected]);
    }
  });

  it('and each page of a team is one of these', () => {
    const listed = [...forms.map(([, path]) => `post ${path}`), ...shown.map(([, path]) => `get ${path}`)];
    const declared = teamPages.filter(({ path }) => path.startsWith('/teams/:team'));
    const names = declared.map(({ method, path }) => `${method} ${path.slice('/teams/:team'.length)}`);
    expect(names.map((name) => name.replace(':member', ':other')).filter((name) => !listed.includes(name))).toEqual([]);
    expect(names).toHaveLength(listed.length);
  });

  it('makes a team, which its owner renames and deletes', async () => {
    const page = await signIn('other@forms.example');
    const made = await page.submit(
      '/portal/teams/create',
      { name: 'Pages', description: 'd' },
      { action: '/portal/teams' },
    );
    expect(made.html).toContain('The team is there.');
    const refused = await page.submit(`${made.path}/settings`, { name: ' ' });
    expect([refused.status, refused.html.includes('Please fill in this field.')]).toEqual([422, true]);
    expect((await page.submit(`${made.path}/settings`, { name: 'Renamed' })).html).toContain('<bdi>Renamed</bdi>');
    const told = await page.get(`${made.path}/activity`);
    expect([told.status, told.html.includes('Team changed'), told.html.includes('<bdi>Ada ')]).toEqual([
      200,
      true,
      true,
    ]);
    const gone = await page.submit(`${made.path}/settings`, {}, { action: `${made.path}/delete` });
    expect(gone.html).toContain('The team was deleted.');
  });
});

describe('what a team mails a member about', () => {
  it('is chosen on a page of the team, which offers the kinds that the role is told', async () => {
    const { members, teams } = test.portal.services.teams;
    const emailVerifiedAt = test.clock.now();
    const mate = await createUser(test, { email: 'mate@notices.example', emailVerifiedAt });
    await members.put(team, mate, 'developer');
    const page = await signIn(mate.email);
    const place = `/portal/teams/${team.id}/notices`;
    const kindsOf = (html: string) => [...html.matchAll(/name="kinds" value="(\w+)"( checked)?/g)];
    const shown = kindsOf((await page.get(place)).html);
    expect(shown.map(([, kind, isOn]) => [kind, isOn])).toEqual(
      ['apps', 'keys', 'plans', 'usage'].map((kind) => [kind, ' checked']),
    );
    const saved = await page.submit(place, { kinds: 'keys' });
    expect([saved.path, saved.html.includes('Saved.')]).toEqual([place, true]);
    expect((await teams.requireSeat(mate.id, team.id)).member.muted).toEqual(['apps', 'plans', 'usage']);
    expect(kindsOf(saved.html).flatMap(([, kind, isOn]) => (isOn ? kind : []))).toEqual(['keys']);
    // What another role was not told is kept for the day on which it is.
    await members.setRole(team, mate.id, 'viewer', null);
    expect((await page.get(place)).html).toContain('is mailed about nothing');
    await members.remove(team, mate.id, null);
    expect((await page.get(place)).status).toBe(404);
  });
});

describe('the ways into a team without an invitation', () => {
  it('are a mail domain, where who asks is let in by a member', async () => {
    const { teams, domains } = test.portal.services.teams;
    const emailVerifiedAt = test.clock.now();
    const boss = await createUser(test, { email: 'boss@ways.example', emailVerifiedAt });
    const mate = await createUser(test, { email: 'mate@ways.example', emailVerifiedAt });
    const made = await createTeam(test, boss);
    const [own, other] = [await signIn(boss.email), await signIn(mate.email)];
    expect((await other.get('/portal/teams')).html).not.toContain(made.name);
    const settings = `/portal/teams/${made.id}/settings`;
    const listed = await own.submit(
      settings,
      { mode: 'ask', role: 'viewer' },
      { action: `/portal/teams/${made.id}/domains` },
    );
    expect(listed.html).toContain('@ways.example');
    expect((await other.get('/portal/dashboard')).html).toContain('href="/portal/teams"');
    expect((await other.submit('/portal/teams', {}, { action: '/portal/teams/ask' })).html).toContain(
      'You have asked.',
    );
    const shown = (await own.get(`/portal/teams/${made.id}`)).html;
    const [, accept = ''] = /action="([^"]*\/accept)"/.exec(shown) ?? [];
    expect((await own.submit(`/portal/teams/${made.id}`, {}, { action: accept })).html).toContain(
      'They are in the team.',
    );
    expect((await other.get(`/portal/teams/${made.id}`)).status).toBe(200);
    expect((await teams.requireSeat(mate.id, made.id)).member.role).toBe('viewer');
    const [{ id } = { id: 0 }] = await domains.listAll(made);
    const off = await own.submit(settings, {}, { action: `/portal/teams/${made.id}/domains/${id}/remove` });
    expect(off.html).toContain('No domain is listed.');
  });

  it('and a code, which no address and no page repeats', async () => {
    const { code } = await test.portal.services.teams.codes.create(team, {
      ...{ name: 'Partners', role: 'viewer', maxUses: 1, expiresIn: 3_600 },
    });
    const user = await createUser(test, { email: 'coded@example.com', emailVerifiedAt: test.clock.now() });
    const page = await signIn(user.email);
    const wrong = await page.submit('/portal/teams/code', { code: '00000-00000-00000-00000' });
    expect([wrong.status, wrong.html.includes('not valid'), wrong.html.includes('00000-00000')]).toEqual([
      422,
      true,
      false,
    ]);
    const joined = await page.submit('/portal/teams/code', { code });
    expect([joined.path, joined.html.includes('You have joined the team.')]).toEqual([
      `/portal/teams/${team.id}`,
      true,
    ]);
  });
});
