import type { Changes, EventActivity, PortalEvent } from '../../core/index.js';
import type { AuditFacts } from './activity-draft.js';
import { cleanChanges } from '../../core/index.js';
import { activityFromName } from './undeclared-event.js';

/** What the log records about an event; null if it is not recorded. */
export function factsOf(event: PortalEvent): AuditFacts | null {
  const activity = activityOf(event);
  if (!activity?.action || activity.isRecorded?.(event) === false) return null;
  const { action } = activity;
  const subject = activity.subject?.(event) ?? null;
  const changes = activity.changes ? activity.changes(event) : changesIn(event);
  return {
    action: typeof action === 'string' ? action : action(event as never),
    subject: subject && { label: null, ...subject, id: subject.id === null ? null : String(subject.id) },
    ownerId: activity.owner?.(event) ?? null,
    changes: changes && cleanChanges(changes, activity.isSecret?.(event)),
  };
}

function activityOf(event: PortalEvent): EventActivity<PortalEvent> | null {
  const { activity } = event.constructor as unknown as { activity?: EventActivity<PortalEvent> | null };
  if (activity === null || activity?.action) return activity;
  return { ...activityFromName(event), ...activity };
}

function changesIn({ changes }: PortalEvent & { readonly changes?: unknown }): Changes | null {
  return typeof changes === 'object' && !Array.isArray(changes) ? (changes as Changes | null) : null;
}
