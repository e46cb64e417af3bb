import Joi from 'joi';
import { developersOf, ownActivityList } from '../../domain/audit-log/index.js';
import { memberList } from '../../domain/teams/index.js';
import { ok, paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { presentTeamActivity } from '../console/activity-presenter.js';
import { activityListReply } from '../console/activity-schema.js';
import { defineRoute } from '../define-route.js';
import { emptyReply } from '../fields.js';
import { memberWith, seatWith } from './find-team.js';
import { presentMember } from './team-presenter.js';
import { memberBody, memberParams, memberReply, teamParams } from './team-schema.js';

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
    errors: [403, 409],
    find: memberWith('team.members.manage'),
    reply: { 200: emptyReply },
    handle: async ({ services, found }) => {
      await services.teams.members.remove(found.team, found.other.userId, found);
      return ok({}, { message: 'Member removed.' });
    },
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
