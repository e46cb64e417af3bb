import { ForbiddenError, NotFoundError, ValidationError } from '../../core/index.js';
import type { Database, Transaction } from '../../database/index.js';
import { fullName, userRecord, type UserRecord } from '../accounts/index.js';
import { OWNER, type TeamAbility, type TeamRoles } from './roles.js';
import { memberRecord, TEAM_NOTIFICATIONS, teamRecord, type TeamNotification, type TeamRecord } from './team.js';

/** Somebody who is told about an app. */
export interface Recipient {
  readonly user: UserRecord;
  /** The team that owns the app; null for an app of their own. */
  readonly team: TeamRecord | null;
}

/** Whoever can act on a notification. Viewers of a team are not mailed. */
const TOLD = {
  apps: 'app.update',
  keys: 'app.keys.rotate',
  plans: 'app.update',
  usage: 'app.update',
  webhooks: 'webhooks.manage',
} as const satisfies Readonly<Record<TeamNotification, TeamAbility>>;

/** The teams and people to whom a developer may offer an app. */
export interface NewOwners {
  /** Their teams, except for the owning one. */
  readonly teams: readonly TeamRecord[];
  /** For an app of a team: its members who can sign in, the developer included. */
  readonly people: readonly UserRecord[];
}

/** The people around an app: those who are told about it and those who may be given it. */
export class Recipients {
  constructor(private readonly parts: { readonly database: Database; readonly roles: TeamRoles }) {}

  /**
   * A developer whatever the state of the account; of a team, active members who have not muted the kind, by their ids.
   * The account of a team has no mailbox and is never among them.
   */
  async of(
    ownerId: number,
    kind: TeamNotification,
    transaction?: Transaction,
    ability: TeamAbility = TOLD[kind],
  ): Promise<Recipient[]> {
    const { database, roles } = this.parts;
    const owner = await userRecord.find(database, { id: ownerId }, { transaction });
    if (owner?.kind !== 'team') return owner ? [{ user: owner, team: null }] : [];
    const team = await teamRecord.find(database, { accountId: ownerId }, { transaction });
    if (!team) return [];
    const where = { teamId: team.id, role: roles.rolesWith(ability) };
    const members = await memberRecord.findAll(database, where, { transaction });
    const ids = members.flatMap(({ userId, muted }) => (muted.includes(kind) ? [] : [userId]));
    const active = { id: ids, status: 'active' } as const;
    const users = await userRecord.findAll(database, active, { transaction, order: 'u.id' });
    return users.map((user) => ({ user, team }));
  }

  /** The kinds of notifications that a role is mailed, unless a member mutes them. */
  noticesOf(role: string): TeamNotification[] {
    return TEAM_NOTIFICATIONS.filter((kind) => this.parts.roles.may(role, TOLD[kind]));
  }

  /** Members who can sign in of the team that an account stands for, owners first; empty for the account of a person. */
  async peopleOf(accountId: number): Promise<{ readonly email: string; readonly isAdmin: boolean }[]> {
    const { database } = this.parts;
    const team = await teamRecord.find(database, { accountId });
    const members = team ? await memberRecord.findAll(database, { teamId: team.id }, { order: 'tm.id' }) : [];
    const active = { id: members.map(({ userId }) => userId), status: 'active' } as const;
    const emails = new Map((await userRecord.findAll(database, active)).map(({ id, email }) => [id, email]));
    const people = members.flatMap(({ userId, role }) => {
      const email = emails.get(userId);
      return email === undefined ? [] : [{ email, isAdmin: role === OWNER }];
    });
    return people.sort((a, b) => Number(b.isAdmin) - Number(a.isAdmin));
  }

  /** The teams of a developer. */
  async teamsOf(userId: number, transaction?: Transaction): Promise<TeamRecord[]> {
    const { database } = this.parts;
    const seats = await memberRecord.findAll(database, { userId }, { only: ['teamId'], transaction });
    return teamRecord.findAll(database, { id: seats.map(({ teamId }) => teamId) }, { order: 't.name', transaction });
  }

  /** The name of an owner of apps: of a team or a developer. */
  async nameOf(ownerId: number, transaction?: Transaction): Promise<string> {
    const { database } = this.parts;
    const team = await teamRecord.find(database, { accountId: ownerId }, { transaction });
    if (team) return team.name;
    const user = await userRecord.require(database, { id: ownerId }, { transaction });
    return fullName(user) || user.email;
  }

  /** The accounts whose apps a developer may change: their own, and those of teams where their role has the ability. */
  async accountsOf(userId: number, ability: TeamAbility, transaction?: Transaction): Promise<number[]> {
    const { database, roles } = this.parts;
    const holding = { userId, role: roles.rolesWith(ability) };
    const seats = await memberRecord.findAll(database, holding, { only: ['teamId'], transaction });
    const where = { id: seats.map(({ teamId }) => teamId) };
    const teams = await teamRecord.findAll(database, where, { only: ['accountId'], transaction });
    return [userId, ...teams.map(({ accountId }) => accountId)];
  }

  /** All teams and people to whom a developer may offer an app, by name. */
  async newOwnersOf(userId: number, ownerId: number): Promise<NewOwners> {
    const { database } = this.parts;
    const owned = await this.teamsOf(userId);
    const owning = owned.find(({ accountId }) => accountId === ownerId);
    const members = owning ? await memberRecord.findAll(database, { teamId: owning.id }, { only: ['userId'] }) : [];
    const active = { id: members.map((member) => member.userId), status: 'active' } as const;
    const people = await userRecord.findAll(database, active, { order: 'u.first_name, u.last_name, u.id' });
    return { teams: owned.filter(({ accountId }) => accountId !== ownerId), people };
  }

  /**
   * The account that an app is offered to. Nothing is revealed about accounts or teams that the developer has nothing to do with.
   * @param ownerId account that owns the app
   * @throws NotFoundError for a team that they are not in, ForbiddenError for a role that may not see it, ValidationError for anybody
   *   but themselves and members of the team that owns the app
   */
  async newOwner(
    userId: number,
    ownerId: number,
    { team, user }: { readonly team?: number | undefined; readonly user?: number | undefined },
  ): Promise<UserRecord> {
    const { database, roles } = this.parts;
    if (team !== undefined) {
      const member = await memberRecord.find(database, { teamId: team, userId });
      const found = member && (await teamRecord.find(database, { id: team }));
      if (!found) throw new NotFoundError();
      if (!roles.may(member.role, 'team.view')) throw new ForbiddenError();
      return userRecord.require(database, { id: found.accountId });
    }
    const owning = user === userId ? null : await teamRecord.find(database, { accountId: ownerId });
    const isKnown =
      user === userId || (owning && user && (await memberRecord.has(database, { teamId: owning.id, userId: user })));
    if (!isKnown) throw new ValidationError({ user: ['Only you, or a member of the team that owns the app.'] });
    return userRecord.require(database, { id: user });
  }
}
