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

/** Who an event is due to; `system` when it follows from something else, as the apps of a deleted account do. */
export type Initiator = Approver | { readonly type: 'system'; readonly id: null };

/** What apps, credentials and grants have in common: somebody approves and revokes them. */
export interface Approvable {
  readonly status: ApprovalStatus;
  readonly statusReason: string | null;
  /** Who revoked it; null unless revoked. */
  readonly revokedBy: ApproverType | null;
  /** When it was approved first; null while it never was. */
  readonly approvedAt: Date | null;
}

/**
 * What an approval by `by` leads to. An admin may approve anything. A developer may take back their own revocation, which
 * leads to where it was before: approved, or still waiting. Anything else needs `apps.selfApproval` (S58).
 * @param reason for the developer to read
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

/** Revoking is always allowed; what an admin revoked stays the admin's. Another admin may give another reason. */
export function revoke(before: Approvable, by: Approver, reason: string | null): Approvable {
  if (before.status === 'revoked') {
    if (by.type === 'developer') return before;
    if (before.revokedBy === 'admin' && (reason === null || reason === before.statusReason)) return before;
  }
  return { ...before, status: 'revoked', statusReason: reason, revokedBy: by.type };
}

/** How something new begins. */
export function startApproval(approval: 'auto' | 'manual', now: Date): Approvable {
  const isApproved = approval === 'auto';
  return {
    status: isApproved ? 'approved' : 'pending',
    statusReason: null,
    revokedBy: null,
    approvedAt: isApproved ? now : null,
  };
}

/** What an admin closed, its developer does not change. @throws ForbiddenError */
export function requireNotClosedByAdmin({ status, revokedBy }: Approvable, by: Approver): void {
  if (by.type === 'developer' && status === 'revoked' && revokedBy === 'admin') throw new ForbiddenError();
}

/** @throws ConflictError */
export function requireOpenApp({ status }: Approvable): void {
  if (status === 'revoked') throw new ConflictError({ errors: { app: ['The app is revoked.'] } });
}

/** What an approval or a revocation changed, as its event tells it. */
export function stateChanges(before: Approvable, after: Approvable): Changes {
  const { status, statusReason, revokedBy } = after;
  return changesOf(before, { status, statusReason, revokedBy }) ?? {};
}
