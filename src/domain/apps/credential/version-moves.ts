import { ConflictError, ValidationError } from '../../../core/index.js';
import { readActivePlan, type PlanFacts } from '../../catalog/index.js';
import { AppChanges } from '../app/app-changes.js';
import type { AppParts } from '../app-parts.js';
import type { OwnedCredential, OwnedGrant } from '../app/app-reader.js';
import type { Approver } from '../app/approval.js';
import { grantPlanChange } from '../gateway-operations/grant-operations.js';
import { CredentialReadModel, type CredentialView } from './credential-read-model.js';
import { requestPlan } from './plan-requests.js';

export interface VersionMove {
  /** Slug. */
  readonly plan: string;
  /** When the active version comes; null, and what is over: now. */
  readonly at: Date | null;
}

/**
 * Moves keys that have an older version of a plan to its active one. Done twice to a key it does the same as done once, so
 * that a job may go through many of them.
 */
export class VersionMoves {
  private readonly changes: AppChanges;
  private readonly readModel: CredentialReadModel;

  constructor(private readonly parts: AppParts) {
    this.changes = new AppChanges(parts);
    this.readModel = new CredentialReadModel(parts);
  }

  /**
   * All products of the key that have an older version; those that are revoked stay as they are.
   * @throws ValidationError on `plan` for one without an active version
   * @throws ConflictError on `plan` while another plan is to come for one of the products
   */
  async move(owned: OwnedCredential, { plan, at }: VersionMove, by: Approver): Promise<CredentialView> {
    const { database, reader } = this.parts;
    const active = await readActivePlan(database, plan);
    if (!active) throw new ValidationError({ plan: ['There is no such plan, or it was never active.'] });
    return this.changes.changeCredential(owned, async (present) => {
      const grants = await reader.grantsOf([present.credential.id]);
      const older = grants.filter(
        (grant) => grant.plan?.slug === plan && grant.plan.versionId !== active.versionId && grant.status !== 'revoked',
      );
      for (const grant of older) await this.moveOne({ ...present, grant }, active, at, by);
      return this.readModel.one(present.credential);
    });
  }

  private async moveOne(present: OwnedGrant, active: PlanFacts, at: Date | null, by: Approver): Promise<void> {
    const { nextPlan, nextPlanAt } = present.grant;
    const isAhead = nextPlan?.versionId === active.versionId;
    if (at === null || at <= this.parts.clock.now()) {
      await this.parts.runner.run(grantPlanChange(this.parts, present, active, by, !isAhead));
    } else if (nextPlan && nextPlan.slug !== active.slug) {
      throw new ConflictError({ errors: { plan: ['Another plan is to come for this product.'] } });
    } else if (!isAhead || nextPlanAt?.getTime() !== at.getTime()) {
      await requestPlan(this.parts, present, active, { status: 'approved', at }, by);
    }
  }
}
