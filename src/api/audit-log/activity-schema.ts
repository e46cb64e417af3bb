import Joi from 'joi';
import { idParam, idReply, timestampReply } from '../fields.js';

export const activityParams = Joi.object<{ id: number }>({ id: idParam });

const optionalText = Joi.string().allow(null).required();

const actor = Joi.object({
  type: Joi.string().valid('developer', 'admin', 'visitor', 'operator', 'system').required(),
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
