import { invitationState, type InvitationToTeam, type TeamAbility, type TeamSeat } from '../../domain/teams/index.js';
import { pageLinks, pageQuery } from '../format/paging.js';
import { View, type FormState } from '../page.js';
import { numberOf, type DeveloperVisit } from './show-app.js';

const PER_PAGE = 50;
/** Invitations that the page of a team shows, newest first. */
const MOST_INVITATIONS = 50;

/**
 * The place of the developer in the team of the path.
 * @throws NotFoundError for who is not in it, ForbiddenError for a role without the ability
 */
export function ownSeat({ services, actor, params }: DeveloperVisit, ability?: TeamAbility): Promise<TeamSeat> {
  return services.teams.teams.requireSeat(actor.id, numberOf(params.team), ability);
}

/** What every page of a team shows: the team, the role of the reader, and what they may do. */
export function teamValues({ team, member, abilities }: TeamSeat, state?: FormState) {
  const { errors = {}, problem = null, old = {}, retryAfter = null } = state ?? {};
  const can = {
    update: abilities.has('team.update'),
    delete: abilities.has('team.delete'),
    seeMembers: abilities.has('team.members.view'),
    members: abilities.has('team.members.manage'),
    apps: abilities.has('app.view'),
  };
  return { team, role: member.role, can, errors, problem, old, retryAfter };
}

/** The names of roles in the language of the page; those of the host are their own names. */
export async function roleChoices(visit: DeveloperVisit, { member }: TeamSeat) {
  const { roles } = visit.services.teams;
  const words = await visit.words('teams');
  return roles.names
    .filter((name) => roles.covers(member.role, name))
    .map((value) => ({ value, label: words[`role.${value}`] ?? value }));
}

/** Who is in a team, and who is invited, with the forms that the reader's role may send. */
export async function showTeam(visit: DeveloperVisit, state?: FormState): Promise<View> {
  const seat = await ownSeat(visit);
  const [members, invitations, choices] = await Promise.all([
    membersOf(visit, seat),
    invitationsOf(visit, seat),
    roleChoices(visit, seat),
  ]);
  const values = { ...teamValues(seat, state), ...members, invitations, choices };
  return new View('teams/show', values, { heading: seat.team.name, status: state?.status ?? 200 });
}

async function membersOf({ services, actor, request }: DeveloperVisit, { team, member, abilities }: TeamSeat) {
  if (!abilities.has('team.members.view')) return { members: [], total: 0, paging: {} };
  const { members, roles } = services.teams;
  const page = await members.list(team, pageQuery(request, PER_PAGE, { orderBy: 'created_at', direction: 'ASC' }));
  const manages = abilities.has('team.members.manage');
  const shown = page.items.map(({ userId, email, firstName, lastName, role }) => {
    const isSelf = userId === actor.id;
    // Nobody changes who may do more, and leaving is how one removes oneself.
    return {
      ...{ userId, email, firstName, lastName, role, isSelf },
      mayChange: manages && roles.covers(member.role, role),
    };
  });
  return { members: shown, total: page.total ?? shown.length, paging: pageLinks(request, page) };
}

async function invitationsOf({ services }: DeveloperVisit, { team, member, abilities }: TeamSeat) {
  if (!abilities.has('team.members.manage')) return [];
  const newest = { page: 1, perPage: MOST_INVITATIONS, orderBy: 'created_at', direction: 'DESC', with: [] } as const;
  const filters = [{ field: 'state', operator: 'eq', value: 'pending' }] as const;
  const { items } = await services.teams.invitations.list(team, { ...newest, filters });
  const now = services.clock.now();
  return items.map((invitation) => {
    const { id, email, role, expiresAt } = invitation;
    const isExpired = invitationState(invitation, now) === 'expired';
    return { ...{ id, email, role, expiresAt, isExpired }, mayResend: services.teams.roles.covers(member.role, role) };
  });
}

/** Name and description of a team, and its end. */
export async function showTeamSettings(visit: DeveloperVisit, state?: FormState): Promise<View> {
  const seat = await ownSeat(visit, 'team.update');
  const { name, description } = seat.team;
  const values = { ...teamValues(seat, state), texts: { name, description, ...state?.old } };
  return new View('teams/settings', values, { heading: seat.team.name, status: state?.status ?? 200 });
}

export function presentInvitation({ invitation, team }: InvitationToTeam) {
  const { id, role, expiresAt } = invitation;
  return { id, role, expiresAt, team: team.name };
}
