import type { Database, Transaction } from '../../../database/index.js';
import { ValidationError } from '../../../core/index.js';
import { byReference } from '../reference.js';
import { planRecord, type PlanInput, type PlanRow } from './plan.js';
import { planVersionRecord } from './plan-version.js';

/**
 * The trial of a plan as it is to be. It ends with a plan that may be had and is none to try itself, so that nobody goes
 * from trial to trial.
 * @param before the plan as it is; null for a new one
 * @throws ValidationError on `trial_days` or `fallback_plan`
 */
export async function planTrial(
  database: Database,
  before: PlanRow | null,
  { trialDays = before?.trialDays ?? null, fallbackPlan }: Partial<PlanInput>,
  transaction: Transaction,
): Promise<Pick<PlanRow, 'trialDays' | 'fallbackPlanId'>> {
  const fallback =
    fallbackPlan === undefined
      ? (before?.fallbackPlanId ?? null)
      : await findFallback(database, fallbackPlan, transaction);
  if ((trialDays === null) !== (fallback === null)) {
    throw new ValidationError({ fallback_plan: ['A trial needs both its days and the plan that comes then.'] });
  }
  if (fallback !== null && fallback === before?.id) {
    throw new ValidationError({ fallback_plan: ['A plan cannot come after its own trial.'] });
  }
  if (trialDays !== null && before && (await planRecord.has(database, { fallbackPlanId: before.id }, transaction))) {
    throw new ValidationError({ trial_days: ['Another plan falls back to this one, so it is none to try.'] });
  }
  return { trialDays, fallbackPlanId: fallback };
}

async function findFallback(
  database: Database,
  reference: string | number | null,
  transaction: Transaction,
): Promise<number | null> {
  if (reference === null) return null;
  const by = byReference(reference);
  const where = by?.column === 'id' ? { id: by.value } : { slug: by?.value ?? '' };
  const plan = await planRecord.find(database, where, { transaction });
  const isActive = { planId: plan?.id ?? 0, status: 'active' } as const;
  if (plan?.trialDays === null && !plan.isKeyless && (await planVersionRecord.has(database, isActive, transaction)))
    return plan.id;
  const name = JSON.stringify(reference);
  throw new ValidationError({ fallback_plan: [`${name} is no plan that was ever active and has no trial itself.`] });
}
