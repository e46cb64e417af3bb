import { defineRecord, fieldOf, type RowOf } from '../../../database/index.js';
import type { CallLimit, CallLimits } from '../../../gateway/index.js';
import {
  isInForce,
  planText,
  raiseLimits,
  type CountStart,
  type PlanFacts,
  type PlanLimits,
  type PlanOverride,
} from '../../catalog/index.js';
import { approvalFields } from '../app/app.js';
import type { ApproverType } from '../app/approval.js';

export const grantRecord = defineRecord({
  name: 'Grant',
  table: 'portal_credential_products',
  alias: 'g',
  fields: {
    credentialId: fieldOf.reference().key(),
    productId: fieldOf.reference().key(),
    ...approvalFields,
    /** null: no plan, and so no limits. */
    planVersionId: fieldOf.reference().nullable(),
    /** Day of the month on which its anchored periods begin; stays when plan or key are replaced. */
    planDay: fieldOf.integer().nullable(),
    /** Until then the developer tries the plan; null for no trial. */
    trialEndsAt: fieldOf.time().nullable(),
    nextPlanVersionId: fieldOf.reference().nullable(),
    /** `pending`: an admin has to approve it. Otherwise it comes at `nextPlanAt`. */
    nextPlanStatus: fieldOf.text<'pending' | 'approved'>(16).nullable(),
    nextPlanBy: fieldOf.text<ApproverType>(16).nullable(),
    nextPlanAskedAt: fieldOf.time().nullable(),
    nextPlanAt: fieldOf.time().nullable(),
    createdAt: fieldOf.time().hidden(),
    updatedAt: fieldOf.time().hidden(),
  },
});

/** A row of the table. */
export type GrantRow = RowOf<typeof grantRecord>;

/** What holds for an app and a product beyond the plans of its keys. */
export interface AppTerms {
  /** What raises the limits of the plan; maybe past its end. */
  readonly override: PlanOverride | null;
  /** What the quotas of the plan count from; maybe from before their periods. */
  readonly countStart: CountStart | null;
}

export const NO_TERMS: AppTerms = { override: null, countStart: null };

/** A product on a credential. */
export interface GrantRecord extends GrantRow, AppTerms {
  readonly slug: string;
  readonly name: string;
  readonly gatewayProductId: string;
  readonly plan: PlanFacts | null;
  readonly nextPlan: PlanFacts | null;
}

/** A grant that has no other plan ahead. */
export const NO_NEXT_PLAN = {
  nextPlanVersionId: null,
  nextPlanStatus: null,
  nextPlanBy: null,
  nextPlanAskedAt: null,
  nextPlanAt: null,
} as const;

/** Without an override that is over: what people are shown. */
export function grantAt(grant: GrantRecord, now: Date): GrantRecord {
  return { ...grant, override: grant.override && isInForce(grant.override, now) ? grant.override : null };
}

/** The columns of a grant with what was read beside them. */
export function rowOfGrant<G extends Omit<GrantRecord, 'credentialId'>>(grant: G) {
  const { slug: _, name: __, gatewayProductId: ___, plan: ____, nextPlan: _____, ...rest } = grant;
  const { override: ______, countStart: _______, ...row } = rest;
  return row;
}

/** The plan of a grant as it is sent to the gateway. */
export function planOfGrant({
  planVersionId,
  planDay,
  override,
  countStart,
}: Pick<GrantRecord, 'planVersionId' | 'planDay' | keyof AppTerms>): string | null {
  if (planVersionId === null) return null;
  const terms = { overrideId: override?.id ?? null, resetId: countStart?.id ?? null };
  return planText({ versionId: planVersionId, day: planDay ?? 1, ...terms });
}

/** What a gateway that holds calls against plans itself is told. @param limits of the plan */
export function limitsOfGrant(limits: PlanLimits, { override }: AppTerms): CallLimits {
  const usual = callLimitsOf(limits);
  if (!override) return { calls: usual, until: null, afterwards: [] };
  const until = override.endsAt;
  return { calls: callLimitsOf(raiseLimits(limits, override)), until, afterwards: until ? usual : [] };
}

// A soft limit refuses nothing. Gateways know no months of a key's own: those of the calendar allow as much.
function callLimitsOf({ enforcement, gracePercent, ...limits }: PlanLimits): CallLimit[] {
  if (enforcement === 'soft') return [];
  const withGrace = (quota: number | null) => quota && Math.floor((quota * (100 + gracePercent)) / 100);
  const months = [limits.quotaPerMonth, limits.quotaPerAnchoredMonth].filter((quota) => quota !== null);
  const all: [CallLimit['per'], number | null][] = [
    ['second', limits.ratePerSecond],
    ['minute', limits.ratePerMinute],
    ['hour', limits.ratePerHour],
    ['day', withGrace(limits.quotaPerDay)],
    ['month', months.length === 0 ? null : withGrace(Math.min(...months))],
  ];
  return all.flatMap(([per, calls]) => (calls === null ? [] : [{ calls, per }]));
}
