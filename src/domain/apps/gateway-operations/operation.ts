import { defineRecord, fieldOf, type RowOf, type Transaction } from '../../../database/index.js';
import { GatewayRefusedError, GatewayTimeoutError } from '../../../gateway/index.js';
import { noteWork, PortalError, type ActingPerson, type Logger } from '../../../core/index.js';
import { stateOf } from '../app/app-writes.js';
import type { Approvable, Initiator } from '../app/approval.js';

/** What a change does. `developer`: everything about an account as a whole. */
export type OperationKind =
  | 'app.create'
  | 'app.update'
  | 'app.status'
  | 'app.delete'
  | 'app.products'
  | 'app.limits'
  | 'app.transfer'
  | 'key.create'
  | 'key.rotate'
  | 'key.status'
  | 'key.delete'
  | 'key.end'
  | 'grant.add'
  | 'grant.status'
  | 'grant.plan'
  | 'grant.remove'
  | 'developer';

/** The records that a change is about. */
export interface OperationTarget {
  readonly userId: number;
  readonly appId: number | null;
  readonly credentialId: number | null;
  readonly productId: number | null;
}

/** What recovery needs besides the records; as JSON, never a key or a secret, unless encrypted (`TransferJournal`). */
export type OperationPayload = Readonly<Record<string, unknown>>;

export const operationRecord = defineRecord({
  name: 'LoggedOperation',
  table: 'portal_gateway_intents',
  alias: 'i',
  fields: {
    id: fieldOf.id(),
    kind: fieldOf.text<OperationKind>(32),
    /**
     * `running`: gateway and portal may differ. `check`: rolled back, but the call whose answer was lost may yet
     * arrive, so it is rolled back once more later (R15).
     */
    state: fieldOf.text<'running' | 'check'>(16),
    userId: fieldOf.reference(),
    appId: fieldOf.reference().nullable(),
    credentialId: fieldOf.reference().nullable(),
    productId: fieldOf.reference().nullable(),
    payload: fieldOf.json<OperationPayload>(),
    attempts: fieldOf.integer().default(0),
    lastError: fieldOf.text(500).nullable(),
    /** Not picked up before this time. */
    dueAt: fieldOf.time(),
    createdAt: fieldOf.time(),
  },
});

export type LoggedOperation = RowOf<typeof operationRecord>;

/** Read from the payload: on whose behalf recovery finishes the change if its process died. */
export function readActingPerson({ payload }: LoggedOperation): ActingPerson | null {
  return (payload.acting as ActingPerson | undefined) ?? null;
}

/** A state change in the form that a log entry stores. */
export function statePayload(next: Approvable, by: Initiator): OperationPayload {
  return { next: stateOf(next), by };
}

/** Reads such a state change back. */
export function stateIn({ payload }: LoggedOperation): { next: Approvable; by: Initiator } {
  const next = payload.next as Omit<Approvable, 'approvedAt'> & { readonly approvedAt: string | null };
  return {
    next: { ...next, approvedAt: next.approvedAt === null ? null : new Date(next.approvedAt) },
    by: byIn(payload),
  };
}

export function byIn(payload: OperationPayload): Initiator {
  return payload.by as Initiator;
}

/** A change of something that gateway and portal both keep. */
export interface GatewayOperation<T> {
  readonly kind: OperationKind;
  readonly payload: OperationPayload;
  /**
   * Whether `applyRemote` grants more access than before. A failed grant is rolled back, a failed revocation is
   * finished: in doubt, access is denied.
   */
  readonly opens: boolean;
  /** Reserves or marks rows, in the transaction that writes the log entry. @returns the target of the change */
  reserve(transaction: Transaction): Promise<OperationTarget>;
  /** Makes the change at the gateway. @param entry id of the log entry */
  applyRemote(entry: number): Promise<void>;
  /** Writes to the portal's database and emits its events. */
  commit(transaction: Transaction): Promise<T>;
  /** Restores the gateway to what the portal's records say; null if that is impossible. */
  compensate: ((entry: number) => Promise<void>) | null;
  /**
   * Whether `applyRemote` changed something before it failed for certain; omit it for a single atomic call. A grant is then
   * rolled back, everything else is finished by recovery.
   */
  isHalfDone?(): boolean;
  /** Undoes `reserve`. */
  release?(transaction: Transaction): Promise<void>;
}

/** How recovery settles an interrupted change. */
export type Compensation =
  | { readonly finish: Pick<GatewayOperation<unknown>, 'applyRemote' | 'commit'> }
  | {
      readonly compensate: (entry: number) => Promise<void>;
      readonly release?: (transaction: Transaction) => Promise<void>;
    };

/** Plans how to settle a change that can be rebuilt. */
export function planCompensation({
  opens,
  applyRemote,
  commit,
  compensate,
  release,
}: GatewayOperation<unknown>): Compensation {
  return opens && compensate ? { compensate, ...(release && { release }) } : { finish: { applyRemote, commit } };
}

/** Wraps a change so that it leaves a note for a retry of its request. */
export function leaveNote<T>(
  change: GatewayOperation<T>,
  kind: string,
  noteOf: (result: T) => object,
): GatewayOperation<T> {
  const commit = async (transaction: Transaction) => {
    const result = await change.commit(transaction);
    await noteWork(kind, noteOf(result), transaction);
    return result;
  };
  return { ...change, commit };
}

/** Whether the operation may have succeeded, or still may, despite the error. */
export function isAmbiguous(error: unknown): boolean {
  return error instanceof GatewayTimeoutError || !(error instanceof PortalError);
}

/** Whether an extra call should make sure that it had no effect: an unreadable response counts as a refusal too. */
export function isDoubtful(error: unknown): boolean {
  return isAmbiguous(error) || error instanceof GatewayRefusedError;
}

/** Runs a repair; if that fails too, it is logged and does not mask the original error. */
export async function attempt(work: () => Promise<unknown>, logger: Logger): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    logger.error({ err: error }, 'portal and gateway may disagree for a moment: a change could not be taken back yet');
    return false;
  }
}
