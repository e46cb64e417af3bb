import { NotFoundError } from '../../core/index.js';
import type { InvitationToTeam, TeamAbility, TeamSeat } from '../../domain/teams/index.js';
import { field } from '../form.js';
import { definePage, Redirect, View, type FormState, type Page } from '../page.js';
import { requireFields } from './account-forms.js';
import { numberOf, type DeveloperVisit } from './show-app.js';
import { ownSeat, presentInvitation, showTeam, showTeamSettings } from './show-team.js';

const ALL = '/teams';
const ONE = `${ALL}/:team`;
const MEMBER = `${ONE}/members/:member`;
const INVITATION = `${ONE}/invitations/:invitation`;

type Show = (visit: DeveloperVisit, state?: FormState) => Promise<View>;
type Act = (visit: DeveloperVisit, seat: TeamSeat) => Promise<Redirect>;

const get = (path: string, handle: (visit: DeveloperVisit) => Promise<View>): Page =>
  definePage({ method: 'get', path, audience: 'developers', handle });

/** A form; what is refused is told on the page that it is on. */
const post = (path: string, handle: (visit: DeveloperVisit) => Promise<Redirect>, retry: Show): Page =>
  definePage({ method: 'post', path, audience: 'developers', handle, retry });

/** A form of a team: the same ability as the route of the API that does the same. */
const postTo = (path: string, ability: TeamAbility, act: Act, retry: Show = showTeam): Page =>
  post(path, async (visit) => act(visit, await ownSeat(visit, ability)), retry);

const listPages = [
  get(ALL, (visit) => listTeams(visit)),
  // Before the page of one team.
  get(`${ALL}/create`, (visit) => showForm(visit)),
  post(
    ALL,
    async (visit) => {
      requireFields(visit.request, ['name']);
      const { id } = await visit.services.teams.teams.create(typedTeam(visit), visit.actor.id, 'developer');
      return new Redirect(`${ALL}/${id}`, 'team-created');
    },
    showForm,
  ),
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
];

const recordPages = [
  get(ONE, (visit) => showTeam(visit)),
  postTo(`${ONE}/leave`, 'team.view', async ({ services, actor }, seat) => {
    await services.teams.members.remove(seat.team, actor.id, seat);
    return new Redirect(ALL, 'team-left');
  }),
  get(`${ONE}/settings`, (visit) => showTeamSettings(visit)),
  postTo(
    `${ONE}/settings`,
    'team.update',
    async (visit, { team }) => {
      requireFields(visit.request, ['name']);
      await visit.services.teams.teams.update(team.id, typedTeam(visit));
      return new Redirect(`${ALL}/${team.id}/settings`, 'team-saved');
    },
    showTeamSettings,
  ),
  postTo(
    `${ONE}/delete`,
    'team.delete',
    async ({ services }, { team }) => {
      await services.teams.teams.delete(team.id);
      return new Redirect(ALL, 'team-deleted');
    },
    showTeamSettings,
  ),
];

const peoplePages = [
  postTo(`${MEMBER}/role`, 'team.members.manage', async (visit, seat) => {
    const userId = numberOf(visit.params.member);
    await visit.services.teams.members.setRole(seat.team, userId, field(visit.request, 'role'), seat);
    return backTo(seat, 'team-role');
  }),
  postTo(`${MEMBER}/remove`, 'team.members.manage', async (visit, seat) => {
    await visit.services.teams.members.remove(seat.team, numberOf(visit.params.member), seat);
    return backTo(seat, 'team-removed');
  }),
  postTo(`${ONE}/invitations`, 'team.members.manage', async (visit, seat) => {
    requireFields(visit.request, ['email']);
    const input = { email: field(visit.request, 'email'), role: field(visit.request, 'role') };
    await visit.services.teams.invitations.invite(senderOf(visit, seat), input);
    return backTo(seat, 'team-invited');
  }),
  postTo(`${INVITATION}/resend`, 'team.members.manage', async (visit, seat) => {
    const { invitations } = visit.services.teams;
    const invitation = await invitations.find(seat.team, numberOf(visit.params.invitation));
    await invitations.resend(senderOf(visit, seat), invitation);
    return backTo(seat, 'team-invited');
  }),
  postTo(`${INVITATION}/withdraw`, 'team.members.manage', async (visit, seat) => {
    const { invitations } = visit.services.teams;
    await invitations.withdraw(seat.team, await invitations.find(seat.team, numberOf(visit.params.invitation)));
    return backTo(seat, 'team-withdrawn');
  }),
];

/** Teams on pages: all that `/me/teams` of the REST API can do about the people in them, by the same table of roles. */
export const teamPages = [...listPages, ...recordPages, ...peoplePages];

const senderOf = ({ locale }: DeveloperVisit, by: TeamSeat) => ({ team: by.team, by, locale });
const backTo = ({ team }: TeamSeat, flash: string) => new Redirect(`${ALL}/${team.id}`, flash);

function ownInvitation({ services, actor, params }: DeveloperVisit): Promise<InvitationToTeam> {
  return services.teams.invitations.findOwn(actor.user, numberOf(params.invitation));
}

function typedTeam({ request }: DeveloperVisit) {
  return { name: field(request, 'name').trim(), description: field(request, 'description').trim() };
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
    isOpen: teams.isOpen,
    ...{ errors: state?.errors ?? {}, problem: state?.problem ?? null },
  };
  return new View('teams/index', values, { title: 'teams.title', status: state?.status ?? 200 });
}

/** Only where developers make teams: elsewhere there is no such page. */
function showForm({ services }: DeveloperVisit, state?: FormState): Promise<View> {
  if (!services.teams.teams.isOpen) throw new NotFoundError();
  const { errors = {}, problem = null, old = {}, status = 200, retryAfter = null } = state ?? {};
  const values = { errors, problem, old, retryAfter };
  return Promise.resolve(new View('teams/create', values, { title: 'teams.create', status }));
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
