import Joi from 'joi';
import { SETTING_TYPES, type SettingType } from '../../domain/site/index.js';
import { idReply, nameField, timestampReply } from '../fields.js';

/** Accepts any string; what is neither a key nor an id is answered with 404. */
export const settingParams = Joi.object<{ id: string }>({
  id: Joi.string().max(100).required().description('Key or id.').example('support.phone'),
});

interface SettingFields {
  key: string;
  type: SettingType;
  value?: unknown;
  label?: string;
  group?: string;
  public?: boolean;
}

const key = Joi.string()
  .pattern(/^[a-z][a-z0-9_.-]{0,99}$/)
  .messages({
    'string.pattern.base':
      '{#label} must be 1 to 100 small letters, digits, dots, dashes and underscores, and begin with a letter',
  })
  .example('support.phone');
const type = Joi.string()
  .valid(...SETTING_TYPES)
  .example('string');
const fields = {
  key,
  type,
  value: Joi.any().description('Of its type; null for none.').example('+49 30 1234567'),
  label: nameField(200).description('For people; the key when left out.').example('Telephone of the support'),
  group: nameField(100).description('`general` when left out.').example('support'),
  public: Joi.boolean().description('Part of `/config`. A secret never is.').example(true),
};

export const newSettingBody = Joi.object<SettingFields>({
  ...fields,
  key: key.required(),
  type: type.required(),
}).label('NewSettingInput');

export const settingBody = Joi.object<Partial<SettingFields>>({
  ...fields,
  value: fields.value.description('Needed with a new type. The mask of a secret stands for the present one.'),
}).label('SettingInput');

export const settingReply = Joi.object({
  id: idReply.required(),
  key: Joi.string().required().example('support.phone'),
  value: Joi.any()
    .required()
    .description('`********` for a secret, null where there is none.')
    .example('+49 30 1234567'),
  type: type.required(),
  label: Joi.string().allow('').required().example('Telephone of the support'),
  group: Joi.string().allow('').required().example('support'),
  public: Joi.boolean().required(),
  default: Joi.string().allow(null).required().description('What holds without a value.'),
  description: Joi.string()
    .allow(null)
    .required()
    .description('What the portal does with it; null for a setting that only the host reads.'),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
}).label('Setting');

export const settingListReply = Joi.array().items(settingReply);
