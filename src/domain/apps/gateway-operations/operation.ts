import type { Transaction } from '../../../database/index.js';
import { GatewayRefusedError, GatewayTimeoutError } from '../../../gateway/index.js';
import { noteWork, PortalError } from '../../../core/index.js';
import type { OperationKind, OperationPayload, OperationTarget } from './logged-operation.js';

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
