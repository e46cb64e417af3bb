export { PermissionAuthorizer, RouteAuthorizer } from './authorizer.js';
export type { ApiAuthorizer } from './contracts.js';
/** @internal */
export { defaultRoles, type RoleSpec } from './default-roles.js';
export { AdminRolesChangedEvent } from './events.js';
export type { Grants } from './grants.js';
export { RbacService, type RbacServiceParts } from './rbac-service.js';
export type { RoleAssignment } from './role-assignment.js';
export type { RoleReference } from './role.js';
export type { SeedReport } from './seed.js';
