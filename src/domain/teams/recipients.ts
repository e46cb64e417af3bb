import type { Database, Transaction } from '../../database/index.js';
import { userRecord, type UserRecord } from '../accounts/index.js';
import type { TeamAbility, TeamRoles } from './roles.js';
import { memberRecord, teamRecord, type TeamNotice, type TeamRecord } from './team.js';

/** Somebody who is told of an app. */
export interface Recipient {
  readonly user: UserRecord;
  /** The team that owns the app; null for an app of their own. */
  readonly team: TeamRecord | null;
}

/** Whoever can do something about a notice. Viewers of a team are not mailed. */
const TOLD = {
  apps: 'app.update',
  keys: 'app.keys.rotate',
  plans: 'app.update',
  usage: 'app.update',
} as const satisfies Readonly<Record<TeamNotice, TeamAbility>>;

/** Who is told of what happens to apps: their developer, or those of a team who can do something about it. */
export class Recipients {
  constructor(private readonly parts: { readonly database: Database; readonly roles: TeamRoles }) {}

  /**
   * A developer whatever the state of the account; of a team, active members who have not muted the kind, by their ids.
   * The account of a team has no mailbox and is never among them.
   */
  async of(ownerId: number, notice: TeamNotice, transaction?: Transaction): Promise<Recipient[]> {
    const { database, roles } = this.parts;
    const owner = await userRecord.find(database, { id: ownerId }, { transaction });
    if (owner?.kind !== 'team') return owner ? [{ user: owner, team: null }] : [];
    const team = await teamRecord.find(database, { accountId: ownerId }, { transaction });
    if (!team) return [];
    const where = { teamId: team.id, role: roles.rolesWith(TOLD[notice]) };
    const members = await memberRecord.findAll(database, where, { transaction });
    const ids = members.flatMap(({ userId, muted }) => (muted.includes(notice) ? [] : [userId]));
    const active = { id: ids, status: 'active' } as const;
    const users = await userRecord.findAll(database, active, { transaction, order: 'u.id' });
    return users.map((user) => ({ user, team }));
  }

  /** The accounts whose apps somebody may do something to: their own, and those of teams where their role holds the ability. */
  async accountsOf(userId: number, ability: TeamAbility): Promise<number[]> {
    const { database, roles } = this.parts;
    const seats = await memberRecord.findAll(
      database,
      { userId, role: roles.rolesWith(ability) },
      { only: ['teamId'] },
    );
    const where = { id: seats.map(({ teamId }) => teamId) };
    const teams = await teamRecord.findAll(database, where, { only: ['accountId'] });
    return [userId, ...teams.map(({ accountId }) => accountId)];
  }
}
