import { lockRecord, type Transaction } from '../../database/index.js';
import {
  ConflictError,
  ForbiddenError,
  NotFoundError,
  nextVersion,
  ValidationError,
  type ListPage,
  type ListQuery,
} from '../../core/index.js';
import { normaliseEmail, userRecord } from '../accounts/index.js';
import { TeamDomainsChangedEvent } from './events.js';
import { domainList, domainOf, domainRecord, isPublicMailHost, type JoinMode, type TeamDomain } from './joining.js';
import type { MemberManager } from './member-service.js';
import { teamRecord, type TeamRecord } from './team.js';
import type { TeamParts } from './team-service.js';

const MOST_DOMAINS = 20;

interface DomainInput {
  readonly domain: string;
  readonly mode: JoinMode;
  readonly role: string;
}

/** The mail domains whose people may ask to be in a team, or join it. */
export class DomainService {
  constructor(private readonly parts: TeamParts) {}

  /** @throws ValidationError for a query that the list does not support */
  list({ id }: Pick<TeamRecord, 'id'>, query: ListQuery): Promise<ListPage<TeamDomain>> {
    return this.parts.lists.run(domainList, query, { scope: { where: 'td.team_id = ?', values: [id] } });
  }

  /** All of a team, by name. */
  listAll({ id: teamId }: Pick<TeamRecord, 'id'>): Promise<TeamDomain[]> {
    return domainRecord.findAll(this.parts.database, { teamId }, { order: 'td.domain' });
  }

  /** @throws NotFoundError, also for a domain of another team */
  find({ id: teamId }: Pick<TeamRecord, 'id'>, id: number): Promise<TeamDomain> {
    return domainRecord.require(this.parts.database, { id, teamId });
  }

  /**
   * A member lists the domain of their own proved address only, an admin any; a public mail host nobody.
   * @throws ValidationError on `domain` and `role`, ForbiddenError for a role beyond one's own, ConflictError
   */
  async add(team: TeamRecord, by: MemberManager, { domain: typed, mode, role }: DomainInput): Promise<TeamDomain> {
    const { database, clock, events } = this.parts;
    const domain = this.requireDomain(typed);
    this.requireRole(role, by);
    if (by) await this.requireOwn(by.member.userId, domain);
    return database.transaction(async (transaction) => {
      await lockRecord(teamRecord, database, team.id, undefined, transaction);
      const present = await domainRecord.findAll(database, { teamId: team.id }, { transaction, lock: true });
      if (present.some((one) => one.domain === domain)) {
        throw new ConflictError({ errors: { domain: ['The team has this domain already.'] } });
      }
      if (present.length >= MOST_DOMAINS) {
        throw new ConflictError({ errors: { domain: [`A team has at most ${MOST_DOMAINS} domains.`] } });
      }
      const now = clock.now();
      const values = { teamId: team.id, domain, mode, role, createdAt: now, updatedAt: now };
      const id = await domainRecord.insert(database, values, transaction);
      const fact = { team, domain, before: null, after: mode, role, occurredAt: now };
      await events.emit(new TeamDomainsChangedEvent(fact), transaction);
      return domainRecord.require(database, { id }, { transaction });
    });
  }

  /** @throws ValidationError on `role`, ForbiddenError for a role beyond one's own, NotFoundError */
  change(
    team: TeamRecord,
    by: MemberManager,
    { id }: TeamDomain,
    { mode, role }: { readonly mode?: JoinMode | undefined; readonly role?: string | undefined },
  ): Promise<TeamDomain> {
    const { database, clock, events } = this.parts;
    return database.transaction(async (transaction) => {
      const present = await this.lock(team, id, transaction);
      const after = { mode: mode ?? present.mode, role: role ?? present.role };
      this.requireRole(after.role, by);
      const now = clock.now();
      const values = { ...after, updatedAt: nextVersion(now, present) };
      await domainRecord.update(database, { id }, values, transaction);
      const fact = { team, domain: present.domain, before: present.mode, after: after.mode, role: after.role };
      await events.emit(new TeamDomainsChangedEvent({ ...fact, occurredAt: now }), transaction);
      return domainRecord.require(database, { id }, { transaction });
    });
  }

  /** Members who joined by the domain stay. @throws NotFoundError */
  async remove(team: TeamRecord, { id }: TeamDomain): Promise<void> {
    const { database, clock, events } = this.parts;
    await database.transaction(async (transaction) => {
      const { domain, mode, role } = await this.lock(team, id, transaction);
      await domainRecord.remove(database, { id }, transaction);
      const fact = { team, domain, before: mode, after: null, role, occurredAt: clock.now() };
      await events.emit(new TeamDomainsChangedEvent(fact), transaction);
    });
  }

  private lock({ id: teamId }: TeamRecord, id: number, transaction: Transaction): Promise<TeamDomain> {
    return domainRecord.require(this.parts.database, { id, teamId }, { transaction, lock: true });
  }

  private requireDomain(typed: string): string {
    const email = normaliseEmail(`x@${typed.trim().replace(/^@/, '')}`);
    if (email === null) throw new ValidationError({ domain: ['Give a mail domain, such as example.com.'] });
    const domain = domainOf(email);
    if (!isPublicMailHost(domain, this.parts.config.publicDomains)) return domain;
    throw new ValidationError({ domain: ['Anybody gets an address there. List a domain of your own.'] });
  }

  /** Nobody becomes a manager this way: only a person who knows them can appoint one. */
  private requireRole(role: string, by: MemberManager): void {
    const { roles } = this.parts;
    roles.require(role);
    if (roles.may(role, 'team.members.manage')) {
      throw new ValidationError({ role: ['Who comes in by a domain manages no members.'] });
    }
    if (by && !roles.covers(by.member.role, role)) throw new ForbiddenError();
  }

  private async requireOwn(userId: number, domain: string): Promise<void> {
    const user = await userRecord.find(this.parts.database, { id: userId });
    if (!user) throw new NotFoundError();
    if (user.emailVerifiedAt !== null && domainOf(user.email) === domain) return;
    throw new ValidationError({ domain: ['You can list the domain of your own proved address only.'] });
  }
}
