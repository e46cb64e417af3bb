import Joi from 'joi';
import { codeList, domainList, requestList } from '../../domain/teams/index.js';
import { created, ok, paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { emptyReply } from '../fields.js';
import { findTeam } from './find-team.js';
import {
  acceptBody,
  codeParams,
  codeReply,
  domainBody,
  domainParams,
  domainReply,
  newCodeBody,
  newDomainBody,
  presentCode,
  presentDomain,
  presentRequest,
  requestParams,
  requestReply,
  toldCodeReply,
  type CodeParams,
  type DomainParams,
  type RequestParams,
} from './team-joining-schema.js';
import { teamParams } from './team-schema.js';

const ofTeam = { context: 'admin', tag: 'All teams', params: teamParams, find: findTeam } as const;

const codes = { ...ofTeam, path: '/teams/:team/codes' } as const;
const code = {
  ...codes,
  path: `${codes.path}/:code`,
  params: codeParams,
  find: async ({ services, params }: PathContext<CodeParams>) => {
    const team = await services.teams.teams.find(params.team);
    return { team, code: await services.teams.codes.find(team, params.code) };
  },
} as const;

const codeRoutes = [
  defineRoute({
    ...codes,
    method: 'get',
    operation: 'listAnyTeamCodes',
    summary: 'List the codes that let people into a team',
    policy: ['view', 'teams'],
    list: codeList.options,
    reply: { 200: Joi.array().items(codeReply) },
    handle: async ({ services, found, list }) =>
      paginated(mapPage(await services.teams.codes.list(found, list), (item) => presentCode(item, services.clock))),
  }),
  defineRoute({
    ...codes,
    method: 'post',
    operation: 'createAnyTeamCode',
    summary: 'Make a code that lets people into a team',
    description:
      'For partner programmes: so many people, until a day. The code is told once; the portal keeps its hash.',
    policy: ['update', 'teams'],
    body: newCodeBody,
    reply: { 201: toldCodeReply },
    handle: async ({ services, found, body }) => {
      const input = { name: body.name, role: body.role, maxUses: body.max_uses, expiresIn: body.expires_in };
      const told = await services.teams.codes.create(found, input);
      return created({ ...presentCode(told.record, services.clock), code: told.code });
    },
  }),
  defineRoute({
    ...code,
    method: 'get',
    operation: 'getAnyTeamCode',
    summary: 'Show a code of a team, without the code itself',
    policy: ['view', 'teams'],
    reply: { 200: codeReply },
    handle: ({ services, found }) => presentCode(found.code, services.clock),
  }),
  defineRoute({
    ...code,
    method: 'post',
    path: `${code.path}/revoke`,
    operation: 'revokeAnyTeamCode',
    summary: 'Revoke a code of a team; who came in by it stays',
    policy: ['update', 'teams'],
    reply: { 200: codeReply },
    handle: async ({ services, found }) =>
      presentCode(await services.teams.codes.revoke(found.team, found.code), services.clock),
  }),
];

const domains = { ...ofTeam, path: '/teams/:team/domains' } as const;
const domain = {
  ...domains,
  path: `${domains.path}/:domain`,
  params: domainParams,
  find: async ({ services, params }: PathContext<DomainParams>) => {
    const team = await services.teams.teams.find(params.team);
    return { team, domain: await services.teams.domains.find(team, params.domain) };
  },
} as const;

const domainRoutes = [
  defineRoute({
    ...domains,
    method: 'get',
    operation: 'listAnyTeamDomains',
    summary: 'List the mail domains of a team',
    policy: ['view', 'teams'],
    list: domainList.options,
    reply: { 200: Joi.array().items(domainReply) },
    handle: async ({ services, found, list }) =>
      paginated(mapPage(await services.teams.domains.list(found, list), presentDomain)),
  }),
  defineRoute({
    ...domains,
    method: 'post',
    operation: 'addAnyTeamDomain',
    summary: 'List a mail domain for a team',
    description: 'Any but those where anybody gets an address: the admin has made sure that it is theirs.',
    policy: ['update', 'teams'],
    errors: [409],
    body: newDomainBody,
    reply: { 201: domainReply },
    handle: async ({ services, found, body }) =>
      created(presentDomain(await services.teams.domains.add(found, null, body))),
  }),
  defineRoute({
    ...domain,
    method: 'get',
    operation: 'getAnyTeamDomain',
    summary: 'Show a mail domain of a team',
    policy: ['view', 'teams'],
    reply: { 200: domainReply },
    handle: ({ found }) => presentDomain(found.domain),
  }),
  defineRoute({
    ...domain,
    method: 'put',
    operation: 'updateAnyTeamDomain',
    record: true,
    summary: 'Choose what people of a mail domain may do, and the role they get',
    policy: ['update', 'teams'],
    body: domainBody,
    reply: { 200: domainReply },
    handle: async ({ services, found, body }) =>
      presentDomain(await services.teams.domains.change(found.team, null, found.domain, body)),
  }),
  defineRoute({
    ...domain,
    method: 'delete',
    operation: 'removeAnyTeamDomain',
    summary: 'Take a mail domain off a team',
    policy: ['update', 'teams'],
    reply: { 200: emptyReply },
    handle: async ({ services, found }) => {
      await services.teams.domains.remove(found.team, found.domain);
      return ok({}, { message: 'Domain removed.' });
    },
  }),
];

const requests = { ...ofTeam, path: '/teams/:team/requests' } as const;
const request = {
  ...requests,
  path: `${requests.path}/:request`,
  params: requestParams,
  find: async ({ services, params }: PathContext<RequestParams>) => {
    const team = await services.teams.teams.find(params.team);
    return { team, request: await services.teams.requests.find(team, params.request) };
  },
} as const;

const requestRoutes = [
  defineRoute({
    ...requests,
    method: 'get',
    operation: 'listAnyTeamRequests',
    summary: 'List who asked to be in a team',
    policy: ['view', 'teams'],
    list: requestList.options,
    reply: { 200: Joi.array().items(requestReply) },
    handle: async ({ services, found, list }) =>
      paginated(mapPage(await services.teams.requests.list(found, list), presentRequest)),
  }),
  defineRoute({
    ...request,
    method: 'get',
    operation: 'getAnyTeamRequest',
    summary: 'Show who asked to be in a team',
    policy: ['view', 'teams'],
    reply: { 200: requestReply },
    handle: ({ found }) => presentRequest(found.request),
  }),
  defineRoute({
    ...request,
    method: 'post',
    path: `${request.path}/accept`,
    operation: 'acceptAnyTeamRequest',
    summary: 'Let somebody into a team who asked',
    policy: ['update', 'teams'],
    errors: [409],
    body: acceptBody,
    reply: { 200: requestReply },
    handle: async ({ services, found, body }) => {
      await services.teams.requests.accept(found.team, null, found.request, body.role);
      return presentRequest(await services.teams.requests.find(found.team, found.request.id));
    },
  }),
  defineRoute({
    ...request,
    method: 'post',
    path: `${request.path}/decline`,
    operation: 'declineAnyTeamRequest',
    summary: 'Decline a request to be in a team',
    policy: ['update', 'teams'],
    errors: [409],
    reply: { 200: requestReply },
    handle: async ({ services, found }) => {
      await services.teams.requests.decline(found.team, found.request);
      return presentRequest(await services.teams.requests.find(found.team, found.request.id));
    },
  }),
];

/** Ways into teams, as admins see to them. */
export const adminTeamJoiningRoutes = [...codeRoutes, ...domainRoutes, ...requestRoutes];
