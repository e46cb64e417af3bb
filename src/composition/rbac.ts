import type { PortalServices } from '../api/index.js';
import {
  AdminManager,
  PermissionAuthorizer,
  PermissionService,
  RbacService,
  RoleService,
  RouteAuthorizer,
  ShippedNames,
  type ApiAuthorizer,
} from '../domain/rbac/index.js';
import type { DomainBase } from './base.js';

/** Roles with both layers of admin authorization; the second may be the host's own. */
export function createRbac(base: DomainBase, accounts: PortalServices['accounts']) {
  const { config, extensions, clock } = base;
  const rbac = new RbacService({ ...base, config: config.portalApi });
  const authorizer =
    (extensions.authorizer?.({ clock, accounts, rbac } as never) as ApiAuthorizer | undefined) ??
    new PermissionAuthorizer(rbac, config.portalApi);
  const parts = { ...base, rbac, shipped: new ShippedNames(config.portalApi) };
  const administration = {
    admins: new AdminManager({ ...parts, admins: accounts.admins }),
    roles: new RoleService(parts),
    permissions: new PermissionService(parts),
  };
  return { rbac, administration, authorizer, routeAuthorizer: new RouteAuthorizer(rbac, authorizer, config.portalApi) };
}
