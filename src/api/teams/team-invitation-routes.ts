import Joi from 'joi';
import { invitationList } from '../../domain/teams/index.js';
import type { ConsumerActor } from '../../domain/auth/index.js';
import { created, ok, paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { emptyReply } from '../fields.js';
import { invitationWith, seatWith } from './find-team.js';
import { presentInvitation, presentOneSeat, presentOwnInvitation } from './team-presenter.js';
import {
  invitationBody,
  invitationParams,
  invitationReply,
  ownInvitationParams,
  ownInvitationReply,
  teamParams,
  teamReply,
  tokenBody,
} from './team-schema.js';

const ofTeam = { context: 'consumer', tag: 'Teams', path: '/me/teams/:team/invitations', params: teamParams } as const;
const one = { ...ofTeam, path: `${ofTeam.path}/:invitation`, params: invitationParams } as const;

const sendingRoutes = [
  defineRoute({
    ...ofTeam,
    method: 'get',
    operation: 'listTeamInvitations',
    summary: 'List the invitations of a team',
    errors: [403],
    find: seatWith('team.members.manage'),
    list: invitationList.options,
    reply: { 200: Joi.array().items(invitationReply) },
    handle: async ({ services, found, list }) => {
      const now = services.clock.now();
      const page = await services.teams.invitations.list(found.team, list);
      return paginated(mapPage(page, (invitation) => presentInvitation(invitation, now)));
    },
  }),
  defineRoute({
    ...ofTeam,
    method: 'post',
    operation: 'inviteTeamMember',
    localized: true,
    summary: 'Invite somebody by mail',
    description:
      'Only whoever has proved the address may accept, before or after they sign up; the answer does not tell whether they ' +
      'have an account. An earlier invitation to the same address is dead.',
    errors: [403, 409],
    find: seatWith('team.members.manage'),
    body: invitationBody,
    reply: { 201: invitationReply },
    handle: async ({ services, found, body, locale }) => {
      const invitation = await services.teams.invitations.invite({ team: found.team, by: found, locale }, body);
      return created(presentInvitation(invitation, services.clock.now()));
    },
  }),
  defineRoute({
    ...one,
    method: 'get',
    operation: 'getTeamInvitation',
    summary: 'Show an invitation',
    errors: [403],
    find: invitationWith('team.members.manage'),
    reply: { 200: invitationReply },
    handle: ({ services, found }) => presentInvitation(found.invitation, services.clock.now()),
  }),
  defineRoute({
    ...one,
    method: 'post',
    path: `${one.path}/resend`,
    operation: 'resendTeamInvitation',
    localized: true,
    summary: 'Mail an invitation again; the link of before is dead',
    errors: [403, 409],
    find: invitationWith('team.members.manage'),
    reply: { 200: invitationReply },
    handle: async ({ services, found, locale }) => {
      const sender = { team: found.team, by: found, locale };
      const invitation = await services.teams.invitations.resend(sender, found.invitation);
      return presentInvitation(invitation, services.clock.now());
    },
  }),
  defineRoute({
    ...one,
    method: 'delete',
    operation: 'withdrawTeamInvitation',
    summary: 'Withdraw an invitation',
    errors: [403, 409],
    find: invitationWith('team.members.manage'),
    reply: { 200: emptyReply },
    handle: async ({ services, found }) => {
      await services.teams.invitations.withdraw(found.team, found.invitation);
      return ok({}, { message: 'Invitation withdrawn.' });
    },
  }),
];

const own = { context: 'consumer', tag: 'Teams', path: '/me/team-invitations' } as const;
const mine = {
  ...own,
  params: ownInvitationParams,
  find: ({
    services,
    actor,
    params,
  }: PathContext<{ readonly invitation: number }> & { readonly actor: ConsumerActor }) =>
    services.teams.invitations.findOwn(actor.user, params.invitation),
} as const;

const answeringRoutes = [
  defineRoute({
    ...own,
    method: 'get',
    operation: 'listOwnTeamInvitations',
    summary: 'List invitations to the caller’s verified address',
    reply: { 200: Joi.array().items(ownInvitationReply) },
    handle: async ({ services, actor }) =>
      (await services.teams.invitations.listOwn(actor.user)).map((found) => presentOwnInvitation(found)),
  }),
  defineRoute({
    ...own,
    method: 'post',
    path: `${own.path}/open`,
    operation: 'openTeamInvitation',
    summary: 'Show the invitation of a mailed link',
    errors: [404],
    body: tokenBody,
    reply: { 200: ownInvitationReply },
    handle: async ({ services, actor, body }) =>
      presentOwnInvitation(await services.teams.invitations.open(actor.user, body.token)),
  }),
  defineRoute({
    ...mine,
    method: 'post',
    path: `${own.path}/:invitation/accept`,
    operation: 'acceptTeamInvitation',
    summary: 'Accept an invitation',
    errors: [409],
    reply: { 200: teamReply },
    handle: async ({ services, actor, found }) => {
      const { id } = await services.teams.invitations.accept(actor.user, found);
      return presentOneSeat(services, await services.teams.teams.requireSeat(actor.id, id));
    },
  }),
  defineRoute({
    ...mine,
    method: 'post',
    path: `${own.path}/:invitation/decline`,
    operation: 'declineTeamInvitation',
    summary: 'Decline an invitation',
    reply: { 200: emptyReply },
    handle: async ({ services, actor, found }) => {
      await services.teams.invitations.decline(actor.user, found);
      return ok({}, { message: 'Invitation declined.' });
    },
  }),
];

export const teamInvitationRoutes = [...sendingRoutes, ...answeringRoutes];
