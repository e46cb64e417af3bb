import type { Transaction } from '../../database/index.js';
import {
  UserDeletedEvent,
  UserDeletingEvent,
  UserDisablingEvent,
  UserStatusChangedEvent,
  UserUpdatedEvent,
  type UserRecord,
} from '../accounts/index.js';
import type { AppServices } from '../apps/index.js';
import type { MailQueue } from '../../mail/index.js';
import type { RequestLimits } from '../auth/index.js';
import { CodeService } from './code-service.js';
import { DomainService } from './domain-service.js';
import { TeamDeletedEvent, TeamMemberJoinedEvent, TeamMemberLeftEvent, TeamMemberRoleChangedEvent } from './events.js';
import { InvitationService } from './invitation-service.js';
import { KeySights } from './key-sights.js';
import { MemberService } from './member-service.js';
import { Recipients } from './recipients.js';
import { RequestService } from './request-service.js';
import { TeamRoles } from './roles.js';
import { memberRecord, teamRecord, type TeamRecord } from './team.js';
import { TeamService, type TeamParts } from './team-service.js';

export interface TeamServices {
  readonly teams: TeamService;
  readonly members: MemberService;
  readonly invitations: InvitationService;
  readonly domains: DomainService;
  readonly requests: RequestService;
  readonly codes: CodeService;
  readonly sights: KeySights;
  readonly roles: TeamRoles;
  readonly recipients: Recipients;
}

interface TeamServicesParts extends Omit<TeamParts, 'roles'> {
  readonly mail: MailQueue;
  readonly limits: Pick<RequestLimits, 'mayMail' | 'countTeamCodes'>;
  readonly defaultLocale: string;
  /** Absolute URL of a page of the theme. */
  readonly page: (path: string) => string;
}

/** Builds the domain's services and keeps teams in step with the accounts. @throws DeclarationError for unusable roles */
export function createTeamServices({ page, ...rest }: TeamServicesParts): TeamServices {
  const roles = new TeamRoles(rest.config.roles);
  const parts = { ...rest, roles };
  const members = new MemberService(parts);
  const sights = new KeySights(parts);
  sights.listen();
  const pageOf = (token: string) => page(`/teams/invitation/${token}`);
  const invitations = new InvitationService({ ...parts, members, page: pageOf });
  endInvitations(rest, invitations);
  return {
    ...{ teams: new TeamService(parts), members, roles, recipients: new Recipients(parts), sights },
    invitations,
    domains: new DomainService(parts),
    requests: new RequestService({ ...parts, members }),
    codes: new CodeService({ ...parts, members }),
  };
}

/** Invitations hold as long as whoever sent them may give the role, so that nobody who was removed comes back by one. */
function endInvitations({ events, database }: Pick<TeamParts, 'events' | 'database'>, invitations: InvitationService) {
  events.within(TeamMemberLeftEvent, ({ team, userId }, transaction) =>
    invitations.endSentBy(team, userId, null, transaction),
  );
  events.within(TeamMemberRoleChangedEvent, ({ team, userId, role }, transaction) =>
    invitations.endSentBy(team, userId, role, transaction),
  );
  events.within(UserDeletedEvent, async ({ user }, transaction) => {
    const seats = await memberRecord.findAll(database, { userId: user.id }, { transaction, only: ['teamId'] });
    const teams = await teamRecord.findAll(database, { id: seats.map(({ teamId }) => teamId) }, { transaction });
    for (const team of teams) await invitations.endSentBy(team, user.id, null, transaction);
  });
}

/**
 * Refuses to disable or delete the last owner of a team: to be told before the apps, whose keys close first. The second
 * time, in the transaction of the change, is what holds: meanwhile another owner may have left.
 */
export function guardLastOwners({ events }: Pick<TeamParts, 'events'>, { members }: TeamServices): void {
  const refuse = (user: UserRecord, field: string, transaction?: Transaction) =>
    members.requireNoLastOwner(user.id, field, transaction);
  events.within(UserDisablingEvent, ({ user }) => refuse(user, 'status'));
  events.within(UserDeletingEvent, ({ user }) => refuse(user, 'teams'));
  events.within(UserStatusChangedEvent, async ({ user, before }, transaction) => {
    if (before === 'active') await refuse(user, 'status', transaction);
  });
  events.within(UserDeletedEvent, ({ user }, transaction) => refuse(user, 'teams', transaction));
}

/**
 * Has a gateway that keeps teams told who is in them. What changes with a person, their address and whether they can sign in, is
 * told a little later.
 */
export function tellGatewayOfMembers(
  { events }: Pick<TeamParts, 'events'>,
  { recipients }: Pick<TeamServices, 'recipients'>,
  introductions: Pick<AppServices['introductions'], 'note' | 'follow'>,
): void {
  for (const type of [TeamMemberJoinedEvent, TeamMemberRoleChangedEvent, TeamMemberLeftEvent]) {
    events.within(type, ({ team }, transaction) => introductions.note([team.accountId], transaction));
    events.on(type, ({ team }) => introductions.follow(team.accountId));
  }
  const noteTeamsOf = async ({ id }: UserRecord, transaction: Transaction): Promise<void> => {
    const teams = await recipients.teamsOf(id, transaction);
    await introductions.note(
      teams.map(({ accountId }) => accountId),
      transaction,
    );
  };
  events.within(UserUpdatedEvent, async ({ user, changes }, transaction) => {
    if ('email' in changes) await noteTeamsOf(user, transaction);
  });
  events.within(UserStatusChangedEvent, ({ user }, transaction) => noteTeamsOf(user, transaction));
  events.within(UserDeletedEvent, ({ user }, transaction) => noteTeamsOf(user, transaction));
}

/**
 * Ends offers of a team's apps to somebody who left the team or may hand over none any more, and to their other teams: what they
 * offered themselves they do not take after they went.
 */
export function endOffers(
  { events }: Pick<TeamParts, 'events'>,
  { recipients, roles }: Pick<TeamServices, 'recipients' | 'roles'>,
  transfers: Pick<AppServices['transfers'], 'endBetween'>,
): void {
  const end = async ({ accountId }: TeamRecord, userId: number, transaction: Transaction): Promise<void> => {
    const theirs = await recipients.accountsOf(userId, 'app.create', transaction);
    await transfers.endBetween(accountId, theirs, { type: 'system', id: null }, transaction);
  };
  events.within(TeamMemberLeftEvent, ({ team, userId }, transaction) => end(team, userId, transaction));
  events.within(TeamMemberRoleChangedEvent, async ({ team, userId, before, role }, transaction) => {
    if (roles.may(before, 'app.transfer') && !roles.may(role, 'app.transfer')) await end(team, userId, transaction);
  });
}

/** A team goes with its account, in the same transaction. */
export function listenToAccounts({ events, database, clock }: Pick<TeamParts, 'events' | 'database' | 'clock'>): void {
  events.within(UserDeletedEvent, async ({ user }, transaction) => {
    const team = await teamRecord.find(database, { accountId: user.id }, { transaction });
    if (!team) return;
    await events.emit(new TeamDeletedEvent({ team, occurredAt: clock.now() }), transaction);
    await teamRecord.remove(database, { id: team.id }, transaction);
  });
}
