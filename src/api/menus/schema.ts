import Joi from 'joi';
import { ITEM_VISIBILITIES } from '../../domain/site/index.js';
import { idReply, slugParam } from '../fields.js';

export const menuParams = Joi.object<{ slug: string }>({
  slug: slugParam.example('header'),
});

const item = Joi.object({
  id: idReply.required(),
  parent_id: Joi.number().integer().allow(null).required(),
  position: Joi.number().integer().required().example(0),
  label: Joi.string().required().example('Products'),
  url: Joi.string().allow(null).required().description('An address; null when `route` is set.'),
  route: Joi.string().allow(null).required().description('A page of the theme, relative to its prefix.'),
  visibility: Joi.string()
    .valid(...ITEM_VISIBILITIES)
    .required(),
  translations: Joi.object()
    .pattern(Joi.string(), Joi.object({ label: Joi.string().required() }))
    .required(),
  children: Joi.array().items(Joi.link('#menuItem')).required(),
})
  .id('menuItem')
  .label('MenuItem');

export const menuReply = Joi.object({
  id: idReply.required(),
  slug: Joi.string().required().example('header'),
  name: Joi.string().required().example('Header'),
  items: Joi.array().items(item).required(),
}).label('Menu');
