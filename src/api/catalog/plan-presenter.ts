import { type OwnedVersion, type PlanLimits, type PlanOffer, type PlanRecord } from '../../domain/catalog/index.js';
import type { LimitsBody } from './plan-schema.js';
import { presentTranslations } from './translations.js';

/** A plan as admins see it. List parts that were not requested are left out. */
export function presentPlan(plan: PlanRecord, relations: readonly string[] = ['audiences', 'translations']) {
  return {
    id: plan.id,
    ...textsOf(plan),
    fallback_plan: plan.fallbackPlan,
    position: plan.position,
    status: plan.status,
    active_version: plan.activeVersion,
    ...(relations.includes('audiences') && { audiences: plan.audiences.map(({ id, name }) => ({ id, name })) }),
    ...(relations.includes('translations') && { translations: presentTranslations(plan.translations) }),
    created_at: plan.createdAt,
    updated_at: plan.updatedAt,
  };
}

export function presentVersion({ plan: { id, slug, name }, version }: OwnedVersion) {
  return {
    number: version.number,
    plan: { id, slug, name },
    status: version.status,
    ...presentLimits(version),
    activated_at: version.activatedAt,
    created_at: version.createdAt,
    updated_at: version.updatedAt,
  };
}

/** A plan that a product offers, as its readers compare it. */
export function presentPlanOffer(offer: PlanOffer) {
  const { isDefault, version, fallback } = offer;
  const terms = { fallback_plan: fallback && fallback.slug, is_default: isDefault };
  return { ...textsOf(offer), ...terms, version: version.number, ...presentLimits(version) };
}

export function presentLimits(limits: PlanLimits): Required<LimitsBody> {
  return {
    rate_per_second: limits.ratePerSecond,
    rate_per_minute: limits.ratePerMinute,
    rate_per_hour: limits.ratePerHour,
    quota_per_day: limits.quotaPerDay,
    quota_per_month: limits.quotaPerMonth,
    quota_per_anchored_month: limits.quotaPerAnchoredMonth,
    concurrency: limits.concurrency,
    enforcement: limits.enforcement,
    grace_percent: limits.gracePercent,
    shared: limits.isShared,
  };
}

export function readLimits(body: LimitsBody): Partial<PlanLimits> {
  const { concurrency, enforcement } = body;
  return Object.fromEntries(
    Object.entries({
      ratePerSecond: body.rate_per_second,
      ratePerMinute: body.rate_per_minute,
      ratePerHour: body.rate_per_hour,
      quotaPerDay: body.quota_per_day,
      quotaPerMonth: body.quota_per_month,
      quotaPerAnchoredMonth: body.quota_per_anchored_month,
      gracePercent: body.grace_percent,
      isShared: body.shared,
      ...{ concurrency, enforcement },
    }).filter(([, value]) => value !== undefined),
  );
}

function textsOf(plan: PlanRecord | PlanOffer) {
  return {
    slug: plan.slug,
    name: plan.name,
    short_description: plan.shortDescription,
    description: plan.description,
    price: plan.price,
    price_url: plan.priceUrl,
    approval: plan.approval,
    key_lifetime: plan.keyLifetime,
    keyless: plan.isKeyless,
    trial_days: plan.trialDays,
  };
}
