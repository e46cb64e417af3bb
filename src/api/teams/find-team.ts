import type { ConsumerActor } from '../../domain/auth/index.js';
import type { InvitationRecord, TeamAbility, TeamMember, TeamRecord, TeamSeat } from '../../domain/teams/index.js';
import type { PathContext } from '../define-route.js';
import type { InvitationParams, MemberParams, TeamParams } from './team-schema.js';

type MemberContext<Params> = PathContext<Params> & { readonly actor: ConsumerActor };

/**
 * Finds the team that a path names, for a member who may do something in it.
 * @throws NotFoundError for somebody who is not in it, as for a team that does not exist; ForbiddenError for a role without the ability
 */
export function seatWith(ability: TeamAbility) {
  return ({ services, actor, params }: MemberContext<TeamParams>): Promise<TeamSeat> =>
    services.teams.teams.requireSeat(actor.id, params.team, ability);
}

/** The same with one of its members. */
export function memberWith(ability: TeamAbility) {
  return async (request: MemberContext<MemberParams>): Promise<TeamSeat & { readonly other: TeamMember }> => {
    const seat = await seatWith(ability)(request);
    return { ...seat, other: await request.services.teams.members.find(seat.team, request.params.member) };
  };
}

/** The same with one of its invitations. */
export function invitationWith(ability: TeamAbility) {
  return async (
    request: MemberContext<InvitationParams>,
  ): Promise<TeamSeat & { readonly invitation: InvitationRecord }> => {
    const seat = await seatWith(ability)(request);
    return { ...seat, invitation: await request.services.teams.invitations.find(seat.team, request.params.invitation) };
  };
}

/** For admins. @throws NotFoundError */
export function findTeam({ services, params }: PathContext<TeamParams>): Promise<TeamRecord> {
  return services.teams.teams.find(params.team);
}
