import { developersOf } from '../../domain/audit-log/index.js';
import { maskKey } from '../../domain/apps/index.js';
import { ForbiddenError, type ListQuery } from '../../core/index.js';
import {
  domainOf,
  invitationState,
  type InvitationToTeam,
  type SeenKey,
  type TeamAbility,
  type TeamMember,
  type TeamRecord,
  type TeamSeat,
} from '../../domain/teams/index.js';
import type { FreshSecret, KnownWebhook, WebhookKnower } from '../../domain/webhooks/index.js';
import { pageLinks, pageQuery } from '../format/paging.js';
import { View, type FormState } from '../page.js';
import { parseId, type DeveloperVisit } from './show-app.js';

/** Seconds that a form offers for replaced keys to work on. */
export const REMOVAL_OVERLAP_S = [0, 3_600, 86_400, 7 * 86_400] as const;
const PER_PAGE = 50;
/** Invitations and requests that the page of a team shows, newest first. */
const MOST_WAITING = 50;
const WAITING: ListQuery = {
  ...{ page: 1, perPage: MOST_WAITING, orderBy: 'created_at', direction: 'DESC', with: [] },
  filters: [{ field: 'state', operator: 'eq', value: 'pending' }],
};

/** New secrets of webhooks, which a page of the team shows in full this once. */
export interface OpenedSecrets {
  readonly team: number;
  readonly fresh: readonly FreshSecret[];
}

/**
 * The place of the developer in the team of the path.
 * @throws NotFoundError for somebody who is not in it, ForbiddenError for a role without the ability
 */
export function ownSeat({ services, actor, params }: DeveloperVisit, ability?: TeamAbility): Promise<TeamSeat> {
  return services.teams.teams.requireSeat(actor.id, parseId(params.team), ability);
}

/** What every page of a team shows: the team, the role of the reader, and what they may do. */
function teamValues({ team, member, abilities }: TeamSeat, state?: FormState) {
  const { errors = {}, problem = null, old = {}, retryAfter = null } = state ?? {};
  const can = {
    update: abilities.has('team.update'),
    delete: abilities.has('team.delete'),
    seeMembers: abilities.has('team.members.view'),
    members: abilities.has('team.members.manage'),
    apps: abilities.has('app.view'),
    webhooks: abilities.has('webhooks.manage'),
    domains: abilities.has('team.domains.manage'),
    activity: abilities.has('team.activity.view'),
    settings: abilities.has('team.update') || abilities.has('team.domains.manage'),
  };
  return { team, role: member.role, can, errors, problem, old, retryAfter };
}

/** The names of roles in the language of the page; those of the host are their own names. */
async function roleChoices(visit: DeveloperVisit, { member }: TeamSeat) {
  const { roles } = visit.services.teams;
  const messages = await visit.words('teams');
  return roles.names
    .filter((name) => roles.covers(member.role, name))
    .map((value) => ({ value, label: messages[`role.${value}`] ?? value }));
}

/** Who is in a team, and who is invited, with the forms that the reader's role may send. */
export async function showTeam(visit: DeveloperVisit, state?: FormState): Promise<View> {
  const { services } = visit;
  const seat = await ownSeat(visit);
  const manages = seat.abilities.has('team.members.manage');
  const [members, invitations, requests, choices, exposed, outside, own] = await Promise.all([
    membersOf(visit, seat),
    invitationsOf(visit, seat),
    requestsOf(visit, seat),
    roleChoices(visit, seat),
    manages ? services.teams.sights.exposed(seat.team) : [],
    manages ? webhooksOutside(visit, seat.team) : [],
    services.webhooks.sights.knownTo(seat.team.accountId, knowerOf(visit, seat.member)),
  ]);
  const values = {
    ...{ ...teamValues(seat, state), ...members, invitations, requests, choices },
    ...{ exposed: exposed.length, outside: outside.length },
    // What goes on being told when the reader leaves.
    ownWebhooks: own.filter(({ isTheirs }) => isTheirs),
  };
  return new View('teams/show', values, { heading: seat.team.name, status: state?.status ?? 200 });
}

/** What a member who is about to be removed knows. @throws NotFoundError for somebody who is not in the team */
export async function showRemoval(visit: DeveloperVisit, state?: FormState): Promise<View> {
  const { services, params } = visit;
  const seat = await ownSeat(visit, 'team.members.manage');
  const other = await services.teams.members.find(seat.team, parseId(params.member));
  const { userId, firstName, lastName, email } = other;
  const seen = await services.teams.sights.seenBy(seat.team, userId);
  const webhooks = await services.webhooks.sights.knownTo(seat.team.accountId, knowerOf(visit, other));
  const values = {
    ...teamValues(seat, state),
    ...{ person: { id: userId, name: `${firstName} ${lastName}`.trim() || email }, keys: seen.map(presentSeenKey) },
    mayRotate: seat.abilities.has('app.keys.rotate'),
    overlaps: REMOVAL_OVERLAP_S,
    webhooks,
    // A leaving member is never told a new secret.
    knowsSecrets: userId !== visit.actor.id && webhooks.some(({ secret }) => secret !== 'unseen'),
    hasOwn: webhooks.some(({ isTheirs }) => isTheirs),
  };
  return new View('teams/remove', values, { title: 'teams.remove-title', status: state?.status ?? 200 });
}

/** A member as far as they may know secrets of webhooks of the team. */
export function knowerOf(
  { services }: DeveloperVisit,
  { userId, role }: Pick<TeamMember, 'userId' | 'role'>,
): WebhookKnower {
  return { userId, maySee: services.teams.roles.may(role, 'webhooks.manage') };
}

async function webhooksOutside({ services }: DeveloperVisit, team: TeamRecord): Promise<KnownWebhook[]> {
  return services.webhooks.sights.knownOutside(team.accountId, await services.teams.members.idsOf(team));
}

/** Keys that somebody knows who is not in the team any more, and webhooks; once, new secrets of these. */
export async function showExposedKeys(visit: DeveloperVisit): Promise<View> {
  const seat = await ownSeat(visit, 'team.members.manage');
  const keys = (await visit.services.teams.sights.exposed(seat.team)).map(presentSeenKey);
  const webhooks = await webhooksOutside(visit, seat.team);
  const opened = (await visit.session.takeShown()) as Partial<OpenedSecrets> | undefined;
  const fresh = opened?.team === seat.team.id ? opened.fresh : [];
  const values = { ...teamValues(seat), keys, webhooks, fresh, mayRotate: seat.abilities.has('app.keys.rotate') };
  return new View('teams/keys', values, { heading: seat.team.name });
}

function presentSeenKey({ id, keyHint, app, seenBy }: SeenKey) {
  return { id, app, masked: maskKey(keyHint), seenBy };
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
  const { items } = await services.teams.invitations.list(team, WAITING);
  const now = services.clock.now();
  return items.map((invitation) => {
    const { id, email, role, expiresAt } = invitation;
    const isExpired = invitationState(invitation, now) === 'expired';
    return { ...{ id, email, role, expiresAt, isExpired }, mayResend: services.teams.roles.covers(member.role, role) };
  });
}

async function requestsOf({ services }: DeveloperVisit, { team, abilities }: TeamSeat) {
  if (!abilities.has('team.members.manage')) return [];
  return (await services.teams.requests.list(team, WAITING)).items;
}

/** Name and description of a team, its mail domains, and its end: what of it the reader's role may change. */
export async function showTeamSettings(visit: DeveloperVisit, state?: FormState): Promise<View> {
  const seat = await ownSeat(visit);
  const { can, ...values } = teamValues(seat, state);
  if (!can.settings) throw new ForbiddenError();
  const { name, description } = seat.team;
  const own = visit.actor.user.emailVerifiedAt === null ? null : domainOf(visit.actor.user.email);
  const domains = can.domains ? await visit.services.teams.domains.listAll(seat.team) : [];
  const choices = can.domains ? await domainRoles(visit, seat) : [];
  const texts = { name, description, ...state?.old };
  return new View(
    'teams/settings',
    {
      ...{ ...values, can, texts, domains, choices, isProved: own !== null },
      own: domains.some(({ domain }) => domain === own) ? null : own,
    },
    { heading: seat.team.name, status: state?.status ?? 200 },
  );
}

/** What the team mails the reader about; the kinds that others of the team are told alone are not offered. */
export async function showTeamNotifications(visit: DeveloperVisit, state?: FormState): Promise<View> {
  const seat = await ownSeat(visit);
  const told = visit.services.teams.recipients.noticesOf(seat.member.role);
  const kinds = told.map((kind) => ({ kind, isOn: !seat.member.muted.includes(kind) }));
  const values = { ...teamValues(seat, state), kinds };
  return new View('teams/notices', values, { heading: seat.team.name, status: state?.status ?? 200 });
}

/** What was done in a team, with the names of its present members alone. */
export async function showTeamActivity(visit: DeveloperVisit): Promise<View> {
  const { services, request } = visit;
  const seat = await ownSeat(visit, 'team.activity.view');
  const query = pageQuery(request, PER_PAGE, { orderBy: 'created_at', direction: 'DESC' });
  const page = await services.activities.log.listOwn(seat.team.accountId, query);
  const names = await services.teams.members.namesOf(seat.team, developersOf(page.items));
  const activities = page.items.map(({ action, actorType, actorId, subjectType, subjectLabel, createdAt }) => ({
    ...{ action, createdAt, subject: subjectType === 'team' || subjectType === 'user' ? null : subjectLabel },
    name: actorType === 'developer' ? names.get(actorId ?? 0) : undefined,
    by: actorType === 'developer' ? 'former' : 'operator',
  }));
  const values = { ...teamValues(seat), activities, paging: pageLinks(request, page) };
  return new View('teams/activity', values, { heading: seat.team.name });
}

/** Who comes in by a domain manages no members. */
async function domainRoles(visit: DeveloperVisit, seat: TeamSeat) {
  const choices = await roleChoices(visit, seat);
  return choices.filter(({ value }) => !visit.services.teams.roles.may(value, 'team.members.manage'));
}

export function presentInvitationToTeam({ invitation, team }: InvitationToTeam) {
  const { id, role, expiresAt } = invitation;
  return { id, role, expiresAt, team: team.name };
}
