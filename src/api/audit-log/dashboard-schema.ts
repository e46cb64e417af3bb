import Joi from 'joi';
import { timestampReply } from '../fields.js';

const count = Joi.number().integer().min(0).example(3);
const counts = (...names: string[]) =>
  Joi.object(Object.fromEntries(names.map((name) => [name, count.required()])))
    .allow(null)
    .required();
const days = Joi.array()
  .items(Joi.object({ date: Joi.string().required().example('2026-06-01'), count: count.required() }))
  .allow(null)
  .required();

export const statisticsReply = Joi.object({
  developers: counts('active', 'inactive', 'pending'),
  apps: counts('pending', 'approved', 'revoked'),
  credentials: counts('pending', 'approved', 'revoked', 'expired'),
  products: counts('public', 'private', 'draft'),
  waiting: Joi.object(
    Object.fromEntries(
      ['developers', 'apps', 'credentials', 'products'].map((name) => [name, count.allow(null).required()]),
    ),
  )
    .required()
    .description('What waits for an approval; `products` are products on a key.'),
  sign_ups: days,
  logins: days,
  gateway: Joi.object({
    driver: Joi.string().required().example('local'),
    state: Joi.string().valid('up', 'down').required(),
    checked_at: timestampReply.required(),
  }).required(),
}).label('Statistics');
