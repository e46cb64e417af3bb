import { adminList, type AdminRecord } from '../../domain/accounts/index.js';
import { created, paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { recordDeletion } from '../fields.js';
import type { PortalServices } from '../../domain/services.js';
import { presentAdmin } from './admin-presenter.js';
import {
  adminBody,
  adminListReply,
  adminParams,
  adminReply,
  adminRolesBody,
  newAdminBody,
  type AdminBody,
} from './admin-schema.js';

const admins = { context: 'admin', tag: 'Admins', permission: 'portal.admins.manage' } as const;

const one = {
  ...admins,
  path: '/admins/:id',
  params: adminParams,
  find: ({ services, params }: PathContext<{ id: number }>) => services.accounts.admins.find(params.id),
} as const;

const RULES =
  'An admin with more rights than your own is out of reach (403), and so are roles that hold more. The last active super ' +
  'administrator cannot be lost (409). Asks for a sign-in of the last 15 minutes.';

const reading = [
  defineRoute({
    ...admins,
    method: 'get',
    path: '/admins',
    policy: ['view', 'admins'],
    operation: 'listAdmins',
    summary: 'List admins',
    description:
      'Roles are always part of the record; `with=roles` is taken and changes nothing. ' +
      'The filter `role` takes names of roles.',
    list: adminList.options,
    reply: { 200: adminListReply },
    handle: async ({ services, list }) => {
      const page = await services.administration.admins.list(list);
      const roles = await services.rbac.rolesOf(page.items.map(({ id }) => id));
      return paginated(mapPage(page, (admin) => presentAdmin(admin, roles.get(admin.id) ?? [])));
    },
  }),
  defineRoute({
    ...one,
    method: 'get',
    policy: ['view', 'admins'],
    operation: 'getAdmin',
    summary: 'Show an admin',
    reply: { 200: adminReply },
    handle: ({ services, found }) => present(services, found),
  }),
];

const writing = [
  defineRoute({
    ...admins,
    method: 'post',
    path: '/admins',
    policy: ['create', 'admins'],
    operation: 'createAdmin',
    idempotent: true,
    summary: 'Create an admin',
    description: RULES,
    body: newAdminBody,
    reply: { 201: adminReply },
    handle: async ({ services, actor, body }) => {
      services.auth.guard.requireRecentSignIn(actor);
      return created(await present(services, await services.administration.admins.create(body, actor)));
    },
  }),
  defineRoute({
    ...one,
    method: 'put',
    policy: ['update', 'admins'],
    operation: 'updateAdmin',
    record: true,
    errors: [409],
    summary: 'Change an admin',
    description: `Whatever is left out stays. A new password and the status \`inactive\` end every sign-in. ${RULES}`,
    body: adminBody,
    versioned: true,
    reply: { 200: adminReply },
    handle: async ({ services, actor, found, body, expected }) => {
      if (isSensitive(body)) services.auth.guard.requireRecentSignIn(actor);
      return present(services, await services.administration.admins.update(found.id, body, actor, expected));
    },
  }),
  defineRoute({
    ...one,
    method: 'put',
    path: '/admins/:id/roles',
    policy: ['update', 'admins'],
    operation: 'setAdminRoles',
    errors: [409],
    summary: 'Set the roles of an admin',
    description: `Nobody changes their own roles. ${RULES}`,
    body: adminRolesBody,
    versioned: true,
    reply: { 200: adminReply },
    handle: async ({ services, actor, found, body, expected }) => {
      services.auth.guard.requireRecentSignIn(actor);
      const assignment = { adminId: found.id, roles: body.roles, by: actor, expected };
      return present(services, await services.rbac.assignRoles(assignment));
    },
  }),
  defineRoute({
    ...one,
    ...recordDeletion,
    policy: ['delete', 'admins'],
    operation: 'deleteAdmin',
    errors: [409],
    summary: 'Delete an admin',
    description: RULES,
    handle: async ({ services, actor, found, expected }) => {
      services.auth.guard.requireRecentSignIn(actor);
      await services.administration.admins.delete(found.id, actor, expected);
      return {};
    },
  }),
];

export const adminRoutes = [...reading, ...writing];

/** Every field except the name affects who gets in, and to what (S80). */
function isSensitive({ name: _name, ...rest }: AdminBody): boolean {
  return Object.values(rest).some((value) => value !== undefined);
}

async function present({ rbac }: PortalServices, admin: AdminRecord) {
  const roles = await rbac.rolesOf([admin.id]);
  return presentAdmin(admin, roles.get(admin.id) ?? []);
}
