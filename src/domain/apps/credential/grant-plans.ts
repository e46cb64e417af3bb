import { ConflictError, ForbiddenError, NotFoundError } from '../../../core/index.js';
import { periodEnd, readPlanFacts, type ChosenPlan, type PlanFacts } from '../../catalog/index.js';
import { AppChanges } from '../app/app-changes.js';
import type { AppParts } from '../app-parts.js';
import type { OwnedGrant } from '../app/app-reader.js';
import { requireNotClosedByAdmin, requireOpenApp, type Approver } from '../app/approval.js';
import { grantPlanChange } from '../gateway-operations/grant-operations.js';
import { CredentialReadModel, type CredentialView } from './credential-read-model.js';
import type { GrantRow } from './grant.js';
import { requireLifetime } from './key-terms.js';
import { requestPlan, withdrawPlan, type PlanTerm } from './plan-requests.js';

/** Now, or when the longest period of the present plan's quotas ends. */
export const PLAN_TIMES = ['now', 'period_end'] as const;
export type PlanTime = (typeof PLAN_TIMES)[number];

export interface PlanWanted {
  /** Slug. */
  readonly plan: string;
  readonly when: PlanTime;
}

/** The plans of products on keys. None of it takes a new key. */
export class GrantPlans {
  private readonly changes: AppChanges;
  private readonly readModel: CredentialReadModel;

  constructor(private readonly parts: AppParts) {
    this.changes = new AppChanges(parts);
    this.readModel = new CredentialReadModel(parts);
  }

  /**
   * Another plan, or the active version of the present one. A plan that asks for approval comes once an admin gives it;
   * until then the present one stays. The one that the product has takes back what was to come.
   * @throws ValidationError for a plan that the developer may not have, or that the key would outlive
   * @throws ForbiddenError for what an admin revoked, ConflictError for what is revoked, or while an admin moves the key
   */
  change(owned: OwnedGrant, { plan, when }: PlanWanted, by: Approver): Promise<CredentialView> {
    return this.withPresent(owned, async (present) => {
      requireChangeable(present, by);
      const { grant } = present;
      const next = await this.choose(present, plan);
      if (next.versionId === grant.planVersionId) return this.takeBack(present, null, by);
      const now = this.parts.clock.now();
      requireLifetime([{ plan: next }], present.credential, now);
      const waits = next.approval === 'manual' && by.type === 'developer';
      const at = when === 'now' || !grant.plan ? now : periodEnd(grant.plan.limits, grant.planDay, now);
      if (!waits && at <= now) return this.apply(present, next.versionId, by);
      requireOwnNext(grant, by);
      return this.request(present, next.versionId, { status: waits ? 'pending' : 'approved', at }, by);
    });
  }

  /**
   * Approves the plan that waits; it comes at once, or at the end of the period.
   * @param plan slug: what was asked for may have changed since
   * @throws NotFoundError when it does not wait, ForbiddenError for developers without `apps.selfApproval`
   */
  approve(owned: OwnedGrant, plan: string, by: Approver): Promise<CredentialView> {
    return this.withPresent(owned, async (present) => {
      const { nextPlanStatus, nextPlanVersionId, nextPlanAt } = requireNext(present, plan).grant;
      if (by.type === 'developer' && !this.parts.settings.selfApproval) throw new ForbiddenError();
      if (nextPlanStatus !== 'pending' || nextPlanVersionId === null) throw new NotFoundError();
      const now = this.parts.clock.now();
      const at = nextPlanAt ?? now;
      if (at <= now) return this.apply(present, nextPlanVersionId, by);
      return this.request(present, nextPlanVersionId, { status: 'approved', at }, by);
    });
  }

  /**
   * What was to come will not: an admin refuses it, or whoever asked for it takes it back.
   * @param plan slug
   * @throws NotFoundError when it is not to come, ConflictError for a developer whom an admin moves
   */
  withdraw(owned: OwnedGrant, plan: string, by: Approver, reason: string | null = null): Promise<CredentialView> {
    return this.withPresent(owned, (present) => this.takeBack(requireNext(present, plan), reason, by));
  }

  /** Whether plans limit calls; otherwise they are shown for information only. */
  areHeld(): Promise<boolean> {
    return this.parts.gateway.keepsPlans();
  }

  private async choose({ owner, grant }: OwnedGrant, plan: string): Promise<ChosenPlan> {
    const chosen = await this.parts.plans.choose(owner.id, [{ id: grant.productId, slug: grant.slug, plan }]);
    return chosen.get(grant.productId) as ChosenPlan;
  }

  private async apply(present: OwnedGrant, versionId: number, by: Approver): Promise<CredentialView> {
    const next = await this.factsOf(versionId);
    await this.parts.runner.run(grantPlanChange(this.parts, present, next, by));
    return this.readModel.one(present.credential);
  }

  private async request(present: OwnedGrant, versionId: number, term: PlanTerm, by: Approver): Promise<CredentialView> {
    await requestPlan(this.parts, present, await this.factsOf(versionId), term, by);
    return this.readModel.one(present.credential);
  }

  private async takeBack(present: OwnedGrant, reason: string | null, by: Approver): Promise<CredentialView> {
    const { grant, credential } = present;
    if (grant.nextPlan) {
      requireOwnNext(grant, by);
      await withdrawPlan(this.parts, present, reason, by);
    }
    return this.readModel.one(credential);
  }

  private async factsOf(versionId: number): Promise<PlanFacts> {
    const facts = (await readPlanFacts(this.parts.database, [versionId])).get(versionId);
    if (!facts) throw new NotFoundError();
    return facts;
  }

  private withPresent<T>(owned: OwnedGrant, run: (present: OwnedGrant) => Promise<T>): Promise<T> {
    return this.changes.changeCredential(owned, async (present) =>
      run(await this.parts.reader.findGrant(present, String(owned.grant.productId))),
    );
  }
}

function requireChangeable({ app, credential, grant }: OwnedGrant, by: Approver): void {
  requireOpenApp(app);
  requireNotClosedByAdmin(credential, by);
  requireNotClosedByAdmin(grant, by);
  if (grant.status === 'revoked') {
    throw new ConflictError({ errors: { product: ['The product is revoked on this key.'] } });
  }
}

/** What an admin has announced, such as the move to another version, only an admin takes back. */
function requireOwnNext({ nextPlanBy }: Pick<GrantRow, 'nextPlanBy'>, by: Approver): void {
  if (nextPlanBy !== 'admin' || by.type === 'admin') return;
  const fault = 'An admin moves this product to another plan. Choose one for now instead, or ask them.';
  throw new ConflictError({ errors: { plan: [fault] } });
}

function requireNext(present: OwnedGrant, plan: string): OwnedGrant {
  if (present.grant.nextPlan?.slug !== plan) throw new NotFoundError();
  return present;
}
