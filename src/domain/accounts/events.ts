import {
  defineEvent,
  defineEventBase,
  eventField,
  PortalEvent,
  tellCreation,
  tellDeletion,
  withChanges,
  type Changes,
  type EventActivity,
} from '../../core/index.js';
import type { AdminRecord } from './admin.js';
import type { UserRecord, UserStatus } from './user.js';

export type { Changes };

const UserEvent = defineEventBase(
  { user: eventField<UserRecord>() },
  { subject: ({ user }) => ({ type: 'user', id: user.id }), owner: ({ user }) => user.id },
);

export class UserCreatedEvent extends defineEvent(UserEvent, 'user.created', tellCreation('user')) {}

/** Any change except to status and password, including audiences; `user` is the record after the change. */
export class UserUpdatedEvent extends defineEvent(UserEvent, 'user.updated', withChanges) {}

/** Before a deletion, outside of any transaction; a `within` listener can prevent it by throwing (R12, R16). */
export class UserDeletingEvent extends defineEvent(UserEvent, null) {}

/** Within the transaction that removed the row; `user` is the record as it was. */
export class UserDeletedEvent extends defineEvent(UserEvent, 'user.deleted', tellDeletion('user')) {}

/** Before an account is disabled, outside of any transaction, like {@link UserDeletingEvent}. */
export class UserDisablingEvent extends defineEvent(UserEvent, null) {}

/** After a {@link UserDisablingEvent} whose change failed: what listeners have closed may be opened again. */
export class UserKeptActiveEvent extends defineEvent(UserEvent, 'user.kept_active') {}

/**
 * A password reset proved the address of an account for the first time, so somebody else may have created the account in
 * advance (pre-hijacking). Emitted within the transaction of the reset, which has ended every session; `within` listeners
 * remove everything else that gives access.
 */
export class UserReclaimedEvent extends defineEvent(UserEvent, 'user.reclaimed') {}

/** The lockout after failed logins was lifted. */
export class UserUnlockedEvent extends defineEvent(UserEvent, 'user.unlocked') {}

/** `user` is the record after the change. */
export class UserStatusChangedEvent extends defineEvent(UserEvent, 'user.status_changed', {
  fields: { before: eventField<UserStatus>(), after: eventField<UserStatus>() },
  changes: ({ before, after }) => ({ status: [before, after] }),
}) {}

const AdminEvent = defineEventBase(
  { admin: eventField<AdminRecord>() },
  { subject: ({ admin }) => ({ type: 'admin', id: admin.id }) },
);

export class AdminCreatedEvent extends defineEvent(AdminEvent, 'admin.created', tellCreation('admin')) {}

/** Within the transaction that removed the row; `admin` is the record as it was. */
export class AdminDeletedEvent extends defineEvent(AdminEvent, 'admin.deleted', tellDeletion('admin')) {}

/** Name, address or status changed; `admin` is the record after the change. */
export class AdminUpdatedEvent extends defineEvent(AdminEvent, 'admin.updated', withChanges) {}

/** The lockout after failed logins was lifted. */
export class AdminUnlockedEvent extends defineEvent(AdminEvent, 'admin.unlocked') {}

interface PasswordChange {
  readonly context: 'consumer' | 'admin';
  readonly accountId: number;
  /** The session that may continue; all other sessions of the account must end (S06). */
  readonly keepSid?: string | undefined;
  /** New id for that session, which invalidates its old one. If omitted, the id stays. */
  readonly renewedSid?: string | undefined;
  readonly occurredAt: Date;
}

/** Emitted within the transaction that stores the new hash; a rehash of the same password is not one. */
export class PasswordChangedEvent extends PortalEvent {
  static override readonly activity: EventActivity<PasswordChangedEvent> = {
    action: 'password.changed',
    subject: ({ context, accountId: id }) => ({ type: context === 'admin' ? 'admin' : 'user', id }),
    owner: ({ context, accountId }) => (context === 'consumer' ? accountId : null),
  };

  readonly context: 'consumer' | 'admin';
  readonly accountId: number;
  readonly keepSid: string | undefined;
  readonly renewedSid: string | undefined;

  constructor({ context, accountId, keepSid, renewedSid, occurredAt }: PasswordChange) {
    super(occurredAt);
    this.context = context;
    this.accountId = accountId;
    this.keepSid = keepSid;
    this.renewedSid = renewedSid;
  }
}
