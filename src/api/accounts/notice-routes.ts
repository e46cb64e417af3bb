import Joi from 'joi';
import { CHANGE_KINDS, viewerOf, type ChangeKind, type ProductRecord } from '../../domain/catalog/index.js';
import {
  DELIVERIES,
  noticeList,
  type Delivery,
  type OwnNotice,
  type OwnWatch,
} from '../../domain/notifications/index.js';
import { paginated } from '../../http/index.js';
import { mapPage, NotFoundError } from '../../core/index.js';
import type { PortalServices } from '../../domain/services.js';
import { defineRoute } from '../define-route.js';
import { emptyReply, idParam, idReply, timestampReply } from '../fields.js';

const product = Joi.object({
  id: idReply.required(),
  slug: Joi.string().required().example('payments'),
  name: Joi.string().required().example('Payments'),
}).required();
const kind = Joi.string().valid(...CHANGE_KINDS);

const noticeReply = Joi.object({
  id: idReply.required(),
  kind: kind.required().example('deprecation'),
  title: Joi.string().required().example('GET /payments/{id}'),
  product,
  apps: Joi.array()
    .items(
      Joi.object({
        id: idReply.required(),
        name: Joi.string().required().example('shop'),
        team: idReply.allow(null).required().description('Id of the team that has the app.').example(null),
      }),
    )
    .required()
    .description('Apps that called it: yours, and those of your teams.'),
  change: Joi.number().integer().allow(null).required().description('Id of the entry of the changelog.').example(null),
  deprecation: Joi.number().integer().allow(null).required().example(1),
  sunset_at: timestampReply.allow(null).required(),
  days_left: Joi.number().integer().allow(null).required().description('Of a reminder.').example(30),
  acknowledged: Joi.boolean().required().description('You said that these apps have moved on.').example(false),
  read_at: timestampReply.allow(null).required(),
  created_at: timestampReply.required(),
}).label('Notice');

const watchReply = Joi.object({
  product,
  kinds: Joi.array().items(kind).required().example(['breaking', 'deprecation']),
}).label('ProductWatch');

const watchBody = Joi.object<{ kinds: ChangeKind[] | null }>({
  kinds: Joi.array()
    .items(kind)
    .max(CHANGE_KINDS.length)
    .allow(null)
    .required()
    .description('Of which changes to hear; none of them: of nothing; null: of those that hit your apps.')
    .example(['breaking', 'deprecation']),
}).label('WatchInput');

const delivery = Joi.string()
  .valid(...DELIVERIES)
  .required()
  .description(
    'A mail for each change, one on a day with all of them, or none; reminders in the last week come in any case.',
  )
  .example('daily');
const changeMailsReply = Joi.object({ delivery }).label('ChangeMails');
const changeMailsBody = Joi.object<{ delivery: Delivery }>({ delivery }).label('ChangeMailsInput');

const me = { context: 'consumer', tag: 'Notices' } as const;
const noticeParams = Joi.object<{ notice: number }>({ notice: idParam });
const watchParams = Joi.object<{ product: string }>({
  product: Joi.string().max(100).required().description('Id or slug.').example('payments'),
});

const visitReply = Joi.object({
  product,
  since: timestampReply.allow(null).required().description('The end of your last visit; null on a first one.'),
  changes: Joi.number().integer().required().description('How many published changes are newer.').example(2),
}).label('ProductVisit');

const visiting = {
  ...me,
  path: '/me/visits/:product',
  localized: true,
  params: watchParams,
  reply: { 200: visitReply },
} as const;

export const noticeRoutes = [
  defineRoute({
    ...me,
    method: 'get',
    path: '/me/notices',
    operation: 'listOwnNotices',
    summary: 'List what you were told of changes',
    description: 'Of products that you may still see, or a team whose apps are shown to you, the latest first.',
    localized: true,
    list: noticeList.options,
    reply: { 200: Joi.array().items(noticeReply) },
    handle: async ({ services, actor, list, locale }) =>
      paginated(mapPage(await services.notices.list(actor.id, list, locale), presentNotice)),
  }),
  defineRoute({
    ...me,
    method: 'post',
    path: '/me/notices/read',
    operation: 'readOwnNotices',
    summary: 'Mark all your notices as read',
    reply: { 200: emptyReply },
    handle: async ({ services, actor }) => {
      await services.notices.readAll(actor.id);
      return {};
    },
  }),
  defineRoute({
    ...me,
    method: 'post',
    path: '/me/notices/:notice/read',
    operation: 'readOwnNotice',
    summary: 'Mark a notice as read',
    params: noticeParams,
    reply: { 200: emptyReply },
    handle: async ({ services, actor, params }) => {
      await services.notices.read(actor.id, params.notice);
      return {};
    },
  }),
  defineRoute({
    ...me,
    method: 'post',
    path: '/me/notices/:notice/migrated',
    operation: 'acknowledgeOwnNotice',
    errors: [409],
    summary: 'Say that the apps of a notice have moved on',
    description: 'They are reminded no more unless they call what ends on a later day.',
    params: noticeParams,
    reply: { 200: emptyReply },
    handle: async ({ services, actor, params }) => {
      await services.notices.acknowledge(actor.id, params.notice);
      return {};
    },
  }),
  defineRoute({
    ...me,
    method: 'get',
    path: '/me/watches',
    operation: 'listOwnWatches',
    summary: 'List of which products you set what to hear',
    description: 'Of all others you hear of changes that break or end what your apps called in the last 30 days.',
    reply: { 200: Joi.array().items(watchReply) },
    handle: async ({ services, actor, locale }) => {
      const { products } = services.catalog;
      const canSee = async (id: number) => {
        try {
          return (await products.find(id, viewerOf(actor), locale)).id === id;
        } catch (error) {
          if (error instanceof NotFoundError) return false;
          throw error;
        }
      };
      return (await services.notices.watches(actor.id, canSee)).map(presentWatch);
    },
  }),
  defineRoute({
    ...visiting,
    method: 'get',
    operation: 'getOwnVisit',
    summary: 'Show what changed in an API product since you last looked',
    description:
      'Pages of the product, its changes and its reference count as a visit, which ends with a break of half an hour. Reading over ' +
      'this API is none. The list of its changes can be filtered by `published_at`.',
    find: ({ services, actor, params, locale }) =>
      services.catalog.products.find(params.product, viewerOf(actor), locale),
    handle: async ({ services, actor, found, locale }) =>
      presentVisit(services, found, await services.visits.since(actor.id, found.id), locale),
  }),
  defineRoute({
    ...visiting,
    method: 'post',
    operation: 'settleOwnVisit',
    summary: 'Say that you have seen all changes of an API product',
    find: ({ services, actor, params, locale }) =>
      services.catalog.products.find(params.product, viewerOf(actor), locale),
    handle: async ({ services, actor, found, locale }) =>
      presentVisit(services, found, await services.visits.settle(actor.id, found.id), locale),
  }),
  defineRoute({
    ...me,
    method: 'put',
    path: '/me/watches/:product',
    operation: 'setOwnWatch',
    localized: true,
    summary: 'Set of which changes of a product you hear',
    params: watchParams,
    body: watchBody,
    reply: { 200: watchReply },
    find: ({ services, actor, params, locale }) =>
      services.catalog.products.find(params.product, viewerOf(actor), locale),
    handle: async ({ services, actor, found, body }) =>
      presentWatch({ product: found, kinds: await services.notices.watch(actor.id, found, body.kinds) }),
  }),
  defineRoute({
    ...me,
    method: 'get',
    path: '/me/change-mails',
    operation: 'getOwnChangeMails',
    summary: 'Show how you hear of changes by mail',
    reply: { 200: changeMailsReply },
    handle: async ({ services, actor }) => ({ delivery: await services.changeMails.find(actor.id) }),
  }),
  defineRoute({
    ...me,
    method: 'put',
    path: '/me/change-mails',
    operation: 'setOwnChangeMails',
    summary: 'Set how you hear of changes by mail',
    description:
      'Notices and webhooks stay as they are. What waits for the mail of the day still comes with it, unless there shall be none. ' +
      'Reminders seven days and one day before a sunset are mailed at once, whatever is set.',
    body: changeMailsBody,
    reply: { 200: changeMailsReply },
    handle: async ({ services, actor, body }) => {
      await services.changeMails.choose(actor.id, body.delivery);
      return { delivery: body.delivery };
    },
  }),
];

function presentNotice(notice: OwnNotice) {
  const { id, kind, title, product, apps, entryId, deprecationId, sunsetAt, daysLeft, isAcknowledged } = notice;
  return {
    ...{ id, kind, title, product, change: entryId, deprecation: deprecationId },
    apps: apps.map((app) => ({ id: app.id, name: app.name, team: app.team?.id ?? null })),
    ...{ sunset_at: sunsetAt, days_left: daysLeft, acknowledged: isAcknowledged },
    ...{ read_at: notice.readAt, created_at: notice.createdAt },
  };
}

function presentWatch({ product: { id, slug, name }, kinds }: OwnWatch) {
  return { product: { id, slug, name }, kinds };
}

async function presentVisit(
  { visits }: Pick<PortalServices, 'visits'>,
  product: ProductRecord,
  since: Date | null,
  locale: string,
) {
  const { id, slug, name } = product;
  return { product: { id, slug, name }, since, changes: await visits.count(product, since, locale) };
}
