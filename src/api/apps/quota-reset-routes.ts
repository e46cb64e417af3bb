import Joi from 'joi';
import { created, paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import type { OwnedReset, ResetView } from '../../domain/apps/index.js';
import { quotaResetList } from '../../domain/catalog/index.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { idParam, idReply, textField, timestampReply } from '../fields.js';
import { APP_ERRORS, type AppEntryPoint } from './entry-points.js';
import { approverOf, findApp, type AppAct, type AppParams } from './find.js';

interface ResetParams extends AppParams {
  readonly id: number;
}

const resetParamsOf = (app: Joi.ObjectSchema<AppParams>) =>
  (app as Joi.ObjectSchema<ResetParams>).keys({ id: idParam.description('Id of the reset.').example(2) });

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

const findReset = async (
  request: PathContext<ResetParams> & Parameters<typeof findApp>[0],
  act: AppAct,
): Promise<OwnedReset> => request.services.apps.quotaResets.find(await findApp(request, act), request.params.id);

/** Quotas of apps that start anew before their time, for admins. */
export function quotaResetRoutesOf({ context, tags, path, params, ...entryPoint }: AppEntryPoint) {
  const ofApp = { context, tag: tags.apps, path: `${path}/:appName/quota-resets`, params: params.app } as const;
  return [
    defineRoute({
      ...ofApp,
      method: 'get',
      ...entryPoint.enter('view', findApp),
      operation: entryPoint.operation('listAppQuotaResets'),
      summary: 'List when quotas of an app were reset',
      budget: { gateway: 0 },
      list: quotaResetList.options,
      reply: { 200: Joi.array().items(resetReply) },
      handle: async ({ services, found, list }) =>
        paginated(mapPage(await services.apps.quotaResets.list(found, list), presentReset)),
    }),
    defineRoute({
      ...ofApp,
      method: 'post',
      ...entryPoint.enter('update', findApp),
      operation: entryPoint.operation('createAppQuotaReset'),
      errors: APP_ERRORS,
      summary: 'Reset the used quotas of an app for a product',
      description:
        'All quotas that its keys have of the product count from now on, with the answer and on every replica; rates and the ' +
        'ends of periods stay. Usage is counted as before. The developer is told by mail.',
      body: newResetBody,
      reply: { 201: resetReply },
      handle: async ({ services, actor, found, body }) =>
        created(presentReset((await services.usage.resetQuotas(found, body, approverOf(actor))).reset)),
    }),
    defineRoute({
      ...ofApp,
      method: 'get',
      path: `${ofApp.path}/:id`,
      ...entryPoint.enter('view', findReset),
      operation: entryPoint.operation('getAppQuotaReset'),
      summary: 'Show when quotas of an app were reset',
      params: resetParamsOf(params.app),
      budget: { gateway: 0 },
      reply: { 200: resetReply },
      handle: ({ found: { reset } }) => presentReset(reset),
    }),
  ];
}

function presentReset({ id, product, reason, createdAt }: ResetView) {
  return { id, product, reason, created_at: createdAt };
}
