import { userList, type RelatedWrite, type UserChange, type UserRecord } from '../../domain/accounts/index.js';
import { created, ok, paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { emptyReply, recordDeletion } from '../fields.js';
import type { PortalServices } from '../../domain/services.js';
import { presentUser } from './user-presenter.js';
import {
  newUserBody,
  userAudiencesBody,
  userBody,
  userListReply,
  userParams,
  userReply,
  type UserBody,
} from './user-schema.js';

const users = { context: 'admin', tag: 'Users' } as const;

const one = {
  ...users,
  path: '/users/:id',
  params: userParams,
  find: ({ services, params }: PathContext<{ id: number }>) => services.accounts.users.find(params.id),
} as const;

const reading = [
  defineRoute({
    ...users,
    method: 'get',
    path: '/users',
    policy: ['view', 'users'],
    operation: 'listUsers',
    summary: 'List developers',
    description:
      'Audiences are always part of the record; `with=audiences` is taken and changes nothing. ' +
      'The filter `audience` takes names of audiences.',
    list: userList.options,
    reply: { 200: userListReply },
    handle: async ({ services, list }) => {
      const page = await services.accounts.users.list(list);
      const audiences = await services.catalog.userAudiences.of(page.items.map(({ id }) => id));
      return paginated(mapPage(page, (user) => presentUser(user, audiences.get(user.id))));
    },
  }),
  defineRoute({
    ...one,
    method: 'get',
    policy: ['view', 'users'],
    operation: 'getUser',
    summary: 'Show a developer',
    reply: { 200: userReply },
    handle: ({ services, found }) => present(services, found),
  }),
];

const writing = [
  defineRoute({
    ...users,
    method: 'post',
    path: '/users',
    policy: ['create', 'users'],
    operation: 'createUser',
    idempotent: true,
    summary: 'Create a developer',
    description: 'The address counts as not verified until the developer has opened the link of a mail.',
    body: newUserBody,
    reply: { 201: userReply },
    handle: async ({ services, body }) => {
      const { email, password, status = 'active' } = body;
      const names = { firstName: body.first_name, lastName: body.last_name };
      const { locale, custom_attributes: customAttributes } = body;
      const input = { ...names, email, password, status, locale, customAttributes };
      const user = await services.accounts.users.create(input, await audiencesOf(services, body));
      return created(await present(services, user));
    },
  }),
  defineRoute({
    ...one,
    method: 'put',
    policy: ['update', 'users'],
    operation: 'updateUser',
    record: true,
    errors: [409, 502, 504],
    summary: 'Change a developer',
    description:
      'Whatever is left out stays. A new password and the status `inactive` end every sign-in; a status other than ' +
      '`active` also closes the keys at the gateway, and nothing changes when the gateway cannot be reached.',
    body: userBody,
    versioned: true,
    reply: { 200: userReply },
    handle: async ({ services, found, body, expected }) => {
      const options = { expected, related: await audiencesOf(services, body) };
      return present(services, await services.accounts.users.update(found.id, changeOf(body), options));
    },
  }),
  defineRoute({
    ...one,
    method: 'put',
    path: '/users/:id/audiences',
    policy: ['update', 'users'],
    operation: 'setUserAudiences',
    summary: 'Set the audiences of a developer',
    body: userAudiencesBody,
    versioned: true,
    reply: { 200: userReply },
    handle: async ({ services, found, body, expected }) => {
      const options = { expected, related: await audiencesOf(services, body) };
      return present(services, await services.accounts.users.update(found.id, {}, options));
    },
  }),
  defineRoute({
    ...one,
    ...recordDeletion,
    policy: ['delete', 'users'],
    operation: 'deleteUser',
    errors: [409, 502, 504],
    summary: 'Delete a developer with everything that belongs to them',
    description: 'The keys are closed at the gateway first; nothing is deleted when that cannot be reached.',
    handle: async ({ services, found, expected }) => {
      await services.accounts.users.delete(found.id, expected);
      return {};
    },
  }),
];

const acting = [
  statusRoute('activate', 'active', 'Let a developer in; their keys open again'),
  statusRoute('deactivate', 'inactive', 'Shut a developer out: sign-ins end, keys close at the gateway'),
  defineRoute({
    ...one,
    method: 'post',
    path: '/users/:id/unlock',
    policy: ['update', 'users'],
    operation: 'unlockUser',
    summary: 'Lift the lock that failed logins brought',
    reply: { 200: userReply },
    handle: async ({ services, found }) => {
      await services.auth.security.unlock(found);
      return present(services, found);
    },
  }),
  defineRoute({
    ...one,
    method: 'post',
    path: '/users/:id/sessions/revoke',
    policy: ['update', 'users'],
    operation: 'revokeUserSessions',
    summary: 'End every sign-in of a developer, in the API and in the browser',
    reply: { 200: emptyReply },
    handle: async ({ services, found, request }) => {
      await services.auth.sessions.revokeAll({ context: 'consumer', id: found.id }, request);
      return ok({}, { message: 'Sessions revoked.' });
    },
  }),
];

export const userRoutes = [...reading, ...writing, ...acting];

function statusRoute(verb: 'activate' | 'deactivate', status: 'active' | 'inactive', summary: string) {
  return defineRoute({
    ...one,
    method: 'post',
    path: `/users/:id/${verb}`,
    policy: ['update', 'users'],
    operation: `${verb}User`,
    errors: [409, 502, 504],
    summary,
    reply: { 200: userReply },
    handle: async ({ services, found }) => present(services, await services.accounts.users.setStatus(found.id, status)),
  });
}

async function present({ catalog }: PortalServices, user: UserRecord) {
  const audiences = await catalog.userAudiences.of([user.id]);
  return presentUser(user, audiences.get(user.id));
}

function changeOf(body: UserBody): UserChange {
  const { first_name: firstName, last_name: lastName, custom_attributes: customAttributes, ...rest } = body;
  const { email, password, status, locale } = rest;
  return { firstName, lastName, email, password, status, locale, customAttributes };
}

// Resolved first, so that no password is hashed for a request that fails anyway.
async function audiencesOf(
  { catalog }: PortalServices,
  { audiences }: UserBody,
): Promise<RelatedWrite<UserRecord> | undefined> {
  if (!audiences) return undefined;
  await catalog.userAudiences.require(audiences);
  return (user, transaction) => catalog.userAudiences.replace(user.id, audiences, transaction);
}
