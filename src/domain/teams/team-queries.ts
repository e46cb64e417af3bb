import { Op, type Database } from '../../database/index.js';
import { appRecord } from '../apps/index.js';
import { memberRecord, type TeamRecord } from './team.js';

export interface TeamCounts {
  readonly members: number;
  readonly apps: number;
}

/** How many members and apps each team has, by its id; two queries for any number of teams. */
export async function countAppsAndMembers(
  database: Database,
  teams: readonly Pick<TeamRecord, 'id' | 'accountId'>[],
): Promise<ReadonlyMap<number, TeamCounts>> {
  const members = await memberRecord.countBy(database, 'teamId', { teamId: teams.map(({ id }) => id) });
  const owned = { userId: teams.map(({ accountId }) => accountId), syncState: { [Op.ne]: 'creating' } } as const;
  const apps = await appRecord.countBy(database, 'userId', owned);
  return new Map(
    teams.map(({ id, accountId }) => [id, { members: members.get(id) ?? 0, apps: apps.get(accountId) ?? 0 }]),
  );
}
