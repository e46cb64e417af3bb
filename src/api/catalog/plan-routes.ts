import { planList, viewerOf } from '../../domain/catalog/index.js';
import { created, paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { recordDeletion } from '../fields.js';
import { referenceParams } from './catalog-fields.js';
import { presentPlanOffer, presentPlan } from './plan-presenter.js';
import {
  newPlanBody,
  offerListReply,
  planBody,
  planListReply,
  planParams,
  planReply,
  type PlanBody,
} from './plan-schema.js';
import { planVersionRoutes } from './plan-version-routes.js';
import { readTranslationInput } from './translations.js';

export const planRoutes = [
  defineRoute({
    context: 'consumer',
    auth: 'optional',
    tag: 'API products',
    method: 'get',
    path: '/api-products/:id/plans',
    operation: 'listApiProductPlans',
    summary: 'List the plans that an API product offers',
    description:
      'Those that the caller may have, in the order in which people compare them; none for a product without plans, ' +
      'which has no limits. Periods are those of UTC.',
    localized: true,
    params: referenceParams,
    reply: { 200: offerListReply },
    find: ({ services, actor, params, locale }) => services.catalog.products.find(params.id, viewerOf(actor), locale),
    handle: async ({ services, actor, found, locale }) =>
      (await services.catalog.offers.list(found.id, viewerOf(actor), locale)).map(presentPlanOffer),
  }),
];

const plans = { context: 'admin', tag: 'Plans' } as const;
const one = {
  ...plans,
  path: '/plans/:plan',
  params: planParams,
  find: ({ services, params }: PathContext<{ plan: string }>) => services.catalog.plans.find(params.plan),
} as const;
const changing = { ...one, policy: ['update', 'plans'], versioned: true, reply: { 200: planReply } } as const;

function inputOf(body: PlanBody & { keyless?: boolean }) {
  const { slug, name, description, price, position, approval, audiences } = body;
  return {
    ...{ slug, name, description, price, position, approval, audiences },
    shortDescription: body.short_description,
    priceUrl: body.price_url,
    keyLifetime: body.key_lifetime,
    ...(body.keyless !== undefined && { isKeyless: body.keyless }),
    ...{ trialDays: body.trial_days, fallbackPlan: body.fallback_plan },
    translations: readTranslationInput(body.translations),
  };
}

const recordRoutes = [
  defineRoute({
    ...plans,
    method: 'get',
    path: '/plans',
    operation: 'listPlans',
    summary: 'List plans',
    description: 'Texts are those of the default locale; audiences and translations with `with`.',
    policy: ['view', 'plans'],
    list: planList.options,
    reply: { 200: planListReply },
    handle: async ({ services, list }) =>
      paginated(mapPage(await services.catalog.plans.list(list), (plan) => presentPlan(plan, list.with))),
  }),
  defineRoute({
    ...plans,
    method: 'post',
    path: '/plans',
    operation: 'createPlan',
    summary: 'Create a plan',
    description: 'A draft, until one of its versions is activated. Without `approval: manual` nobody approves it.',
    policy: ['create', 'plans'],
    body: newPlanBody,
    reply: { 201: planReply },
    handle: async ({ services, body }) => {
      const { slug, name, approval = 'auto' } = body;
      return created(presentPlan(await services.catalog.plans.create({ ...inputOf(body), slug, name, approval })));
    },
  }),
  defineRoute({
    ...one,
    method: 'get',
    operation: 'getPlan',
    summary: 'Show a plan',
    policy: ['view', 'plans'],
    reply: { 200: planReply },
    handle: ({ found }) => presentPlan(found),
  }),
  defineRoute({
    ...changing,
    method: 'put',
    operation: 'updatePlan',
    record: true,
    summary: 'Change a plan',
    description: 'Whoever has it keeps it. What it allows is changed by a new version.',
    body: planBody,
    handle: async ({ services, found, body, expected }) =>
      presentPlan(await services.catalog.plans.update(found.id, inputOf(body), expected)),
  }),
  defineRoute({
    ...one,
    ...recordDeletion,
    operation: 'deletePlan',
    errors: [409],
    summary: 'Delete a plan with its versions',
    description: 'Refused with 409 while products offer it or keys have it. To offer it to nobody new, archive it.',
    policy: ['delete', 'plans'],
    handle: async ({ services, found, expected }) => {
      await services.catalog.plans.delete(found.id, expected);
      return {};
    },
  }),
];

const stateRoutes = [
  defineRoute({
    ...changing,
    method: 'post',
    path: '/plans/:plan/archive',
    operation: 'archivePlan',
    errors: [409],
    summary: 'Offer a plan to nobody new',
    description: 'Keys that have it keep it. Refused with 409 for the default plan of a product.',
    handle: async ({ services, found, expected }) =>
      presentPlan(await services.catalog.plans.archive(found.id, expected)),
  }),
  defineRoute({
    ...changing,
    method: 'post',
    path: '/plans/:plan/restore',
    operation: 'restorePlan',
    summary: 'Offer an archived plan again',
    handle: async ({ services, found, expected }) =>
      presentPlan(await services.catalog.plans.restore(found.id, expected)),
  }),
];

export const adminPlanRoutes = [...recordRoutes, ...stateRoutes, ...planVersionRoutes];
