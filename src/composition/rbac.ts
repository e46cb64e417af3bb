import type { PortalServices } from '../api/index.js';
import {
  AdminManager,
  PermissionAuthorizer,
  PermissionService,
  RbacService,
  RoleService,
  RouteAuthorizer,
  ShippedNames,
  type GivenRole,
} from '../domain/rbac/index.js';
import type { DomainBase } from './base.js';
import { requireMethods } from '../extend/extensions.js';

/** Roles with both layers of admin authorization; the second may be the host's own. */
export function createRbac(base: DomainBase, accounts: PortalServices['accounts'], given: readonly GivenRole[]) {
  const { config, extensions, clock, modules } = base;
  const further = modules.flatMap(({ permissions = [] }) => permissions);
  const rbac = new RbacService({ ...base, config: config.portalApi, further });
  const authorizer = extensions.authorizer
    ? requireMethods('authorizer', extensions.authorizer({ clock, accounts, rbac }), ['authorize'])
    : new PermissionAuthorizer(rbac, config.portalApi);
  const parts = { ...base, rbac, shipped: new ShippedNames(config.portalApi, further, given) };
  const administration = {
    admins: new AdminManager({ ...parts, admins: accounts.admins }),
    roles: new RoleService(parts),
    permissions: new PermissionService(parts),
  };
  return { rbac, administration, authorizer, routeAuthorizer: new RouteAuthorizer(rbac, authorizer, config.portalApi) };
}
