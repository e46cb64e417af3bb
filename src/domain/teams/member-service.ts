import { lockRecord, type Transaction } from '../../database/index.js';
import { ConflictError, ForbiddenError, NotFoundError, nextVersion } from '../../core/index.js';
import type { ListPage, ListQuery } from '../../core/index.js';
import { fullName, userRecord, type UserRecord } from '../accounts/index.js';
import { TeamMemberJoinedEvent, TeamMemberLeftEvent, TeamMemberRoleChangedEvent } from './events.js';
import { OWNER } from './roles.js';
import {
  memberList,
  memberRecord,
  teamRecord,
  type MemberRecord,
  type TeamMember,
  type TeamNotification,
} from './team.js';
import type { TeamRecord, TeamSeat } from './team.js';
import type { TeamParts } from './team-service.js';

/** The person who changes members: a member with a role, or an admin, who may do everything. */
export type MemberManager = Pick<TeamSeat, 'member'> | null;

/** What a change of a member finds, once the team is locked. */
interface MemberChange {
  readonly member: MemberRecord;
  readonly team: TeamRecord;
  readonly manager: MemberManager;
}

/** Members of teams. Every change locks the team first, so that no two of them together remove its last owner. */
export class MemberService {
  constructor(private readonly parts: TeamParts) {}

  /** @throws ValidationError for a query that the list does not support */
  list({ id }: Pick<TeamRecord, 'id'>, query: ListQuery): Promise<ListPage<TeamMember>> {
    return this.parts.lists.run(memberList, query, { scope: { where: 'tm.team_id = ?', values: [id] } });
  }

  /** @throws NotFoundError for somebody who is not in the team */
  async find({ id: teamId }: Pick<TeamRecord, 'id'>, userId: number, transaction?: Transaction): Promise<TeamMember> {
    const { database } = this.parts;
    const member = await memberRecord.require(database, { teamId, userId }, { transaction });
    const { email, firstName, lastName, status } = await userRecord.require(database, { id: userId }, { transaction });
    return { ...member, email, firstName, lastName, userStatus: status };
  }

  /** Names of the accounts among these that are in the team, by their id. */
  async namesOf(
    { id: teamId }: Pick<TeamRecord, 'id'>,
    userIds: readonly number[],
  ): Promise<ReadonlyMap<number, string>> {
    const { database } = this.parts;
    if (userIds.length === 0) return new Map();
    const members = await memberRecord.findAll(database, { teamId, userId: [...userIds] }, { only: ['userId'] });
    const users = await userRecord.findAll(database, { id: members.map(({ userId }) => userId) });
    return new Map(users.map((user) => [user.id, fullName(user)]));
  }

  /** Accounts of its members. */
  async idsOf({ id: teamId }: Pick<TeamRecord, 'id'>): Promise<ReadonlySet<number>> {
    const members = await memberRecord.findAll(this.parts.database, { teamId }, { only: ['userId'] });
    return new Set(members.map(({ userId }) => userId));
  }

  /** null for somebody who is not in the team. */
  async roleOf(
    userId: number,
    { id: teamId }: Pick<TeamRecord, 'id'>,
    transaction?: Transaction,
  ): Promise<string | null> {
    return (await memberRecord.find(this.parts.database, { teamId, userId }, { transaction }))?.role ?? null;
  }

  /**
   * Puts an account into a team; one that is in it keeps its role.
   * @throws ConflictError for a full team
   */
  async add(
    { id: teamId }: Pick<TeamRecord, 'id'>,
    user: Pick<UserRecord, 'id'>,
    role: string,
    transaction: Transaction,
  ): Promise<void> {
    const { database, events, clock, roles } = this.parts;
    roles.require(role);
    const team = await lockRecord(teamRecord, database, teamId, undefined, transaction);
    const userId = user.id;
    const all = await memberRecord.findAll(database, { teamId }, { transaction, lock: true, only: ['userId'] });
    if (all.some((member) => member.userId === userId)) return;
    const most = team.membersLimit ?? this.parts.config.members;
    if (all.length >= most) {
      throw new ConflictError({ errors: { team: [`The team has at most ${most} members.`] } });
    }
    const now = clock.now();
    await memberRecord.insert(
      database,
      { teamId, userId, role, muted: [], createdAt: now, updatedAt: now },
      transaction,
    );
    await events.emit(new TeamMemberJoinedEvent({ team, userId, role, occurredAt: now }), transaction);
  }

  /** Puts a developer into a team, as an admin does. @throws ValidationError on `role`, ConflictError for a full team */
  async put(team: TeamRecord, user: Pick<UserRecord, 'id'>, role: string): Promise<TeamMember> {
    const { database } = this.parts;
    return database.transaction(async (transaction) => {
      await this.add(team, user, role, transaction);
      return this.find(team, user.id, transaction);
    });
  }

  /**
   * @throws ForbiddenError if the old or the new role has abilities that the manager lacks, ConflictError for the last owner,
   *   NotFoundError, ValidationError on `role`
   */
  setRole(team: TeamRecord, userId: number, role: string, by: MemberManager): Promise<TeamMember> {
    const { database, events, clock, roles } = this.parts;
    roles.require(role);
    return this.change(team, userId, by, async ({ member, team: present, manager }, transaction) => {
      this.requireReach(manager, role);
      if (member.role === role) return this.find(team, userId, transaction);
      if (member.role === OWNER) await this.requireOtherOwner(team, userId, transaction);
      const now = clock.now();
      const values = { role, updatedAt: nextVersion(now, member) };
      await memberRecord.update(database, { id: member.id }, values, transaction);
      const fact = { team: present, userId, role, before: member.role, occurredAt: now };
      await events.emit(new TeamMemberRoleChangedEvent(fact), transaction);
      return this.find(team, userId, transaction);
    });
  }

  /** @throws ForbiddenError for a member who may do more than the manager, ConflictError for the last owner, NotFoundError */
  remove(team: TeamRecord, userId: number, by: MemberManager): Promise<void> {
    return this.change(team, userId, by, async ({ member, team: present }, transaction) => {
      if (member.role === OWNER) await this.requireOtherOwner(team, userId, transaction);
      await memberRecord.remove(this.parts.database, { id: member.id }, transaction);
      const fact = { team: present, userId, role: member.role, occurredAt: this.parts.clock.now() };
      await this.parts.events.emit(new TeamMemberLeftEvent(fact), transaction);
    });
  }

  /** What the member is not mailed about. */
  async mute({ member }: TeamSeat, muted: readonly TeamNotification[]): Promise<void> {
    const { database, clock } = this.parts;
    const values = { muted: [...new Set(muted)], updatedAt: nextVersion(clock.now(), member) };
    await memberRecord.update(database, { id: member.id }, values);
  }

  /**
   * For changes of an account: refuses to take the last owner of any team.
   * @throws ConflictError naming the teams
   */
  async requireNoLastOwner(userId: number, field: string, transaction?: Transaction): Promise<void> {
    const { database } = this.parts;
    const owned = await memberRecord.findAll(
      database,
      { userId, role: OWNER },
      { transaction, only: ['teamId'], order: 'tm.team_id' },
    );
    const stuck: string[] = [];
    for (const { teamId } of owned) {
      const team = transaction
        ? await lockRecord(teamRecord, database, teamId, undefined, transaction)
        : await teamRecord.require(database, { id: teamId });
      if (!(await this.hasOtherOwner(team, userId, transaction))) stuck.push(team.name);
    }
    if (stuck.length === 0) return;
    const fault = `This account is the only owner of ${stuck.join(', ')}. Name another owner first.`;
    throw new ConflictError({ errors: { [field]: [fault] } });
  }

  private change<T>(
    { id: teamId }: TeamRecord,
    userId: number,
    by: MemberManager,
    run: (present: MemberChange, transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    const { database } = this.parts;
    return database.transaction(async (transaction) => {
      const team = await lockRecord(teamRecord, database, teamId, undefined, transaction);
      // Read with the lock: who was there when the request came may have lost the role meanwhile.
      const [member] = await memberRecord.findAll(database, { teamId, userId }, { transaction, lock: true });
      if (!member) throw new NotFoundError();
      const manager = by && (await this.presentManager(teamId, by, transaction));
      if (by?.member.userId !== userId) this.requireReach(manager, member.role);
      return run({ member, team, manager }, transaction);
    });
  }

  private async presentManager(teamId: number, { member }: NonNullable<MemberManager>, transaction: Transaction) {
    const where = { teamId, userId: member.userId };
    const [present] = await memberRecord.findAll(this.parts.database, where, { transaction, lock: true });
    if (!present) throw new NotFoundError();
    return { member: present };
  }

  private requireReach(by: MemberManager, role: string): void {
    if (by && !this.parts.roles.covers(by.member.role, role)) throw new ForbiddenError();
  }

  private async requireOtherOwner(team: TeamRecord, userId: number, transaction: Transaction): Promise<void> {
    if (await this.hasOtherOwner(team, userId, transaction)) return;
    throw new ConflictError({ errors: { member: ['The team needs an owner. Name another one first.'] } });
  }

  /** Only one who can sign in counts. */
  private async hasOtherOwner({ id }: TeamRecord, userId: number, transaction?: Transaction): Promise<boolean> {
    const { database } = this.parts;
    const where = { teamId: id, role: OWNER };
    const lock = transaction !== undefined;
    const owners = await memberRecord.findAll(database, where, { transaction, lock, only: ['userId'] });
    const others = owners.flatMap((owner) => (owner.userId === userId ? [] : [owner.userId]));
    return others.length > 0 && userRecord.has(database, { id: others, status: 'active' }, transaction);
  }
}
