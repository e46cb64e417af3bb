import { NotFoundError } from '../../core/index.js';
import type { InvitationToTeam, TeamSeat } from '../../domain/teams/index.js';
import { definePage, Redirect, View, type FormState, type Page } from '../page.js';
import type { DeveloperVisit } from './show-app.js';
import { numberOf } from './show-webhook.js';

const ALL = '/teams';
/** As many members as a page of a list has at most. */
const SHOWN = 100;

const get = (path: string, handle: (visit: DeveloperVisit) => Promise<View>): Page =>
  definePage({ method: 'get', path, audience: 'developers', handle });

/** A form on the page of all teams, or on that of one: what is refused is told there. */
const post = (path: string, handle: (visit: DeveloperVisit) => Promise<Redirect>, retry: typeof listTeams): Page =>
  definePage({ method: 'post', path, audience: 'developers', handle, retry });

/** The teams of a developer, and the answer to an invitation. Who is in a team is changed over REST and in the console. */
export const teamPages = [
  get(ALL, (visit) => listTeams(visit)),
  // Before the page of one team.
  get(`${ALL}/invitation/:token`, showInvitation),
  post(
    `${ALL}/invitations/:invitation/accept`,
    async (visit) => {
      const team = await visit.services.teams.invitations.accept(visit.actor.user, await ownInvitation(visit));
      return new Redirect(`${ALL}/${team.id}`, 'team-joined');
    },
    listTeams,
  ),
  post(
    `${ALL}/invitations/:invitation/decline`,
    async (visit) => {
      await visit.services.teams.invitations.decline(visit.actor.user, await ownInvitation(visit));
      return new Redirect(ALL, 'team-declined');
    },
    listTeams,
  ),
  get(`${ALL}/:team`, (visit) => showTeam(visit)),
  post(
    `${ALL}/:team/leave`,
    async (visit) => {
      const seat = await ownSeat(visit);
      await visit.services.teams.members.remove(seat.team, visit.actor.id, seat);
      return new Redirect(ALL, 'team-left');
    },
    showTeam,
  ),
];

function ownSeat({ services, actor, params }: DeveloperVisit): Promise<TeamSeat> {
  return services.teams.teams.requireSeat(actor.id, numberOf(params.team));
}

function ownInvitation({ services, actor, params }: DeveloperVisit): Promise<InvitationToTeam> {
  return services.teams.invitations.findOwn(actor.user, numberOf(params.invitation));
}

async function listTeams({ services, actor }: DeveloperVisit, state?: FormState): Promise<View> {
  const { teams, invitations } = services.teams;
  const [seats, invited] = await Promise.all([teams.seatsOf(actor.id), invitations.listOwn(actor.user)]);
  const counts = await teams.countParts(seats.map(({ team }) => team));
  const values = {
    seats: seats.map(({ team, member }) => ({
      ...team,
      role: member.role,
      members: counts.get(team.id)?.members ?? 0,
    })),
    invitations: invited.map(presentInvitation),
    ...told(state),
  };
  return new View('teams/index', values, { title: 'teams.title', status: state?.status ?? 200 });
}

/** The link of a mail. One for another address, or one that is over, says the same. */
async function showInvitation({ services, actor, params }: DeveloperVisit): Promise<View> {
  const found = await services.teams.invitations.open(actor.user, params.token ?? '').catch((error: unknown) => {
    if (error instanceof NotFoundError) return null;
    throw error;
  });
  const values = { invitation: found && presentInvitation(found), email: actor.user.email };
  return new View('teams/invitation', values, { title: 'teams.invitation', status: found ? 200 : 404 });
}

async function showTeam(visit: DeveloperVisit, state?: FormState): Promise<View> {
  const { team, member } = await ownSeat(visit);
  const first = { page: 1, perPage: SHOWN, direction: 'ASC', orderBy: 'created_at', with: [], filters: [] } as const;
  const { items, total } = await visit.services.teams.members.list(team, first);
  const values = { team, role: member.role, members: items, total: total ?? items.length, ...told(state) };
  return new View('teams/show', values, { heading: team.name, status: state?.status ?? 200 });
}

const told = (state?: FormState) => ({ errors: state?.errors ?? {}, problem: state?.problem ?? null });

function presentInvitation({ invitation, team }: InvitationToTeam) {
  const { id, role, expiresAt } = invitation;
  return { id, role, expiresAt, team: team.name };
}
