import Joi from 'joi';
import { defineRoute } from '../define-route.js';
import { timestampReply } from '../fields.js';

const jobReply = Joi.object({
  name: Joi.string().required().example('housekeeping'),
  every: Joi.number().required().description('Seconds from one run to the next.').example(3_600),
  exclusive: Joi.boolean()
    .required()
    .description(
      'One replica at a time runs it; otherwise each does, and what is told here is of the one that answers.',
    ),
  running: Joi.boolean().required(),
  last_started_at: timestampReply.allow(null).required(),
  last_ended_at: timestampReply.allow(null).required(),
  last_outcome: Joi.string().valid('succeeded', 'failed').allow(null).required().example('succeeded'),
  last_error: Joi.string()
    .allow(null)
    .required()
    .description('Class and code of the failure when the last run failed; the log has the rest.')
    .example(null),
}).label('Job');

export const jobRoutes = [
  defineRoute({
    context: 'admin',
    method: 'get',
    path: '/jobs',
    operation: 'listJobs',
    tag: 'Operation',
    summary: 'List the background jobs and how they went',
    policy: ['view', 'jobs'],
    reply: { 200: Joi.array().items(jobReply) },
    handle: async ({ services }) =>
      (await services.jobs.describe()).map((job) => ({
        ...{ name: job.name, every: job.every, exclusive: job.exclusive, running: job.isRunning },
        last_started_at: job.startedAt,
        last_ended_at: job.endedAt,
        last_outcome: job.outcome,
        last_error: job.error,
      })),
  }),
];
