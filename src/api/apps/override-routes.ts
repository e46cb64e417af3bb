import { created, paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import type { OwnedOverride } from '../../domain/apps/index.js';
import { planOverrideList } from '../../domain/catalog/index.js';
import { readLimits } from '../catalog/plan-presenter.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { adminEntryPoint, APP_ERRORS } from './entry-points.js';
import { approverOf, findApp } from './find.js';
import {
  newOverrideBody,
  overrideListReply,
  overrideParams,
  overrideReply,
  type OverrideParams,
} from './override-schema.js';
import { presentOverride } from './presenter.js';
import { userAppParams } from './schema.js';

const ofApp = {
  context: 'admin',
  tag: adminEntryPoint.tags.apps,
  path: `${adminEntryPoint.path}/:appName/overrides`,
  params: userAppParams.app,
  find: findApp,
} as const;
const one = {
  ...ofApp,
  path: `${ofApp.path}/:id`,
  params: overrideParams,
  reply: { 200: overrideReply },
  find: async (request: PathContext<OverrideParams> & Parameters<typeof findApp>[0]): Promise<OwnedOverride> =>
    request.services.apps.limits.find(await findApp(request), request.params.id),
} as const;

/** What an app may call beyond the plans of its keys. */
export const overrideRoutes = [
  defineRoute({
    ...ofApp,
    method: 'get',
    operation: 'listUserAppOverrides',
    summary: 'List what was raised for an app beyond its plans',
    policy: ['view', 'apps'],
    budget: { gateway: 0 },
    list: planOverrideList.options,
    reply: { 200: overrideListReply },
    handle: async ({ services, found, list }) =>
      paginated(mapPage(await services.apps.limits.list(found, list), presentOverride)),
  }),
  defineRoute({
    ...ofApp,
    method: 'post',
    operation: 'createUserAppOverride',
    errors: APP_ERRORS,
    summary: 'Raise the limits of an app for a product',
    description:
      'In force with the answer, on every key of the app that has the product and on those that get it. It takes the ' +
      'place of what was raised before. The developer is told by mail.',
    policy: ['update', 'apps'],
    body: newOverrideBody,
    reply: { 201: overrideReply },
    handle: async ({ services, actor, found, body }) => {
      const { product, exempt = false, ends_at: endsAt = null, reason } = body;
      const input = { product, raised: readLimits(body), isExempt: exempt, endsAt, reason };
      const { override } = await services.apps.limits.start(found, input, approverOf(actor));
      return created(presentOverride(override));
    },
  }),
  defineRoute({
    ...one,
    method: 'get',
    operation: 'getUserAppOverride',
    summary: 'Show what was raised for an app',
    policy: ['view', 'apps'],
    budget: { gateway: 0 },
    handle: ({ found: { override } }) => presentOverride(override),
  }),
  defineRoute({
    ...one,
    ...adminEntryPoint.approval,
    method: 'post',
    path: `${one.path}/end`,
    operation: 'endUserAppOverride',
    errors: APP_ERRORS,
    summary: 'End what was raised for an app',
    description: 'The limits of the plans hold again, with the answer. The developer is told by mail.',
    policy: ['update', 'apps'],
    handle: async ({ services, actor, found, body }) =>
      presentOverride((await services.apps.limits.end(found, body.reason ?? null, approverOf(actor))).override),
  }),
];
