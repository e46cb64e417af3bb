import Joi, { type ObjectSchema, type SchemaMap } from 'joi';
import { USAGE_GROUPS, USAGE_INTERVALS, type UsageGrouping, type UsageInterval } from '../../domain/usage/index.js';
import { idParam, instantField, timestampReply } from '../fields.js';

const range = {
  from: instantField()
    .description('From here on; without it 30 days, or 24 hours, before the end.')
    .example('2026-06-01'),
  to: instantField().description('Until here, which is not included; without it now.').example('2026-07-01T00:00Z'),
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

export const appUsageFilters = { ...usage, credential: id('key') };
export const usageFilters = { ...usage, app: id('app'), credential: id('key'), user: id('developer') };

export const appUsageQuery = Joi.object<AppUsageQuery>({
  ...appUsageFilters,
  group_by: grouping(USAGE_GROUPS.filter((name) => name !== 'app')),
});

export const usageQuery = Joi.object<UsageQuery>({ ...usageFilters, group_by: grouping(USAGE_GROUPS) });

export const monthQuery = Joi.object<{ month: string }>({
  month: Joi.string()
    .pattern(/^20\d{2}-(?:0[1-9]|1[0-2])$/)
    .required()
    .messages({ 'string.pattern.base': '{#label} must be a month such as 2026-06' })
    .description('In UTC.')
    .example('2026-06'),
});

export const refusalsQuery = Joi.object<{ app: number }>({ app: idParam.description('Id of the app.').example(3) });

const count = Joi.number().integer().min(0).required().example(12);
const counts = { calls: count, allowed: count, refused: count };
const slug = Joi.string().allow(null).required().example('payments');

/** A report over hours or days. @param values of all of it and of each of them @param group what a group tells besides */
export function reportReply(values: SchemaMap, group: SchemaMap = {}): ObjectSchema {
  return Joi.object({
    interval: Joi.string()
      .valid(...USAGE_INTERVALS)
      .required(),
    from: timestampReply.required().description('Begin of the first hour or day, in UTC.'),
    to: timestampReply.required().description('End of the last one.'),
    as_of: timestampReply
      .allow(null)
      .required()
      .description(
        'Until when the gateway has told the calls that it counts itself; null where the portal counts all of them.',
      )
      .example(null),
    totals: Joi.object(values).required(),
    points: Joi.array()
      .items(Joi.object({ start: timestampReply.required(), ...values }))
      .required()
      .description('Every hour or day, in their order.'),
    groups: Joi.array()
      .items(Joi.object({ ...named, ...values, ...group }))
      .allow(null)
      .required()
      .description('With `group_by`; the largest first.'),
  });
}

const named = {
  id: Joi.number()
    .integer()
    .allow(null)
    .required()
    .description('null for an outcome, and for what belongs to none.')
    .example(7),
  name: Joi.string()
    .allow(null)
    .required()
    .description('Slug, outcome, masked key or name of the app; null for what is gone.')
    .example('payments'),
};

export const usageReply = reportReply(counts, {
  series: Joi.array().items(Joi.number().integer().min(0)).required().description('Calls at each of `points`.'),
})
  .keys({ rest: Joi.object(counts).allow(null).required().description('With `group_by`: what is not in `groups`.') })
  .label('Usage');

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
