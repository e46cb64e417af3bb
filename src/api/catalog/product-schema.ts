import Joi from 'joi';
import { PRODUCT_APPROVALS } from '../../domain/catalog/index.js';
import { productDeprecationReply } from './deprecation-schema.js';
import { thumbnailReply } from './catalog-fields.js';
import { idReply, timestampReply } from '../fields.js';

const category = Joi.object({
  id: idReply.required(),
  slug: Joi.string().required().example('payments'),
  name: Joi.string().required().example('Payments'),
});

export const productFields = {
  id: idReply.required(),
  slug: Joi.string().required().example('payments'),
  name: Joi.string().required().example('Payments'),
  short_description: Joi.string().allow('').required().example('Account-to-account payments, settled in seconds.'),
  description: Joi.string().allow('').required().description('Markdown.').example('Move money between accounts.'),
  visibility: Joi.string().valid('public', 'private').required(),
  approval: Joi.string()
    .valid(...PRODUCT_APPROVALS)
    .required()
    .description('Whether access works at once or waits for an admin; `once`: the first time.'),
  has_spec: Joi.boolean().required(),
  spec_url: Joi.string()
    .allow(null)
    .required()
    .description('Path of the OpenAPI, AsyncAPI or GraphQL document.')
    .example('/api/v1/api-products/payments/spec'),
  workflows_url: Joi.string()
    .allow(null)
    .required()
    .description('Path of the Arazzo document; null without workflows.')
    .example(null),
  tags: Joi.array().items(Joi.string()).required().example(['payments', 'refunds']),
  thumbnail_url: thumbnailReply.required(),
  custom_attributes: Joi.object().unknown().required(),
  categories: Joi.array().items(category).required(),
  deprecation: productDeprecationReply.required(),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
};

export const productReply = Joi.object(productFields).label('Product');

export const productListReply = Joi.array().items(productReply);

export const workflowsReply = Joi.object().unknown().label('ArazzoDocument');

export const specReply = Joi.object().unknown().label('OpenApiDocument');
