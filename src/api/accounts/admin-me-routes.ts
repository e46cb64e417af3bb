import type { AdminRecord } from '../../domain/accounts/index.js';
import { OWN_ACCOUNT } from '../../http/index.js';
import { defineRoute } from '../define-route.js';
import { refuseOtherEmail } from './own-email.js';
import type { PortalServices } from '../services.js';
import { presentAdmin } from './admin-presenter.js';
import { adminProfileBody, ownAdminReply } from './admin-me-schema.js';

const me = { context: 'admin', path: '/me', tag: 'Admin profile', permission: OWN_ACCOUNT } as const;

export const adminMeRoutes = [
  defineRoute({
    ...me,
    method: 'get',
    operation: 'getAdminProfile',
    summary: 'Show the signed-in admin with roles and effective permissions',
    reply: { 200: ownAdminReply },
    handle: ({ services, actor }) => presentOwn(services, actor.admin),
  }),
  defineRoute({
    ...me,
    method: 'put',
    operation: 'updateAdminProfile',
    record: true,
    summary: 'Change the profile of the signed-in admin',
    body: adminProfileBody,
    versioned: true,
    reply: { 200: ownAdminReply },
    handle: async ({ services, actor, body, expected }) => {
      refuseOtherEmail(actor.admin.email, body.email);
      const admin = await services.accounts.admins.updateProfile(actor.id, { name: body.name }, expected);
      return presentOwn(services, admin);
    },
  }),
];

async function presentOwn({ rbac }: PortalServices, admin: AdminRecord) {
  const { roles } = await rbac.grantsOf(admin.id);
  return { ...presentAdmin(admin, roles), permissions: await rbac.effectivePermissions(admin.id) };
}
