import { ABILITIES, findImplying, policyPermission, shippedPermissions, type CorePermissions } from './permissions.js';

export interface RoleSpec {
  readonly name: string;
  readonly label: string;
  readonly permissions: readonly string[];
}

const READ_USAGE = 'portal.usage.read';
/** Resources reserved to those who manage other admins; a service token outlives the role of whoever made it. */
const POWER = ['admins', 'roles', 'permissions', 'service_tokens'];

/** The built-in roles (contract §8). An operator may change their permissions but not their names. */
export function defaultRoles(core: CorePermissions): RoleSpec[] {
  const all = shippedPermissions(core).map(({ name }) => name);
  const power = new Set([
    ...POWER.flatMap((resource) => listAll(resource)),
    ...POWER.map((resource) => findImplying(resource, core)),
  ]);
  return [
    // Bypasses every check anyway; the permissions are for hosts that take it off the bypass list.
    { name: 'super_admin', label: 'Super administrator', permissions: all },
    { name: 'admin', label: 'Administrator', permissions: all.filter((name) => !power.has(name)) },
    {
      name: 'catalog_manager',
      label: 'Catalog manager',
      permissions: [
        core.adminAccess,
        ...['products', 'plans', 'categories', 'audiences', 'menus', 'guides', 'banners'].flatMap(listAll),
        policyPermission('view', 'searches'),
      ],
    },
    {
      name: 'support',
      label: 'Support',
      permissions: [
        core.adminAccess,
        ...['view', 'create', 'update'].map((ability) => policyPermission(ability, 'users')),
        ...listAll('apps'),
        policyPermission('view', 'products'),
        policyPermission('view', 'plans'),
        policyPermission('view', 'audiences'),
        ...['view', 'update'].map((ability) => policyPermission(ability, 'mails')),
        READ_USAGE,
      ],
    },
    {
      name: 'auditor',
      label: 'Auditor',
      permissions: [
        core.adminAccess,
        core.viewActivities,
        ...all.filter((name) => name.endsWith('.view') || name === READ_USAGE),
      ],
    },
  ].map((role) => ({ ...role, permissions: [...new Set(role.permissions)] }));
}

function listAll(resource: string): string[] {
  return ABILITIES.map((ability) => policyPermission(ability, resource));
}
