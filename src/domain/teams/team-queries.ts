import { placeholders, type Database } from '../../database/index.js';
import type { TeamRecord } from './team.js';

export interface TeamCounts {
  readonly members: number;
  readonly apps: number;
}

/** How many members and apps each team has, by its id; two queries for any number of teams. */
export async function countAppsAndMembers(
  database: Database,
  teams: readonly Pick<TeamRecord, 'id' | 'accountId'>[],
): Promise<ReadonlyMap<number, TeamCounts>> {
  if (teams.length === 0) return new Map();
  const members = await database.select<{ id: number; total: number }>(
    `SELECT team_id AS id, COUNT(*) AS total FROM portal_team_members WHERE team_id IN (${placeholders(teams)})
     GROUP BY team_id`,
    teams.map(({ id }) => id),
  );
  const apps = await database.select<{ id: number; total: number }>(
    `SELECT user_id AS id, COUNT(*) AS total FROM portal_apps
     WHERE user_id IN (${placeholders(teams)}) AND sync_state <> 'creating' GROUP BY user_id`,
    teams.map(({ accountId }) => accountId),
  );
  const [membersOf, appsOf] = [members, apps].map((rows) => new Map(rows.map(({ id, total }) => [id, Number(total)])));
  return new Map(
    teams.map(({ id, accountId }) => [id, { members: membersOf?.get(id) ?? 0, apps: appsOf?.get(accountId) ?? 0 }]),
  );
}
