import { Op, type Transaction } from '../../database/index.js';
import {
  addSeconds,
  ConflictError,
  ForbiddenError,
  latestEnd,
  nextVersion,
  NotFoundError,
  type ListPage,
  type ListQuery,
} from '../../core/index.js';
import type { MailQueue } from '../../mail/index.js';
import { fullName, requireEmail, userRecord, type UserRecord } from '../accounts/index.js';
import type { RequestLimits } from '../auth/index.js';
import { TeamInvitationEndedEvent, TeamInvitationSentEvent } from './events.js';
import {
  hashOfToken,
  invitationList,
  invitationRecord,
  newInvitationToken,
  type InvitationRecord,
} from './invitation.js';
import type { MemberManager, MemberService } from './member-service.js';
import { memberRecord, teamRecord, type TeamRecord } from './team.js';
import type { TeamParts } from './team-service.js';

/** Open invitations of one team. */
const MOST_OPEN = 200;
const MANAGE = 'team.members.manage';

interface InvitationParts extends TeamParts {
  readonly members: MemberService;
  readonly mail: MailQueue;
  readonly limits: Pick<RequestLimits, 'mayMail'>;
  readonly defaultLocale: string;
  /** Address of the page that takes a token. */
  readonly page: (token: string) => string;
}

/** Invitations that can be accepted now. One made in the future predates a clock correction. */
const openInvitations = (now: Date) =>
  ({ state: 'pending', expiresAt: { [Op.gt]: now }, updatedAt: { [Op.lte]: latestEnd(now, 0) } }) as const;

/** An invitation with the team that it leads to. */
export interface InvitationToTeam {
  readonly invitation: InvitationRecord;
  readonly team: TeamRecord;
}

/**
 * Invitations by mail. Each is for one address, and only an account that has proved that address may accept it; nothing
 * tells the one who invites whether such an account exists.
 */
export class InvitationService {
  constructor(private readonly parts: InvitationParts) {}

  /** @throws ValidationError for a query that the list does not support */
  list({ id }: Pick<TeamRecord, 'id'>, query: ListQuery): Promise<ListPage<InvitationRecord>> {
    return this.parts.lists.run(invitationList, query, { scope: { where: 'ti.team_id = ?', values: [id] } });
  }

  /** @throws NotFoundError, also for an invitation of another team */
  find({ id: teamId }: Pick<TeamRecord, 'id'>, id: number): Promise<InvitationRecord> {
    return invitationRecord.require(this.parts.database, { id, teamId });
  }

  /**
   * Mails an invitation; an open one to the same address is withdrawn.
   * @throws ValidationError on `email` and `role`, ForbiddenError for a role that holds more than one's own, ConflictError for too
   *   many open ones
   */
  async invite(
    { team, by, locale }: { readonly team: TeamRecord; readonly by: MemberManager; readonly locale: string },
    { email: typed, role }: { readonly email: string; readonly role: string },
  ): Promise<InvitationRecord> {
    const { database, clock, config, roles } = this.parts;
    const email = requireEmail(typed);
    roles.require(role);
    this.requireReach(by, role);
    await this.refuseMember(team, email);
    const mayMail = await this.parts.limits.mayMail(email);
    return database.transaction(async (transaction) => {
      await teamRecord.require(database, { id: team.id }, { transaction, lock: true });
      if (by) await this.requirePresent(by, role, transaction);
      const now = clock.now();
      const same = { teamId: team.id, email, state: 'pending' } as const;
      await invitationRecord.update(database, same, { state: 'withdrawn', updatedAt: now }, transaction);
      await this.requireRoom(team, now, transaction);
      const token = newInvitationToken();
      const stamps = { expiresAt: addSeconds(now, config.invitations), createdAt: now, updatedAt: now };
      const values = { teamId: team.id, email, role, state: 'pending', tokenHash: hashOfToken(token) ?? '' } as const;
      const invitedBy = by?.member.userId ?? null;
      const id = await invitationRecord.insert(database, { ...values, invitedBy, ...stamps }, transaction);
      return this.tell(team, id, { token, locale, mayMail }, transaction);
    });
  }

  /** Mails another token, which holds from now; the one before is dead. @throws NotFoundError, ConflictError for one that is over */
  async resend(
    { team, by, locale }: { readonly team: TeamRecord; readonly by: MemberManager; readonly locale: string },
    { id, email, role }: InvitationRecord,
  ): Promise<InvitationRecord> {
    const { database, clock, config } = this.parts;
    this.requireReach(by, role);
    const mayMail = await this.parts.limits.mayMail(email);
    return database.transaction(async (transaction) => {
      if (by) await this.requirePresent(by, role, transaction);
      const present = await this.lock(id, transaction);
      const token = newInvitationToken();
      const now = clock.now();
      const tokenHash = hashOfToken(token) ?? '';
      const values = {
        tokenHash,
        expiresAt: addSeconds(now, config.invitations),
        updatedAt: nextVersion(now, present),
      };
      await invitationRecord.update(database, { id }, values, transaction);
      return this.tell(team, id, { token, locale, mayMail }, transaction);
    });
  }

  /** @throws NotFoundError, ConflictError for one that is over */
  async withdraw(team: TeamRecord, { id }: InvitationRecord): Promise<void> {
    await this.parts.database.transaction(async (transaction) => {
      await this.end(team, await this.lock(id, transaction), 'withdrawn', transaction);
    });
  }

  /**
   * Withdraws invitations whose sender may no longer give these roles: a removed member could come back by one.
   * @param roleNow null: they are not in the team
   */
  async endSentBy(team: TeamRecord, userId: number, roleNow: string | null, transaction: Transaction): Promise<void> {
    const { database, roles } = this.parts;
    const sent = { teamId: team.id, invitedBy: userId, state: 'pending' } as const;
    for (const invitation of await invitationRecord.findAll(database, sent, { transaction, lock: true })) {
      const mayStill = roleNow !== null && roles.may(roleNow, MANAGE) && roles.covers(roleNow, invitation.role);
      if (!mayStill) await this.end(team, invitation, 'withdrawn', transaction);
    }
  }

  /** What a developer may accept: open invitations to the address that they have proved, newest first. */
  async listOwn(user: UserRecord): Promise<InvitationToTeam[]> {
    const { database, clock } = this.parts;
    if (user.emailVerifiedAt === null) return [];
    const where = { email: user.email, ...openInvitations(clock.now()) };
    const invitations = await invitationRecord.findAll(database, where, { order: 'ti.id DESC', limit: 100 });
    const ids = [...new Set(invitations.map(({ teamId }) => teamId))];
    const teams = new Map((await teamRecord.findAll(database, { id: ids })).map((team) => [team.id, team]));
    return invitations.flatMap((invitation) => {
      const team = teams.get(invitation.teamId);
      return team ? [{ invitation, team }] : [];
    });
  }

  /** @throws NotFoundError unless the developer may accept it */
  async findOwn(user: UserRecord, id: number): Promise<InvitationToTeam> {
    const own = (await this.listOwn(user)).find(({ invitation }) => invitation.id === id);
    if (!own) throw new NotFoundError();
    return own;
  }

  /** The invitation behind a mailed token. @throws NotFoundError, also for one to another address */
  async open(user: UserRecord, token: string): Promise<InvitationToTeam> {
    const tokenHash = hashOfToken(token);
    const found = tokenHash && (await invitationRecord.find(this.parts.database, { tokenHash }, { only: ['id'] }));
    if (!found) throw new NotFoundError();
    return this.findOwn(user, found.id);
  }

  /** @returns the team. @throws NotFoundError once it is over, ConflictError for a full team */
  accept(user: UserRecord, { invitation: { id }, team }: InvitationToTeam): Promise<TeamRecord> {
    const { database, clock, members } = this.parts;
    return database.transaction(async (transaction) => {
      const present = await userRecord.require(database, { id: user.id }, { transaction, lock: true });
      const invitation = await this.lockOwn(present, id, transaction);
      const values = { state: 'accepted', updatedAt: nextVersion(clock.now(), invitation) } as const;
      await invitationRecord.update(database, { id }, values, transaction);
      await members.add(team, present, invitation.role, transaction);
      return teamRecord.require(database, { id: team.id }, { transaction });
    });
  }

  /** @throws NotFoundError once it is over */
  async decline(user: UserRecord, { invitation: { id }, team }: InvitationToTeam): Promise<void> {
    await this.parts.database.transaction(async (transaction) => {
      await this.end(team, await this.lockOwn(user, id, transaction), 'declined', transaction);
    });
  }

  private async end(
    team: TeamRecord,
    invitation: InvitationRecord,
    state: 'withdrawn' | 'declined',
    transaction: Transaction,
  ): Promise<void> {
    const { database, events, clock } = this.parts;
    const { id, role } = invitation;
    const now = clock.now();
    await invitationRecord.update(database, { id }, { state, updatedAt: nextVersion(now, invitation) }, transaction);
    const fact = { team, invitationId: id, role, state, occurredAt: now };
    await events.emit(new TeamInvitationEndedEvent(fact), transaction);
  }

  /** @throws ConflictError for one that was answered or withdrawn */
  private async lock(id: number, transaction: Transaction): Promise<InvitationRecord> {
    const present = await invitationRecord.require(this.parts.database, { id }, { transaction, lock: true });
    if (present.state === 'pending') return present;
    throw new ConflictError({ errors: { invitation: ['This invitation is over. Invite again.'] } });
  }

  private async lockOwn(user: UserRecord, id: number, transaction: Transaction): Promise<InvitationRecord> {
    const { database, clock } = this.parts;
    const where = { id, email: user.email, ...openInvitations(clock.now()) };
    if (user.emailVerifiedAt === null) throw new NotFoundError();
    return invitationRecord.require(database, where, { transaction, lock: true });
  }

  // An address that got too many mails lately gets none, and who invites does not learn it.
  private async tell(
    team: TeamRecord,
    id: number,
    { token, locale, mayMail }: { readonly token: string; readonly locale: string; readonly mayMail: boolean },
    transaction: Transaction,
  ): Promise<InvitationRecord> {
    const { database, events, mail, page, config, clock } = this.parts;
    const invitation = await invitationRecord.require(database, { id }, { transaction });
    const { email: to, role, invitedBy } = invitation;
    const inviter = invitedBy === null ? null : await userRecord.find(database, { id: invitedBy }, { transaction });
    const by = inviter ? fullName(inviter) : null;
    const values = {
      team: team.name,
      by,
      url: page(token),
      days: Math.max(1, Math.floor(config.invitations / 86_400)),
    };
    if (mayMail) {
      await mail.queue({ template: 'team-invitation', to, isUnproved: true, locale, values }, transaction);
    }
    const fact = { team, invitationId: id, role, occurredAt: clock.now() };
    await events.emit(new TeamInvitationSentEvent(fact), transaction);
    return invitation;
  }

  private async refuseMember({ id: teamId }: TeamRecord, email: string): Promise<void> {
    const { database } = this.parts;
    const user = await userRecord.find(database, { email }, { only: ['id'] });
    // Members see each other's addresses; nobody learns of an account that is not in the team.
    if (!user || !(await memberRecord.has(database, { teamId, userId: user.id }))) return;
    throw new ConflictError({ errors: { email: ['They are in the team already.'] } });
  }

  private async requireRoom({ id: teamId }: TeamRecord, now: Date, transaction: Transaction): Promise<void> {
    const open = { teamId, state: 'pending', expiresAt: { [Op.gt]: now } } as const;
    if ((await invitationRecord.count(this.parts.database, open, transaction)) < MOST_OPEN) return;
    throw new ConflictError({ errors: { email: [`A team has at most ${MOST_OPEN} open invitations.`] } });
  }

  // Who was there when the request came may have gone, or lost the role, meanwhile. The team is locked.
  private async requirePresent({ member }: NonNullable<MemberManager>, role: string, transaction: Transaction) {
    const where = { teamId: member.teamId, userId: member.userId };
    const present = await memberRecord.require(this.parts.database, where, { transaction, lock: true });
    if (!this.parts.roles.may(present.role, MANAGE)) throw new ForbiddenError();
    this.requireReach({ member: present }, role);
  }

  private requireReach(by: MemberManager, role: string): void {
    if (by && !this.parts.roles.covers(by.member.role, role)) throw new ForbiddenError();
  }
}
