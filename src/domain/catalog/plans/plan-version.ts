import { defineList, defineRecord, fieldOf, times, type RowOf } from '../../../database/index.js';

/** `superseded`: it was active once; grants that were given it are still on it. */
export const VERSION_STATUSES = ['draft', 'active', 'superseded'] as const;
export type VersionStatus = (typeof VERSION_STATUSES)[number];

/** `soft`: calls beyond a limit pass and are marked. */
export const ENFORCEMENTS = ['hard', 'soft'] as const;
export type Enforcement = (typeof ENFORCEMENTS)[number];

/** Numbers of calls. */
export const callLimitFields = {
  ratePerSecond: fieldOf.integer().nullable(),
  ratePerMinute: fieldOf.integer().nullable(),
  ratePerHour: fieldOf.integer().nullable(),
  quotaPerDay: fieldOf.integer().nullable(),
  quotaPerMonth: fieldOf.integer().nullable(),
  /** In months that begin on the day on which the key got the product. */
  quotaPerAnchoredMonth: fieldOf.integer().nullable(),
};

/** What a version allows; null is unlimited. */
const limitFields = {
  ...callLimitFields,
  /** Calls at the same time. */
  concurrency: fieldOf.integer().nullable(),
  enforcement: fieldOf.text<Enforcement>(16).default('hard'),
  /** Calls beyond a quota that still pass, in percent of it. */
  gracePercent: fieldOf.integer().default(0),
  /** All apps of a team, or of a developer, share it; otherwise each app has it for itself. */
  isShared: fieldOf.boolean().default(false),
};

export const planVersionRecord = defineRecord({
  name: 'PlanVersion',
  table: 'portal_plan_versions',
  alias: 'pv',
  noun: 'version',
  fields: {
    id: fieldOf.id(),
    planId: fieldOf.reference(),
    /** From 1, in the order of their creation; unique in its plan, and versions are listed for one plan. */
    number: fieldOf.integer().unique(),
    status: fieldOf.text<VersionStatus>(16),
    ...limitFields,
    activatedAt: fieldOf.time().nullable(),
    ...times,
  },
});

/** A version of a plan. Once it is active, its limits never change. */
export type PlanVersion = RowOf<typeof planVersionRecord>;

export type PlanLimits = Pick<PlanVersion, keyof typeof limitFields>;

const LIMITS = Object.keys(limitFields) as readonly (keyof PlanLimits)[];

/** Picks the limits of a version. */
export function limitsOf(version: PlanLimits): PlanLimits {
  return Object.fromEntries(LIMITS.map((name) => [name, version[name]])) as unknown as PlanLimits;
}

/** The versions of a plan, as admins list them. */
export const planVersionList = defineList<PlanVersion>(
  planVersionRecord.list({
    name: 'plan-versions',
    sorts: ['number', 'createdAt', 'updatedAt'],
    filters: ['number', 'status', 'createdAt', 'updatedAt'],
  }),
);
