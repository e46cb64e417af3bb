import Joi from 'joi';
import {
  APPROVALS,
  ENFORCEMENTS,
  PLAN_STATUSES,
  VERSION_STATUSES,
  type Approval,
  type Enforcement,
} from '../../domain/catalog/index.js';
import { idParam, idReply, textField, timestampReply } from '../fields.js';
import {
  catalogSlugField,
  recordReferencesField,
  textFields,
  translationsField,
  translationsReply,
  type TextFields,
} from './catalog-fields.js';

const MINUTE_S = 60;
const TEN_YEARS_S = 10 * 365 * 24 * 3600;
/** What an integer column of every database holds. */
const MOST = 2_000_000_000;

const planReference = Joi.string().max(100).required().description('Id or slug.').example('free');

export const planParams = Joi.object<{ plan: string }>({ plan: planReference });
export const versionParams = Joi.object<{ plan: string; number: number }>({
  plan: planReference,
  number: idParam.description('Its number within the plan.'),
});

export interface PlanBody {
  slug?: string;
  name?: string;
  short_description?: string;
  description?: string;
  price?: string;
  price_url?: string | null;
  position?: number;
  approval?: Approval;
  key_lifetime?: number | null;
  trial_days?: number | null;
  fallback_plan?: string | number | null;
  audiences?: (string | number)[];
  translations?: Record<string, TextFields>;
}

const fields = {
  slug: catalogSlugField.example('free', { override: true }),
  ...textFields,
  name: textFields.name.example('Free', { override: true }),
  short_description: textFields.short_description.example('To try it out.', { override: true }),
  description: textFields.description.example('Enough for a prototype.', { override: true }),
  price: textField(100).description('A text for people: the portal takes no money.').example('0 €'),
  price_url: Joi.string()
    .uri({ scheme: ['https', 'http', 'mailto'] })
    .max(2048)
    .allow(null)
    .description('Where the price is explained, or the plan bought.')
    .example('https://example.com/prices'),
  position: Joi.number().integer().min(0).max(10_000).description('Smaller ones are shown first.').example(10),
  approval: Joi.string()
    .valid(...APPROVALS)
    .description('`manual`: an admin approves the plan for each key.'),
  key_lifetime: Joi.number()
    .integer()
    .min(MINUTE_S)
    .max(TEN_YEARS_S)
    .allow(null)
    .description('Seconds that a key with this plan lives at most; null for no limit of the plan.')
    .example(null),
  trial_days: Joi.number()
    .integer()
    .min(1)
    .max(366)
    .allow(null)
    .description('Days that a developer may try it, once for each product; null for no trial.')
    .example(null),
  fallback_plan: Joi.alternatives(Joi.string().max(100), Joi.number().integer().positive())
    .allow(null)
    .description('Slug or id of the plan that comes when a trial is over; needed with `trial_days`.')
    .example(null),
  audiences: recordReferencesField('partners')
    .description('Names or ids of those who may have the plan, everybody without any; replaced whole.')
    .example([], { override: true }),
  translations: translationsField.example({ ar: { name: 'مجاني' } }, { override: true }),
};

export const newPlanBody = Joi.object<PlanBody & { slug: string; name: string; keyless?: boolean }>({
  ...fields,
  keyless: Joi.boolean()
    .description('For calls without a key, held against it by client network; no key gets it. Never changes.')
    .example(false),
  slug: fields.slug.required(),
  name: fields.name.required(),
}).label('NewPlanInput');

export const planBody = Joi.object<PlanBody>(fields).label('PlanInput');

export interface LimitsBody {
  rate_per_second?: number | null;
  rate_per_minute?: number | null;
  rate_per_hour?: number | null;
  quota_per_day?: number | null;
  quota_per_month?: number | null;
  quota_per_anchored_month?: number | null;
  concurrency?: number | null;
  enforcement?: Enforcement;
  grace_percent?: number;
  shared?: boolean;
}

const limit = (example: number | null, description: string) =>
  Joi.number().integer().min(1).max(MOST).allow(null).description(description).example(example);

export const limitFields = {
  rate_per_second: limit(5, 'Calls in any second; null for no limit.'),
  rate_per_minute: limit(null, 'Calls in any minute.'),
  rate_per_hour: limit(null, 'Calls in any hour.'),
  quota_per_day: limit(1000, 'Calls in a day of UTC.'),
  quota_per_month: limit(20_000, 'Calls in a calendar month of UTC.'),
  quota_per_anchored_month: limit(null, 'Calls in a month that begins on the day on which the key got the product.'),
  concurrency: limit(null, 'Calls at the same time. For information: the portal does not see calls end.'),
  enforcement: Joi.string()
    .valid(...ENFORCEMENTS)
    .description(
      '`hard`: calls beyond a limit are refused with `quota_exceeded` or `rate_exceeded`; `soft`: they pass and are marked.',
    )
    .example('hard'),
  grace_percent: Joi.number()
    .integer()
    .min(0)
    .max(100)
    .description('Calls beyond a quota that still pass, marked, in percent of it, rounded down.')
    .example(10),
  shared: Joi.boolean()
    .description(
      'Whether all apps of a team, or of a developer, share the limits; otherwise each app has them for itself.',
    )
    .example(false),
};

export const newVersionBody = Joi.object<LimitsBody>(limitFields).label('NewPlanVersionInput');

export const versionBody = newVersionBody.label('PlanVersionInput');

/** The limits of a version, in an answer. */
export const limitsReply = Object.fromEntries(
  Object.entries(limitFields).map(([name, schema]) => [name, schema.required()]),
) as typeof limitFields;

const text = Joi.string().allow('');

/** What readers and admins see of a plan. */
const planFields = {
  slug: Joi.string().required().example('free'),
  name: Joi.string().required().example('Free'),
  short_description: text.required().example('To try it out.'),
  description: text.required().description('Markdown.').example('Enough for a prototype.'),
  price: text.required().description('A text for people.').example('0 €'),
  price_url: Joi.string().allow(null).required().example('https://example.com/prices'),
  approval: fields.approval.required(),
  key_lifetime: Joi.number().integer().allow(null).required().description('Seconds.').example(null),
  keyless: Joi.boolean().required().description('For calls without a key; no key gets it.').example(false),
  trial_days: Joi.number().integer().allow(null).required().description('null: no trial.').example(null),
  fallback_plan: Joi.string().allow(null).required().description('Slug of what comes after the trial.').example(null),
};

export const planReply = Joi.object({
  id: idReply.required(),
  ...planFields,
  position: Joi.number().integer().required().example(10),
  status: Joi.string()
    .valid(...PLAN_STATUSES)
    .required()
    .description('`archived`: nobody new gets it, whoever has it keeps it.'),
  active_version: Joi.number().integer().allow(null).required().description('Number of the active version.').example(1),
  audiences: Joi.array()
    .items(Joi.object({ id: idReply.required(), name: Joi.string().required().example('partners') }))
    .description('In lists only with `with=audiences`.'),
  translations: translationsReply.description('Locale → texts. In lists only with `with=translations`.'),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
}).label('Plan');

export const planListReply = Joi.array().items(planReply);

export const versionReply = Joi.object({
  number: Joi.number().integer().required().example(1),
  plan: Joi.object({
    id: idReply.required(),
    slug: Joi.string().required().example('free'),
    name: Joi.string().required().example('Free'),
  }).required(),
  status: Joi.string()
    .valid(...VERSION_STATUSES)
    .required()
    .description('`superseded`: it was active once; keys may still have it.'),
  ...limitsReply,
  activated_at: timestampReply.allow(null).required(),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
}).label('PlanVersion');

export const versionListReply = Joi.array().items(versionReply);

/** The plans that a product offers, in the order in which people compare them. */
export const offerListReply = Joi.array().items(
  Joi.object({
    ...planFields,
    is_default: Joi.boolean().required().description('What a key gets when nobody names another.'),
    version: Joi.number().integer().required().example(1),
    ...limitsReply,
  }).label('PlanOffer'),
);
