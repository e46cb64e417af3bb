import { fullName } from '../../domain/accounts/index.js';
import { maskKey } from '../../domain/apps/index.js';
import type { AudienceReference } from '../../domain/catalog/index.js';
import {
  invitationState,
  type InvitationRecord,
  type InvitationToTeam,
  type SeenKey,
  type TeamCounts,
  type TeamMember,
  type TeamRecord,
  type TeamSeat,
} from '../../domain/teams/index.js';
import type { KnownWebhook } from '../../domain/webhooks/index.js';
import type { PortalServices } from '../../domain/services.js';

type Counts = ReadonlyMap<number, TeamCounts>;

function presentCommon({ id, name, description, status, createdAt, updatedAt }: TeamRecord, counts: Counts) {
  const { members = 0, apps = 0 } = counts.get(id) ?? {};
  return { id, name, description, status, members, apps, created_at: createdAt, updated_at: updatedAt };
}

/** A team as a member sees it. */
export function presentSeat({ team, member, abilities }: TeamSeat, counts: Counts) {
  const own = { role: member.role, abilities: [...abilities], muted: member.muted };
  return { ...presentCommon(team, counts), ...own };
}

export async function presentOneSeat({ teams }: PortalServices, seat: TeamSeat) {
  return presentSeat(seat, await teams.teams.countParts([seat.team]));
}

/** A team as admins see it. */
export function presentAdminTeam(team: TeamRecord, counts: Counts, audiences: readonly AudienceReference[] = []) {
  const { accountId, membersLimit, appsLimit, keysLimit } = team;
  const limits = { members_limit: membersLimit, apps_limit: appsLimit, keys_limit: keysLimit };
  return {
    ...presentCommon(team, counts),
    account_id: accountId,
    ...limits,
    audiences: audiences.map(({ id, name }) => ({ id, name })),
  };
}

export async function presentOneAdminTeam({ teams, catalog }: PortalServices, team: TeamRecord) {
  const audiences = await catalog.userAudiences.of([team.accountId]);
  return presentAdminTeam(team, await teams.teams.countParts([team]), audiences.get(team.accountId));
}

export function presentMember({ userId, email, role, userStatus, createdAt, ...names }: TeamMember) {
  return { id: userId, email, full_name: fullName(names), role, status: userStatus, joined_at: createdAt };
}

export function presentInvitation(invitation: InvitationRecord, now: Date) {
  const { id, email, role, expiresAt, createdAt, updatedAt } = invitation;
  const times = { expires_at: expiresAt, created_at: createdAt, updated_at: updatedAt };
  return { id, email, role, state: invitationState(invitation, now), ...times };
}

export function presentOwnInvitation({ invitation, team: { id, name } }: InvitationToTeam) {
  return { id: invitation.id, team: { id, name }, role: invitation.role, expires_at: invitation.expiresAt };
}

export function presentSeenKey(key: SeenKey) {
  return { ...presentExposedKey(key), seen_by: key.seenBy };
}

export function presentKnownWebhook({ id, host, status, madeBy, isTheirs, secret }: KnownWebhook) {
  return { id, host, status, made_by: madeBy, theirs: isTheirs, secret };
}

export function presentExposedKey({ id, keyHint, app }: SeenKey) {
  return { id, consumer_key: maskKey(keyHint), app: { name: app.name, display_name: app.displayName } };
}
