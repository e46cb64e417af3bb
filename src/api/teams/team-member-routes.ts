import Joi from 'joi';
import { developersOf, ownActivityList } from '../../domain/audit-log/index.js';
import { memberList } from '../../domain/teams/index.js';
import { ok, paginated } from '../../http/index.js';
import { ForbiddenError, mapPage } from '../../core/index.js';
import { approverOf } from '../apps/find.js';
import { presentTeamActivity } from '../console/activity-presenter.js';
import { activityListReply } from '../console/activity-schema.js';
import { defineRoute } from '../define-route.js';
import { emptyReply } from '../fields.js';
import { memberWith, seatWith } from './find-team.js';
import { presentExposedKey, presentMember, presentSeenKey } from './team-presenter.js';
import {
  exposedKeyReply,
  memberBody,
  memberParams,
  memberReply,
  removalQuery,
  seenKeyReply,
  teamParams,
} from './team-schema.js';

const members = { context: 'consumer', tag: 'Teams', path: '/me/teams/:team/members', params: teamParams } as const;
const one = { ...members, path: '/me/teams/:team/members/:member', params: memberParams } as const;

export const teamMemberRoutes = [
  defineRoute({
    ...members,
    method: 'get',
    path: '/me/teams/:team/activities',
    operation: 'listTeamActivities',
    summary: 'List what was done in a team and to its apps',
    description:
      'With the names of its present members alone; whoever works for the portal is `operator`, without a name.',
    errors: [403],
    find: seatWith('team.activity.view'),
    list: ownActivityList.options,
    reply: { 200: activityListReply },
    handle: async ({ services, found, list }) => {
      const page = await services.activities.log.listOwn(found.team.accountId, list);
      const names = await services.teams.members.namesOf(found.team, developersOf(page.items));
      return paginated(mapPage(page, (activity) => presentTeamActivity(activity, names)));
    },
  }),
  defineRoute({
    ...members,
    method: 'get',
    operation: 'listTeamMembers',
    summary: 'List the members of a team',
    errors: [403],
    find: seatWith('team.members.view'),
    list: memberList.options,
    reply: { 200: Joi.array().items(memberReply) },
    handle: async ({ services, found, list }) =>
      paginated(mapPage(await services.teams.members.list(found.team, list), presentMember)),
  }),
  defineRoute({
    ...one,
    method: 'get',
    operation: 'getTeamMember',
    summary: 'Show a member of a team',
    errors: [403],
    find: memberWith('team.members.view'),
    reply: { 200: memberReply },
    handle: ({ found }) => presentMember(found.other),
  }),
  defineRoute({
    ...one,
    method: 'put',
    operation: 'updateTeamMember',
    record: true,
    summary: 'Give a member another role',
    description: 'Nobody gives or takes a role that may do more than their own. The last owner stays one.',
    errors: [403, 409],
    find: memberWith('team.members.manage'),
    body: memberBody,
    reply: { 200: memberReply },
    handle: async ({ services, found, body }) =>
      presentMember(await services.teams.members.setRole(found.team, found.other.userId, body.role, found)),
  }),
  defineRoute({
    ...one,
    method: 'delete',
    operation: 'removeTeamMember',
    summary: 'Remove a member, whose next request is refused',
    description:
      'With `rotate_keys` the live keys of apps of the team that the member has seen are replaced as well, which takes `app.keys.rotate`: ' +
      'the new ones are shown with `revealCredential`. What could not be replaced stays in `listExposedTeamKeys`.',
    errors: [403, 409, 502, 504],
    find: memberWith('team.members.manage'),
    query: removalQuery,
    reply: { 200: emptyReply },
    handle: async ({ services, actor, found, query: { rotate_keys: rotates = false, overlap } }) => {
      const { teams, apps } = services;
      if (rotates && !found.abilities.has('app.keys.rotate')) throw new ForbiddenError();
      const seen = rotates ? await teams.sights.seenBy(found.team, found.other.userId) : [];
      await teams.members.remove(found.team, found.other.userId, found);
      const owner = await teams.teams.accountOf(found.team);
      const ids = seen.map(({ id }) => id);
      await apps.rotation.rotateEach(owner, ids, { overlap }, approverOf(actor));
      return ok({}, { message: 'Member removed.' });
    },
  }),
  defineRoute({
    ...one,
    method: 'get',
    path: '/me/teams/:team/members/:member/keys',
    operation: 'listTeamMemberKeys',
    summary: 'List the live keys of apps of the team that a member has seen',
    description: 'Whoever made or rotated a key has seen it, and who had it shown again.',
    errors: [403],
    find: memberWith('team.members.manage'),
    reply: { 200: Joi.array().items(seenKeyReply) },
    handle: async ({ services, found }) =>
      (await services.teams.sights.seenBy(found.team, found.other.userId)).map(presentSeenKey),
  }),
  defineRoute({
    ...members,
    method: 'get',
    path: '/me/teams/:team/exposed-keys',
    operation: 'listExposedTeamKeys',
    summary: 'List the live keys of apps of the team that somebody knows who is not in it',
    description: 'A key goes from the list when it is rotated or revoked.',
    errors: [403],
    find: seatWith('team.members.manage'),
    reply: { 200: Joi.array().items(seenKeyReply) },
    handle: async ({ services, found }) => (await services.teams.sights.exposed(found.team)).map(presentSeenKey),
  }),
  defineRoute({
    ...{ context: 'consumer', tag: 'Teams', method: 'get', path: '/me/exposed-keys' },
    operation: 'listExposedKeys',
    summary: 'List the live keys of own apps that somebody else has seen',
    description:
      'Such as those of an app that came from a team. A key goes from the list when it is rotated or revoked.',
    reply: { 200: Joi.array().items(exposedKeyReply) },
    handle: async ({ services, actor }) => (await services.teams.sights.exposedOf(actor.id)).map(presentExposedKey),
  }),
  defineRoute({
    ...members,
    method: 'post',
    path: '/me/teams/:team/leave',
    operation: 'leaveTeam',
    summary: 'Leave a team',
    description: 'The last owner names another one first.',
    errors: [403, 409],
    find: seatWith('team.view'),
    reply: { 200: emptyReply },
    handle: async ({ services, found }) => {
      await services.teams.members.remove(found.team, found.member.userId, found);
      return ok({}, { message: 'You have left the team.' });
    },
  }),
];
