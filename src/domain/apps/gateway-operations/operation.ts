import type { Transaction } from '../../../database/index.js';
import { GatewayRefusedError, GatewayTimeoutError } from '../../../gateway/index.js';
import { noteWork, PortalError } from '../../../core/index.js';
import type { IntentKind, IntentPayload, IntentTarget } from './logged-operation.js';

/** A change of something that gateway and portal both keep. */
export interface TwoSidedChange<T> {
  readonly kind: IntentKind;
  readonly payload: IntentPayload;
  /**
   * Whether `push` lets more through than before. What opens is taken back when it fails half way, what closes is finished:
   * in doubt a door is shut.
   */
  readonly opens: boolean;
  /** Reserves or marks rows, in the transaction that writes the intent. @returns what the change is about */
  begin(transaction: Transaction): Promise<IntentTarget>;
  /** At the gateway. */
  push(): Promise<void>;
  /** In the portal's database, with its events. */
  write(transaction: Transaction): Promise<T>;
  /** Brings the gateway to what the portal's records say; null where there is no way back. */
  undo: (() => Promise<void>) | null;
  /** Whether a push that failed for certain had done something before; left out: it is one call, all or nothing. */
  isHalfDone?(): boolean;
  /** Takes back what `begin` did. */
  giveUp?(transaction: Transaction): Promise<void>;
}

/** How a change that broke off is brought to an end, by whoever finds it. */
export type Repair =
  | { readonly finish: Pick<TwoSidedChange<unknown>, 'push' | 'write'> }
  | { readonly takeBack: () => Promise<void>; readonly giveUp?: (transaction: Transaction) => Promise<void> };

/** The repair of a change that could be built again. */
export function repairOf({ opens, push, write, undo, giveUp }: TwoSidedChange<unknown>): Repair {
  return opens && undo ? { takeBack: undo, ...(giveUp && { giveUp }) } : { finish: { push, write } };
}

/** The same change, which leaves a note for a repetition of its request. */
export function noted<T>(change: TwoSidedChange<T>, kind: string, noteOf: (result: T) => object): TwoSidedChange<T> {
  const write = async (transaction: Transaction) => {
    const result = await change.write(transaction);
    await noteWork(kind, noteOf(result), transaction);
    return result;
  };
  return { ...change, write };
}

/** Whether what was asked for may have been done all the same, or be done yet. */
export function isAmbiguous(error: unknown): boolean {
  return error instanceof GatewayTimeoutError || !(error instanceof PortalError);
}

/** Whether it is worth a call to make sure that nothing was: an answer that made no sense is a refusal too. */
export function isDoubtful(error: unknown): boolean {
  return isAmbiguous(error) || error instanceof GatewayRefusedError;
}
