import { PortalEvent } from '../../core/index.js';
import type { AdminRecord, Changes } from '../accounts/index.js';
import type { PermissionRecord } from './roles/permission.js';
import type { RoleRecord } from './roles/role.js';

interface RolesChange {
  readonly admin: AdminRecord;
  /** Names, in alphabetical order. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly occurredAt: Date;
}

/** An admin got or lost roles; `admin` is the record after the change. */
export class AdminRolesChangedEvent extends PortalEvent {
  readonly admin: AdminRecord;
  readonly adminId: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly changes: Changes;

  constructor({ admin, before, after, occurredAt }: RolesChange) {
    super(occurredAt);
    this.admin = admin;
    this.adminId = admin.id;
    this.before = before;
    this.after = after;
    this.changes = { roles: [before, after] };
  }
}

interface RoleFact {
  readonly role: RoleRecord;
  readonly occurredAt: Date;
}

abstract class RoleEvent extends PortalEvent {
  readonly role: RoleRecord;

  constructor({ role, occurredAt }: RoleFact) {
    super(occurredAt);
    this.role = role;
  }
}

export class RoleCreatedEvent extends RoleEvent {}

/** Name, label or permissions changed; `role` is the record after the change. */
export class RoleUpdatedEvent extends RoleEvent {
  readonly changes: Changes;

  constructor(fact: RoleFact & { readonly changes: Changes }) {
    super(fact);
    this.changes = fact.changes;
  }
}

/** `role` is the record as it was. */
export class RoleDeletedEvent extends RoleEvent {}

interface PermissionFact {
  readonly permission: PermissionRecord;
  readonly occurredAt: Date;
}

abstract class PermissionEvent extends PortalEvent {
  readonly permission: PermissionRecord;

  constructor({ permission, occurredAt }: PermissionFact) {
    super(occurredAt);
    this.permission = permission;
  }
}

export class PermissionCreatedEvent extends PermissionEvent {}

/** `permission` is the record after the change. */
export class PermissionUpdatedEvent extends PermissionEvent {
  readonly changes: Changes;

  constructor(fact: PermissionFact & { readonly changes: Changes }) {
    super(fact);
    this.changes = fact.changes;
  }
}

/** `permission` is the record as it was. */
export class PermissionDeletedEvent extends PermissionEvent {}
