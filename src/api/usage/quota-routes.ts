import Joi from 'joi';
import type { PlanUse } from '../../domain/usage/index.js';
import { ownEntryPoint, teamEntryPoint, type AppEntryPoint } from '../apps/entry-points.js';
import { findApp } from '../apps/find.js';
import { defineRoute } from '../define-route.js';
import { timestampReply } from '../fields.js';
import { refusalsQuery } from './usage-schema.js';

const WHAT =
  'The plans with quotas that its keys have now. A quota counts the calls of the present period that were allowed with a plan, ' +
  'by all keys of the app together, or by all apps of its team or developer where the plan is `shared`.';

const quotaListReply = Joi.array().items(
  Joi.object({
    product: Joi.string().required().description('Slug.').example('payments'),
    plan: Joi.string().required().description('Slug.').example('free'),
    version: Joi.number().integer().required().description('Number of the version of the plan.').example(1),
    shared: Joi.boolean()
      .required()
      .description('Whether calls of all apps of the team or developer use the quotas up.')
      .example(false),
    quotas: Joi.array()
      .items(
        Joi.object({
          period: Joi.string().valid('day', 'month', 'anchored_month').required(),
          limit: Joi.number().integer().min(0).required().example(1_000),
          used: Joi.number().integer().min(0).required().example(780),
          from: timestampReply.required().description('Begin of the period, in UTC.'),
          to: timestampReply.required().description('When it starts anew.'),
          reset: Joi.object({ at: timestampReply.required(), reason: Joi.string().required() })
            .allow(null)
            .required()
            .description('Where an admin reset it in this period: since when it counts.')
            .example(null, { override: true }),
        }),
      )
      .required(),
  }).label('QuotaUse'),
);

const routeOf = (entryPoint: AppEntryPoint) =>
  defineRoute({
    context: entryPoint.context,
    tag: 'Usage',
    method: 'get',
    path: `${entryPoint.path}/:appName/usage/quotas`,
    operation: entryPoint.operation('listAppQuotas'),
    summary: 'Tell how much of its quotas an own app has used',
    description: WHAT,
    params: entryPoint.params.app,
    ...entryPoint.enter('viewUsage', findApp),
    budget: { gateway: 0 },
    reply: { 200: quotaListReply },
    handle: async ({ services, found }) => (await services.usage.quotas.ofApp(found.app.id)).map(presentPlanUse),
  });

export const quotaRoutes = [
  routeOf(ownEntryPoint),
  routeOf(teamEntryPoint),
  defineRoute({
    context: 'admin',
    tag: 'Usage',
    method: 'get',
    path: '/usage/quotas',
    permission: 'portal.usage.read',
    operation: 'listQuotas',
    summary: 'Tell how much of its quotas an app has used',
    description: WHAT,
    query: refusalsQuery,
    reply: { 200: quotaListReply },
    handle: async ({ services, query }) => (await services.usage.quotas.ofApp(query.app)).map(presentPlanUse),
  }),
];

function presentPlanUse({ slug, plan, quotas }: PlanUse) {
  return {
    ...{ product: slug, plan: plan.slug, version: plan.version, shared: plan.limits.isShared },
    quotas: quotas.map(({ period, limit, used, begins, ends, reset }) => ({
      ...{ period: period === 'anchoredMonth' ? 'anchored_month' : period, limit, used, from: begins, to: ends, reset },
    })),
  };
}
