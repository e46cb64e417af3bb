import {
  defineList,
  defineRecord,
  fieldOf,
  times,
  type Database,
  type RowOf,
  type Transaction,
} from '../../../database/index.js';
import { callLimitFields, type PlanLimits } from './plan-version.js';

export const planOverrideRecord = defineRecord({
  name: 'PlanOverride',
  table: 'portal_plan_overrides',
  alias: 'po',
  noun: 'override',
  fields: {
    id: fieldOf.id(),
    appId: fieldOf.reference(),
    productId: fieldOf.reference(),
    /** `starting`: the gateway is being told. `ended`: taken back, or another one took its place. */
    state: fieldOf.text<'starting' | 'current' | 'ended'>(16),
    /** null leaves the limit of the plan. */
    ...callLimitFields,
    /** No limits at all. */
    isExempt: fieldOf.boolean().default(false),
    reason: fieldOf.text(500),
    /** From then on the limits of the plan hold again, by themselves. */
    endsAt: fieldOf.time().nullable(),
    ...times,
  },
});

/**
 * What an app may call of a product beyond the plans of its keys. Except for its state it never changes, so that what was read
 * of it may be kept.
 */
export type PlanOverride = RowOf<typeof planOverrideRecord>;

/** Limits that an override raises. */
export type RaisedLimits = Pick<PlanOverride, keyof typeof callLimitFields>;

const RAISED = Object.keys(callLimitFields) as readonly (keyof RaisedLimits)[];

/** The overrides of an app, as admins list them. */
export const planOverrideList = defineList<PlanOverride>(
  planOverrideRecord.list({ name: 'plan-overrides', sorts: ['id', 'createdAt', 'updatedAt'] }),
);

/** Picks what an override raises; what is not given is not raised. */
export function pickRaisedLimits(limits: Partial<RaisedLimits>): RaisedLimits {
  return Object.fromEntries(RAISED.map((name) => [name, limits[name] ?? null])) as unknown as RaisedLimits;
}

/** Whether it holds at that time. */
export function isInForce({ state, endsAt }: Pick<PlanOverride, 'state' | 'endsAt'>, now: Date): boolean {
  return state === 'current' && (endsAt === null || endsAt > now);
}

/** The limits of a plan with what an override raises, which never takes anything away: the larger limit holds. */
export function raiseLimits(limits: PlanLimits, override: PlanOverride): PlanLimits {
  const raised = RAISED.map((name) => [name, override.isExempt ? null : chooseLarger(limits[name], override[name])]);
  return { ...limits, ...(Object.fromEntries(raised) as unknown as RaisedLimits) };
}

/** Overrides by id. Reads nothing for no ids. */
export async function readPlanOverrides(
  database: Database,
  ids: readonly number[],
  transaction?: Transaction,
): Promise<ReadonlyMap<number, PlanOverride>> {
  const rows = await planOverrideRecord.findAll(database, { id: [...new Set(ids)] }, { transaction });
  return new Map(rows.map((row) => [row.id, row]));
}

// A null limit means unlimited, a null raise means unchanged.
function chooseLarger(limit: number | null, raised: number | null): number | null {
  return limit === null || raised === null ? limit : Math.max(limit, raised);
}
