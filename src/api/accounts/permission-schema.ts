import Joi from 'joi';
import { idParam, idReply, timestampReply } from '../fields.js';

export const permissionParams = Joi.object<{ id: number }>({ id: idParam });

const permissionName = Joi.string()
  .max(100)
  .pattern(/^[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)+$/)
  .messages({ 'string.pattern.base': '{#label} must be dotted lower-case words such as acme.reports.view' })
  .example('acme.reports.view');

export interface PermissionBody {
  name?: string;
  description?: string;
}

const inputFields = {
  name: permissionName.description('What a route of the host asks for; a policy asks for portal.{resource}.{ability}.'),
  description: Joi.string()
    .allow('')
    .max(500)
    .pattern(/^[^\p{Cc}]*$/u)
    .messages({ 'string.pattern.base': '{#label} must not contain control characters' })
    .example('See the reports'),
};

export const newPermissionBody = Joi.object<PermissionBody & { name: string }>({
  ...inputFields,
  name: inputFields.name.required(),
}).label('NewPermissionInput');

export const permissionBody = Joi.object<PermissionBody>(inputFields).label('PermissionInput');

export const permissionReply = Joi.object({
  id: idReply.required(),
  name: Joi.string().required().example('portal.users.view'),
  description: Joi.string().allow('').required().example('View developers'),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
}).label('Permission');

export const permissionListReply = Joi.array().items(permissionReply);
