import Joi from 'joi';
import {
  catalogSlugField,
  textFields,
  thumbnailReply,
  thumbnailUrlField,
  translationsField,
  translationsReply,
  type TextFields,
} from './catalog-fields.js';
import { idReply, timestampReply } from '../fields.js';

export interface CategoryBody {
  slug?: string;
  name?: string;
  short_description?: string;
  description?: string;
  thumbnail_url?: string | null;
  translations?: Record<string, TextFields>;
}

const fields = {
  slug: catalogSlugField,
  ...textFields,
  thumbnail_url: thumbnailUrlField,
  translations: translationsField,
};

export const newCategoryBody = Joi.object<CategoryBody & { slug: string; name: string }>({
  ...fields,
  slug: catalogSlugField.required(),
  name: textFields.name.required(),
}).label('NewCategoryInput');

export const categoryBody = Joi.object<CategoryBody>(fields).label('CategoryInput');

const text = Joi.string().allow('');

const replyFields = {
  id: idReply.required(),
  slug: Joi.string().required().example('payments'),
  name: Joi.string().required().example('Payments'),
  short_description: text.required().example('Take, send and give back money.'),
  description: text.required(),
  thumbnail_url: thumbnailReply.required(),
  products_count: Joi.number().integer().required().description('Products that the caller may see.').example(3),
  translations: translationsReply.required(),
};

export const categoryListReply = Joi.array().items(Joi.object(replyFields).label('Category'));

export const adminCategoryReply = Joi.object({
  ...replyFields,
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
}).label('AdminCategory');

export const adminCategoryListReply = Joi.array().items(adminCategoryReply);
