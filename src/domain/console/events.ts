import { defineEvent, defineEventBase, eventField, tellCreation, tellDeletion, withChanges } from '../../core/index.js';
import type { BulkJob } from './bulk-job.js';
import type { DeveloperView, DeveloperViewEnding } from './developer-view.js';
import type { SavedView } from './saved-view.js';

const SavedViewEvent = defineEventBase(
  {
    /** After the change, or before a deletion. */
    view: eventField<SavedView>(),
  },
  // Its name and query may be about a person, and the log is permanent.
  { subject: ({ view }) => ({ type: 'saved_view', id: view.id, label: view.resource }) },
);

/** The part of a view that the log records: neither its name nor its query. */
const selectShown = ({ resource, roleId, isPinned, isDefault }: SavedView) => ({
  resource,
  roleId,
  isPinned,
  isDefault,
});

/** An admin saved a view of a list; the log leaves out its name and query. */
export class SavedViewCreatedEvent extends defineEvent(SavedViewEvent, 'saved_view.created', {
  changes: ({ view }) => tellCreation('view').changes({ view: selectShown(view) }),
}) {}

/** A saved view was changed. */
export class SavedViewUpdatedEvent extends defineEvent(SavedViewEvent, 'saved_view.updated', {
  ...withChanges,
  changes: ({ changes: { name, query, ...others } }) => ({
    ...others,
    ...(name && { name: ['…', '…'] as const }),
    ...(query && { query: ['…', '…'] as const }),
  }),
}) {}

/** A saved view was deleted. */
export class SavedViewDeletedEvent extends defineEvent(SavedViewEvent, 'saved_view.deleted', {
  changes: ({ view }) => tellDeletion('view').changes({ view: selectShown(view) }),
}) {}

const BulkJobEvent = defineEventBase(
  {
    /** As it started, or as it ended. */
    job: eventField<BulkJob>(),
  },
  { subject: ({ job }) => ({ type: 'bulk_job', id: job.id, label: `${job.resource}.${job.action}` }) },
);

/** An admin had something done to many records, or imported many. Each record has an entry of its own. */
export class BulkJobStartedEvent extends defineEvent(BulkJobEvent, 'bulk_job.started', {
  changes: ({ job: { operation, total } }) => ({ operation: [null, operation], records: [null, total] }),
}) {}

/** The same was done, stopped or could not go on; `job` holds the counts. */
export class BulkJobEndedEvent extends defineEvent(BulkJobEvent, 'bulk_job.ended', {
  changes: ({ job: { state, reason, done, failed, skipped } }) => ({
    state: ['running', state],
    ...(reason !== null && { reason: [null, reason] as const }),
    ...{ done: [0, done], failed: [0, failed], skipped: [0, skipped] },
  }),
}) {}

const DeveloperViewEvent = defineEventBase(
  {
    /** As it started, or as it ended. */
    view: eventField<DeveloperView>(),
  },
  { subject: ({ view }) => ({ type: 'user', id: view.userId }), owner: ({ view }) => view.userId },
);

/** An admin began to look at the portal as a developer sees it. */
export class UserViewStartedEvent extends defineEvent(DeveloperViewEvent, 'user.view_started', {
  // `why`, for a `reason` is shown to the developer.
  changes: ({ view: { reason, endsAt } }) => ({ why: [null, reason], until: [null, endsAt] }),
}) {}

/** The same ended; `ending` says how. */
export class UserViewEndedEvent extends defineEvent(DeveloperViewEvent, 'user.view_ended', {
  fields: { ending: eventField<DeveloperViewEnding>() },
  // Who viewed, also where the portal ends the view by itself.
  changes: ({ view: { adminId }, ending }) => ({ ending: [null, ending], admin: [adminId, null] }),
}) {}

/** Files in a repository began or ceased to manage records; `managedBy` has their names, null for nobody. */
export class ManagedRecordsChangedEvent extends defineEvent(
  defineEventBase(
    {
      kind: eventField<string>(),
      records: eventField<readonly number[]>(),
      managedBy: eventField<readonly (string | null)[]>(),
    },
    { subject: ({ kind }) => ({ type: 'managed_records', id: kind }) },
  ),
  'managed_records.changed',
  { changes: ({ records, managedBy }) => ({ records: [null, records], managedBy: [null, managedBy] }) },
) {}
