import { defineRecord, fieldOf } from '../../database/index.js';
import type { ActivityChanges } from '../../core/index.js';

/** One entry of the activity log, as lists show it. */
export interface ActivityRecord {
  readonly id: number;
  /** `user.login`, `app.approved`. */
  readonly action: string;
  readonly actorType: string;
  readonly actorId: number | null;
  readonly actorName: string | null;
  readonly actorEmail: string | null;
  readonly subjectType: string | null;
  readonly subjectId: string | null;
  readonly subjectLabel: string | null;
  /** The developer concerned. */
  readonly ownerId: number | null;
  readonly changes: ActivityChanges | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
  readonly createdAt: Date;
}

/** The developers who did these, each once. */
export function developersOf(activities: readonly ActivityRecord[]): number[] {
  const ids = activities.map(({ actorType, actorId }) => (actorType === 'developer' ? actorId : null));
  return [...new Set(ids.filter((id) => id !== null))];
}

/** A link of the hash chain, without the personal data of `portal_activity_people`. */
export const activityRecord = defineRecord({
  name: 'Activity',
  table: 'portal_activities',
  alias: 'a',
  fields: {
    id: fieldOf.reference().key(),
    action: fieldOf.text(100),
    actorType: fieldOf.text(16),
    actorId: fieldOf.reference().nullable(),
    subjectType: fieldOf.text(50).nullable(),
    subjectId: fieldOf.text(100).nullable(),
    subjectLabel: fieldOf.text(255).nullable(),
    ownerId: fieldOf.reference().nullable(),
    changes: fieldOf.json<ActivityChanges>().nullable(),
    requestId: fieldOf.text(64).nullable(),
    createdAt: fieldOf.time(),
    actorSeal: fieldOf.text(64).nullable(),
    subjectSeal: fieldOf.text(64).nullable(),
    previousHash: fieldOf.text(64),
    hash: fieldOf.text(64),
  },
});

/** Over `portal_activities AS a` and its personal data, `portal_activity_people AS p`. */
export const ACTIVITY_COLUMNS: Readonly<Record<keyof ActivityRecord, string>> = {
  id: 'a.id',
  action: 'a.action',
  actorType: 'a.actor_type',
  actorId: 'a.actor_id',
  actorName: 'p.actor_name',
  actorEmail: 'p.actor_email',
  subjectType: 'a.subject_type',
  subjectId: 'a.subject_id',
  subjectLabel: 'COALESCE(a.subject_label, p.subject_label)',
  ownerId: 'a.owner_id',
  changes: 'COALESCE(a.changes, p.subject_changes)',
  ip: 'p.ip',
  userAgent: 'p.user_agent',
  requestId: 'a.request_id',
  createdAt: 'a.created_at',
};

export const PEOPLE_JOIN = 'LEFT JOIN portal_activity_people p ON p.activity_id = a.id';

export const ACTIVITY_DECODE = { changes: 'json', createdAt: 'date' } as const;
