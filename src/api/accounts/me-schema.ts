import Joi from 'joi';
import type { CustomAttributeInput } from '../../domain/accounts/index.js';
import { emailField, localeField, nameField } from '../fields.js';
import { customAttributesField } from './user-schema.js';

export interface ProfileBody {
  first_name?: string;
  last_name?: string;
  email?: string;
  locale?: string | null;
  custom_attributes?: CustomAttributeInput;
}

/** Partial or full. */
export const profileBody = Joi.object<ProfileBody>({
  first_name: nameField(),
  last_name: nameField().example('Lovelace'),
  email: emailField().description('The present address; another one has to be confirmed by mail.'),
  locale: localeField,
  custom_attributes: customAttributesField,
}).label('ProfileInput');
