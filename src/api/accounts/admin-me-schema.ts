import Joi from 'joi';
import { adminFields } from './admin-schema.js';
import { emailField, nameField } from '../fields.js';

export const adminProfileBody = Joi.object<{ name?: string; email?: string }>({
  name: nameField(200).example('Grace Hopper'),
  email: emailField().description('The present address; another one has to be confirmed by mail.'),
}).label('AdminProfileInput');

/** An admin's own record. */
export const ownAdminReply = Joi.object({
  ...adminFields,
  permissions: Joi.array().items(Joi.string()).required().example(['portal.admin.access', 'portal.users.view']),
}).label('OwnAdmin');
