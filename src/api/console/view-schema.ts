import Joi from 'joi';
import { idParam, idReply, nameField, timestampReply } from '../fields.js';

const resourceField = Joi.string()
  .pattern(/^[a-z][a-z0-9-]{0,63}$/)
  .messages({ 'string.pattern.base': '{#label} must be the name of a list, such as users' })
  .example('users');

/** Percent-encoded, as browsers write it. */
const queryField = Joi.string()
  .allow('')
  .max(2000)
  .pattern(/^[!-~]*$/)
  .messages({ 'string.pattern.base': '{#label} must be percent-encoded, as in an address' })
  .description('As in the address of the list, without the question mark.')
  .example('order_by=email');

export interface ViewBody {
  name?: string;
  query?: string;
  pinned?: boolean;
  is_default?: boolean;
  role_id?: number | null;
}

const fields = {
  name: nameField().example('Waiting for us'),
  query: queryField,
  pinned: Joi.boolean().description('Shown in the navigation.'),
  is_default: Joi.boolean().description('What the list opens with; takes the place of the one before.'),
  role_id: Joi.number()
    .integer()
    .positive()
    .max(Number.MAX_SAFE_INTEGER)
    .allow(null)
    .description('Shared with who has this role, which takes `portal.rbac.manage`; null: the own ones alone.')
    .example(null),
};

export const newViewBody = Joi.object<ViewBody & { resource: string; name: string; query: string }>({
  resource: resourceField.required(),
  ...fields,
  name: fields.name.required(),
  query: fields.query.required(),
}).label('NewViewInput');

export const viewBody = Joi.object<ViewBody>(fields).label('ViewInput');

export const viewParams = Joi.object<{ id: number }>({ id: idParam });

export const viewsQuery = Joi.object<{ resource?: string }>({ resource: resourceField });

export const viewReply = Joi.object({
  id: idReply.required(),
  resource: Joi.string().required().example('users'),
  name: Joi.string().required().example('Waiting for us'),
  query: Joi.string().allow('').required().example('order_by=email'),
  pinned: Joi.boolean().required(),
  is_default: Joi.boolean().required(),
  role_id: Joi.number().integer().allow(null).required().example(null).description('null: the own ones alone.'),
  own: Joi.boolean().required().description('Whether the signed-in admin made it.'),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
}).label('View');

export const viewListReply = Joi.array().items(viewReply);
