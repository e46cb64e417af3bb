import Joi from 'joi';
import { idParam, idReply, nameField, referencesField, timestampReply } from '../fields.js';

export const roleParams = Joi.object<{ id: number }>({ id: idParam });

const roleName = Joi.string()
  .pattern(/^[a-z][a-z0-9_-]{0,99}$/)
  .messages({
    'string.pattern.base':
      '{#label} must be 1 to 100 lower-case letters, digits, dashes and underscores, and begin with a letter',
  })
  .example('partner_manager');

export interface RoleBody {
  name?: string;
  label?: string;
  permissions?: (string | number)[];
}

// Other lists allow 100; the package ships 44 permissions and hosts add theirs.
const permissions = referencesField(['portal.admin.access', 'portal.users.view']).max(500);

const inputFields = {
  name: roleName.description(
    'Roles that ship keep theirs, and no role takes the name of a role that passes every check.',
  ),
  label: nameField(200).example('Partner manager'),
  permissions,
};

export const newRoleBody = Joi.object<RoleBody & { name: string }>({
  ...inputFields,
  name: inputFields.name.required(),
  label: inputFields.label.description('By default the name.'),
}).label('NewRoleInput');

export const roleBody = Joi.object<RoleBody>(inputFields).label('RoleInput');

export const rolePermissionsBody = Joi.object<{ permissions: (string | number)[] }>({
  permissions: permissions.required(),
}).label('RolePermissionsInput');

export const roleReply = Joi.object({
  id: idReply.required(),
  name: Joi.string().required().example('support'),
  label: Joi.string().required().example('Support'),
  permissions: Joi.array().items(Joi.string()).required().example(['portal.admin.access', 'portal.users.view']),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
}).label('Role');

export const roleListReply = Joi.array().items(roleReply);
