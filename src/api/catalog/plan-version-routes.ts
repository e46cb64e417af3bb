import { planVersionList } from '../../domain/catalog/index.js';
import { created, paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { presentVersion, readLimits } from './plan-presenter.js';
import {
  newVersionBody,
  planParams,
  versionBody,
  versionListReply,
  versionParams,
  versionReply,
} from './plan-schema.js';

const versions = {
  context: 'admin',
  tag: 'Plans',
  path: '/plans/:plan/versions',
  params: planParams,
  find: ({ services, params }: PathContext<{ plan: string }>) => services.catalog.plans.find(params.plan),
} as const;
const one = {
  ...versions,
  path: '/plans/:plan/versions/:number',
  params: versionParams,
  find: async ({ services, params }: PathContext<{ plan: string; number: number }>) =>
    services.catalog.planVersions.find(await services.catalog.plans.find(params.plan), params.number),
} as const;
const changing = { ...one, policy: ['update', 'plans'], errors: [409], versioned: true } as const;

/** Versions belong to their plan: changing them requires permission on the plan. */
export const planVersionRoutes = [
  defineRoute({
    ...versions,
    method: 'get',
    operation: 'listPlanVersions',
    summary: 'List the versions of a plan',
    policy: ['view', 'plans'],
    list: planVersionList.options,
    reply: { 200: versionListReply },
    handle: async ({ services, found: plan, list }) =>
      paginated(
        mapPage(await services.catalog.planVersions.list(plan, list), (version) => presentVersion({ plan, version })),
      ),
  }),
  defineRoute({
    ...versions,
    method: 'post',
    operation: 'createPlanVersion',
    summary: 'Make a new version of a plan',
    description: 'A draft. Limits that are not given are those of the latest version; null takes one away.',
    policy: ['update', 'plans'],
    body: newVersionBody,
    reply: { 201: versionReply },
    handle: async ({ services, found, body }) =>
      created(presentVersion(await services.catalog.planVersions.create(found, readLimits(body)))),
  }),
  defineRoute({
    ...one,
    method: 'get',
    operation: 'getPlanVersion',
    summary: 'Show a version of a plan',
    policy: ['view', 'plans'],
    reply: { 200: versionReply },
    handle: ({ found }) => presentVersion(found),
  }),
  defineRoute({
    ...changing,
    method: 'put',
    operation: 'updatePlanVersion',
    record: true,
    summary: 'Change a version of a plan',
    description: 'Only a draft (409): a version that was ever active stays as it is for those who have it.',
    body: versionBody,
    reply: { 200: versionReply },
    handle: async ({ services, found, body, expected }) =>
      presentVersion(await services.catalog.planVersions.update(found, readLimits(body), expected)),
  }),
  defineRoute({
    ...changing,
    method: 'post',
    path: '/plans/:plan/versions/:number/activate',
    operation: 'activatePlanVersion',
    summary: 'Activate a version of a plan',
    description:
      'From now on new keys get it and nobody changes it. Keys that have an earlier version stay on that one.',
    reply: { 200: versionReply },
    handle: async ({ services, found, expected }) =>
      presentVersion(await services.catalog.planVersions.activate(found, expected)),
  }),
];
