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

/** Without the address, which belongs to no account yet. */
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

/** A mail domain was listed, changed or taken off: who has a proved address there may ask to be in the team, or join. */
export class TeamDomainsChangedEvent extends defineEvent(TeamEvent, 'team.domains_changed', {
  fields: {
    domain: eventField<string>(),
    /** `ask` or `join`; null if it was not listed before. */
    before: eventField<string | null>(),
    /** null if it is no longer listed. */
    after: eventField<string | null>(),
    role: eventField<string>(),
  },
  changes: ({ domain, before, after, role }) => ({
    domain: [domain, domain],
    mode: [before, after],
    role: [null, role],
  }),
}) {}

const aboutRequest = { userId: eventField<number>(), state: eventField<string>() };

/** Somebody with an address of a domain of the team asked to be in it, or came in by it. */
export class TeamJoinAskedEvent extends defineEvent(TeamEvent, 'team.join_asked', {
  fields: aboutRequest,
  changes: ({ userId, state }) => ({ person: [null, userId], state: [null, state] }),
}) {}

/** Such a request was accepted, declined or withdrawn. */
export class TeamJoinAnsweredEvent extends defineEvent(TeamEvent, 'team.join_answered', {
  fields: aboutRequest,
  changes: ({ userId, state }) => ({ person: [userId, userId], state: ['pending', state] }),
}) {}

/** Never the code itself. */
const aboutCode = { codeId: eventField<number>(), role: eventField<string>() };

/** An admin made a code that lets people into the team. */
export class TeamCodeCreatedEvent extends defineEvent(TeamEvent, 'team.code_created', {
  fields: aboutCode,
  changes: ({ codeId, role }) => ({ code: [null, codeId], role: [null, role] }),
}) {}

/** The code was revoked and admits nobody any more. */
export class TeamCodeRevokedEvent extends defineEvent(TeamEvent, 'team.code_revoked', {
  fields: aboutCode,
  changes: ({ codeId }) => ({ code: [codeId, null] }),
}) {}

/** A developer joined the team by a code. */
export class TeamCodeUsedEvent extends defineEvent(TeamEvent, 'team.code_used', {
  fields: { ...aboutCode, userId: eventField<number>() },
  changes: ({ codeId, userId }) => ({ code: [codeId, codeId], person: [null, userId] }),
}) {}
