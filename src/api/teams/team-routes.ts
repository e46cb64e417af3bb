import Joi from 'joi';
import { seatList } from '../../domain/teams/index.js';
import { created, ok, paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { defineRoute } from '../define-route.js';
import { emptyReply } from '../fields.js';
import { seatWith } from './find-team.js';
import { presentOneSeat, presentSeat } from './team-presenter.js';
import { mutedBody, newTeamBody, rolesReply, teamBody, teamParams, teamReply } from './team-schema.js';

const teams = { context: 'consumer', tag: 'Teams', path: '/me/teams' } as const;
const one = { ...teams, path: '/me/teams/:team', params: teamParams } as const;

const collectionRoutes = [
  defineRoute({
    ...teams,
    method: 'get',
    operation: 'listTeams',
    summary: 'List own teams',
    list: seatList.options,
    budget: { gateway: 0 },
    reply: { 200: Joi.array().items(teamReply) },
    handle: async ({ services, actor, list }) => {
      const page = await services.teams.teams.list(actor.id, list);
      const counts = await services.teams.teams.countParts(page.items.map(({ team }) => team));
      return paginated(mapPage(page, (seat) => presentSeat(seat, counts)));
    },
  }),
  defineRoute({
    ...teams,
    method: 'post',
    operation: 'createTeam',
    summary: 'Make a team',
    description: 'Whoever makes it is its owner. With `teams.creation` set to `admins`, developers make none.',
    errors: [403, 409],
    body: newTeamBody,
    reply: { 201: teamReply },
    handle: async ({ services, actor, body }) => {
      const { id } = await services.teams.teams.create(body, actor.id, 'developer');
      return created(await presentOneSeat(services, await services.teams.teams.requireSeat(actor.id, id)));
    },
  }),
  defineRoute({
    ...teams,
    method: 'get',
    path: '/me/team-roles',
    operation: 'listTeamRoles',
    summary: 'List the roles in teams, and what each may do',
    reply: { 200: rolesReply },
    handle: ({ services: { teams: found } }) =>
      found.roles.names.map((name) => ({ name, abilities: [...found.roles.abilitiesOf(name)] })),
  }),
];

const recordRoutes = [
  defineRoute({
    ...one,
    method: 'get',
    operation: 'getTeam',
    summary: 'Show a team',
    errors: [403],
    find: seatWith('team.view'),
    reply: { 200: teamReply },
    handle: ({ services, found }) => presentOneSeat(services, found),
  }),
  defineRoute({
    ...one,
    method: 'put',
    operation: 'updateTeam',
    record: true,
    versioned: true,
    summary: 'Change a team',
    errors: [403, 409, 502, 504],
    find: seatWith('team.update'),
    body: teamBody,
    reply: { 200: teamReply },
    handle: async ({ services, found, body: { name, description }, expected }) => {
      const team = await services.teams.teams.update(found.team.id, { name, description }, expected);
      return presentOneSeat(services, { ...found, team });
    },
  }),
  defineRoute({
    ...one,
    method: 'delete',
    operation: 'deleteTeam',
    versioned: true,
    summary: 'Delete a team that has no apps',
    errors: [403, 409, 502, 504],
    find: seatWith('team.delete'),
    reply: { 200: emptyReply },
    handle: async ({ services, found, expected }) => {
      await services.teams.teams.delete(found.team.id, expected);
      return ok({}, { message: 'Team deleted.' });
    },
  }),
  defineRoute({
    ...one,
    method: 'put',
    path: `${one.path}/notices`,
    operation: 'muteTeamNotices',
    summary: 'Choose what the team mails the caller about',
    errors: [403],
    find: seatWith('team.view'),
    body: mutedBody,
    reply: { 200: teamReply },
    handle: async ({ services, actor, found, body }) => {
      await services.teams.members.mute(found, body.muted);
      return presentOneSeat(services, await services.teams.teams.requireSeat(actor.id, found.team.id));
    },
  }),
];

export const teamRoutes = [...collectionRoutes, ...recordRoutes];
