export type { TeamsConfig } from './config.js';
export {
  TeamCodeCreatedEvent,
  TeamCodeRevokedEvent,
  TeamCodeUsedEvent,
  TeamCreatedEvent,
  TeamDeletedEvent,
  TeamDomainsChangedEvent,
  TeamInvitationEndedEvent,
  TeamInvitationSentEvent,
  TeamJoinAnsweredEvent,
  TeamJoinAskedEvent,
  TeamMemberJoinedEvent,
  TeamMemberLeftEvent,
  TeamMemberRoleChangedEvent,
  TeamUpdatedEvent,
} from './events.js';
export { invitationList, invitationState, type InvitationRecord } from './invitation.js';
export type { InvitationToTeam } from './invitation-service.js';
export type { KeySights, SeenKey } from './key-sights.js';
export type { MemberService } from './member-service.js';
export type { NewOwners, Recipient, Recipients } from './recipients.js';
export {
  codeList,
  codeState,
  domainList,
  domainOf,
  JOIN_MODES,
  requestList,
  type JoinMode,
  type JoinRequest,
  type TeamCode,
  type TeamDomain,
  type TeamOffer,
} from './joining.js';
export type { OwnJoinRequest } from './request-service.js';
export { TEAM_ABILITIES, type TeamAbility } from './roles.js';
export {
  memberList,
  seatList,
  TEAM_NOTIFICATIONS,
  teamList,
  type TeamMember,
  type TeamNotification,
  type TeamRecord,
  type TeamSeat,
} from './team.js';
export type { TeamCounts } from './team-queries.js';
export type { TeamAdminInput } from './team-service.js';
export {
  createTeamServices,
  endOffers,
  guardLastOwners,
  listenToAccounts,
  tellGatewayOfMembers,
  type TeamServices,
} from './team-services.js';
