import type { AdminService } from '../accounts/index.js';
import { AdminManager } from './admin-manager.js';
import { PermissionAuthorizer, RouteAuthorizer } from './authorizer.js';
import type { ApiAuthorizer } from './contracts.js';
import type { PermissionChangeParts } from './permission-changes.js';
import { RbacService, type RbacServiceParts } from './rbac-service.js';
import { PermissionService } from './permission-service.js';
import { RoleService } from './role-service.js';
import { ServiceTokens } from './service-token-service.js';
import { ShippedNames, type GivenRole } from './shipped.js';

export interface RbacServices {
  readonly rbac: RbacService;
  /** Management of admins, roles and permissions. */
  readonly administration: {
    readonly admins: AdminManager;
    readonly roles: RoleService;
    readonly permissions: PermissionService;
    /** Accounts of machines. */
    readonly serviceTokens: ServiceTokens;
  };
  /** Layer 2 of admin authorization, for checks that a route cannot declare. */
  readonly authorizer: ApiAuthorizer;
}

interface RbacServicesParts extends Omit<PermissionChangeParts & RbacServicesBase, 'rbac' | 'shipped'> {
  readonly config: { readonly portalApi: RbacServiceParts['config'] };
  readonly admins: AdminService;
  /** Roles that modules assign. */
  readonly given: readonly GivenRole[];
  /** The host's second layer; null for the shipped one. */
  authorizer(rbac: RbacService): ApiAuthorizer | null;
}

type RbacServicesBase = Pick<RbacServiceParts, 'further'>;

/** Roles with both layers of admin authorization. */
export function createRbacServices({ config: { portalApi: config }, ...base }: RbacServicesParts): RbacServices & {
  readonly routeAuthorizer: RouteAuthorizer;
} {
  const rbac = new RbacService({ ...base, config });
  const authorizer = base.authorizer(rbac) ?? new PermissionAuthorizer(rbac, config);
  const parts = { ...base, rbac, shipped: new ShippedNames(config, base.further, base.given) };
  return {
    rbac,
    administration: {
      admins: new AdminManager(parts),
      roles: new RoleService(parts),
      permissions: new PermissionService(parts),
      serviceTokens: new ServiceTokens({ ...parts, adminAccess: config.rbac.permissions.adminAccess }),
    },
    authorizer,
    routeAuthorizer: new RouteAuthorizer(rbac, authorizer, config),
  };
}
