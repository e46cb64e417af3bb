import type { RbacConfig } from './config.js';

/** The four core permissions, under the names that the host configured. */
export type CorePermissions = RbacConfig['rbac']['permissions'];

export interface PermissionSpec {
  readonly name: string;
  readonly description: string;
}

export const ABILITIES = ['view', 'create', 'update', 'delete'] as const;
export type Ability = (typeof ABILITIES)[number];

/** Resource → its name in a sentence. */
const RESOURCES = {
  users: 'developers',
  apps: 'apps and credentials',
  products: 'API products',
  plans: 'plans',
  categories: 'categories',
  audiences: 'audiences',
  guides: 'guides and news',
  banners: 'banners',
  menus: 'menus',
  settings: 'settings',
  admins: 'admin accounts',
  roles: 'roles',
  permissions: 'permissions',
  webhooks: 'webhooks of the operator',
  service_tokens: 'service tokens',
  teams: 'teams',
} as const;

/** Default names under which routes require the four, whatever the host calls them. */
const CORE_NAMES: CorePermissions = {
  adminAccess: 'portal.admin.access',
  manageRbac: 'portal.rbac.manage',
  manageAdmins: 'portal.admins.manage',
  viewActivities: 'portal.activities.view',
};

/** Resources that one of the four covers completely. */
const IMPLIED_BY: Readonly<Record<string, keyof CorePermissions>> = {
  admins: 'manageAdmins',
  roles: 'manageRbac',
  permissions: 'manageRbac',
  activities: 'viewActivities',
};

/** Name of a policy permission: `portal.users.view`. */
export function policyPermission(ability: string, resource: string): string {
  return `portal.${resource}.${ability}`;
}

/** The core permission that covers every ability on `resource`, if any. */
export function findImplying(resource: string, core: CorePermissions): string | undefined {
  const key = Object.hasOwn(IMPLIED_BY, resource) ? IMPLIED_BY[resource] : undefined;
  return key && core[key];
}

/** The host's name for a permission that a route requires. */
export function nameConfigured(permission: string, core: CorePermissions): string {
  const key = (Object.keys(CORE_NAMES) as (keyof CorePermissions)[]).find((name) => CORE_NAMES[name] === permission);
  return key ? core[key] : permission;
}

/** All built-in permissions, without duplicates. @param further those of modules */
export function shippedPermissions(core: CorePermissions, further: readonly PermissionSpec[] = []): PermissionSpec[] {
  const specs: PermissionSpec[] = [
    { name: core.adminAccess, description: 'Access protected admin API routes' },
    { name: core.manageRbac, description: 'Manage roles and permissions' },
    { name: core.manageAdmins, description: 'Manage admin accounts' },
    { name: core.viewActivities, description: 'View activity logs' },
    ...Object.entries(RESOURCES).flatMap(([resource, nouns]) =>
      ABILITIES.map((ability) => ({
        name: policyPermission(ability, resource),
        description: `${ability.charAt(0).toUpperCase()}${ability.slice(1)} ${nouns}`,
      })),
    ),
    { name: policyPermission('view_as', 'users'), description: 'View the portal as a developer' },
    { name: policyPermission('view', 'activities'), description: 'View activity logs' },
    { name: policyPermission('view', 'mails'), description: 'View the state of mails' },
    { name: policyPermission('update', 'mails'), description: 'Send mails again' },
    { name: policyPermission('view', 'jobs'), description: 'View background jobs' },
    { name: policyPermission('view', 'searches'), description: 'View searches without result' },
    { name: 'portal.usage.read', description: 'View the calls of apps and products' },
    ...further,
  ];
  // By default the last one has the same name as the fourth, and a host may give two of the four the same name.
  return specs.filter(({ name }, index) => specs.findIndex((spec) => spec.name === name) === index);
}
