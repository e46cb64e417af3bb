import Joi from 'joi';
import { idParam, idReply, timestampReply } from '../fields.js';

export const userParams = Joi.object<{ id: number }>({ id: idParam });

const developerFields = {
  id: idReply.required(),
  email: Joi.string().required().example('ada@example.com'),
  first_name: Joi.string().required().example('Ada'),
  last_name: Joi.string().required().example('Lovelace'),
  full_name: Joi.string().required().example('Ada Lovelace'),
  status: Joi.string().valid('active', 'inactive', 'pending').required(),
  email_verified_at: timestampReply.allow(null).required(),
  pending_email: Joi.string().allow(null).required().example(null),
  custom_attributes: Joi.object().unknown().required().example({ company: 'Analytical Engines' }),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
};

export const developerReply = Joi.object(developerFields).label('Developer');

const audience = Joi.object({ id: idReply.required(), name: Joi.string().required().example('partners') });

export const userReply = Joi.object({
  ...developerFields,
  audiences: Joi.array().items(audience).required(),
}).label('User');

export const userListReply = Joi.array().items(userReply);
