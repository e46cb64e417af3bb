export { createConsoleServices, pruneBulkJobs, type ConsoleServices } from './console-services.js';
export type { BulkChoice, BulkJobs, BulkPreview } from './bulk-jobs.js';
export type { BulkJob, BulkReason, BulkRow, BulkState } from './bulk-job.js';
export {
  BulkJobEndedEvent,
  BulkJobStartedEvent,
  ManagedRecordsChangedEvent,
  SavedViewCreatedEvent,
  SavedViewDeletedEvent,
  SavedViewUpdatedEvent,
  UserViewEndedEvent,
  UserViewStartedEvent,
} from './events.js';
export type { DeveloperView, DeveloperViewEnding } from './developer-view.js';
export { VIEW_AS, type DeveloperViews } from './developer-views.js';
export type { DryRun, ImportDraft, LineError } from './bulk-imports.js';
export type { ImportField } from './import-target.js';
export type { ManagedRecord } from './managed-records.js';
export type {
  ApplyChanges,
  BulkAction,
  BulkCaller,
  FindBulkAction,
  OperationPort,
  ShownRecord,
  WantedChange,
} from './operation-port.js';
export type { SavedView, SavedViewInput } from './saved-view.js';
export type { SavedViewService } from './saved-view-service.js';
