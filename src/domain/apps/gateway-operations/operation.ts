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
  | 'key.create'
  | 'key.rotate'
  | 'key.status'
  | 'key.delete'
  | 'key.end'
  | 'grant.add'
  | 'grant.status'
  | 'grant.remove'
  | 'developer';

/** The records that a change is about. */
export interface OperationTarget {
  readonly userId: number;
  readonly appId: number | null;
  readonly credentialId: number | null;
  readonly productId: number | null;
}

/** What recovery needs to know beside the records; as JSON, never a key or a secret. */
export type OperationPayload = Readonly<Record<string, unknown>>;

export const operationRecord = defineRecord({
  name: 'LoggedOperation',
  table: 'portal_gateway_intents',
  alias: 'i',
  fields: {
    id: fieldOf.id(),
    kind: fieldOf.text<OperationKind>(32),
    /**
     * `running`: gateway and portal may differ. `check`: taken back, but the call whose answer was lost may yet arrive
     * there, so that it is taken back once more later (R15).
     */
    state: fieldOf.text<'running' | 'check'>(16),
    userId: fieldOf.reference(),
    appId: fieldOf.reference().nullable(),
    credentialId: fieldOf.reference().nullable(),
    productId: fieldOf.reference().nullable(),
    payload: fieldOf.json<OperationPayload>(),
    attempts: fieldOf.integer().default(0),
    lastError: fieldOf.text(500).nullable(),
    /** Not looked at before. */
    dueAt: fieldOf.time(),
    createdAt: fieldOf.time(),
  },
});

export type LoggedOperation = RowOf<typeof operationRecord>;

/** In the payload: on whose behalf the change is finished, when its process could not. */
export function readActingPerson({ payload }: LoggedOperation): ActingPerson | null {
  return (payload.acting as ActingPerson | undefined) ?? null;
}

/** A change of state as an intent keeps it. */
export function statePayload(next: Approvable, by: Initiator): OperationPayload {
  return { next: stateOf(next), by };
}

/** The same read again. */
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
   * Whether `applyRemote` lets more through than before. What opens is taken back when it fails half way, what closes is finished:
   * in doubt a door is shut.
   */
  readonly opens: boolean;
  /** Reserves or marks rows, in the transaction that writes the intent. @returns what the change is about */
  reserve(transaction: Transaction): Promise<OperationTarget>;
  /** At the gateway. */
  applyRemote(): Promise<void>;
  /** In the portal's database, with its events. */
  commit(transaction: Transaction): Promise<T>;
  /** Brings the gateway to what the portal's records say; null where there is no way back. */
  compensate: (() => Promise<void>) | null;
  /** Whether a push that failed for certain had done something before; left out: it is one call, all or nothing. */
  isHalfDone?(): boolean;
  /** Takes back what `reserve` did. */
  release?(transaction: Transaction): Promise<void>;
}

/** How a change that broke off is brought to an end, by whoever finds it. */
export type Compensation =
  | { readonly finish: Pick<GatewayOperation<unknown>, 'applyRemote' | 'commit'> }
  | { readonly compensate: () => Promise<void>; readonly release?: (transaction: Transaction) => Promise<void> };

/** How to end a change that could be built again. */
export function planCompensation({
  opens,
  applyRemote,
  commit,
  compensate,
  release,
}: GatewayOperation<unknown>): Compensation {
  return opens && compensate ? { compensate, ...(release && { release }) } : { finish: { applyRemote, commit } };
}

/** The same change, which leaves a note for a repetition of its request. */
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

/** Whether what was asked for may have been done all the same, or be done yet. */
export function isAmbiguous(error: unknown): boolean {
  return error instanceof GatewayTimeoutError || !(error instanceof PortalError);
}

/** Whether it is worth a call to make sure that nothing was: an answer that made no sense is a refusal too. */
export function isDoubtful(error: unknown): boolean {
  return isAmbiguous(error) || error instanceof GatewayRefusedError;
}

/** Does what repairs a failure; a failure of its own is logged and must not hide the first one. */
export async function attempt(repair: () => Promise<unknown>, logger: Logger): Promise<boolean> {
  try {
    await repair();
    return true;
  } catch (error) {
    logger.error({ err: error }, 'portal and gateway may disagree for a moment: a change could not be taken back yet');
    return false;
  }
}
