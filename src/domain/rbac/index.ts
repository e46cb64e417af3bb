export { RouteAuthorizer } from './authorizer.js';
export { createRbacServices, type RbacServices } from './rbac-services.js';
export type { References } from './chosen.js';
export type { ApiAuthorizer } from './contracts.js';
/** @internal */
export { defaultRoles, type RoleSpec } from './default-roles.js';
export {
  AdminRolesChangedEvent,
  PermissionCreatedEvent,
  PermissionDeletedEvent,
  PermissionUpdatedEvent,
  RoleCreatedEvent,
  RoleDeletedEvent,
  RoleUpdatedEvent,
  ServiceTokenCreatedEvent,
  ServiceTokenRevokedEvent,
  ServiceTokenRotatedEvent,
} from './events.js';
export type { Grants } from './grants.js';
export type { PermissionSpec } from './permissions.js';
export { permissionList, type PermissionRecord } from './permission.js';
export { RbacService, type RbacServiceParts } from './rbac-service.js';
export type { Granter } from './permission-rules.js';
export type { RoleAssignment, RoleChoice } from './role-assignment.js';
export { roleList } from './role-reader.js';
export type { RoleRecord, RoleReference } from './role.js';
export type { SeedReport } from './seed.js';
export { serviceTokenList, stateOfToken, type ServiceTokenRecord } from './service-token.js';
export {
  SERVICE_TOKEN_LONGEST_S,
  SERVICE_TOKEN_PREFIX,
  type ServiceTokens,
  type ToldServiceToken,
} from './service-token-service.js';
export type { GivenRole } from './shipped.js';
