import type { Approvable, Initiator } from '../app/approval.js';
import { stateOf } from '../app/app-writes.js';
import type { IntentPayload, IntentRecord } from './logged-operation.js';

/** A change of state as an intent keeps it. */
export function statePayload(next: Approvable, by: Initiator): IntentPayload {
  return { next: stateOf(next), by };
}

/** The same read again. */
export function stateIn({ payload }: IntentRecord): { next: Approvable; by: Initiator } {
  const next = payload.next as Omit<Approvable, 'approvedAt'> & { readonly approvedAt: string | null };
  return {
    next: { ...next, approvedAt: next.approvedAt === null ? null : new Date(next.approvedAt) },
    by: byIn(payload),
  };
}

export function byIn(payload: IntentPayload): Initiator {
  return payload.by as Initiator;
}
