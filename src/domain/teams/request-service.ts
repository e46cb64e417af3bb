import { UniqueViolationError, type Transaction } from '../../database/index.js';
import {
  ConflictError,
  ForbiddenError,
  NotFoundError,
  nextVersion,
  type ListPage,
  type ListQuery,
} from '../../core/index.js';
import { userRecord, type UserRecord } from '../accounts/index.js';
import { TeamJoinAnsweredEvent, TeamJoinAskedEvent, TeamMemberLeftEvent } from './events.js';
import {
  domainOf,
  domainRecord,
  requestList,
  requestRecord,
  type JoinRequest,
  type JoinRequestState,
  type RequestRecord,
  type TeamOffer,
} from './joining.js';
import type { MemberManager, MemberService } from './member-service.js';
import { memberRecord, teamRecord, type TeamRecord } from './team.js';
import type { TeamParts } from './team-service.js';

/** Requests of one developer that nobody has answered. */
const MOST_OPEN = 20;

interface RequestParts extends TeamParts {
  readonly members: MemberService;
}

/** A request with the team that it goes to. */
export interface OwnJoinRequest {
  readonly request: RequestRecord;
  readonly team: TeamRecord;
}

/**
 * Requests to be in a team, of people with a proved address of one of its domains. Who has none learns of no team, and a
 * team learns of nobody who did not ask.
 */
export class RequestService {
  constructor(private readonly parts: RequestParts) {
    // Whoever was in the team once asks when they come again, also where others join at once.
    parts.events.within(TeamMemberLeftEvent, ({ team, userId }, transaction) =>
      this.note(team.id, userId, 'left', transaction),
    );
  }

  /** @throws ValidationError for a query that the list does not support */
  list({ id }: Pick<TeamRecord, 'id'>, query: ListQuery): Promise<ListPage<JoinRequest>> {
    return this.parts.lists.run(requestList, query, { scope: { where: 'tr.team_id = ?', values: [id] } });
  }

  /** @throws NotFoundError, also for a request to another team */
  async find({ id: teamId }: Pick<TeamRecord, 'id'>, id: number): Promise<JoinRequest> {
    const { database } = this.parts;
    const request = await requestRecord.require(database, { id, teamId });
    const { email, firstName, lastName } = await userRecord.require(database, { id: request.userId });
    return { ...request, email, firstName, lastName };
  }

  /** The teams that a developer may ask or join, by name; the newest hundred of a large company. */
  offers(user: UserRecord): Promise<TeamOffer[]> {
    return this.findOffered(user, {});
  }

  private async findOffered(
    user: UserRecord,
    narrowed: { readonly teamId?: number },
    transaction?: Transaction,
  ): Promise<TeamOffer[]> {
    const { database } = this.parts;
    if (user.emailVerifiedAt === null) return [];
    const where = { domain: domainOf(user.email), ...narrowed };
    const listed = await domainRecord.findAll(database, where, { order: 'td.id DESC', limit: 100, transaction });
    const ids = listed.map(({ teamId }) => teamId);
    if (ids.length === 0) return [];
    const teams = await teamRecord.findAll(database, { id: ids, status: 'active' }, { transaction });
    const own = { userId: user.id, teamId: ids };
    const seats = await memberRecord.findAll(database, own, { only: ['teamId'], transaction });
    const requests = await requestRecord.findAll(database, own, { transaction });
    const offers = teams.flatMap((team) => {
      const domain = listed.find(({ teamId }) => teamId === team.id);
      if (!domain || seats.some(({ teamId }) => teamId === team.id)) return [];
      const request = requests.find(({ teamId }) => teamId === team.id) ?? null;
      const mode = request === null || request.state === 'withdrawn' ? domain.mode : 'ask';
      return [{ team, mode, request } as const];
    });
    return offers.sort((one, two) => one.team.name.localeCompare(two.team.name));
  }

  /** The developer's own requests, newest first. */
  async listOwn({ id: userId }: Pick<UserRecord, 'id'>): Promise<OwnJoinRequest[]> {
    const { database } = this.parts;
    // Without `left`, which is no request of theirs.
    const state: JoinRequestState[] = ['pending', 'accepted', 'declined', 'withdrawn'];
    const requests = await requestRecord.findAll(database, { userId, state }, { order: 'tr.id DESC', limit: 100 });
    const found = await teamRecord.findAll(database, { id: requests.map(({ teamId }) => teamId) });
    const teams = new Map(found.map((team) => [team.id, team]));
    return requests.flatMap((request) => {
      const team = teams.get(request.teamId);
      return team ? [{ request, team }] : [];
    });
  }

  /** @throws NotFoundError for another developer's */
  async findOwn(user: Pick<UserRecord, 'id'>, id: number): Promise<OwnJoinRequest> {
    const own = (await this.listOwn(user)).find(({ request }) => request.id === id);
    if (!own) throw new NotFoundError();
    return own;
  }

  /**
   * Asks to be in a team, or joins where its domain says so.
   * @throws NotFoundError for a team that is not offered, ConflictError once it declined, for a full team and too many open requests
   */
  async ask({ id: userId }: Pick<UserRecord, 'id'>, teamId: number): Promise<OwnJoinRequest> {
    const { database, events, clock, members } = this.parts;
    return database.transaction(async (transaction) => {
      const user = await userRecord.require(database, { id: userId }, { transaction, lock: true });
      const [offer] = await this.findOffered(user, { teamId }, transaction);
      const domain = offer && (await this.domainFor(user, teamId, transaction));
      if (!offer || !domain) throw new NotFoundError();
      if (offer.request?.state === 'pending') return { request: offer.request, team: offer.team };
      if (offer.request?.state === 'declined') {
        throw new ConflictError({ errors: { team: ['The team has declined. It can still invite you.'] } });
      }
      const state = offer.mode === 'join' ? 'accepted' : 'pending';
      if (state === 'pending') await this.requireRoom(userId, transaction);
      await this.note(teamId, userId, state, transaction);
      const [request] = await requestRecord.findAll(database, { teamId, userId }, { transaction });
      if (!request) throw new NotFoundError();
      const fact = { team: offer.team, userId, state, occurredAt: clock.now() };
      await events.emit(new TeamJoinAskedEvent(fact), transaction);
      if (state === 'accepted') await members.add(offer.team, user, domain.role, transaction);
      return { request, team: offer.team };
    });
  }

  /** @throws ConflictError for one that was answered */
  withdraw(team: TeamRecord, { id }: RequestRecord): Promise<void> {
    return this.end(team, id, 'withdrawn');
  }

  /** @throws ConflictError for one that was answered */
  decline(team: TeamRecord, { id }: RequestRecord): Promise<void> {
    return this.end(team, id, 'declined');
  }

  /**
   * @param role by default that of the domain
   * @throws ForbiddenError for a role beyond one's own, ValidationError on `role`, ConflictError for one that was answered, for an
   *   address that is no longer of a domain of the team, and for a full team
   */
  async accept(team: TeamRecord, by: MemberManager, { id }: RequestRecord, role?: string): Promise<void> {
    const { database, events, clock, members, roles } = this.parts;
    await database.transaction(async (transaction) => {
      const request = await this.lock(team, id, transaction);
      const user = await userRecord.require(database, { id: request.userId }, { transaction, lock: true });
      const domain = user.emailVerifiedAt && (await this.domainFor(user, team.id, transaction));
      if (!domain) {
        const fault = 'Their address is no longer of a domain of the team. Decline, or invite them.';
        throw new ConflictError({ errors: { request: [fault] } });
      }
      const given = role ?? domain.role;
      roles.require(given);
      if (by && !roles.covers(by.member.role, given)) throw new ForbiddenError();
      const now = clock.now();
      await requestRecord.update(
        database,
        { id },
        { state: 'accepted', updatedAt: nextVersion(now, request) },
        transaction,
      );
      const fact = { team, userId: user.id, state: 'accepted', occurredAt: now };
      await events.emit(new TeamJoinAnsweredEvent(fact), transaction);
      await members.add(team, user, given, transaction);
    });
  }

  private async end(team: TeamRecord, id: number, state: 'withdrawn' | 'declined'): Promise<void> {
    const { database, events, clock } = this.parts;
    await database.transaction(async (transaction) => {
      const request = await this.lock(team, id, transaction);
      const now = clock.now();
      await requestRecord.update(database, { id }, { state, updatedAt: nextVersion(now, request) }, transaction);
      const fact = { team, userId: request.userId, state, occurredAt: now };
      await events.emit(new TeamJoinAnsweredEvent(fact), transaction);
    });
  }

  private async lock({ id: teamId }: TeamRecord, id: number, transaction: Transaction): Promise<RequestRecord> {
    const present = await requestRecord.require(this.parts.database, { id, teamId }, { transaction, lock: true });
    if (present.state === 'pending') return present;
    throw new ConflictError({ errors: { request: ['This request was answered already.'] } });
  }

  private async domainFor(user: UserRecord, teamId: number, transaction: Transaction) {
    const where = { teamId, domain: domainOf(user.email) };
    return (await domainRecord.findAll(this.parts.database, where, { transaction }))[0];
  }

  /** Each developer has one row for a team, whatever they asked before. */
  private async note(teamId: number, userId: number, state: JoinRequestState, transaction: Transaction): Promise<void> {
    const { database, clock } = this.parts;
    const now = clock.now();
    const [present] = await requestRecord.findAll(database, { teamId, userId }, { transaction });
    if (present) {
      const values = { state, updatedAt: nextVersion(now, present) };
      await requestRecord.update(database, { id: present.id }, values, transaction);
      return;
    }
    const values = { teamId, userId, state, createdAt: now, updatedAt: now };
    await requestRecord.insert(database, values, transaction).catch((error: unknown) => {
      throw error instanceof UniqueViolationError ? new ConflictError({ cause: error }) : error;
    });
  }

  private async requireRoom(userId: number, transaction: Transaction): Promise<void> {
    const open = await requestRecord.count(this.parts.database, { userId, state: 'pending' }, transaction);
    if (open < MOST_OPEN) return;
    throw new ConflictError({ errors: { team: [`At most ${MOST_OPEN} requests wait for an answer.`] } });
  }
}
