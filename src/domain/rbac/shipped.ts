import { ConflictError, ForbiddenError, ValidationError } from '../../core/index.js';
import type { RbacConfig } from './config.js';
import { defaultRoles, type RoleSpec } from './default-roles.js';
import { shippedPermissions, type PermissionSpec } from './permissions.js';

/** What `portal rbac:seed` adds: the default roles, and every other role in `bypassRoles`, with all permissions. */
export function listSeededRoles({ permissions, bypassRoles }: RbacConfig['rbac']): RoleSpec[] {
  const shipped = defaultRoles(permissions);
  const all = shippedPermissions(permissions).map(({ name }) => name);
  const further = bypassRoles.filter((name) => !shipped.some((role) => role.name === name));
  return [...shipped, ...further.map((name) => ({ name, label: name, permissions: all }))];
}

/** A role that a module assigns to admins by name, for example to the members of a group. */
export interface GivenRole {
  readonly name: string;
  /** The setting that configures it: `oidc.providers.acme.admins.roles`. */
  readonly setting: string;
}

/** Reserved names: they cannot be created by hand, renamed or deleted. */
export class ShippedNames {
  private readonly roles: ReadonlySet<string>;
  private readonly bypassRoles: ReadonlySet<string>;
  private readonly permissions: ReadonlySet<string>;

  /**
   * @param further permissions of modules
   * @param given roles that modules assign; read on every check
   */
  constructor(
    { rbac }: RbacConfig,
    further: readonly PermissionSpec[] = [],
    private readonly given: readonly GivenRole[] = [],
  ) {
    this.roles = lowerAll(listSeededRoles(rbac));
    this.bypassRoles = new Set(rbac.bypassRoles.map((name) => name.toLowerCase()));
    this.permissions = lowerAll(shippedPermissions(rbac.permissions, further));
  }

  /** @throws ForbiddenError for a role that would bypass every check (S59), ValidationError for a built-in one */
  refuseNewRole(name: string): void {
    if (this.bypassRoles.has(name.toLowerCase())) throw new ForbiddenError({ detail: `${name} is a bypass role` });
    if (this.roles.has(name.toLowerCase())) throw reservedNameError('role');
  }

  /** @throws ValidationError for a built-in permission */
  refuseNewPermission(name: string): void {
    if (this.permissions.has(name.toLowerCase())) throw reservedNameError('permission');
  }

  /** Whether a module assigns the role of this name. */
  isGiven(name: string): boolean {
    return this.given.some((role) => role.name.toLowerCase() === name.toLowerCase());
  }

  /** @throws ConflictError for a role that is built in, or that a module assigns by its name */
  refuseLosingRole(name: string): void {
    if (this.roles.has(name.toLowerCase())) throw shippedNameError('role');
    const given = this.given.find((role) => role.name.toLowerCase() === name.toLowerCase());
    if (!given) return;
    const sentence = `${given.setting} gives this role by its name. Take it out of the configuration first.`;
    throw new ConflictError({ errors: { name: [sentence] } });
  }

  /** @throws ConflictError for a built-in permission */
  refuseLosingPermission(name: string): void {
    if (this.permissions.has(name.toLowerCase())) throw shippedNameError('permission');
  }
}

function lowerAll(records: readonly { readonly name: string }[]): ReadonlySet<string> {
  return new Set(records.map(({ name }) => name.toLowerCase()));
}

function reservedNameError(what: string): ValidationError {
  return new ValidationError({ name: [`A ${what} of this name ships with the portal; portal rbac:seed adds it.`] });
}

function shippedNameError(what: string): ConflictError {
  return new ConflictError({ errors: { name: [`A ${what} that ships is never renamed or deleted.`] } });
}
