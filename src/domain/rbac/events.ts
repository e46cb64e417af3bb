import {
  defineEvent,
  defineEventBase,
  eventField,
  tellCreation,
  tellDeletion,
  withChanges,
  type Changes,
} from '../../core/index.js';
import type { AdminRecord } from '../accounts/index.js';
import type { PermissionRecord } from './permission.js';
import type { RoleRecord } from './role.js';
import type { ServiceTokenRecord } from './service-token.js';

const AdminRolesEvent = defineEventBase(
  {
    admin: eventField<AdminRecord>(),
    /** Names in alphabetical order. */
    before: eventField<readonly string[]>(),
    after: eventField<readonly string[]>(),
  },
  { subject: ({ admin }) => ({ type: 'admin', id: admin.id }) },
);

/** An admin's roles changed; `admin` is the record after the change. */
export class AdminRolesChangedEvent extends defineEvent(AdminRolesEvent, 'admin.roles_changed') {
  readonly adminId: number = this.admin.id;
  readonly changes: Changes = { roles: [this.before, this.after] };
}

const RoleEvent = defineEventBase(
  { role: eventField<RoleRecord>() },
  { subject: ({ role }) => ({ type: 'role', id: role.id, label: role.name }) },
);

export class RoleCreatedEvent extends defineEvent(RoleEvent, 'role.created', tellCreation('role')) {}

/** Name, label or permissions changed; `role` is the record after the change. */
export class RoleUpdatedEvent extends defineEvent(RoleEvent, 'role.updated', withChanges) {}

/** `role` is the record as it was. */
export class RoleDeletedEvent extends defineEvent(RoleEvent, 'role.deleted', tellDeletion('role')) {}

const PermissionEvent = defineEventBase(
  { permission: eventField<PermissionRecord>() },
  { subject: ({ permission }) => ({ type: 'permission', id: permission.id, label: permission.name }) },
);

export class PermissionCreatedEvent extends defineEvent(
  PermissionEvent,
  'permission.created',
  tellCreation('permission'),
) {}

/** `permission` is the record after the change. */
export class PermissionUpdatedEvent extends defineEvent(PermissionEvent, 'permission.updated', withChanges) {}

/** `permission` is the record as it was. */
export class PermissionDeletedEvent extends defineEvent(
  PermissionEvent,
  'permission.deleted',
  tellDeletion('permission'),
) {}

const ServiceTokenEvent = defineEventBase(
  {
    /** The account, never its token. */
    token: eventField<ServiceTokenRecord>(),
  },
  { subject: ({ token }) => ({ type: 'service_token', id: token.id, label: token.name }) },
);

export class ServiceTokenCreatedEvent extends defineEvent(ServiceTokenEvent, 'service_token.created', {
  changes: ({ token: { permissions, expiresAt } }) => ({
    permissions: [null, permissions],
    expiresAt: [null, expiresAt],
  }),
}) {}

/** The account got another token; the earlier one no longer works. */
export class ServiceTokenRotatedEvent extends defineEvent(ServiceTokenEvent, 'service_token.rotated') {}

export class ServiceTokenRevokedEvent extends defineEvent(ServiceTokenEvent, 'service_token.revoked') {}
