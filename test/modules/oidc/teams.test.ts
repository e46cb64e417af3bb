import { createTeam } from '../../support/teams.js';
import { createUser } from '../../support/factories.js';
import { ApiJourney, HostileIdp, isUser, startOidcPortal, type OidcPortal } from './support.js';

let idp: HostileIdp;
let test: OidcPortal;
let team: Awaited<ReturnType<typeof createTeam>>;
let userId: number;

/** The first team that a portal makes. */
const TEAM = 1;
const GROUPS = {
  'payments-leads': { team: TEAM, role: 'manager' },
  payments: { team: TEAM },
  nowhere: { team: 4_711 },
};

beforeEach(async () => {
  idp = await HostileIdp.start();
  test = await startOidcPortal({ main: { issuer: idp.url, teams: { groups: GROUPS } } });
  team = await createTeam(test, await createUser(test));
  userId = (await createUser(test, { email: 'ada@example.com', emailVerifiedAt: test.clock.now() })).id;
});
afterEach(() => Promise.all([test.stop(), idp.stop()]));

const members = () => test.portal.services.teams.members;
const roleOf = () => members().roleOf(userId, team);

async function signInWith(groups: unknown): Promise<number> {
  idp.behave({ ...isUser('ada@example.com'), groups });
  return (await new ApiJourney(test, { provider: 'main' }).whole()).status;
}

describe('groups of a provider that are places in teams', () => {
  it('give a place at the next sign-in, change its role, and take it away', async () => {
    expect(team.id).toBe(TEAM);
    expect([await signInWith(['others']), await roleOf()]).toEqual([200, null]);
    expect([await signInWith(['payments']), await roleOf()]).toEqual([200, 'developer']);
    expect([await signInWith(['payments', 'payments-leads']), await roleOf()]).toEqual([200, 'manager']);
    expect([await signInWith(['payments']), await roleOf()]).toEqual([200, 'developer']);
    expect([await signInWith([]), await roleOf()]).toEqual([200, null]);
    const rows = await test.portal.database.select<{ action: string }>(
      "SELECT action FROM portal_activities WHERE action LIKE 'team.member%' ORDER BY id",
    );
    expect(rows.length).toBeGreaterThanOrEqual(4);
  });

  it.each([
    ['a word', 'payments'],
    ['nothing', undefined],
    ['objects', [{ name: 'payments' }]],
  ])('are no groups when the claim is %s', async (_what, groups) => {
    expect([await signInWith(groups), await roleOf()]).toEqual([200, null]);
  });

  it('leave a role alone that none of them gives', async () => {
    await members().put(team, { id: userId }, 'viewer');
    expect([await signInWith(['payments']), await roleOf()]).toEqual([200, 'viewer']);
    expect([await signInWith([]), await roleOf()]).toEqual([200, 'viewer']);
  });

  it('keep nobody from signing in when the team is gone, full or would lose its last owner', async () => {
    expect([await signInWith(['nowhere']), await roleOf()]).toEqual([200, null]);
    await test.portal.services.teams.teams.update(team.id, { membersLimit: 1 });
    expect([await signInWith(['payments']), await roleOf()]).toEqual([200, null]);
  });
});
