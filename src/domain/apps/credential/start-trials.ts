import type { Transaction } from '../../../database/index.js';
import { beginTrial, readPlanFacts } from '../../catalog/index.js';
import type { AppParts } from '../app-parts.js';
import { grantRecord, type GrantRow } from './grant.js';

/** Begins the trials of products that are open on a key with such a plan, within the transaction that opens them. */
export async function startTrials(
  { database, clock }: Pick<AppParts, 'database' | 'clock'>,
  userId: number,
  grants: readonly Pick<GrantRow, 'credentialId' | 'productId' | 'status' | 'planVersionId' | 'trialEndsAt'>[],
  transaction: Transaction,
): Promise<void> {
  const open = grants.filter(({ status, trialEndsAt }) => status === 'approved' && trialEndsAt === null);
  const ids = open.flatMap(({ planVersionId }) => planVersionId ?? []);
  const plans = await readPlanFacts(database, ids, transaction);
  for (const { credentialId, productId, planVersionId } of open) {
    const { planId, trialDays: days = null } = plans.get(planVersionId ?? 0) ?? {};
    if (planId === undefined || days === null) continue;
    const trialEndsAt = await beginTrial(database, { userId, productId, planId, days }, clock.now(), transaction);
    await grantRecord.update(database, { credentialId, productId }, { trialEndsAt }, transaction);
  }
}
