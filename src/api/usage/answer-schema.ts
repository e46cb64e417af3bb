import Joi from 'joi';
import { appUsageFilters, reportReply, usageFilters, type AppUsageQuery, type UsageQuery } from './usage-schema.js';

type Grouping = 'product' | 'credential' | 'app';

interface Grouped {
  group_by?: Grouping;
}
export type AppAnswersQuery = Omit<AppUsageQuery, 'group_by'> & Grouped;
export type AnswersQuery = Omit<UsageQuery, 'group_by'> & Grouped;

const grouping = (...names: Grouping[]) =>
  Joi.string()
    .valid(...names)
    .description('Also by the 20 of these with most answers.')
    .example('product');

export const appAnswersQuery = Joi.object<AppAnswersQuery>({
  ...appUsageFilters,
  group_by: grouping('product', 'credential'),
});

export const answersQuery = Joi.object<AnswersQuery>({
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

export const answersReply = reportReply(answers).label('Answers');
