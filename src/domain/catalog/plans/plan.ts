import {
  defineList,
  defineRecord,
  fieldOf,
  times,
  type NewRowOf,
  type OwnedRows,
  type RowOf,
} from '../../../database/index.js';
import { AUDIENCE_NAMES, type AudienceReference } from '../audience.js';
import type { JoinTable, RecordReference } from '../join-table.js';
import type { Approval } from '../products/product.js';
import type { Translations } from '../translation.js';

/** `draft`: no version was ever active. `archived`: nobody new gets it; whoever has it keeps it. */
export const PLAN_STATUSES = ['draft', 'active', 'archived'] as const;
export type PlanStatus = (typeof PLAN_STATUSES)[number];

export const planRecord = defineRecord({
  name: 'Plan',
  table: 'portal_plans',
  alias: 'pl',
  noun: 'plan',
  fields: {
    id: fieldOf.id(),
    slug: fieldOf.text(100).unique(),
    name: fieldOf.text(200),
    shortDescription: fieldOf.text(500).default(''),
    /** Markdown. */
    description: fieldOf.longText().default(''),
    /** Only a text: the portal takes no money. */
    price: fieldOf.text(100).default(''),
    priceUrl: fieldOf.text(2048).nullable(),
    /** Readers see plans in this order. */
    position: fieldOf.integer().default(0),
    /** `manual`: an admin approves the plan for each key. */
    approval: fieldOf.text<Approval>(16),
    /** Seconds that a key with this plan lives at most. */
    keyLifetime: fieldOf.integer().nullable(),
    /** How long a developer may try it; null for no trial. */
    trialDays: fieldOf.integer().nullable(),
    /** The plan that comes when a trial is over. */
    fallbackPlanId: fieldOf.reference().nullable(),
    /** For calls without a key; no key gets it. Never changes. */
    isKeyless: fieldOf.boolean().default(false),
    status: fieldOf.text<PlanStatus>(16),
    ...times,
  },
});

/** The columns of a plan, texts in the default locale. */
export type PlanRow = RowOf<typeof planRecord>;

/** A plan for admins: texts in the default locale plus all translations. */
export interface PlanRecord extends PlanRow {
  /** By name; without any, everybody may have the plan. */
  readonly audiences: readonly AudienceReference[];
  readonly translations: Translations;
  /** Slug of the plan that comes when a trial is over. */
  readonly fallbackPlan: string | null;
  /** Number of the active version; null without one. */
  readonly activeVersion: number | null;
}

/** Fields that only code writes. */
type ServerField = 'id' | 'fallbackPlanId' | 'status' | 'createdAt' | 'updatedAt';

export interface PlanInput extends Omit<NewRowOf<typeof planRecord>, ServerField> {
  /** Slug or id. */
  readonly fallbackPlan?: RecordReference | null;
  /** Names or ids. */
  readonly audiences?: readonly RecordReference[];
  readonly translations?: Translations;
}

export const PLAN_TRANSLATIONS: OwnedRows = { table: 'portal_plan_translations', owner: 'plan_id' };

export const PLAN_AUDIENCES: JoinTable = {
  table: 'portal_plan_audiences',
  owner: 'plan_id',
  key: 'audience_id',
  target: AUDIENCE_NAMES,
  what: 'audience',
};

/** Plans as admins list them. */
export const planList = defineList<PlanRow>({
  ...planRecord.list({
    name: 'plans',
    sorts: ['id', 'slug', 'name', 'position', 'createdAt', 'updatedAt'],
    filters: ['id', 'slug', 'name', 'approval', 'status', 'createdAt', 'updatedAt'],
    search: ['name', 'shortDescription', 'slug'],
    relations: ['audiences', 'translations'],
  }),
});
