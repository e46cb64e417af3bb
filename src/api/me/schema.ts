import Joi from 'joi';
import type { CustomAttributeInput } from '../../domain/accounts/index.js';
import { emailField, nameField } from '../fields.js';

export interface ProfileBody {
  first_name?: string;
  last_name?: string;
  email?: string;
  custom_attributes?: CustomAttributeInput;
}

const attribute = Joi.alternatives().try(Joi.string().allow('').max(1000), Joi.number(), Joi.boolean());

/** Partial or full. Names outside `accounts.customAttributes` are dropped later; here only the form is judged. */
export const profileBody = Joi.object<ProfileBody>({
  first_name: nameField(),
  last_name: nameField().example('Lovelace'),
  email: emailField().description('The present address; another one has to be confirmed by mail.'),
  custom_attributes: Joi.object()
    .pattern(Joi.string().max(64), attribute.allow(null))
    .max(100)
    .description('Only the attributes that this portal declares; null removes one.')
    .example({ company: 'Analytical Engines' }),
}).label('ProfileInput');
