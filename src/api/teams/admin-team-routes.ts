import Joi from 'joi';
import { memberList, teamList } from '../../domain/teams/index.js';
import { created, ok, paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { emptyReply, recordDeletion } from '../fields.js';
import { findTeam } from './find-team.js';
import { presentAdminTeam, presentMember, presentOneAdminTeam } from './team-presenter.js';
import {
  adminTeamBody,
  adminTeamReply,
  memberBody,
  memberParams,
  memberReply,
  newAdminTeamBody,
  newMemberBody,
  teamAudiencesBody,
  teamParams,
  type MemberParams,
} from './team-schema.js';

const teams = { context: 'admin', tag: 'All teams', path: '/teams' } as const;
const one = { ...teams, path: '/teams/:team', params: teamParams, find: findTeam } as const;
const ofTeam = { ...one, path: '/teams/:team/members' } as const;
const member = {
  ...teams,
  path: '/teams/:team/members/:member',
  params: memberParams,
  find: async ({ services, params }: PathContext<MemberParams>) => {
    const team = await services.teams.teams.find(params.team);
    return { team, member: await services.teams.members.find(team, params.member) };
  },
} as const;

const recordRoutes = [
  defineRoute({
    ...teams,
    method: 'get',
    operation: 'listAllTeams',
    summary: 'List the teams of all developers',
    policy: ['view', 'teams'],
    list: teamList.options,
    budget: { gateway: 0 },
    reply: { 200: Joi.array().items(adminTeamReply) },
    handle: async ({ services, list }) => {
      const page = await services.teams.teams.listAll(list);
      const counts = await services.teams.teams.countParts(page.items);
      const audiences = await services.catalog.userAudiences.of(page.items.map(({ accountId }) => accountId));
      return paginated(mapPage(page, (team) => presentAdminTeam(team, counts, audiences.get(team.accountId))));
    },
  }),
  defineRoute({
    ...teams,
    method: 'post',
    operation: 'createAnyTeam',
    summary: 'Make a team for a developer',
    policy: ['create', 'teams'],
    errors: [404, 409],
    body: newAdminTeamBody,
    reply: { 201: adminTeamReply },
    handle: async ({ services, body: { owner, ...input } }) => {
      const { id } = await services.accounts.users.find(owner);
      return created(await presentOneAdminTeam(services, await services.teams.teams.create(input, id, 'admin')));
    },
  }),
  defineRoute({
    ...one,
    method: 'get',
    operation: 'getAnyTeam',
    summary: 'Show a team',
    policy: ['view', 'teams'],
    reply: { 200: adminTeamReply },
    handle: ({ services, found }) => presentOneAdminTeam(services, found),
  }),
  defineRoute({
    ...one,
    method: 'put',
    operation: 'updateAnyTeam',
    record: true,
    versioned: true,
    summary: 'Change, close or reopen a team, or set its limits',
    description: 'Closing one closes all its keys at the gateway first.',
    policy: ['update', 'teams'],
    errors: [409, 502, 504],
    body: adminTeamBody,
    reply: { 200: adminTeamReply },
    handle: async ({ services, found, body, expected }) => {
      const { name, description, status } = body;
      const limits = { membersLimit: body.members_limit, appsLimit: body.apps_limit, keysLimit: body.keys_limit };
      const input = { name, description, status, ...limits };
      return presentOneAdminTeam(services, await services.teams.teams.update(found.id, input, expected));
    },
  }),
  defineRoute({
    ...one,
    method: 'put',
    path: '/teams/:team/audiences',
    operation: 'setAnyTeamAudiences',
    summary: 'Set the audiences of a team',
    description:
      'Its apps may use the private products and plans of these audiences, and who makes apps in it chooses among them there. ' +
      'No member gains them for own apps or in the catalog.',
    policy: ['update', 'teams'],
    body: teamAudiencesBody,
    reply: { 200: adminTeamReply },
    handle: async ({ services, found, body: { audiences } }) => {
      const { accounts, catalog } = services;
      await catalog.userAudiences.require(audiences);
      await accounts.teamAccounts.update(
        found.accountId,
        {},
        { related: (user, transaction) => catalog.userAudiences.replace(user.id, audiences, transaction) },
      );
      return presentOneAdminTeam(services, await services.teams.teams.find(found.id));
    },
  }),
  defineRoute({
    ...one,
    ...recordDeletion,
    operation: 'deleteAnyTeam',
    summary: 'Delete a team that has no apps',
    policy: ['delete', 'teams'],
    errors: [409, 502, 504],
    handle: async ({ services, found, expected }) => {
      await services.teams.teams.delete(found.id, expected);
      return {};
    },
  }),
];

const memberRoutes = [
  defineRoute({
    ...ofTeam,
    method: 'get',
    operation: 'listAnyTeamMembers',
    summary: 'List the members of a team',
    policy: ['view', 'teams'],
    list: memberList.options,
    reply: { 200: Joi.array().items(memberReply) },
    handle: async ({ services, found, list }) =>
      paginated(mapPage(await services.teams.members.list(found, list), presentMember)),
  }),
  defineRoute({
    ...ofTeam,
    method: 'post',
    operation: 'addAnyTeamMember',
    summary: 'Put a developer into a team',
    policy: ['update', 'teams'],
    errors: [404, 409],
    body: newMemberBody,
    reply: { 201: memberReply },
    handle: async ({ services, found, body }) => {
      const user = await services.accounts.users.find(body.user);
      return created(presentMember(await services.teams.members.put(found, user, body.role)));
    },
  }),
  defineRoute({
    ...member,
    method: 'get',
    operation: 'getAnyTeamMember',
    summary: 'Show a member of a team',
    policy: ['view', 'teams'],
    reply: { 200: memberReply },
    handle: ({ found }) => presentMember(found.member),
  }),
  defineRoute({
    ...member,
    method: 'put',
    operation: 'updateAnyTeamMember',
    record: true,
    summary: 'Give a member another role',
    policy: ['update', 'teams'],
    errors: [409],
    body: memberBody,
    reply: { 200: memberReply },
    handle: async ({ services, found, body }) =>
      presentMember(await services.teams.members.setRole(found.team, found.member.userId, body.role, null)),
  }),
  defineRoute({
    ...member,
    method: 'delete',
    operation: 'removeAnyTeamMember',
    summary: 'Remove a member from a team',
    policy: ['update', 'teams'],
    errors: [409],
    reply: { 200: emptyReply },
    handle: async ({ services, found }) => {
      await services.teams.members.remove(found.team, found.member.userId, null);
      return ok({}, { message: 'Member removed.' });
    },
  }),
];

export const adminTeamRoutes = [...recordRoutes, ...memberRoutes];
