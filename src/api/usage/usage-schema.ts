import Joi from 'joi';
import { USAGE_GROUPS, USAGE_INTERVALS, type UsageGrouping, type UsageInterval } from '../../domain/usage/index.js';
import { idParam, timestampReply } from '../fields.js';

const INSTANT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z)?$/;
const EARLIEST = Date.UTC(2000, 0, 1);
const LATEST = Date.UTC(2200, 0, 1);

const time = () =>
  Joi.string()
    .pattern(INSTANT)
    .custom((text: string, helpers) => {
      const at = new Date(text);
      return at.getTime() >= EARLIEST && at.getTime() < LATEST ? at : helpers.error('string.pattern.base');
    })
    .messages({
      'string.pattern.base': '{#label} must be a day or a time in UTC, such as 2026-06-01 or 2026-06-01T12:00Z',
    });

const range = {
  from: time().description('From here on; without it 30 days, or 24 hours, before the end.').example('2026-06-01'),
  to: time().description('Until here, which is not included; without it now.').example('2026-07-01T00:00Z'),
};

const grouping = (names: readonly UsageGrouping[]) =>
  Joi.string()
    .valid(...names)
    .description('Also by the 20 of these with most calls.')
    .example(names[0]);

const usage = {
  ...range,
  interval: Joi.string()
    .valid(...USAGE_INTERVALS)
    .description('`day` without it.')
    .example('day'),
  product: Joi.string().max(100).description('Slug or id; only calls for this product.').example('payments'),
};

const id = (of: string) => idParam.optional().description(`Id; only calls of this ${of}.`).example(3);

export interface RangeQuery {
  from?: Date;
  to?: Date;
}

export interface AppUsageQuery extends RangeQuery {
  interval?: UsageInterval;
  product?: string;
  credential?: number;
  group_by?: UsageGrouping;
}

export interface UsageQuery extends AppUsageQuery {
  app?: number;
  user?: number;
}

export const rangeQuery = Joi.object<RangeQuery>(range);

export const appUsageQuery = Joi.object<AppUsageQuery>({
  ...usage,
  credential: id('key'),
  group_by: grouping(USAGE_GROUPS.filter((name) => name !== 'app')),
});

export const usageQuery = Joi.object<UsageQuery>({
  ...usage,
  app: id('app'),
  credential: id('key'),
  user: id('developer'),
  group_by: grouping(USAGE_GROUPS),
});

export const refusalsQuery = Joi.object<{ app: number }>({ app: idParam.description('Id of the app.').example(3) });

const count = Joi.number().integer().min(0).required().example(12);
const counts = { calls: count, allowed: count, refused: count };
const slug = Joi.string().allow(null).required().example('payments');

export const usageReply = Joi.object({
  interval: Joi.string()
    .valid(...USAGE_INTERVALS)
    .required(),
  from: timestampReply.required().description('Begin of the first hour or day, in UTC.'),
  to: timestampReply.required().description('End of the last one.'),
  totals: Joi.object(counts).required(),
  points: Joi.array()
    .items(Joi.object({ start: timestampReply.required(), ...counts }))
    .required()
    .description('Every hour or day, in their order.'),
  groups: Joi.array()
    .items(
      Joi.object({
        id: Joi.number()
          .integer()
          .allow(null)
          .required()
          .description('null for an outcome, and for calls that belong to none.')
          .example(7),
        name: Joi.string()
          .allow(null)
          .required()
          .description('Slug, outcome, masked key or name of the app; null for what is gone.')
          .example('payments'),
        ...counts,
        series: Joi.array().items(Joi.number().integer().min(0)).required().description('Calls at each of `points`.'),
      }),
    )
    .allow(null)
    .required()
    .description('With `group_by`; those with most calls first.'),
  rest: Joi.object(counts).allow(null).required().description('With `group_by`: what is not in `groups`.'),
}).label('Usage');

const outcome = Joi.string()
  .required()
  .description('As `X-Auth-Reason` of the verify endpoints.')
  .example('expired_key');
const last = timestampReply.required().description('When the last of them came.');

export const refusalListReply = Joi.array()
  .items(
    Joi.object({
      outcome,
      product: slug.description('null where it is not known.'),
      credential: Joi.object({
        id: Joi.number().integer().required().example(3),
        consumer_key: Joi.string()
          .allow(null)
          .required()
          .description('Masked; null for a key that is gone.')
          .example('port••••x3Qa'),
      }).required(),
      calls: count.description('In the hour of `last_at`.'),
      last_at: last,
    }).label('Refusal'),
  )
  .max(50);

export const strangerListReply = Joi.array()
  .items(
    Joi.object({
      outcome: outcome.example('unknown_key'),
      product: slug.description('null where it is not known.'),
      network: Joi.string()
        .allow(null)
        .required()
        .description('null where the proxy told none, and for one too many.')
        .example('192.0.2.0/24'),
      calls: count,
      last_at: last,
    }).label('CallsWithoutKey'),
  )
  .max(100);

export const usageExportReply = Joi.string().label('UsageExport').description('CSV with a line of names.');
