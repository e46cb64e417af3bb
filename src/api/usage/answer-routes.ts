import Joi from 'joi';
import type { PortalServices } from '../../domain/services.js';
import { answersIn, latencyOf, type AnswerCounts, type AskedAnswers } from '../../domain/usage/index.js';
import { ownEntryPoint, teamEntryPoint, type AppEntryPoint } from '../apps/entry-points.js';
import { findApp } from '../apps/find.js';
import { defineRoute } from '../define-route.js';
import { appUsageFilters, reportReply, usageFilters, type AppUsageQuery, type UsageQuery } from './usage-schema.js';

type Grouping = 'product' | 'credential' | 'app';

interface Grouped {
  group_by?: Grouping;
}
type AppAnswersQuery = Omit<AppUsageQuery, 'group_by'> & Grouped;
type AnswersQuery = Omit<UsageQuery, 'group_by'> & Grouped;

const grouping = (...names: Grouping[]) =>
  Joi.string()
    .valid(...names)
    .description('Also by the 20 of these with most answers.')
    .example('product');

const appAnswersQuery = Joi.object<AppAnswersQuery>({
  ...appUsageFilters,
  group_by: grouping('product', 'credential'),
});

const answersQuery = Joi.object<AnswersQuery>({
  ...usageFilters,
  group_by: grouping('product', 'credential', 'app'),
});

const count = (example: number) => Joi.number().integer().min(0).required().example(example);
const time = (example: number) => Joi.number().min(0).required().example(example);

const answers = {
  answers: count(12).description('All of them.'),
  successes: count(10).description('Status 2xx.'),
  redirects: count(0).description('Status 3xx.'),
  client_errors: count(1).description('Status 4xx.'),
  server_errors: count(1).description('Status 5xx.'),
  others: count(0).description('Status 1xx, and callers who left before there was an answer.'),
  bytes: count(40_960).description('Sent to callers.'),
  latency: Joi.object({ p50: time(18.5), p95: time(140), p99: time(480) })
    .allow(null)
    .required()
    .description(
      'Milliseconds within which 50, 95 and 99 % of the answers came, interpolated between fixed bounds; 30000 stands for anything longer. null: no time was reported.',
    ),
};

const answersReply = reportReply(answers).label('Answers');

const WHAT =
  'Status, time and bytes of what the API answered, as far as proxies or the gateway report it, in hours or days of UTC; at ' +
  'most 1000 of them. These are beside the calls of `usage` and not added to them.';

const routeOf = (entryPoint: AppEntryPoint) =>
  defineRoute({
    context: entryPoint.context,
    tag: 'Usage',
    method: 'get',
    path: `${entryPoint.path}/:appName/usage/answers`,
    operation: entryPoint.operation('getAppAnswers'),
    summary: 'Tell what the API answered to an own app',
    description: WHAT,
    params: entryPoint.params.app,
    ...entryPoint.enter('viewUsage', findApp),
    budget: { gateway: 0 },
    query: appAnswersQuery,
    reply: { 200: answersReply },
    handle: async ({ services, found: { app, owner }, query }) =>
      presentAnswers(services, { ...readAskedRange(query), appId: app.id, viewerId: owner.id }),
  });

export const answerRoutes = [
  routeOf(ownEntryPoint),
  routeOf(teamEntryPoint),
  defineRoute({
    context: 'admin',
    tag: 'Usage',
    method: 'get',
    path: '/usage/answers',
    permission: 'portal.usage.read',
    operation: 'getAnswers',
    summary: 'Tell what the APIs answered to the portal’s apps, or to one developer, app or key',
    description: WHAT,
    query: answersQuery,
    reply: { 200: answersReply },
    handle: async ({ services, query }) => {
      const asked = { ...readAskedRange(query), appId: query.app, userId: query.user };
      return presentAnswers(services, { ...asked, viewerId: null });
    },
  }),
];

function readAskedRange({ from, to, interval, product, credential, group_by: groupBy }: AppAnswersQuery) {
  return { from, to, interval, product, credentialId: credential, groupBy };
}

async function presentAnswers({ usage }: PortalServices, asked: AskedAnswers) {
  const { totals, points, groups, ...range } = await usage.answers.report(asked);
  return {
    ...{ ...range, as_of: await usage.traffic.asOf() },
    totals: presentCounts(totals),
    points: points.map(({ start, counts }) => ({ start, ...presentCounts(counts) })),
    groups: groups && groups.map(({ counts, ...group }) => ({ ...group, ...presentCounts(counts) })),
  };
}

function presentCounts(counts: AnswerCounts) {
  const { successes, redirects, clientErrors, serverErrors, others, bytes } = counts;
  return {
    answers: answersIn(counts),
    ...{ successes, redirects, client_errors: clientErrors, server_errors: serverErrors, others, bytes },
    latency: latencyOf(counts),
  };
}
