import { ConflictError, ForbiddenError, ValidationError } from '../../kernel/index.js';
import type { RbacConfig } from './config.js';
import { defaultRoles, type RoleSpec } from './roles/default-roles.js';
import { shippedPermissions, type PermissionSpec } from './permissions.js';

/** What `portal rbac:seed` adds: the default roles, and every other one that `bypassRoles` names, with everything. */
export function seededRoles({ permissions, bypassRoles }: RbacConfig['rbac']): RoleSpec[] {
  const shipped = defaultRoles(permissions);
  const all = shippedPermissions(permissions).map(({ name }) => name);
  const further = bypassRoles.filter((name) => !shipped.some((role) => role.name === name));
  return [...shipped, ...further.map((name) => ({ name, label: name, permissions: all }))];
}

/** Names that mean something to the program: never given away by hand, never renamed, never deleted. */
export class ShippedNames {
  private readonly roles: ReadonlySet<string>;
  private readonly bypassRoles: ReadonlySet<string>;
  private readonly permissions: ReadonlySet<string>;

  /** @param further permissions of modules */
  constructor({ rbac }: RbacConfig, further: readonly PermissionSpec[] = []) {
    this.roles = lowered(seededRoles(rbac));
    this.bypassRoles = new Set(rbac.bypassRoles.map((name) => name.toLowerCase()));
    this.permissions = lowered(shippedPermissions(rbac.permissions, further));
  }

  /** @throws ForbiddenError for a role that would pass every check (S59), ValidationError for one that ships */
  refuseNewRole(name: string): void {
    if (this.bypassRoles.has(name.toLowerCase())) throw new ForbiddenError({ detail: `${name} is a bypass role` });
    if (this.roles.has(name.toLowerCase())) throw reserved('role');
  }

  /** @throws ValidationError for a permission that ships */
  refuseNewPermission(name: string): void {
    if (this.permissions.has(name.toLowerCase())) throw reserved('permission');
  }

  /** @throws ConflictError for a role that ships */
  refuseLosingRole(name: string): void {
    if (this.roles.has(name.toLowerCase())) throw kept('role');
  }

  /** @throws ConflictError for a permission that ships */
  refuseLosingPermission(name: string): void {
    if (this.permissions.has(name.toLowerCase())) throw kept('permission');
  }
}

function lowered(records: readonly { readonly name: string }[]): ReadonlySet<string> {
  return new Set(records.map(({ name }) => name.toLowerCase()));
}

function reserved(what: string): ValidationError {
  return new ValidationError({ name: [`A ${what} of this name ships with the portal; portal rbac:seed adds it.`] });
}

function kept(what: string): ConflictError {
  return new ConflictError({ errors: { name: [`A ${what} that ships is never renamed or deleted.`] } });
}
