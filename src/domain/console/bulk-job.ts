import { defineRecord, fieldOf, times, type RowOf } from '../../database/index.js';

/**
 * `draft`: an import whose columns are not confirmed yet. `stopped`: somebody or something ended it early, see the reason;
 * `failed`: it could not go on.
 */
export type BulkState = 'draft' | 'queued' | 'running' | 'stopped' | 'done' | 'failed';

/** Why a job did not reach its end. */
export type BulkReason =
  /** Somebody stopped it. */
  | 'asked'
  /** The account that started it is deleted or disabled, or all of its sign-ins were ended. */
  | 'account_gone'
  | 'account_disabled'
  | 'signed_out'
  /** The account lost the permission. */
  | 'permission'
  /** A service that each record needs did not answer, many times in a row. */
  | 'unavailable'
  /** The portal no longer knows the action; or an error that the log tells. */
  | 'unknown_action'
  | 'fault';

/** What an import was told: the columns of the file, and which field each one fills. */
export interface ImportPlan {
  readonly columns: readonly string[];
  /** Field → column of the file. */
  readonly mapping: Readonly<Record<string, string>>;
}

export const bulkJobRecord = defineRecord({
  name: 'BulkJob',
  table: 'portal_bulk_jobs',
  alias: 'j',
  fields: {
    id: fieldOf.id(),
    uuid: fieldOf.text(36).unique(),
    /** Who started it, and as whom it works. */
    adminId: fieldOf.reference(),
    /** Of the account at the start. */
    authEpoch: fieldOf.integer().hidden(),
    /** Of the caller: a start that is repeated starts nothing. */
    token: fieldOf.text(64).hidden(),
    kind: fieldOf.text<'bulk' | 'import'>(16),
    resource: fieldOf.text(64),
    action: fieldOf.text(64),
    operation: fieldOf.text(100),
    /** Filters and search of the list. */
    query: fieldOf.json<Readonly<Record<string, string>>>(),
    /** The same for each record; of an import its {@link ImportPlan}. */
    body: fieldOf.json<unknown>().nullable(),
    locale: fieldOf.text(16),
    state: fieldOf.text<BulkState>(16),
    reason: fieldOf.text<BulkReason>(32).nullable(),
    /** Somebody asked for its end; it comes after the record that is being worked on. */
    isStopping: fieldOf.boolean(),
    /** Every record of the list has its row. */
    isWalked: fieldOf.boolean().hidden(),
    /** No record with a greater id: those that come later were not part of the preview. */
    lastId: fieldOf.reference().hidden(),
    cursor: fieldOf.longText().nullable().hidden(),
    /** Records when it started; when it is done, those that there were. */
    total: fieldOf.integer(),
    done: fieldOf.integer(),
    failed: fieldOf.integer(),
    skipped: fieldOf.integer(),
    /** Of the process that works on it now. */
    claim: fieldOf.text(36).nullable().hidden(),
    claimedUntil: fieldOf.time().nullable().hidden(),
    startedAt: fieldOf.time().nullable(),
    endedAt: fieldOf.time().nullable(),
    ...times,
  },
});

/** A piece of work on many records, and how far it has come. */
export type BulkJob = RowOf<typeof bulkJobRecord>;

/** Whose job it is. */
export type ClaimedOwner = Pick<BulkJob, 'uuid' | 'adminId'> & { readonly authEpoch: number };

export const bulkRowRecord = defineRecord({
  name: 'BulkRow',
  table: 'portal_bulk_rows',
  alias: 'w',
  fields: {
    id: fieldOf.id(),
    jobId: fieldOf.reference().hidden(),
    /** Id of the record; of an import the number of its line. */
    recordKey: fieldOf.text(100),
    params: fieldOf.json<Readonly<Record<string, string | number>>>().nullable().hidden(),
    /** Cells of an imported line, encrypted; gone once the row has its outcome. */
    payload: fieldOf.longText().nullable().hidden(),
    /** `running`: begun, outcome unknown. `skipped`: the job ended before. */
    state: fieldOf.text<'queued' | 'running' | 'done' | 'failed' | 'skipped'>(16),
    /** As an HTTP answer would have; null without an outcome. */
    status: fieldOf.integer().nullable(),
    message: fieldOf.text(500).nullable(),
    claim: fieldOf.text(36).nullable().hidden(),
    /** Of the first try. */
    startedAt: fieldOf.time().nullable().hidden(),
  },
});

/** What became of one record. */
export type BulkRow = RowOf<typeof bulkRowRecord>;

/** A row to work on. */
export interface PendingRow {
  readonly id: number;
  readonly recordKey: string;
  readonly params: Readonly<Record<string, string | number>> | null;
  readonly payload: string | null;
  readonly startedAt: Date | null;
}

export interface RowOutcome {
  readonly state: 'done' | 'failed';
  readonly status: number | null;
  readonly message: string | null;
}

/** What the ciphertext of an imported line is bound to (S71). */
export function rowPayloadContext(jobId: number, recordKey: string): string {
  return `portal_bulk_rows:${jobId}:${recordKey}:payload`;
}
