import Joi from 'joi';
import { ITEM_VISIBILITIES, type ItemTranslations, type ItemVisibility } from '../../domain/site/index.js';
import { idParam, idReply, nameField, slugField, slugParam, timestampReply } from '../fields.js';

export const menuParams = Joi.object<{ slug: string }>({
  slug: slugParam.example('header'),
});

export const menuIdParams = Joi.object<{ menu: number }>({ menu: idParam });
export const itemParams = Joi.object<{ menu: number; item: number }>({ menu: idParam, item: idParam });

interface MenuFields {
  slug: string;
  name: string;
}

const menuFields = { slug: slugField.example('header'), name: nameField(200).example('Header') };

export const newMenuBody = Joi.object<MenuFields>({
  slug: menuFields.slug.required(),
  name: menuFields.name.required(),
}).label('NewMenuInput');

export const menuBody = Joi.object<Partial<MenuFields>>(menuFields).label('MenuInput');

interface ItemFields {
  label?: string;
  url?: string | null;
  route?: string | null;
  parent_id?: number | null;
  position?: number;
  visibility?: ItemVisibility;
  translations?: ItemTranslations;
}

const label = nameField(200).example('Products');

const itemFields = {
  label,
  url: Joi.string()
    .max(2048)
    .allow(null)
    .description('A web or mail address, or a path of this site. An item has either a url or a route.')
    .example(null),
  route: Joi.string()
    .max(255)
    .allow(null)
    .description('A page of the theme, relative to its prefix.')
    .example('/products'),
  parent_id: idParam
    .optional()
    .allow(null)
    .description('The item it is below; null for the first level.')
    .example(null),
  position: Joi.number()
    .integer()
    .min(0)
    .max(100_000)
    .description('Place among the items of the same parent, from 0. Left out: the last, or where it is.')
    .example(0),
  visibility: Joi.string().valid(...ITEM_VISIBILITIES),
  translations: Joi.object()
    .pattern(Joi.string().max(16), Joi.object({ label: label.required() }))
    .description('Locale → texts, all of them; the default locale is the label itself.')
    .example({ ar: { label: 'المنتجات' } }),
};

export const newItemBody = Joi.object<ItemFields & { label: string }>({
  ...itemFields,
  label: label.required(),
}).label('NewMenuItemInput');

export const itemBody = Joi.object<ItemFields>(itemFields).label('MenuItemInput');

const itemReplyFields = {
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
};

const item = Joi.object({
  ...itemReplyFields,
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

const times = { created_at: timestampReply.required(), updated_at: timestampReply.required() };

export const adminItemReply = Joi.object({
  ...itemReplyFields,
  children: Joi.array().items(Joi.link('#adminMenuItem')).required(),
  ...times,
})
  .id('adminMenuItem')
  .label('AdminMenuItem');

export const adminItemListReply = Joi.array().items(adminItemReply);

export const adminMenuReply = Joi.object({
  id: idReply.required(),
  slug: Joi.string().required().example('header'),
  name: Joi.string().required().example('Header'),
  items: adminItemListReply.description('In lists only with `with=items`.'),
  ...times,
}).label('AdminMenu');

export const adminMenuListReply = Joi.array().items(adminMenuReply);
