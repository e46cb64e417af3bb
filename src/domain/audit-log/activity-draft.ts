import type { ActingPerson } from '../../core/index.js';
import type { ActivityChanges } from '../../core/index.js';

export interface DraftSubject {
  readonly type: string;
  readonly id: string | null;
  readonly label: string | null;
  /** An address that somebody typed; its account is looked up. */
  readonly typedEmail?: string;
}

/** What an event records, before the actor is known. */
export interface AuditFacts {
  readonly action: string;
  readonly subject: DraftSubject | null;
  /** The developer whose record it is. */
  readonly ownerId: number | null;
  readonly changes: ActivityChanges | null;
}

/** An activity about to be written. */
export interface ActivityDraft extends AuditFacts {
  readonly occurredAt: Date;
  readonly actor: ActingPerson;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
}
