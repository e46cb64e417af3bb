import { randomUUID } from 'node:crypto';
import { changeRecord, lockRecord, type Database, type Lists, type Transaction } from '../../database/index.js';
import {
  ConflictError,
  ForbiddenError,
  NotFoundError,
  ValidationError,
  type Clock,
  type EventBus,
  type ExpectedVersion,
  type FieldErrors,
  type ListPage,
  type ListQuery,
} from '../../core/index.js';
import { cleanName, NO_PASSWORD, userRecord, type UserRecord, type UserService } from '../accounts/index.js';
import { appRecord } from '../apps/index.js';
import type { TeamsConfig } from './config.js';
import { TeamCreatedEvent, TeamMemberJoinedEvent, TeamUpdatedEvent } from './events.js';
import { OWNER, type TeamAbility, type TeamRoles } from './roles.js';
import {
  memberRecord,
  seatList,
  teamList,
  teamRecord,
  type MemberRecord,
  type TeamRecord,
  type TeamSeat,
} from './team.js';
import { countAppsAndMembers, type TeamCounts } from './team-queries.js';

export interface TeamParts {
  readonly database: Database;
  readonly lists: Lists;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly roles: TeamRoles;
  readonly config: TeamsConfig;
  /** The accounts that teams own their apps with. */
  readonly accounts: Pick<UserService, 'find' | 'update' | 'delete'>;
  /** Host name of the portal, in the addresses of these accounts. */
  readonly host: () => string;
}

export interface TeamInput {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

/** What admins may change besides. */
export interface TeamAdminInput extends TeamInput {
  readonly status?: TeamRecord['status'] | undefined;
  readonly membersLimit?: number | null | undefined;
  readonly appsLimit?: number | null | undefined;
  readonly keysLimit?: number | null | undefined;
}

/** A team as the gateway had it. */
interface AdoptedTeam {
  readonly name: string;
  readonly isActive: boolean;
  readonly members: readonly { readonly userId: number; readonly isAdmin: boolean }[];
}

const LONGEST_NAME = 100;
const UNNAMED = 'Team';
const MOST_DESCRIPTION = 500;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** For callers without a schema. @throws ValidationError */
function requireTexts({ name, description }: TeamInput): void {
  const errors: FieldErrors = {};
  if (name !== undefined && cleanName(name) === null) {
    errors.name = ['The name must have 1 to 100 characters and no control characters.'];
  }
  if (description !== undefined && (description.length > MOST_DESCRIPTION || CONTROL.test(description))) {
    errors.description = [`Use at most ${MOST_DESCRIPTION} visible characters.`];
  }
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
}

/** Teams, with the account that each owns its apps with. */
export class TeamService {
  constructor(private readonly parts: TeamParts) {}

  /** Whether developers make teams themselves. */
  get isOpen(): boolean {
    return this.parts.config.creation === 'developers';
  }

  /** All teams, for admins. @throws ValidationError for a query that the list does not support */
  listAll(query: ListQuery): Promise<ListPage<TeamRecord>> {
    return this.parts.lists.run(teamList, query);
  }

  /** The teams of a developer. @throws ValidationError for a query that the list does not support */
  async list(userId: number, query: ListQuery): Promise<ListPage<TeamSeat>> {
    const page = await this.parts.lists.run(seatList, query, { scope: { where: 'tm.user_id = ?', values: [userId] } });
    return { ...page, items: await this.seatsFor(page.items) };
  }

  /** Every team of a developer, by name. */
  async seatsOf(userId: number): Promise<TeamSeat[]> {
    const seats = await this.seatsFor(await memberRecord.findAll(this.parts.database, { userId }));
    return seats.sort((one, two) => one.team.name.localeCompare(two.team.name));
  }

  /** @throws NotFoundError */
  find(id: number, transaction?: Transaction): Promise<TeamRecord> {
    return teamRecord.require(this.parts.database, { id }, { transaction });
  }

  /** The team that an account owns apps for; null for the account of a person. */
  findByAccount(accountId: number, transaction?: Transaction): Promise<TeamRecord | null> {
    return teamRecord.find(this.parts.database, { accountId }, { transaction });
  }

  /** Teams by the ids of the accounts that own their apps; accounts of people have none. */
  async findByAccounts(accountIds: readonly number[]): Promise<ReadonlyMap<number, TeamRecord>> {
    if (accountIds.length === 0) return new Map();
    const teams = await teamRecord.findAll(this.parts.database, { accountId: accountIds });
    return new Map(teams.map((team) => [team.accountId, team]));
  }

  /** Whoever owns apps: a developer, or the account of a team. @throws NotFoundError */
  findOwner(id: number): Promise<UserRecord> {
    return userRecord.require(this.parts.database, { id });
  }

  /** The account that owns the apps of a team. @throws NotFoundError */
  accountOf({ accountId }: TeamRecord): Promise<UserRecord> {
    return this.parts.accounts.find(accountId);
  }

  /**
   * The place of a developer in a team.
   * @throws NotFoundError for somebody who is not in it, ForbiddenError for a member whose role lacks the ability
   */
  async requireSeat(userId: number, teamId: number, ability: TeamAbility = 'team.view'): Promise<TeamSeat> {
    const { database } = this.parts;
    const member = await memberRecord.find(database, { teamId, userId });
    const team = member && (await teamRecord.find(database, { id: teamId }));
    const seat = team && this.seatOf(team, member);
    if (!seat) throw new NotFoundError();
    if (!seat.abilities.has(ability)) throw new ForbiddenError();
    return seat;
  }

  /** What its account may own, with the team locked; null for the account of a person. */
  async lockLimitsOf(
    accountId: number,
    transaction: Transaction,
  ): Promise<{ readonly apps: number; readonly keys: number } | null> {
    // Looked for without a lock first: one for a row that is not there would keep others from making teams.
    const found = await this.findByAccount(accountId, transaction);
    if (!found) return null;
    const { appsLimit, keysLimit } = await lockRecord(
      teamRecord,
      this.parts.database,
      found.id,
      undefined,
      transaction,
    );
    return { apps: appsLimit ?? this.parts.config.apps, keys: keysLimit ?? this.parts.config.keys };
  }

  countParts(teams: readonly Pick<TeamRecord, 'id' | 'accountId'>[]): Promise<ReadonlyMap<number, TeamCounts>> {
    return countAppsAndMembers(this.parts.database, teams);
  }

  /**
   * @param ownerId who is its owner
   * @throws ForbiddenError when a developer makes one and only admins may, ValidationError, ConflictError for too many
   */
  async create(
    { name, description = '' }: TeamInput & { readonly name: string },
    ownerId: number,
    by: 'developer' | 'admin',
  ): Promise<TeamRecord> {
    const { database, events, clock } = this.parts;
    if (by === 'developer' && !this.isOpen) throw new ForbiddenError();
    requireTexts({ name, description });
    return database.transaction(async (transaction) => {
      await userRecord.require(database, { id: ownerId }, { transaction, lock: true });
      await this.requireRoom(ownerId, transaction);
      const now = clock.now();
      const stamps = { createdAt: now, updatedAt: now };
      const { id } = await this.insert({ name, description, status: 'active' }, transaction);
      const member = { teamId: id, userId: ownerId, role: OWNER, muted: [], ...stamps };
      await memberRecord.insert(database, member, transaction);
      const team = await this.find(id, transaction);
      await events.emit(new TeamCreatedEvent({ team, occurredAt: now }), transaction);
      const joined = { team, userId: ownerId, role: OWNER, occurredAt: now };
      await events.emit(new TeamMemberJoinedEvent(joined), transaction);
      return team;
    });
  }

  /**
   * Takes over a team that the gateway had before the portal. Who administers it there owns it; one without an owner waits for an
   * admin who puts one in.
   * @returns the account that will own its apps
   */
  async adopt(
    { name, isActive, members }: AdoptedTeam,
    transaction: Transaction,
  ): Promise<Pick<UserRecord, 'id' | 'email'>> {
    const { database, clock } = this.parts;
    const now = clock.now();
    const known = { name: cleanName(name.slice(0, LONGEST_NAME)) ?? UNNAMED, description: '' };
    const status = isActive ? 'active' : 'closed';
    const { id, accountId } = await this.insert({ ...known, status }, transaction);
    for (const { userId, isAdmin } of members) {
      const member = { teamId: id, userId, role: isAdmin ? OWNER : 'developer', muted: [] };
      await memberRecord.insert(database, { ...member, createdAt: now, updatedAt: now }, transaction);
    }
    if (!isActive) await userRecord.update(database, { id: accountId }, { status: 'inactive' }, transaction);
    return userRecord.require(database, { id: accountId }, { transaction });
  }

  /**
   * Changes only what is given. Closing one closes its keys at the gateway first.
   * @throws ValidationError, NotFoundError, PreconditionFailedError, the errors of the gateway
   */
  async update(id: number, input: TeamAdminInput, expected?: ExpectedVersion): Promise<TeamRecord> {
    const { database, accounts } = this.parts;
    requireTexts(input);
    const present = await this.find(id);
    const write = (transaction: Transaction) => this.write(id, input, expected, transaction);
    const { name = present.name, status = present.status } = input;
    if (name === present.name && status === present.status) return database.transaction(write);
    const account = { firstName: name, status: status === 'active' ? 'active' : 'inactive' } as const;
    const related = async (_: unknown, transaction: Transaction) => {
      await write(transaction);
      return null;
    };
    await accounts.update(present.accountId, account, { related });
    return this.find(id);
  }

  /**
   * Deletes a team that has no apps any more.
   * @throws ConflictError while it has apps, NotFoundError, PreconditionFailedError
   */
  async delete(id: number, expected?: ExpectedVersion): Promise<void> {
    const { database, accounts } = this.parts;
    const { accountId } = await this.find(id);
    if (await appRecord.has(database, { userId: accountId })) {
      throw new ConflictError({ errors: { apps: ['The team has apps. Hand them over or delete them first.'] } });
    }
    // Checked before the account goes, which takes the team with it.
    await database.transaction((transaction) => this.write(id, {}, expected, transaction));
    await accounts.delete(accountId);
  }

  private async insert(
    team: Pick<TeamRecord, 'name' | 'description' | 'status'>,
    transaction: Transaction,
  ): Promise<Pick<TeamRecord, 'id' | 'accountId'>> {
    const { database, clock } = this.parts;
    const now = clock.now();
    const accountId = await this.createAccount(team.name, now, transaction);
    const id = await teamRecord.insert(database, { accountId, ...team, createdAt: now, updatedAt: now }, transaction);
    await this.nameAccount(id, accountId, transaction);
    return { id, accountId };
  }

  private write(id: number, input: TeamAdminInput, expected: ExpectedVersion | undefined, transaction: Transaction) {
    return changeRecord(teamRecord, this.parts, transaction, {
      ...{ id, expected },
      plan: () => ({ values: input }),
      read: () => this.find(id, transaction),
      announce: (team, changes, occurredAt) => [new TeamUpdatedEvent({ team, changes, occurredAt })],
    });
  }

  private async seatsFor(members: readonly MemberRecord[]): Promise<TeamSeat[]> {
    const found = await teamRecord.findAll(this.parts.database, { id: members.map(({ teamId }) => teamId) });
    const teams = new Map(found.map((team) => [team.id, team]));
    return members.flatMap((member) => {
      const team = teams.get(member.teamId);
      return team ? (this.seatOf(team, member) ?? []) : [];
    });
  }

  private seatOf(team: TeamRecord, member: TeamSeat['member'] | null | undefined): TeamSeat | null {
    return member ? { team, member, abilities: this.parts.roles.abilitiesOf(member.role) } : null;
  }

  private async requireRoom(userId: number, transaction: Transaction): Promise<void> {
    const { database, config } = this.parts;
    const owned = await memberRecord.count(database, { userId, role: OWNER }, transaction);
    if (owned < config.perDeveloper) return;
    const fault = `A developer owns at most ${config.perDeveloper} teams.`;
    throw new ConflictError({ errors: { name: [fault] } });
  }

  // The team needs it, and its address the number of the team.
  private createAccount(name: string, now: Date, transaction: Transaction): Promise<number> {
    const values = {
      ...{ email: `team-${randomUUID()}@${this.parts.host()}`, firstName: name, lastName: '', kind: 'team' as const },
      ...{ passwordHash: NO_PASSWORD, status: 'active' as const, emailVerifiedAt: now, createdAt: now, updatedAt: now },
    };
    return userRecord.insert(this.parts.database, values, transaction);
  }

  // Where a person has that address already, the account keeps the one that nobody guessed.
  private async nameAccount(teamId: number, id: number, transaction: Transaction): Promise<void> {
    const { database, host } = this.parts;
    const email = `team-${teamId}@${host()}`;
    if (await userRecord.has(database, { email }, transaction)) return;
    await userRecord.update(database, { id }, { email }, transaction);
  }
}
