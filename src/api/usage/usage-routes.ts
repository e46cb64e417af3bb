import type { OwnedApp } from '../../domain/apps/index.js';
import {
  usageCsv,
  usageFileName,
  withRefused,
  type AskedUsage,
  type Refusal,
  type StrangersCalls,
  type UsageReport,
} from '../../domain/usage/index.js';
import { csvHeaders, StreamReply } from '../../http/index.js';
import type { PortalServices } from '../../domain/services.js';
import { ownEntryPoint, teamEntryPoint, type AppEntryPoint } from '../apps/entry-points.js';
import { findApp } from '../apps/find.js';
import { defineRoute } from '../define-route.js';
import {
  appUsageQuery,
  monthQuery,
  rangeQuery,
  refusalListReply,
  refusalsQuery,
  strangerListReply,
  usageExportReply,
  usageQuery,
  usageReply,
  type AppUsageQuery,
  type UsageQuery,
} from './usage-schema.js';

const all = { context: 'admin', tag: 'Usage', method: 'get', permission: 'portal.usage.read' } as const;

const WHAT =
  'Calls that proxies asked the verify endpoints about, at most ten seconds old, in hours or days of UTC; at most 1000 of them.';
const KEPT = 'Hours are kept for `usage.hours`, days for `usage.days`.';

function routesOf(entryPoint: AppEntryPoint) {
  const own = {
    ...({ context: entryPoint.context, tag: 'Usage', method: 'get' } as const),
    params: entryPoint.params.app,
    ...entryPoint.enter('viewUsage', findApp),
    budget: { gateway: 0 },
  } as const;
  return [
    defineRoute({
      ...own,
      path: `${entryPoint.path}/:appName/usage`,
      operation: entryPoint.operation('getAppUsage'),
      summary: 'Count the calls of an own app',
      description: `${WHAT} ${KEPT}`,
      query: appUsageQuery,
      reply: { 200: usageReply },
      handle: async ({ services, found, query }) =>
        presentUsage(await ownReport(services, found, query), await services.usage.traffic.asOf()),
    }),
    defineRoute({
      ...own,
      path: `${entryPoint.path}/:appName/usage/export`,
      operation: entryPoint.operation('exportAppUsage'),
      summary: 'Download the calls of an own app as CSV',
      query: appUsageQuery,
      document: { types: ['text/csv'] },
      reply: { 200: usageExportReply },
      handle: async ({ services, found, query }) => usageAsCsv(await ownReport(services, found, query)),
    }),
    defineRoute({
      ...own,
      path: `${entryPoint.path}/:appName/usage/refusals`,
      operation: entryPoint.operation('listAppRefusals'),
      summary: 'Tell why calls of an own app were refused',
      description: 'The last 50 reasons with product and key, the latest first; as far back as `usage.hours`.',
      reply: { 200: refusalListReply },
      handle: async ({ services, found }) =>
        (await services.usage.refusals.reasons({ appId: found.app.id, viewerId: found.owner.id })).map(presentRefusal),
    }),
  ];
}

export const usageRoutes = [
  ...routesOf(ownEntryPoint),
  ...routesOf(teamEntryPoint),
  defineRoute({
    ...all,
    path: '/usage',
    operation: 'getUsage',
    summary: 'Count the calls of the portal, a product, a developer, an app or a key',
    description: `${WHAT} Calls without a known key belong to no app and are not among them. ${KEPT}`,
    query: usageQuery,
    reply: { 200: usageReply },
    handle: async ({ services, query }) =>
      presentUsage(await report(services, query), await services.usage.traffic.asOf()),
  }),
  defineRoute({
    ...all,
    path: '/usage/export',
    operation: 'exportUsage',
    summary: 'Download counted calls as CSV',
    query: usageQuery,
    document: { types: ['text/csv'] },
    reply: { 200: usageExportReply },
    handle: async ({ services, query }) => usageAsCsv(await report(services, query)),
  }),
  defineRoute({
    ...all,
    path: '/usage/plans/export',
    operation: 'exportPlanUsage',
    summary: 'Download what apps called with which plan in a month as CSV',
    description:
      'For billers: a line for each app, product and version of a plan with calls, those without a plan included. Kept for ' +
      '`usage.days`; a month is complete two days after its end.',
    query: monthQuery,
    document: { types: ['text/csv'] },
    reply: { 200: usageExportReply },
    handle: ({ services, query: { month } }) =>
      new StreamReply(services.usage.plans.csv(month), csvHeaders(`usage-by-plan-${month}`)),
  }),
  defineRoute({
    ...all,
    path: '/usage/refusals',
    operation: 'listRefusals',
    summary: 'Tell why calls of an app were refused',
    description: 'The last 50 reasons with product and key, the latest first; as far back as `usage.hours`.',
    query: refusalsQuery,
    reply: { 200: refusalListReply },
    handle: async ({ services, query }) =>
      (await services.usage.refusals.reasons({ appId: query.app, viewerId: null })).map(presentRefusal),
  }),
  defineRoute({
    ...all,
    path: '/usage/without-key',
    operation: 'listCallsWithoutKey',
    summary: 'Count calls without a known key by network, product and reason',
    description: 'The 100 with most calls, in whole days; kept for `usage.hours`.',
    query: rangeQuery,
    reply: { 200: strangerListReply },
    handle: async ({ services, query }) => (await services.usage.refusals.ofStrangers(query)).map(presentStrangers),
  }),
];

function ownReport(services: PortalServices, { app, owner }: OwnedApp, query: AppUsageQuery): Promise<UsageReport> {
  return services.usage.reader.report({ ...readAskedRange(query), appId: app.id, viewerId: owner.id });
}

function report(services: PortalServices, query: UsageQuery): Promise<UsageReport> {
  const asked = { ...readAskedRange(query), appId: query.app, userId: query.user };
  return services.usage.reader.report({ ...asked, viewerId: null });
}

function readAskedRange({
  from,
  to,
  interval,
  product,
  credential,
  group_by: groupBy,
}: AppUsageQuery): Omit<AskedUsage, 'viewerId'> {
  return { from, to, interval, product, credentialId: credential, groupBy };
}

/** @param asOf until when the gateway has told its calls; null: it tells none */
function presentUsage(report: UsageReport, asOf: Date | null) {
  const { interval, from, to, points, groups, rest, ...totals } = report;
  return {
    ...{ interval, from, to, as_of: asOf },
    totals: withRefused(totals),
    points: points.map(({ start, ...counts }) => ({ start, ...withRefused(counts) })),
    groups: groups && groups.map(({ id, name, series, ...counts }) => ({ id, name, ...withRefused(counts), series })),
    rest: rest && withRefused(rest),
  };
}

function presentRefusal({ outcome, product, credentialId, key, calls, lastAt }: Refusal) {
  return { outcome, product, credential: { id: credentialId, consumer_key: key }, calls, last_at: lastAt };
}

function presentStrangers({ outcome, product, network, calls, lastAt }: StrangersCalls) {
  return { outcome, product, network, calls, last_at: lastAt };
}

function usageAsCsv(report: UsageReport): StreamReply {
  return new StreamReply(usageCsv(report), csvHeaders(usageFileName(report)));
}
