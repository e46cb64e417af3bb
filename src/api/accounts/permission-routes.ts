import { permissionList, type PermissionRecord } from '../../domain/rbac/index.js';
import { created, paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { recordDeletion } from '../fields.js';
import {
  newPermissionBody,
  permissionBody,
  permissionListReply,
  permissionParams,
  permissionReply,
} from './permission-schema.js';

const permissions = { context: 'admin', tag: 'Permissions', permission: 'portal.rbac.manage' } as const;

const FRESH = 'Asks for a sign-in of the last 15 minutes.';

const one = {
  ...permissions,
  path: '/permissions/:id',
  params: permissionParams,
  find: ({ services, params }: PathContext<{ id: number }>) => services.administration.permissions.find(params.id),
} as const;

export const permissionRoutes = [
  defineRoute({
    ...permissions,
    method: 'get',
    path: '/permissions',
    policy: ['view', 'permissions'],
    operation: 'listPermissions',
    summary: 'List permissions',
    description: 'The filter `role` takes names of roles.',
    list: permissionList.options,
    reply: { 200: permissionListReply },
    handle: async ({ services, list }) =>
      paginated(mapPage(await services.administration.permissions.list(list), presentPermission)),
  }),
  defineRoute({
    ...one,
    method: 'get',
    policy: ['view', 'permissions'],
    operation: 'getPermission',
    summary: 'Show a permission',
    reply: { 200: permissionReply },
    handle: ({ found }) => presentPermission(found),
  }),
  defineRoute({
    ...permissions,
    method: 'post',
    path: '/permissions',
    policy: ['create', 'permissions'],
    operation: 'createPermission',
    summary: 'Create a permission for routes of the host',
    description: `Nobody holds it yet; an admin with a bypass role gives it to the first role. ${FRESH}`,
    body: newPermissionBody,
    reply: { 201: permissionReply },
    handle: async ({ services, actor, body }) => {
      services.auth.guard.requireRecentSignIn(actor);
      return created(presentPermission(await services.administration.permissions.create(body)));
    },
  }),
  defineRoute({
    ...one,
    method: 'put',
    policy: ['update', 'permissions'],
    operation: 'updatePermission',
    record: true,
    errors: [409],
    summary: 'Change a permission',
    description:
      'Permissions that ship keep their names (409). The name of one that a role holds is changed by an admin with a ' +
      'bypass role only (403): it would open something else to everybody who holds it. What it says is changed by who ' +
      `holds it. ${FRESH}`,
    body: permissionBody,
    versioned: true,
    reply: { 200: permissionReply },
    handle: async ({ services, actor, found, body, expected }) => {
      services.auth.guard.requireRecentSignIn(actor);
      return presentPermission(await services.administration.permissions.update(found.id, body, actor, expected));
    },
  }),
  defineRoute({
    ...one,
    ...recordDeletion,
    policy: ['delete', 'permissions'],
    operation: 'deletePermission',
    errors: [409],
    summary: 'Delete a permission that no role holds',
    description: `Permissions that ship, and permissions of a role, stay (409). ${FRESH}`,
    handle: async ({ services, actor, found, expected }) => {
      services.auth.guard.requireRecentSignIn(actor);
      await services.administration.permissions.delete(found.id, expected);
      return {};
    },
  }),
];

function presentPermission(permission: PermissionRecord) {
  return {
    id: permission.id,
    name: permission.name,
    description: permission.description,
    created_at: permission.createdAt,
    updated_at: permission.updatedAt,
  };
}
