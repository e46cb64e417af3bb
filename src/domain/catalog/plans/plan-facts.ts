import { planRecord, type PlanRow } from './plan.js';
import { limitsOf, planVersionRecord, type PlanLimits } from './plan-version.js';
import type { Database, Transaction } from '../../../database/index.js';

/** The plan of a product on a key, in its version: what it is called and what it allows. */
export interface PlanFacts {
  readonly versionId: number;
  readonly planId: number;
  readonly slug: string;
  /** In the default locale. */
  readonly name: string;
  /** Number of the version. */
  readonly version: number;
  /** Seconds. */
  readonly keyLifetime: number | null;
  /** How long it may be tried; null for no trial. */
  readonly trialDays: number | null;
  /** What comes then; its name is in the default locale. */
  readonly fallback: { readonly slug: string; readonly name: string } | null;
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
  const fallbacks = await readPlanNames(database, plans, transaction);
  return new Map(
    versions.flatMap((version): [number, PlanFacts][] => {
      const plan = planOf.get(version.planId);
      if (!plan) return [];
      const { id: planId, slug, name, keyLifetime, trialDays, fallbackPlanId } = plan;
      const facts = { versionId: version.id, planId, slug, name, version: version.number, keyLifetime, trialDays };
      const fallback = fallbacks.get(fallbackPlanId ?? 0) ?? null;
      return [[version.id, { ...facts, fallback, limits: limitsOf(version) }]];
    }),
  );
}

/** The plans that come after trials of others, by their ids. */
async function readPlanNames(database: Database, plans: readonly PlanRow[], transaction?: Transaction) {
  const id = [...new Set(plans.flatMap(({ fallbackPlanId }) => fallbackPlanId ?? []))];
  const found = await planRecord.findAll(database, { id }, { only: ['id', 'slug', 'name'], transaction });
  return new Map(found.map(({ id: planId, slug, name }) => [planId, { slug, name }]));
}

/** The active version of a plan; null without one. @param slug of the plan, whatever its status */
export async function readActivePlan(database: Database, slug: string): Promise<PlanFacts | null> {
  const plan = await planRecord.find(database, { slug }, { only: ['id'] });
  const isActive = { planId: plan?.id ?? 0, status: 'active' } as const;
  const version = plan && (await planVersionRecord.find(database, isActive, { only: ['id'] }));
  return version ? ((await readPlanFacts(database, [version.id])).get(version.id) ?? null) : null;
}

/** The ids of all versions of a plan. */
export async function planVersionIds(database: Database, planId: number, transaction: Transaction): Promise<number[]> {
  const versions = await planVersionRecord.findAll(database, { planId }, { only: ['id'], transaction });
  return versions.map(({ id }) => id);
}
