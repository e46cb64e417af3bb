import Joi from 'joi';
import { timestampReply } from '../fields.js';

/** What is said of an override beside its limits. */
export const overrideTerms = {
  exempt: Joi.boolean().required().description('No limits at all.').example(false),
  reason: Joi.string().required().example('Their sale of the year.'),
  ends_at: timestampReply.allow(null).required().description('null: until an admin ends it.'),
};

/** Until when a plan is tried. */
export const trialOfKey = Joi.object({
  ends_at: timestampReply.required(),
  fallback_plan: Joi.object({
    slug: Joi.string().required().example('free'),
    name: Joi.string().required().example('Free'),
  })
    .required()
    .description('What comes then.'),
});
