import { defineList, defineRecord, fieldOf, times, type RowOf } from '../../../database/index.js';
import type { ApprovalStatus, ApproverType } from './approval.js';

/** Whether the gateway has it too. Rows in `creating` are never shown. */
export type SyncState = 'creating' | 'synced' | 'deleting';

/** States of rows that may be shown. */
export const SEEN = ['synced', 'deleting'] as const;

/** What apps, credentials and grants have in common: `Approvable`. */
export const approvalFields = {
  status: fieldOf.text<ApprovalStatus>(16),
  statusReason: fieldOf.text(500).nullable(),
  revokedBy: fieldOf.text<ApproverType>(16).nullable(),
  approvedAt: fieldOf.time().nullable(),
} as const;

export const appRecord = defineRecord({
  name: 'App',
  table: 'portal_apps',
  alias: 'a',
  fields: {
    id: fieldOf.id(),
    userId: fieldOf.reference(),
    /** Unique per developer, case-insensitively, and never changed. */
    name: fieldOf.text(100),
    /** The name in lower case. */
    nameKey: fieldOf.text(100).unique().hidden(),
    displayName: fieldOf.text(200),
    description: fieldOf.longText(),
    callbackUrl: fieldOf.text(2048).nullable(),
    ...approvalFields,
    /** When its first call was allowed; written with the usage, some seconds after it. */
    firstCalledAt: fieldOf.time().nullable(),
    syncState: fieldOf.text<SyncState>(16),
    gatewayAppId: fieldOf.text(255).nullable().hidden(),
    /** Name at the gateway; null if it is the same. Imported apps may have a name there that is not allowed here. */
    gatewayName: fieldOf.text(255).nullable(),
    /** Since when it is its owner's; null: since it was made. */
    ownedSince: fieldOf.time().nullable().hidden(),
    /** Holder of the lease; see `AppLeases`. */
    leaseToken: fieldOf.text(36).nullable().hidden(),
    leaseUntil: fieldOf.time().nullable().hidden(),
    ...times,
  },
});

/** An app of a developer. */
export type AppRecord = RowOf<typeof appRecord>;

/** An app that is offered to another owner. */
export const transferRecord = defineRecord({
  name: 'AppTransfer',
  table: 'portal_app_transfers',
  alias: 'x',
  fields: {
    id: fieldOf.id(),
    appId: fieldOf.reference(),
    /** Who owns the app, and who is to: accounts of developers or of teams. */
    fromId: fieldOf.reference(),
    toId: fieldOf.reference(),
    /** Who accepted it; null while it is open. It is kept until the app is offered or moved again. */
    takenBy: fieldOf.reference().nullable(),
    createdAt: fieldOf.time(),
  },
});

/** Apps of a developer, and of all developers for admins. */
export const appList = defineList<AppRecord>(
  appRecord.list({
    name: 'apps',
    sorts: ['id', 'name', 'displayName', 'status', 'createdAt', 'updatedAt'],
    // Sorted in lower case, the form that is unique per developer.
    moreSorts: { name: appRecord.describeColumn('nameKey') },
    search: ['name', 'displayName'],
    relations: ['credentials', 'products'],
  }),
);
