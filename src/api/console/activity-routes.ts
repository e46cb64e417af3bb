import { activityList, ownActivityList, type ActivityReader } from '../../domain/audit-log/index.js';
import { csvHeaders, paginated, StreamReply } from '../../http/index.js';
import { csvLine, mapPage, type ListQuery } from '../../core/index.js';
import { defineRoute } from '../define-route.js';
import {
  activityLine,
  EXPORT_COLUMNS,
  presentActivity,
  presentChain,
  presentOwnActivity,
} from './activity-presenter.js';
import {
  activityExportReply,
  activityListReply,
  activityParams,
  activityReply,
  chainReply,
} from './activity-schema.js';

const activities = {
  context: 'admin',
  tag: 'Activities',
  permission: 'portal.activities.view',
  policy: ['view', 'activities'],
} as const;

const FILTERS =
  '`filters` takes, beside the fields, `actor` (`admin`, `admin:7` or an e-mail address), `subject` (`app` or `app:12`), ' +
  '`from` and `to` (from the one on, before the other).';

export const activityRoutes = [
  defineRoute({
    ...activities,
    method: 'get',
    path: '/activities',
    operation: 'listActivities',
    summary: 'List activities, newest first',
    description: FILTERS,
    list: activityList.options,
    reply: { 200: activityListReply },
    handle: async ({ services, list }) => paginated(mapPage(await services.activities.log.list(list), presentActivity)),
  }),
  defineRoute({
    ...activities,
    method: 'get',
    path: '/activities/export',
    operation: 'exportActivities',
    summary: 'Download activities as CSV',
    description: `All that the filters choose, whatever their number. ${FILTERS}`,
    list: activityList.options,
    document: { types: ['text/csv'] },
    reply: { 200: activityExportReply },
    handle: ({ services, list }) => {
      const day = services.clock.now().toISOString().slice(0, 10);
      return new StreamReply(exportLines(services.activities.log, list), csvHeaders(`activities-${day}`));
    },
  }),
  defineRoute({
    ...activities,
    method: 'get',
    path: '/activities/chain',
    operation: 'getActivityChain',
    summary: 'Tell until where the log was verified',
    description:
      'The hash chain of the log is verified from its beginning to its end, again and again, a part every ten minutes; ' +
      '`portal audit:verify` does it at once.',
    reply: { 200: chainReply },
    handle: async ({ services }) => presentChain(await services.activities.check.read()),
  }),
  defineRoute({
    ...activities,
    method: 'get',
    path: '/activities/:id',
    operation: 'getActivity',
    summary: 'Show an activity',
    params: activityParams,
    reply: { 200: activityReply },
    find: ({ services, params }) => services.activities.log.find(params.id),
    handle: ({ found }) => presentActivity(found),
  }),
  defineRoute({
    context: 'consumer',
    method: 'get',
    path: '/me/activities',
    operation: 'listOwnActivities',
    tag: 'Profile',
    summary: 'List what the signed-in developer did, and what was done to their account and apps',
    description: 'Who an admin is, and from where they worked, is not part of it.',
    list: ownActivityList.options,
    reply: { 200: activityListReply },
    handle: async ({ services, actor, list }) => {
      const page = await services.activities.log.listOwn(actor.id, list);
      return paginated(mapPage(page, (activity) => presentOwnActivity(activity, actor.id)));
    },
  }),
];

async function* exportLines(log: ActivityReader, query: ListQuery): AsyncGenerator<string> {
  // Runs before the header row is sent, so that an invalid filter still gets a 422.
  const batches = log.walk(query);
  const first = await batches.next();
  yield csvLine(EXPORT_COLUMNS);
  if (first.done !== true) yield first.value.map(activityLine).join('');
  for await (const batch of batches) yield batch.map(activityLine).join('');
}
