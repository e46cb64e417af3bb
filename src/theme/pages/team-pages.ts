import { NotFoundError } from '../../core/index.js';
import type { InvitationToTeam } from '../../domain/teams/index.js';
import { field, listField } from '../form.js';
import { Redirect, View, type FormState } from '../page.js';
import { requireFields } from './account-forms.js';
import { parseId, type DeveloperVisit } from './show-app.js';
import {
  presentInvitationToTeam,
  showTeam,
  showTeamActivity,
  showTeamNotifications,
  showTeamSettings,
} from './show-team.js';
import { get, peoplePages, post, postTo, requestPages, turnOffWebhooks } from './team-people.js';

const ALL = '/teams';
const ONE = `${ALL}/:team`;

const listPages = [
  get(ALL, (visit) => listTeams(visit)),
  // Before the page of one team.
  get(`${ALL}/create`, (visit) => showForm(visit)),
  post(
    ALL,
    async (visit) => {
      requireFields(visit.request, ['name']);
      const { id } = await visit.services.teams.teams.create(readTeam(visit), visit.actor.id, 'developer');
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
  postTo(`${ONE}/leave`, 'team.view', async (visit, seat) => {
    await visit.services.teams.members.remove(seat.team, visit.actor.id, seat);
    await turnOffWebhooks(visit, seat, seat.member);
    return new Redirect(ALL, 'team-left');
  }),
  get(`${ONE}/activity`, showTeamActivity),
  get(`${ONE}/notices`, (visit) => showTeamNotifications(visit)),
  postTo(
    `${ONE}/notices`,
    'team.view',
    async ({ services, request }, seat) => {
      const kept = listField(request, 'kinds');
      const offered = services.teams.recipients.noticesOf(seat.member.role);
      // What the page did not offer stays as it is.
      const beside = seat.member.muted.filter((kind) => !offered.includes(kind));
      await services.teams.members.mute(seat, [...beside, ...offered.filter((kind) => !kept.includes(kind))]);
      return new Redirect(`${ALL}/${seat.team.id}/notices`, 'team-notices');
    },
    showTeamNotifications,
  ),
  get(`${ONE}/settings`, (visit) => showTeamSettings(visit)),
  postTo(
    `${ONE}/settings`,
    'team.update',
    async (visit, { team }) => {
      requireFields(visit.request, ['name']);
      await visit.services.teams.teams.update(team.id, readTeam(visit));
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

const joiningPages = [
  post(
    `${ALL}/ask`,
    async ({ services, actor, request }) => {
      const { request: own, team } = await services.teams.requests.ask(actor.user, parseId(field(request, 'team')));
      if (own.state === 'accepted') return new Redirect(`${ALL}/${team.id}`, 'team-joined');
      return new Redirect(ALL, 'team-asked');
    },
    listTeams,
  ),
  post(
    `${ALL}/ask/:request/withdraw`,
    async ({ services, actor, params }) => {
      const { requests } = services.teams;
      const own = await requests.findOwn(actor.user, parseId(params.request));
      await requests.withdraw(own.team, own.request);
      return new Redirect(ALL, 'team-unasked');
    },
    listTeams,
  ),
  // The code stands in no address, where a log or a referrer would keep it.
  get(`${ALL}/code`, (visit) => showCodeForm(visit)),
  post(
    `${ALL}/code`,
    async (visit) => {
      requireFields(visit.request, ['code']);
      const team = await visit.services.teams.codes.redeem(visit.actor.user, field(visit.request, 'code'));
      return new Redirect(`${ALL}/${team.id}`, 'team-joined');
    },
    showCodeForm,
  ),
];

/** Teams on pages: all that `/me/teams` of the REST API can do about the people in them, by the same table of roles. */
export const teamPages = [...listPages, ...joiningPages, ...recordPages, ...peoplePages, ...requestPages];

function ownInvitation({ services, actor, params }: DeveloperVisit): Promise<InvitationToTeam> {
  return services.teams.invitations.findOwn(actor.user, parseId(params.invitation));
}

function readTeam({ request }: DeveloperVisit) {
  return { name: field(request, 'name').trim(), description: field(request, 'description').trim() };
}

async function listTeams({ services, actor }: DeveloperVisit, state?: FormState): Promise<View> {
  const { teams, invitations, requests } = services.teams;
  const [seats, invited, offers] = await Promise.all([
    teams.seatsOf(actor.id),
    invitations.listOwn(actor.user),
    requests.offers(actor.user),
  ]);
  const counts = await teams.countParts(seats.map(({ team }) => team));
  const values = {
    seats: seats.map(({ team, member }) => ({
      ...team,
      role: member.role,
      members: counts.get(team.id)?.members ?? 0,
    })),
    invitations: invited.map(presentInvitationToTeam),
    offers: offers
      .filter(({ request }) => request?.state !== 'declined')
      .map(({ team, mode, request }) => ({
        ...{ id: team.id, team: team.name, mode },
        waiting: request?.state === 'pending' ? request.id : null,
      })),
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

function showCodeForm(_visit: DeveloperVisit, state?: FormState): Promise<View> {
  const { errors = {}, problem = null, status = 200, retryAfter = null } = state ?? {};
  const values = { errors, problem, retryAfter };
  return Promise.resolve(new View('teams/code', values, { title: 'teams.code-title', status }));
}

/** The link of a mail. One for another address, or one that is over, says the same. */
async function showInvitation({ services, actor, params }: DeveloperVisit): Promise<View> {
  const found = await services.teams.invitations.open(actor.user, params.token ?? '').catch((error: unknown) => {
    if (error instanceof NotFoundError) return null;
    throw error;
  });
  const values = { invitation: found && presentInvitationToTeam(found), email: actor.user.email };
  return new View('teams/invitation', values, { title: 'teams.invitation', status: found ? 200 : 404 });
}
