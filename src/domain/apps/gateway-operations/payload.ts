import type { Approvable, Initiator } from '../app/approval.js';
import { stateOf } from '../app/app-writes.js';
import type { OperationPayload, LoggedOperation } from './logged-operation.js';

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
