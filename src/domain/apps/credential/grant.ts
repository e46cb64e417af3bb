import { defineRecord, fieldOf, type RowOf } from '../../../database/index.js';
import { planText, type PlanFacts } from '../../catalog/index.js';
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

/** A product on a credential. */
export interface GrantRecord extends GrantRow {
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

/** The columns of a grant with what was read beside them. */
export function rowOfGrant<G extends Omit<GrantRecord, 'credentialId'>>(grant: G) {
  const { slug: _, name: __, gatewayProductId: ___, plan: ____, nextPlan: _____, ...row } = grant;
  return row;
}

/** What the gateway is told of the plan of a grant. */
export function planOfGrant({ planVersionId, planDay }: Pick<GrantRow, 'planVersionId' | 'planDay'>): string | null {
  return planVersionId === null ? null : planText({ versionId: planVersionId, day: planDay ?? 1 });
}
