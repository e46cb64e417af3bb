import { PortalEvent } from '../../kernel/index.js';

interface RolesChange {
  readonly adminId: number;
  /** Names, in alphabetical order. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly occurredAt: Date;
}

export class AdminRolesChangedEvent extends PortalEvent {
  readonly adminId: number;
  readonly before: readonly string[];
  readonly after: readonly string[];

  constructor({ adminId, before, after, occurredAt }: RolesChange) {
    super(occurredAt);
    this.adminId = adminId;
    this.before = before;
    this.after = after;
  }
}
