import { createUser } from './factories.js';
import { issueTokens } from './tokens.js';
import type { UserRecord } from '../../src/domain/accounts/index.js';
import type { TeamRecord } from '../../src/domain/teams/index.js';
import type { Answer } from './http-client.js';
import type { TestPortal } from './test-portal.js';

/** A signed-in developer who calls the API. */
export interface Person {
  readonly user: UserRecord;
  readonly token: string;
  call(method: string, path: string, body?: unknown): Promise<Answer>;
}

export async function createPerson(
  test: TestPortal,
  overrides: Parameters<typeof createUser>[1] = {},
): Promise<Person> {
  const user = await createUser(test, { emailVerifiedAt: test.clock.now(), ...overrides });
  const { accessToken: token } = await issueTokens(test, user.id);
  const call = (method: string, path: string, body?: unknown) =>
    test.client.send(method, `/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) });
  return { user, token, call };
}

/** A team, with a member for each of these roles besides its owner. */
export async function createTeam(
  test: TestPortal,
  owner: Pick<UserRecord, 'id'>,
  members: readonly (readonly [UserRecord, string])[] = [],
): Promise<TeamRecord> {
  const { teams, members: service } = test.portal.services.teams;
  const team = await teams.create({ name: `Team of ${owner.id}` }, owner.id, 'admin');
  for (const [user, role] of members) await service.put(team, user, role);
  return team;
}
