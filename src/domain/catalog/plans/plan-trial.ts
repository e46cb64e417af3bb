import {
  defineRecord,
  fieldOf,
  UniqueViolationError,
  type Database,
  type RowOf,
  type Transaction,
} from '../../../database/index.js';
import { addSeconds } from '../../../core/index.js';

const DAY_S = 86_400;

export const planTrialRecord = defineRecord({
  name: 'PlanTrial',
  table: 'portal_plan_trials',
  alias: 'pt',
  fields: {
    userId: fieldOf.reference().key(),
    productId: fieldOf.reference().key(),
    /** Which may be gone. */
    planId: fieldOf.bigint(),
    startedAt: fieldOf.time(),
    endsAt: fieldOf.time(),
    /** When the developer was told that it is about to end. */
    noticedAt: fieldOf.time().nullable(),
    /** When all keys had the next plan. */
    endedAt: fieldOf.time().nullable(),
  },
});

/** That a developer tries, or has tried, a product: once, whatever the app, the key and the plan. */
export type PlanTrial = RowOf<typeof planTrialRecord>;

/** Begins a trial, or joins the one that there is. @returns when it ends, which may be over */
export async function beginTrial(
  database: Database,
  { days, ...trial }: Pick<PlanTrial, 'userId' | 'productId' | 'planId'> & { readonly days: number },
  now: Date,
  transaction: Transaction,
): Promise<Date> {
  const { userId, productId } = trial;
  const known = await planTrialRecord.find(database, { userId, productId }, { transaction });
  if (known) return known.endsAt;
  const endsAt = addSeconds(now, days * DAY_S);
  try {
    await planTrialRecord.insert(database, { ...trial, startedAt: now, endsAt }, transaction);
    return endsAt;
  } catch (error) {
    if (!(error instanceof UniqueViolationError)) throw error;
    // Another app of the developer was quicker.
    return (await planTrialRecord.require(database, { userId, productId }, { transaction, lock: true })).endsAt;
  }
}
