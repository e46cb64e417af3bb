import Joi from 'joi';
import { idParam, idReply, timestampReply } from '../fields.js';

export const activityParams = Joi.object<{ id: number }>({ id: idParam });

const count = Joi.number().integer().min(0).example(12);
const optionalText = Joi.string().allow(null).required();

const actor = Joi.object({
  type: Joi.string().valid('developer', 'admin', 'service', 'visitor', 'operator', 'system').required(),
  id: idReply.allow(null).required(),
  name: optionalText.example('Grace Hopper'),
  email: optionalText.example('grace@example.com'),
});

const subject = Joi.object({
  type: Joi.string().required().example('app'),
  id: optionalText.example('12'),
  label: optionalText.example('checkout'),
});

const change = Joi.array().items(Joi.any()).length(2);

export const activityReply = Joi.object({
  id: idReply.required(),
  action: Joi.string().required().example('app.approved'),
  actor: actor.required(),
  subject: subject.allow(null).required(),
  changes: Joi.object()
    .pattern(Joi.string(), change)
    .required()
    .description('Field → its value before and after. Secrets are masked.')
    .example({ status: ['pending', 'approved'] }),
  ip: optionalText.example('203.0.113.7'),
  user_agent: optionalText.example('Mozilla/5.0'),
  request_id: optionalText.example('4f1c0a52-7d7e-4f3a-9b2e-0d1e2f3a4b5c'),
  created_at: timestampReply.required(),
}).label('Activity');

export const activityListReply = Joi.array().items(activityReply);

export const activityExportReply = Joi.string().label('ActivityExport').description('CSV with a line of names.');

export const chainReply = Joi.object({
  state: Joi.string()
    .valid('unverified', 'whole', 'broken')
    .required()
    .description('`unverified`: no pass over the whole log has ended yet. `broken`: the last one found a fault.')
    .example('whole'),
  verified: Joi.object({
    id: count.required().description('The last activity of the last pass that found nothing.'),
    until: timestampReply
      .allow(null)
      .required()
      .description('When it happened; null for none, or one that was pruned.'),
    at: timestampReply.required().description('When the pass ended.'),
  })
    .allow(null)
    .required(),
  fault: Joi.object({
    id: count
      .allow(null)
      .required()
      .description('The first activity that is not as it was written; null when the end of the log was moved.'),
    reason: Joi.string().required().example('it was changed, or not written by the portal'),
    found_at: timestampReply.required(),
  })
    .allow(null)
    .required(),
  position: count.required().description('Where the present pass has come to; 0 between two.'),
  last_id: count.required().description('The last activity now.'),
}).label('ActivityChain');
