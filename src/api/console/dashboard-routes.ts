import Joi from 'joi';
import { defineRoute } from '../define-route.js';
import { may } from '../may.js';
import { timestampReply } from '../fields.js';

const count = Joi.number().integer().min(0).example(3);
const counts = (...names: string[]) =>
  Joi.object(Object.fromEntries(names.map((name) => [name, count.required()])))
    .allow(null)
    .required();
const days = Joi.array()
  .items(Joi.object({ date: Joi.string().required().example('2026-06-01'), count: count.required() }))
  .allow(null)
  .required();

/** @internal */
export const statisticsReply = Joi.object({
  developers: counts('active', 'inactive', 'pending'),
  apps: counts('pending', 'approved', 'revoked'),
  credentials: counts('pending', 'approved', 'revoked', 'expired'),
  products: counts('public', 'private', 'draft'),
  waiting: Joi.object(
    Object.fromEntries(
      ['developers', 'apps', 'credentials', 'products', 'plans'].map((name) => [name, count.allow(null).required()]),
    ),
  )
    .required()
    .description('What waits for an approval; `products` are products on a key, `plans` other plans for those.'),
  keys_ending: count
    .allow(null)
    .required()
    .description('Approved keys that end within 14 days, without those that were replaced.'),
  first_calls: count
    .allow(null)
    .required()
    .description('Apps whose first call was allowed in the last 30 days, those of `sign_ups`.'),
  mails: counts('queued', 'failed').description('Mails that wait to be sent, and those given up.'),
  top_products: Joi.array()
    .items(
      Joi.object({
        id: Joi.number().integer().required().example(7),
        slug: Joi.string().required().example('payments'),
        name: Joi.string().required().example('Payments'),
        keys: count.required(),
      }),
    )
    .max(5)
    .allow(null)
    .required()
    .description('The five that are approved on most keys.'),
  sign_ups: days,
  logins: days,
  gateway: Joi.object({
    driver: Joi.string().required().example('local'),
    state: Joi.string().valid('up', 'down').required(),
    checked_at: timestampReply.required(),
  }).required(),
}).label('Statistics');

export const dashboardRoutes = [
  defineRoute({
    context: 'admin',
    method: 'get',
    path: '/dashboard/stats',
    operation: 'getStatistics',
    tag: 'Dashboard',
    summary: 'Count what is there and what waits',
    description:
      'Every admin may ask. What needs a permission that they lack (`portal.users.view`, `portal.apps.view`, ' +
      '`portal.products.view`, `portal.mails.view`; top products: apps and products) is null. Days are those of UTC. Numbers may be 5 seconds old.',
    permission: 'portal.admin.access',
    reply: { 200: statisticsReply },
    handle: async ({ services, actor }) => {
      const [users = false, apps = false, products = false, mails = false] = await Promise.all(
        ['users', 'apps', 'products', 'mails'].map((resource) => may(services, actor, 'view', resource)),
      );
      const read = await services.activities.statistics.read({ users, apps, products, mails });
      const { signUps, gateway, keysEnding, topProducts, firstCalls, ...rest } = read;
      const { driver, isUp, checkedAt } = gateway;
      const state = { driver, state: isUp ? 'up' : 'down', checked_at: checkedAt };
      return {
        ...rest,
        ...{ keys_ending: keysEnding, top_products: topProducts, first_calls: firstCalls },
        ...{ sign_ups: signUps, gateway: state },
      };
    },
  }),
];
