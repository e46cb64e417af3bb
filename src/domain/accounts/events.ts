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

/** Anything but status and password changed, audiences included; `user` is the record after the change. */
export class UserUpdatedEvent extends defineEvent(UserEvent, 'user.updated', withChanges) {}

/** Before a deletion and outside of any transaction: a `within` listener that throws keeps the account (R12, R16). */
export class UserDeletingEvent extends defineEvent(UserEvent, null) {}

/** Within the transaction that removed the row; `user` is the record as it was. */
export class UserDeletedEvent extends defineEvent(UserEvent, 'user.deleted', tellDeletion('user')) {}

/** Before an account stops being active and outside of any transaction, as {@link UserDeletingEvent}. */
export class UserDisablingEvent extends defineEvent(UserEvent, null) {}

/** After {@link UserDisablingEvent}, when the account could not be disabled after all: what was closed may open again. */
export class UserKeptActiveEvent extends defineEvent(UserEvent, 'user.kept_active') {}

/**
 * The owner of an address proved it by the link of a new password, for an account whose address nobody had proved before:
 * somebody else may have made it, and waited for its owner. Within the transaction of the reset, which has ended every
 * sign-in; `within` listeners take away whatever else could let that somebody in again.
 */
export class UserReclaimedEvent extends defineEvent(UserEvent, 'user.reclaimed') {}

/** Failed guesses no longer keep the developer from signing in. */
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

/** Failed guesses no longer keep the admin from signing in. */
export class AdminUnlockedEvent extends defineEvent(AdminEvent, 'admin.unlocked') {}

interface PasswordChange {
  readonly context: 'consumer' | 'admin';
  readonly accountId: number;
  /** The session that made the change and may continue; every other session of the account must end (S06). */
  readonly keepSid?: string | undefined;
  /** New id for the kept session, so that its old id stops working. If omitted, the id stays. */
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
