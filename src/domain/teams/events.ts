import { defineEvent, defineEventBase, eventField, tellCreation, tellDeletion, withChanges } from '../../core/index.js';
import type { TeamRecord } from './team.js';

const TeamEvent = defineEventBase(
  {
    /** After the change, or before a deletion. */
    team: eventField<TeamRecord>(),
  },
  {
    subject: ({ team }) => ({ type: 'team', id: team.id, label: team.name }),
    owner: ({ team }) => team.accountId,
  },
);

export class TeamCreatedEvent extends defineEvent(TeamEvent, 'team.created', tellCreation('team')) {}

/** Name, description, state or limits changed. */
export class TeamUpdatedEvent extends defineEvent(TeamEvent, 'team.updated', withChanges) {}

export class TeamDeletedEvent extends defineEvent(TeamEvent, 'team.deleted', tellDeletion('team')) {}

const aboutMember = { userId: eventField<number>(), role: eventField<string>() };

/** Somebody is in the team from now on: they made it, were invited, or were put in by an admin. */
export class TeamMemberJoinedEvent extends defineEvent(TeamEvent, 'team.member_joined', {
  fields: aboutMember,
  changes: ({ userId, role }) => ({ member: [null, userId], role: [null, role] }),
}) {}

export class TeamMemberRoleChangedEvent extends defineEvent(TeamEvent, 'team.member_role_changed', {
  fields: { ...aboutMember, before: eventField<string>() },
  changes: ({ userId, before, role }) => ({ member: [userId, userId], role: [before, role] }),
}) {}

/** Somebody left, or was removed. */
export class TeamMemberLeftEvent extends defineEvent(TeamEvent, 'team.member_left', {
  fields: aboutMember,
  changes: ({ userId, role }) => ({ member: [userId, null], role: [role, null] }),
}) {}

/** Without the address: it is nobody's account yet. */
const aboutInvitation = { invitationId: eventField<number>(), role: eventField<string>() };

/** Somebody was invited by mail, or invited again. */
export class TeamInvitationSentEvent extends defineEvent(TeamEvent, 'team.invitation_sent', {
  fields: aboutInvitation,
  changes: ({ invitationId, role }) => ({ invitation: [null, invitationId], role: [null, role] }),
}) {}

/** An invitation will not be accepted: it was withdrawn, or declined. */
export class TeamInvitationEndedEvent extends defineEvent(TeamEvent, 'team.invitation_ended', {
  fields: { ...aboutInvitation, state: eventField<string>() },
  changes: ({ invitationId, state }) => ({ invitation: [invitationId, null], state: ['pending', state] }),
}) {}
