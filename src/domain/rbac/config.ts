import { flag, list, text, type OptionValues } from '../../core/index.js';

const permissionName = {
  regex: /^[a-z0-9_]+(\.[a-z0-9_]+)+$/,
  hint: 'dotted lower-case words such as portal.admin.access',
};
const permission = (name: string, purpose: string) =>
  text(name, `Permission to ${purpose}.`, { pattern: permissionName });

/** The part of `portalApi` that authorizes. Switching a layer off never opens admin routes to consumers (S61). */
export const rbacOptions = {
  rbac: {
    enabled: flag(true, 'Layer 1: role and permission checks on admin routes.'),
    bypassRoles: list(['super_admin'], 'Roles that pass every check.'),
    permissions: {
      adminAccess: permission('portal.admin.access', 'use protected admin routes'),
      manageRbac: permission('portal.rbac.manage', 'manage roles and permissions'),
      manageAdmins: permission('portal.admins.manage', 'manage admin accounts'),
      viewActivities: permission('portal.activities.view', 'view the activity log'),
    },
  },
  usePolicies: flag(true, 'Layer 2: controllers ask the API authorizer.'),
};

export type RbacConfig = OptionValues<typeof rbacOptions>;
