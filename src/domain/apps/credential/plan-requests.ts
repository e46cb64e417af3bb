import type { Changes, PortalEvent } from '../../../core/index.js';
import type { PlanFacts } from '../../catalog/index.js';
import type { AppParts } from '../app-parts.js';
import type { OwnedGrant } from '../app/app-reader.js';
import type { Approver } from '../app/approval.js';
import { CredentialPlanRequestedEvent, CredentialPlanWithdrawnEvent } from '../events.js';
import { namePlan } from '../gateway-operations/grant-operations.js';
import { grantRecord, NO_NEXT_PLAN, type GrantRow } from './grant.js';

type NextPlan = Pick<GrantRow, keyof typeof NO_NEXT_PLAN>;

/** When a plan is to come, and whether somebody has to approve it first. */
export interface PlanTerm {
  readonly status: 'pending' | 'approved';
  readonly at: Date;
}

/** Keeps the plan that a product on a key is to have. The gateway knows the present one only. */
export function requestPlan(
  parts: AppParts,
  present: OwnedGrant,
  next: PlanFacts,
  { status, at }: PlanTerm,
  by: Approver,
): Promise<void> {
  const { grant } = present;
  const now = parts.clock.now();
  const isSame = grant.nextPlanVersionId === next.versionId;
  const values = {
    nextPlanVersionId: next.versionId,
    nextPlanStatus: status,
    nextPlanBy: isSame ? grant.nextPlanBy : by.type,
    nextPlanAskedAt: isSame ? grant.nextPlanAskedAt : now,
    nextPlanAt: at,
  };
  const changes: Changes = {
    nextPlan: [grant.nextPlan && namePlan(grant.nextPlan), namePlan(next)],
    nextPlanStatus: [grant.nextPlanStatus, status],
    nextPlanAt: [grant.nextPlanAt, at],
  };
  const fact = { ...present, product: grant.slug, changes, by, occurredAt: now };
  return store(parts, present, values, new CredentialPlanRequestedEvent(fact));
}

/** What was to come will not. */
export function withdrawPlan(parts: AppParts, present: OwnedGrant, reason: string | null, by: Approver): Promise<void> {
  const { grant } = present;
  const changes: Changes = { nextPlan: [grant.nextPlan && namePlan(grant.nextPlan), null], reason: [null, reason] };
  const fact = { ...present, product: grant.slug, changes, by, occurredAt: parts.clock.now() };
  return store(parts, present, NO_NEXT_PLAN, new CredentialPlanWithdrawnEvent(fact));
}

async function store(
  { database, events, clock }: AppParts,
  { grant: { credentialId, productId } }: OwnedGrant,
  next: NextPlan,
  event: PortalEvent,
): Promise<void> {
  await database.transaction(async (transaction) => {
    const values = { ...next, updatedAt: clock.now() };
    await grantRecord.update(database, { credentialId, productId }, values, transaction);
    await events.emit(event, transaction);
  });
}
