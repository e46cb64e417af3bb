import { roleList, type RoleRecord } from '../../domain/rbac/index.js';
import { created, paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { recordDeletion } from '../fields.js';
import { newRoleBody, roleBody, roleListReply, roleParams, rolePermissionsBody, roleReply } from './role-schema.js';

const roles = { context: 'admin', tag: 'Roles', permission: 'portal.rbac.manage' } as const;

const one = {
  ...roles,
  path: '/roles/:id',
  params: roleParams,
  find: ({ services, params }: PathContext<{ id: number }>) => services.administration.roles.find(params.id),
} as const;

const RULES =
  'Nobody puts permissions into a role that they do not hold themselves (403). Asks for a sign-in of the last 15 minutes.';
const OUT_OF_REACH =
  'A role that holds more than you do, or that an admin with more rights holds, is out of reach (403).';
const NAMED = 'Roles that ship, and those that the configuration gives to groups of an identity provider,';

export const roleRoutes = [
  defineRoute({
    ...roles,
    method: 'get',
    path: '/roles',
    policy: ['view', 'roles'],
    operation: 'listRoles',
    summary: 'List roles',
    description:
      'Permissions are always part of the record; `with=permissions` is taken and changes nothing. ' +
      'The filter `permission` takes names of permissions.',
    list: roleList.options,
    reply: { 200: roleListReply },
    handle: async ({ services, list }) =>
      paginated(mapPage(await services.administration.roles.list(list), presentRole)),
  }),
  defineRoute({
    ...one,
    method: 'get',
    policy: ['view', 'roles'],
    operation: 'getRole',
    summary: 'Show a role',
    reply: { 200: roleReply },
    handle: ({ found }) => presentRole(found),
  }),
  defineRoute({
    ...roles,
    method: 'post',
    path: '/roles',
    policy: ['create', 'roles'],
    operation: 'createRole',
    summary: 'Create a role',
    description: RULES,
    body: newRoleBody,
    reply: { 201: roleReply },
    handle: async ({ services, actor, body }) => {
      services.auth.guard.requireRecentSignIn(actor);
      return created(presentRole(await services.administration.roles.create(body, actor)));
    },
  }),
  defineRoute({
    ...one,
    method: 'put',
    policy: ['update', 'roles'],
    operation: 'updateRole',
    record: true,
    errors: [409],
    summary: 'Change a role',
    description: `Whatever is left out stays. ${NAMED} keep their names (409). ${OUT_OF_REACH} ${RULES}`,
    body: roleBody,
    versioned: true,
    reply: { 200: roleReply },
    handle: async ({ services, actor, found, body, expected }) => {
      services.auth.guard.requireRecentSignIn(actor);
      return presentRole(await services.administration.roles.update(found.id, body, actor, expected));
    },
  }),
  defineRoute({
    ...one,
    method: 'put',
    path: '/roles/:id/permissions',
    policy: ['update', 'roles'],
    operation: 'setRolePermissions',
    errors: [409],
    summary: 'Set the permissions of a role',
    description: `${OUT_OF_REACH} ${RULES}`,
    body: rolePermissionsBody,
    versioned: true,
    reply: { 200: roleReply },
    handle: async ({ services, actor, found, body, expected }) => {
      services.auth.guard.requireRecentSignIn(actor);
      return presentRole(await services.administration.roles.update(found.id, body, actor, expected));
    },
  }),
  defineRoute({
    ...one,
    ...recordDeletion,
    policy: ['delete', 'roles'],
    operation: 'deleteRole',
    errors: [409],
    summary: 'Delete a role that nobody holds',
    description: `${NAMED} stay (409), and so do roles that an admin holds. ${OUT_OF_REACH} Asks for a sign-in of the last 15 minutes.`,
    handle: async ({ services, actor, found, expected }) => {
      services.auth.guard.requireRecentSignIn(actor);
      await services.administration.roles.delete(found.id, actor, expected);
      return {};
    },
  }),
];

function presentRole(role: RoleRecord) {
  return {
    id: role.id,
    name: role.name,
    label: role.label,
    permissions: role.permissions,
    created_at: role.createdAt,
    updated_at: role.updatedAt,
  };
}
