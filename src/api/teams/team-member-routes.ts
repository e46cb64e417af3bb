import Joi from 'joi';
import { developersOf, ownActivityList } from '../../domain/audit-log/index.js';
import { memberList, type TeamMember, type TeamSeat } from '../../domain/teams/index.js';
import type { PortalServices } from '../../domain/services.js';
import type { WebhookKnower } from '../../domain/webhooks/index.js';
import { ok, paginated } from '../../http/index.js';
import { ForbiddenError, mapPage } from '../../core/index.js';
import { approverOf } from '../apps/find.js';
import { presentTeamActivity } from '../console/activity-presenter.js';
import { activityListReply } from '../console/activity-schema.js';
import { defineRoute } from '../define-route.js';
import { emptyReply } from '../fields.js';
import { memberWith, seatWith } from './find-team.js';
import { presentExposedKey, presentKnownWebhook, presentMember, presentSeenKey } from './team-presenter.js';
import {
  exposedKeyReply,
  knownWebhookReply,
  leaveQuery,
  memberBody,
  memberParams,
  memberReply,
  removalQuery,
  removalReply,
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
      'the new ones are shown with `revealCredential`. What could not be replaced stays in `listExposedTeamKeys`. With ' +
      '`rotate_webhooks` the secrets of webhooks of the team that the member knows are replaced, and with `disable_webhooks` those whose ' +
      'address is theirs are turned off instead; both take `webhooks.manage`, see `listTeamMemberWebhooks`. Nobody who removes themselves is told secrets: 403.',
    errors: [403, 409, 502, 504],
    find: memberWith('team.members.manage'),
    query: removalQuery,
    reply: { 200: removalReply },
    handle: async ({ services, actor, found, query }) => {
      const { teams, apps, webhooks } = services;
      const { rotate_keys: rotates, rotate_webhooks: replaces, disable_webhooks: turnsOff, overlap } = query;
      if (rotates && !found.abilities.has('app.keys.rotate')) throw new ForbiddenError();
      if (replaces || turnsOff) requireWebhooks(found);
      if (replaces && found.other.userId === actor.id) throw new ForbiddenError();
      const seen = rotates ? await teams.sights.seenBy(found.team, found.other.userId) : [];
      await teams.members.remove(found.team, found.other.userId, found);
      const owner = await teams.teams.accountOf(found.team);
      const gone = knowerOf(services, found.other);
      // Before the gateway, which may not answer; a secret after it, since who is not answered is not told it.
      if (turnsOff) await webhooks.sights.turnOff(owner.id, gone);
      const ids = seen.map(({ id }) => id);
      await apps.rotation.rotateEach(owner, ids, { overlap }, approverOf(actor));
      const told = { overlap, seerId: actor.id };
      const fresh = replaces && { webhooks: await webhooks.sights.replace(owner.id, gone, told) };
      return ok(fresh || {}, { message: 'Member removed.' });
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
    ...one,
    method: 'get',
    path: '/me/teams/:team/members/:member/webhooks',
    operation: 'listTeamMemberWebhooks',
    summary: 'List the webhooks of a team whose address is of a member, or whose secret they know',
    description:
      'But for those that are turned off. Whoever made an endpoint or replaced its secret was told it, nobody else.',
    errors: [403],
    find: memberWith('team.members.manage'),
    reply: { 200: Joi.array().items(knownWebhookReply) },
    handle: async ({ services, found: { team, other } }) => {
      const known = await services.webhooks.sights.knownTo(team.accountId, knowerOf(services, other));
      return known.map(presentKnownWebhook);
    },
  }),
  defineRoute({
    ...members,
    method: 'get',
    path: '/me/teams/:team/exposed-webhooks',
    operation: 'listExposedTeamWebhooks',
    summary: 'List the webhooks of a team whose address is of somebody who is not in it, or whose secret they know',
    description: 'One goes from the list when it is turned off or deleted, or has another address and another secret.',
    errors: [403],
    find: seatWith('team.members.manage'),
    reply: { 200: Joi.array().items(knownWebhookReply) },
    handle: async ({ services, found: { team } }) => {
      const members = await services.teams.members.idsOf(team);
      return (await services.webhooks.sights.knownOutside(team.accountId, members)).map(presentKnownWebhook);
    },
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
    description:
      'The last owner names another one first. With `disable_webhooks` the webhooks of the team whose address is of the caller are turned ' +
      'off, which takes `webhooks.manage`.',
    errors: [403, 409],
    find: seatWith('team.view'),
    query: leaveQuery,
    reply: { 200: emptyReply },
    handle: async ({ services, found: { team, member, ...seat }, query: { disable_webhooks: turnsOff } }) => {
      if (turnsOff) requireWebhooks(seat);
      await services.teams.members.remove(team, member.userId, { member });
      if (turnsOff) await services.webhooks.sights.turnOff(team.accountId, knowerOf(services, member));
      return ok({}, { message: 'You have left the team.' });
    },
  }),
];

function knowerOf({ teams }: PortalServices, { userId, role }: Pick<TeamMember, 'userId' | 'role'>): WebhookKnower {
  return { userId, maySee: teams.roles.may(role, 'webhooks.manage') };
}

/** @throws ForbiddenError */
function requireWebhooks({ abilities }: Pick<TeamSeat, 'abilities'>): void {
  if (!abilities.has('webhooks.manage')) throw new ForbiddenError();
}
