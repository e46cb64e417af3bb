import { type AdminRecord, normaliseEmail } from '../../domain/accounts/index.js';
import { OWN_ACCOUNT } from '../../http/index.js';
import { defineRoute } from '../define-route.js';
import type { PortalServices } from '../../domain/services.js';
import { presentAdmin } from './admin-presenter.js';
import { adminProfileBody, ownAdminReply } from './admin-schema.js';
import { ValidationError } from '../../core/index.js';

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
  return { ...presentAdmin(admin, roles), permissions: await rbac.findEffectivePermissions(admin.id) };
}

/** @throws ValidationError on `email` unless the requested address is absent or equals the present one in any spelling */
function refuseOtherEmail(present: string, requested: string | undefined): void {
  if (requested === undefined) return;
  const email = normaliseEmail(requested);
  if (email === present) return;
  throw new ValidationError({
    email: [
      email === null
        ? 'The e-mail address is not valid.'
        : 'The e-mail address of an admin is changed by another admin.',
    ],
  });
}
