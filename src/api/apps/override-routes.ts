import Joi from 'joi';
import { mapPage } from '../../core/index.js';
import type { OwnedOverride } from '../../domain/apps/index.js';
import { planOverrideList } from '../../domain/catalog/index.js';
import { created, paginated } from '../../http/index.js';
import { readLimits } from '../catalog/plan-presenter.js';
import { type LimitsBody, limitFields } from '../catalog/plan-schema.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { idParam, idReply, instantField, textField, timestampReply } from '../fields.js';
import { APP_ERRORS, type AppEntryPoint } from './entry-points.js';
import { approverOf, findApp, type AppAct, type AppParams } from './find.js';
import { presentOverride } from './presenter.js';
import { overrideTerms } from './terms-schema.js';

interface OverrideParams extends AppParams {
  readonly id: number;
}

const overrideParamsOf = (app: Joi.ObjectSchema<AppParams>) =>
  (app as Joi.ObjectSchema<OverrideParams>).keys({ id: idParam.description('Id of the override.').example(3) });

const { rate_per_second, rate_per_minute, rate_per_hour, quota_per_day, quota_per_month, quota_per_anchored_month } =
  limitFields;
const raised = {
  ...{ rate_per_second, rate_per_minute, rate_per_hour },
  ...{ quota_per_day, quota_per_month, quota_per_anchored_month },
};

type RaisedBody = Pick<LimitsBody, keyof typeof raised>;

type NewOverrideBody = RaisedBody & {
  product: string;
  exempt?: boolean;
  ends_at?: Date | null;
  reason: string;
};

const newOverrideBody = Joi.object<NewOverrideBody>({
  product: Joi.string().max(100).required().description('Slug or id.').example('payments'),
  ...Object.fromEntries(
    Object.entries(raised).map(([name, schema]) => [
      name,
      schema.description('Holds where it is more than the plan allows.').example(null, { override: true }),
    ]),
  ),
  quota_per_day: quota_per_day
    .description('Holds where it is more than the plan allows.')
    .example(5_000, { override: true }),
  exempt: Joi.boolean().description('No limits at all.').example(false),
  ends_at: instantField()
    .allow(null)
    .description('From then on the plan holds again, by itself; without it until an admin ends it.')
    .example('2030-01-01T00:00Z'),
  reason: textField(500).empty('').required().description('The developer sees it.').example('Their sale of the year.'),
}).label('NewOverrideInput');

const overrideReply = Joi.object({
  id: idReply.required(),
  product: Joi.string().required().description('Slug.').example('payments'),
  status: Joi.string().valid('active', 'ended').required(),
  ...Object.fromEntries(Object.entries(raised).map(([name, schema]) => [name, schema.required()])),
  ...overrideTerms,
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
}).label('PlanOverride');

const overrideListReply = Joi.array().items(overrideReply);

const findOverride = async (
  request: PathContext<OverrideParams> & Parameters<typeof findApp>[0],
  act: AppAct,
): Promise<OwnedOverride> => request.services.apps.limits.find(await findApp(request, act), request.params.id);

/** What an app may call beyond the plans of its keys, for admins. */
export const overrideRoutesOf = (entryPoint: AppEntryPoint) => [...listRoutes(entryPoint), ...recordRoutes(entryPoint)];

const ofApp = ({ context, tags, path, params }: AppEntryPoint) =>
  ({ context, tag: tags.apps, path: `${path}/:appName/overrides`, params: params.app }) as const;

function listRoutes(entryPoint: AppEntryPoint) {
  return [
    defineRoute({
      ...ofApp(entryPoint),
      method: 'get',
      ...entryPoint.enter('view', findApp),
      operation: entryPoint.operation('listAppOverrides'),
      summary: 'List what was raised for an app beyond its plans',
      budget: { gateway: 0 },
      list: planOverrideList.options,
      reply: { 200: overrideListReply },
      handle: async ({ services, found, list }) =>
        paginated(mapPage(await services.apps.limits.list(found, list), presentOverride)),
    }),
    defineRoute({
      ...ofApp(entryPoint),
      method: 'post',
      ...entryPoint.enter('update', findApp),
      operation: entryPoint.operation('createAppOverride'),
      errors: APP_ERRORS,
      summary: 'Raise the limits of an app for a product',
      description:
        'In force with the answer, on every key of the app that has the product and on those that get it. It takes the ' +
        'place of what was raised before. The developer is told by mail.',
      body: newOverrideBody,
      reply: { 201: overrideReply },
      handle: async ({ services, actor, found, body }) => {
        const { product, exempt = false, ends_at: endsAt = null, reason } = body;
        const input = { product, raised: readLimits(body), isExempt: exempt, endsAt, reason };
        const { override } = await services.apps.limits.start(found, input, approverOf(actor));
        return created(presentOverride(override));
      },
    }),
  ];
}

function recordRoutes(entryPoint: AppEntryPoint) {
  const all = ofApp(entryPoint);
  const one = {
    ...{ ...all, path: `${all.path}/:id` },
    params: overrideParamsOf(entryPoint.params.app),
    reply: { 200: overrideReply },
  } as const;
  return [
    defineRoute({
      ...one,
      method: 'get',
      ...entryPoint.enter('view', findOverride),
      operation: entryPoint.operation('getAppOverride'),
      summary: 'Show what was raised for an app',
      budget: { gateway: 0 },
      handle: ({ found: { override } }) => presentOverride(override),
    }),
    defineRoute({
      ...one,
      ...entryPoint.approval,
      method: 'post',
      path: `${one.path}/end`,
      ...entryPoint.enter('update', findOverride),
      operation: entryPoint.operation('endAppOverride'),
      errors: APP_ERRORS,
      summary: 'End what was raised for an app',
      description: 'The limits of the plans hold again, with the answer. The developer is told by mail.',
      handle: async ({ services, actor, found, body }) =>
        presentOverride((await services.apps.limits.end(found, body.reason ?? null, approverOf(actor))).override),
    }),
  ];
}
