import Joi from 'joi';
import type { AdminStatus } from '../../domain/accounts/index.js';
import {
  idParam,
  idReply,
  nameField,
  newEmailField,
  passwordField,
  referencesField,
  timestampReply,
  emailField,
} from '../fields.js';

export const adminParams = Joi.object<{ id: number }>({ id: idParam });

export interface AdminBody {
  name?: string;
  email?: string;
  password?: string;
  status?: AdminStatus;
  roles?: (string | number)[];
}

export type NewAdminBody = AdminBody & Required<Pick<AdminBody, 'name' | 'email' | 'password'>>;

const roles = referencesField(['support']);

const inputFields = {
  name: nameField(200).example('Grace Hopper'),
  email: newEmailField().example('grace@example.com'),
  password: passwordField().description('Ends every sign-in of the admin.'),
  status: Joi.string().valid('active', 'inactive').description('By default active.'),
  roles,
};

export const newAdminBody = Joi.object<NewAdminBody>({
  ...inputFields,
  name: inputFields.name.required(),
  email: inputFields.email.required(),
  password: inputFields.password.required().description('The admin may change it.'),
}).label('NewAdminInput');

export const adminBody = Joi.object<AdminBody>(inputFields).label('AdminInput');

export const adminRolesBody = Joi.object<{ roles: (string | number)[] }>({ roles: roles.required() }).label(
  'AdminRolesInput',
);

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

export const adminReply = Joi.object(adminFields).label('Admin');

export const adminListReply = Joi.array().items(adminReply);

export const adminProfileBody = Joi.object<{ name?: string; email?: string }>({
  name: nameField(200).example('Grace Hopper'),
  email: emailField().description('The present address; another one has to be confirmed by mail.'),
}).label('AdminProfileInput');

/** An admin's own record. */
export const ownAdminReply = Joi.object({
  ...adminFields,
  permissions: Joi.array().items(Joi.string()).required().example(['portal.admin.access', 'portal.users.view']),
}).label('OwnAdmin');
