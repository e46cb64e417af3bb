import type { GatewayStatus } from '../../../gateway/index.js';
import { changesOf, ConflictError, ForbiddenError, type Changes } from '../../../core/index.js';

/** State of an app, a credential or a product on a credential. */
export type ApprovalStatus = GatewayStatus;

export const APPROVAL_STATUSES = ['pending', 'approved', 'revoked'] as const satisfies readonly ApprovalStatus[];

export type ApproverType = 'developer' | 'admin';

/** The person who changes an app: its developer, or an admin. */
export interface Approver {
  readonly type: ApproverType;
  readonly id: number;
}

/** Who caused an event; `system` when it follows from another change, such as the apps of a deleted account. */
export type Initiator = Approver | { readonly type: 'system'; readonly id: null };

/** What apps, credentials and grants have in common: somebody approves and revokes them. */
export interface Approvable {
  readonly status: ApprovalStatus;
  readonly statusReason: string | null;
  /** Who revoked it; null unless revoked. */
  readonly revokedBy: ApproverType | null;
  /** When it was first approved; null if never. */
  readonly approvedAt: Date | null;
}

/**
 * The result of an approval by `by`. An admin may approve anything. A developer may take back their own revocation,
 * which restores the earlier state: approved, or still waiting. Anything else needs `apps.selfApproval` (S58).
 * @param reason shown to the developer
 * @throws ForbiddenError
 */
export function approve(
  before: Approvable,
  by: Approver,
  { selfApproval, now, reason }: { selfApproval: boolean; now: Date; reason: string | null },
): Approvable {
  if (before.status === 'approved') return before;
  if (by.type === 'developer' && !selfApproval) {
    if (before.status !== 'revoked' || before.revokedBy !== 'developer') throw new ForbiddenError();
    if (before.approvedAt === null) return { ...before, status: 'pending', statusReason: null, revokedBy: null };
  }
  return { status: 'approved', statusReason: reason, revokedBy: null, approvedAt: before.approvedAt ?? now };
}

/** Revoking is always allowed; a revocation by an admin remains the admin's. Another admin may change the reason. */
export function revoke(before: Approvable, by: Approver, reason: string | null): Approvable {
  if (before.status === 'revoked') {
    if (by.type === 'developer') return before;
    if (before.revokedBy === 'admin' && (reason === null || reason === before.statusReason)) return before;
  }
  return { ...before, status: 'revoked', statusReason: reason, revokedBy: by.type };
}

/** Initial state of a new record. */
export function startApproval(approval: 'auto' | 'manual', now: Date): Approvable {
  const isApproved = approval === 'auto';
  return {
    status: isApproved ? 'approved' : 'pending',
    statusReason: null,
    revokedBy: null,
    approvedAt: isApproved ? now : null,
  };
}

/** A developer cannot change what an admin revoked. @throws ForbiddenError */
export function requireNotClosedByAdmin({ status, revokedBy }: Approvable, by: Approver): void {
  if (by.type === 'developer' && status === 'revoked' && revokedBy === 'admin') throw new ForbiddenError();
}

/** @throws ConflictError */
export function requireOpenApp({ status }: Approvable): void {
  if (status === 'revoked') throw new ConflictError({ errors: { app: ['The app is revoked.'] } });
}

/** The changes of an approval or a revocation, for its event. */
export function stateChanges(before: Approvable, after: Approvable): Changes {
  const { status, statusReason, revokedBy } = after;
  return changesOf(before, { status, statusReason, revokedBy }) ?? {};
}
