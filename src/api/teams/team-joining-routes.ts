import Joi from 'joi';
import type { ConsumerActor } from '../../domain/auth/index.js';
import { domainList, requestList, type TeamAbility } from '../../domain/teams/index.js';
import { created, ok, paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { emptyReply } from '../fields.js';
import { seatWith } from './find-team.js';
import { presentOneSeat } from './team-presenter.js';
import {
  acceptBody,
  domainBody,
  domainParams,
  domainReply,
  newDomainBody,
  newRequestBody,
  offerReply,
  ownRequestParams,
  ownRequestReply,
  presentDomain,
  presentOffer,
  presentOwnRequest,
  presentRequest,
  redeemBody,
  requestParams,
  requestReply,
  type DomainParams,
  type RequestParams,
} from './team-joining-schema.js';
import { teamParams, teamReply } from './team-schema.js';

type Asking<Params> = PathContext<Params> & { readonly actor: ConsumerActor };

const domainWith = (ability: TeamAbility) => async (request: Asking<DomainParams>) => {
  const seat = await seatWith(ability)(request);
  return { ...seat, domain: await request.services.teams.domains.find(seat.team, request.params.domain) };
};
const requestWith = (ability: TeamAbility) => async (request: Asking<RequestParams>) => {
  const seat = await seatWith(ability)(request);
  return { ...seat, request: await request.services.teams.requests.find(seat.team, request.params.request) };
};

const ofTeam = { context: 'consumer', tag: 'Teams', params: teamParams, errors: [403] } as const;
const domains = { ...ofTeam, path: '/me/teams/:team/domains' } as const;
const domain = {
  ...domains,
  path: `${domains.path}/:domain`,
  params: domainParams,
  find: domainWith('team.domains.manage'),
} as const;

const domainRoutes = [
  defineRoute({
    ...domains,
    method: 'get',
    operation: 'listTeamDomains',
    summary: 'List the mail domains of a team',
    find: seatWith('team.domains.manage'),
    list: domainList.options,
    reply: { 200: Joi.array().items(domainReply) },
    handle: async ({ services, found, list }) =>
      paginated(mapPage(await services.teams.domains.list(found.team, list), presentDomain)),
  }),
  defineRoute({
    ...domains,
    method: 'post',
    operation: 'addTeamDomain',
    summary: 'List a mail domain, whose people may ask to be in the team or join it',
    description:
      'Only the domain of the caller’s own proved address, and none where anybody gets one. Who has a proved address there ' +
      'finds the team in `listTeamOffers`; nobody else does, and the team learns of nobody who did not ask.',
    errors: [403, 409],
    find: seatWith('team.domains.manage'),
    body: newDomainBody,
    reply: { 201: domainReply },
    handle: async ({ services, found, body }) =>
      created(presentDomain(await services.teams.domains.add(found.team, found, body))),
  }),
  defineRoute({
    ...domain,
    method: 'get',
    operation: 'getTeamDomain',
    summary: 'Show a mail domain of a team',
    reply: { 200: domainReply },
    handle: ({ found }) => presentDomain(found.domain),
  }),
  defineRoute({
    ...domain,
    method: 'put',
    operation: 'updateTeamDomain',
    record: true,
    summary: 'Choose what people of a mail domain may do, and the role they get',
    body: domainBody,
    reply: { 200: domainReply },
    handle: async ({ services, found, body }) =>
      presentDomain(await services.teams.domains.change(found.team, found, found.domain, body)),
  }),
  defineRoute({
    ...domain,
    method: 'delete',
    operation: 'removeTeamDomain',
    summary: 'Take a mail domain off a team; who came in by it stays',
    reply: { 200: emptyReply },
    handle: async ({ services, found }) => {
      await services.teams.domains.remove(found.team, found.domain);
      return ok({}, { message: 'Domain removed.' });
    },
  }),
];

const requests = { ...ofTeam, path: '/me/teams/:team/requests' } as const;
const request = {
  ...requests,
  path: `${requests.path}/:request`,
  params: requestParams,
  find: requestWith('team.members.manage'),
} as const;

const answeringRoutes = [
  defineRoute({
    ...requests,
    method: 'get',
    operation: 'listTeamRequests',
    summary: 'List who asked to be in a team',
    find: seatWith('team.members.manage'),
    list: requestList.options,
    reply: { 200: Joi.array().items(requestReply) },
    handle: async ({ services, found, list }) =>
      paginated(mapPage(await services.teams.requests.list(found.team, list), presentRequest)),
  }),
  defineRoute({
    ...request,
    method: 'get',
    operation: 'getTeamRequest',
    summary: 'Show who asked to be in a team',
    reply: { 200: requestReply },
    handle: ({ found }) => presentRequest(found.request),
  }),
  defineRoute({
    ...request,
    method: 'post',
    path: `${request.path}/accept`,
    operation: 'acceptTeamRequest',
    summary: 'Let somebody into the team who asked',
    errors: [403, 409],
    body: acceptBody,
    reply: { 200: requestReply },
    handle: async ({ services, found, body }) => {
      await services.teams.requests.accept(found.team, found, found.request, body.role);
      return presentRequest(await services.teams.requests.find(found.team, found.request.id));
    },
  }),
  defineRoute({
    ...request,
    method: 'post',
    path: `${request.path}/decline`,
    operation: 'declineTeamRequest',
    summary: 'Decline a request; who asked cannot ask again, and can still be invited',
    errors: [403, 409],
    reply: { 200: requestReply },
    handle: async ({ services, found }) => {
      await services.teams.requests.decline(found.team, found.request);
      return presentRequest(await services.teams.requests.find(found.team, found.request.id));
    },
  }),
];

const own = { context: 'consumer', tag: 'Teams', path: '/me/team-requests' } as const;
const mine = {
  ...own,
  path: `${own.path}/:request`,
  params: ownRequestParams,
  find: ({ services, actor, params }: Asking<{ readonly request: number }>) =>
    services.teams.requests.findOwn(actor.user, params.request),
} as const;

const askingRoutes = [
  defineRoute({
    ...own,
    method: 'get',
    path: '/me/team-offers',
    operation: 'listTeamOffers',
    summary: 'List teams that the caller may ask or join, by the domain of their verified address',
    reply: { 200: Joi.array().items(offerReply) },
    handle: async ({ services, actor }) => (await services.teams.requests.offers(actor.user)).map(presentOffer),
  }),
  defineRoute({
    ...own,
    method: 'get',
    operation: 'listOwnTeamRequests',
    summary: 'List the caller’s requests to be in teams',
    reply: { 200: Joi.array().items(ownRequestReply) },
    handle: async ({ services, actor }) => (await services.teams.requests.listOwn(actor.user)).map(presentOwnRequest),
  }),
  defineRoute({
    ...own,
    method: 'post',
    operation: 'askForTeam',
    summary: 'Ask to be in a team, or join it where its domain says so',
    description: 'A team that is not offered answers like one that does not exist. Asking twice changes nothing.',
    errors: [404, 409],
    body: newRequestBody,
    reply: { 201: ownRequestReply },
    handle: async ({ services, actor, body }) =>
      created(presentOwnRequest(await services.teams.requests.ask(actor.user, body.team))),
  }),
  defineRoute({
    ...mine,
    method: 'get',
    operation: 'getOwnTeamRequest',
    summary: 'Show a request of the caller to be in a team',
    reply: { 200: ownRequestReply },
    handle: ({ found }) => presentOwnRequest(found),
  }),
  defineRoute({
    ...mine,
    method: 'delete',
    operation: 'withdrawTeamRequest',
    summary: 'Withdraw a request to be in a team',
    errors: [409],
    reply: { 200: emptyReply },
    handle: async ({ services, found }) => {
      await services.teams.requests.withdraw(found.team, found.request);
      return ok({}, { message: 'Request withdrawn.' });
    },
  }),
  defineRoute({
    ...own,
    method: 'post',
    path: '/me/team-codes/redeem',
    operation: 'redeemTeamCode',
    summary: 'Come into a team by a code',
    description:
      'A code that never was, is revoked, used up or over answers alike (422). Ten tries an hour for each account.',
    errors: [409, 429],
    body: redeemBody,
    reply: { 200: teamReply },
    handle: async ({ services, actor, body }) => {
      const { id } = await services.teams.codes.redeem(actor.user, body.code);
      return presentOneSeat(services, await services.teams.teams.requireSeat(actor.id, id));
    },
  }),
];

/** Ways into a team beside invitations: mail domains, requests and codes. */
export const teamJoiningRoutes = [...domainRoutes, ...answeringRoutes, ...askingRoutes];
