import { planRecord } from './plan.js';
import { limitsOf, planVersionRecord, type PlanLimits } from './plan-version.js';
import type { Database, Transaction } from '../../../database/index.js';

/** The plan of a product on a key, in its version: what it is called and what it allows. */
export interface PlanFacts {
  readonly versionId: number;
  readonly slug: string;
  /** In the default locale. */
  readonly name: string;
  /** Number of the version. */
  readonly version: number;
  /** Seconds. */
  readonly keyLifetime: number | null;
  readonly limits: PlanLimits;
}

/** Versions with their plans, by id. Reads nothing for no ids. */
export async function readPlanFacts(
  database: Database,
  versionIds: readonly number[],
  transaction?: Transaction,
): Promise<ReadonlyMap<number, PlanFacts>> {
  const versions = await planVersionRecord.findAll(database, { id: [...new Set(versionIds)] }, { transaction });
  const planIds = [...new Set(versions.map(({ planId }) => planId))];
  const plans = await planRecord.findAll(database, { id: planIds }, { transaction });
  const planOf = new Map(plans.map((plan) => [plan.id, plan]));
  return new Map(
    versions.flatMap((version): [number, PlanFacts][] => {
      const plan = planOf.get(version.planId);
      if (!plan) return [];
      const { slug, name, keyLifetime } = plan;
      const facts = { versionId: version.id, slug, name, version: version.number, keyLifetime };
      return [[version.id, { ...facts, limits: limitsOf(version) }]];
    }),
  );
}

/** The ids of all versions of a plan. */
export async function planVersionIds(database: Database, planId: number, transaction: Transaction): Promise<number[]> {
  const versions = await planVersionRecord.findAll(database, { planId }, { only: ['id'], transaction });
  return versions.map(({ id }) => id);
}
