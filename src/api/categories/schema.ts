import Joi from 'joi';
import { idReply } from '../fields.js';

const text = Joi.string().allow('');

const translation = Joi.object({
  name: text.allow(null).required(),
  short_description: text.allow(null).required(),
  description: text.allow(null).required(),
});

const categoryReply = Joi.object({
  id: idReply.required(),
  slug: Joi.string().required().example('payments'),
  name: Joi.string().required().example('Payments'),
  short_description: text.required().example('Take, send and give back money.'),
  description: text.required(),
  thumbnail_url: Joi.string().allow(null).required().example(null),
  products_count: Joi.number().integer().required().description('Products that the caller may see.').example(3),
  translations: Joi.object().pattern(Joi.string(), translation).required().description('Locale → texts.'),
}).label('Category');

export const categoryListReply = Joi.array().items(categoryReply);
