import { PortalEvent, type Changes } from '../../core/index.js';
import type { AdminRecord } from './admin.js';
import type { UserRecord, UserStatus } from './user.js';

export type { Changes };

interface UserFact {
  readonly user: UserRecord;
  readonly occurredAt: Date;
}

abstract class UserEvent extends PortalEvent {
  readonly user: UserRecord;

  constructor({ user, occurredAt }: UserFact) {
    super(occurredAt);
    this.user = user;
  }
}

export class UserCreatedEvent extends UserEvent {}

/** Anything but status and password changed, audiences included; `user` is the record after the change. */
export class UserUpdatedEvent extends UserEvent {
  readonly changes: Changes;

  constructor(fact: UserFact & { readonly changes: Changes }) {
    super(fact);
    this.changes = fact.changes;
  }
}

/** Before a deletion and outside of any transaction: a `within` listener that throws keeps the account (R12, R16). */
export class UserDeletingEvent extends UserEvent {}

/** Within the transaction that removed the row; `user` is the record as it was. */
export class UserDeletedEvent extends UserEvent {}

/** Before an account stops being active and outside of any transaction, as {@link UserDeletingEvent}. */
export class UserDisablingEvent extends UserEvent {}

/** After {@link UserDisablingEvent}, when the account could not be disabled after all: what was closed may open again. */
export class UserKeptActiveEvent extends UserEvent {}

/**
 * The owner of an address proved it by the link of a new password, for an account whose address nobody had proved before:
 * somebody else may have made it, and waited for its owner. Within the transaction of the reset, which has ended every
 * sign-in; `within` listeners take away whatever else could let that somebody in again.
 */
export class UserReclaimedEvent extends UserEvent {}

/** Failed guesses no longer keep the developer from signing in. */
export class UserUnlockedEvent extends UserEvent {}

/** `user` is the record after the change. */
export class UserStatusChangedEvent extends UserEvent {
  readonly before: UserStatus;
  readonly after: UserStatus;

  constructor(fact: UserFact & { readonly before: UserStatus; readonly after: UserStatus }) {
    super(fact);
    this.before = fact.before;
    this.after = fact.after;
  }
}

interface AdminFact {
  readonly admin: AdminRecord;
  readonly occurredAt: Date;
}

abstract class AdminEvent extends PortalEvent {
  readonly admin: AdminRecord;

  constructor({ admin, occurredAt }: AdminFact) {
    super(occurredAt);
    this.admin = admin;
  }
}

export class AdminCreatedEvent extends AdminEvent {}

/** Within the transaction that removed the row; `admin` is the record as it was. */
export class AdminDeletedEvent extends AdminEvent {}

/** Name, address or status changed; `admin` is the record after the change. */
export class AdminUpdatedEvent extends AdminEvent {
  readonly changes: Changes;

  constructor(fact: AdminFact & { readonly changes: Changes }) {
    super(fact);
    this.changes = fact.changes;
  }
}

/** Failed guesses no longer keep the admin from signing in. */
export class AdminUnlockedEvent extends AdminEvent {}

interface PasswordChange {
  readonly context: 'consumer' | 'admin';
  readonly accountId: number;
  /** The sign-in that made the change and may live on; every other one of the account must end (S06). */
  readonly keepSid?: string | undefined;
  /** What that one is called from now on: whoever holds its old name holds nothing any more. Without one it keeps its name. */
  readonly renewedSid?: string | undefined;
  readonly occurredAt: Date;
}

/** Emitted within the transaction that stores the new hash; a rehash of the same password is not one. */
export class PasswordChangedEvent extends PortalEvent {
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
