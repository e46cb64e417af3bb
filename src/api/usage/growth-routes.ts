import Joi from 'joi';
import { MOVER_GROUPS, type Funnel, type MoverGrouping, type Movers } from '../../domain/usage/index.js';
import { defineRoute } from '../define-route.js';
import { timestampReply } from '../fields.js';
import { rangeQuery } from './usage-schema.js';

const admins = { context: 'admin', tag: 'Usage', method: 'get', permission: 'portal.usage.read' } as const;
const MOST_DAYS = 180;

const count = Joi.number().integer().min(0).required();

const funnelReply = Joi.object({
  from: timestampReply.required().description('Begin of the first day of the sign-ups, in UTC.'),
  to: timestampReply.required().description('End of the last one.'),
  signed_up: count.description('Developers who signed up.').example(120),
  app: count.description('Of these, who has an app.').example(80),
  key: count.description('Who has an app with a key.').example(75),
  first_call: count.description('Whose first call was allowed.').example(48),
  median_seconds: Joi.number()
    .integer()
    .min(0)
    .allow(null)
    .required()
    .description('From the sign-up to the first call, of those who made one.')
    .example(5_400),
}).label('FirstCallFunnel');

const moversQuery = Joi.object<{ group_by?: MoverGrouping; days?: number }>({
  group_by: Joi.string()
    .valid(...MOVER_GROUPS)
    .description('`app` without it.')
    .example('app'),
  days: Joi.number()
    .integer()
    .min(1)
    .max(MOST_DAYS)
    .description('Whole days before today that are compared with as many before them; 7 without it.')
    .example(7),
});

const moversReply = Joi.object({
  since: timestampReply.required().description('Begin of the period before, in UTC.'),
  from: timestampReply.required().description('Its end, and begin of the period.'),
  to: timestampReply.required().description('End of the period.'),
  movers: Joi.array()
    .items(
      Joi.object({
        id: Joi.number().integer().required().example(7),
        name: Joi.string()
          .allow(null)
          .required()
          .description('Name of the app, or slug; null for what is gone.')
          .example('shop'),
        calls: count.example(900),
        before: count.description('Calls in the period before.').example(300),
        change: Joi.number().integer().required().example(600),
      }).label('Mover'),
    )
    .max(20)
    .required()
    .description('Those whose calls changed most first.'),
}).label('Movers');

export const growthRoutes = [
  defineRoute({
    ...admins,
    path: '/usage/funnel',
    operation: 'getFunnel',
    summary: 'Tell how many developers came from their sign-up to their first call',
    description: 'Of the developers who signed up in these days, by what they have now.',
    query: rangeQuery,
    reply: { 200: funnelReply },
    handle: async ({ services, query }) => presentFunnel(await services.usage.funnel.read(query)),
  }),
  defineRoute({
    ...admins,
    path: '/usage/movers',
    operation: 'getMovers',
    summary: 'Tell which apps or products are called more, or less, than before',
    query: moversQuery,
    reply: { 200: moversReply },
    handle: async ({ services, query: { group_by: by = 'app', days = 7 } }) =>
      presentMovers(await services.usage.movers.read(by, days)),
  }),
];

function presentFunnel({ signedUp, firstCall, medianSeconds, ...funnel }: Funnel) {
  return { ...funnel, signed_up: signedUp, first_call: firstCall, median_seconds: medianSeconds };
}

function presentMovers({ movers, ...period }: Movers) {
  return { ...period, movers: movers.map((mover) => ({ ...mover, change: mover.calls - mover.before })) };
}
