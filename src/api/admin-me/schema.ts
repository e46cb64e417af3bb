import Joi from 'joi';
import { emailField, idReply, nameField, timestampReply } from '../fields.js';

export const adminProfileBody = Joi.object<{ name?: string; email?: string }>({
  name: nameField(200).example('Grace Hopper'),
  email: emailField().description('The present address; another one has to be confirmed by mail.'),
}).label('AdminProfileInput');

const role = Joi.object({ id: idReply.required(), name: Joi.string().required().example('support') });

const adminFields = {
  id: idReply.required(),
  name: Joi.string().required().example('Grace Hopper'),
  email: Joi.string().required().example('grace@example.com'),
  status: Joi.string().valid('active', 'inactive').required(),
  roles: Joi.array().items(role).required(),
  last_login_at: timestampReply.allow(null).required(),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
};

/** An admin's own record. */
export const ownAdminReply = Joi.object({
  ...adminFields,
  permissions: Joi.array().items(Joi.string()).required().example(['portal.admin.access', 'portal.users.view']),
}).label('OwnAdmin');
