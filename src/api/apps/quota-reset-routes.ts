import Joi from 'joi';
import { created, paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import type { OwnedReset, ResetView } from '../../domain/apps/index.js';
import { quotaResetList } from '../../domain/catalog/index.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { idParam, idReply, textField, timestampReply } from '../fields.js';
import { adminEntryPoint, APP_ERRORS } from './entry-points.js';
import { approverOf, findApp, type AppParams } from './find.js';
import { userAppParams } from './schema.js';

interface ResetParams extends AppParams {
  readonly id: number;
}

const resetParams = (userAppParams.app as Joi.ObjectSchema<ResetParams>).keys({
  id: idParam.description('Id of the reset.').example(2),
});

const newResetBody = Joi.object<{ product: string; reason: string }>({
  product: Joi.string().max(100).required().description('Slug or id.').example('payments'),
  reason: textField(500).empty('').required().description('The developer sees it.').example('Our outage used them up.'),
}).label('NewQuotaResetInput');

const resetReply = Joi.object({
  id: idReply.required(),
  product: Joi.string().required().description('Slug.').example('payments'),
  reason: Joi.string().required().example('Our outage used them up.'),
  created_at: timestampReply.required().description('Calls that were counted by then use nothing up.'),
}).label('QuotaReset');

const ofApp = {
  context: 'admin',
  tag: adminEntryPoint.tags.apps,
  path: `${adminEntryPoint.path}/:appName/quota-resets`,
  params: userAppParams.app,
  find: findApp,
} as const;

/** Quotas of apps that start anew before their time. */
export const quotaResetRoutes = [
  defineRoute({
    ...ofApp,
    method: 'get',
    operation: 'listUserAppQuotaResets',
    summary: 'List when quotas of an app were reset',
    policy: ['view', 'apps'],
    budget: { gateway: 0 },
    list: quotaResetList.options,
    reply: { 200: Joi.array().items(resetReply) },
    handle: async ({ services, found, list }) =>
      paginated(mapPage(await services.apps.quotaResets.list(found, list), presentReset)),
  }),
  defineRoute({
    ...ofApp,
    method: 'post',
    operation: 'createUserAppQuotaReset',
    errors: APP_ERRORS,
    summary: 'Reset the used quotas of an app for a product',
    description:
      'All quotas that its keys have of the product count from now on, with the answer and on every replica; rates and the ' +
      'ends of periods stay. Usage is counted as before. The developer is told by mail.',
    policy: ['update', 'apps'],
    body: newResetBody,
    reply: { 201: resetReply },
    handle: async ({ services, actor, found, body }) =>
      created(presentReset((await services.usage.resetQuotas(found, body, approverOf(actor))).reset)),
  }),
  defineRoute({
    ...ofApp,
    method: 'get',
    path: `${ofApp.path}/:id`,
    operation: 'getUserAppQuotaReset',
    summary: 'Show when quotas of an app were reset',
    params: resetParams,
    find: async (request: PathContext<ResetParams> & Parameters<typeof findApp>[0]): Promise<OwnedReset> =>
      request.services.apps.quotaResets.find(await findApp(request), request.params.id),
    policy: ['view', 'apps'],
    budget: { gateway: 0 },
    reply: { 200: resetReply },
    handle: ({ found: { reset } }) => presentReset(reset),
  }),
];

function presentReset({ id, product, reason, createdAt }: ResetView) {
  return { id, product, reason, created_at: createdAt };
}
