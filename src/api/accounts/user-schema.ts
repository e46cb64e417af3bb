import Joi from 'joi';
import type { CustomAttributeInput, UserStatus } from '../../domain/accounts/index.js';
import {
  idParam,
  idReply,
  localeField,
  nameField,
  newEmailField,
  passwordField,
  referencesField,
  timestampReply,
  emailField,
} from '../fields.js';

export const userParams = Joi.object<{ id: number }>({ id: idParam });

const attribute = Joi.alternatives().try(Joi.string().allow('').max(1000), Joi.number(), Joi.boolean());

/** Checks the form only; names outside `accounts.customAttributes` are refused later (S52). */
const customAttributesField = Joi.object()
  .pattern(Joi.string().max(64), attribute.allow(null))
  .max(100)
  // No example: a portal that declares no such attribute refuses every name.
  .description('Only the attributes that this portal declares (`accounts.customAttributes`); null removes one.');

export interface UserBody {
  first_name?: string;
  last_name?: string;
  email?: string;
  password?: string;
  status?: UserStatus;
  locale?: string | null;
  audiences?: (string | number)[];
  custom_attributes?: CustomAttributeInput;
}

export type NewUserBody = UserBody & Required<Pick<UserBody, 'first_name' | 'last_name' | 'email' | 'password'>>;

const audiences = referencesField(['partners']);

const inputFields = {
  first_name: nameField(),
  last_name: nameField().example('Lovelace'),
  email: newEmailField().description('A new address counts as not verified.'),
  password: passwordField().description('Ends every sign-in of the developer.'),
  status: Joi.string().valid('active', 'inactive', 'pending').description('By default active.'),
  locale: localeField,
  audiences: audiences.example([], { override: true }),
  custom_attributes: customAttributesField,
};

export const newUserBody = Joi.object<NewUserBody>({
  ...inputFields,
  first_name: inputFields.first_name.required(),
  last_name: inputFields.last_name.required(),
  email: inputFields.email.required(),
  password: inputFields.password.required().description('The developer may change it.'),
}).label('NewUserInput');

export const userBody = Joi.object<UserBody>(inputFields).label('UserInput');

export const userAudiencesBody = Joi.object<{ audiences: (string | number)[] }>({
  audiences: audiences.required(),
}).label('UserAudiencesInput');

const developerFields = {
  id: idReply.required(),
  email: Joi.string().required().example('ada@example.com'),
  first_name: Joi.string().required().example('Ada'),
  last_name: Joi.string().required().example('Lovelace'),
  full_name: Joi.string().required().example('Ada Lovelace'),
  status: Joi.string().valid('active', 'inactive', 'pending').required(),
  email_verified_at: timestampReply.allow(null).required(),
  pending_email: Joi.string().allow(null).required().example(null),
  locale: Joi.string().allow(null).required().example('en').description('null: never chosen.'),
  custom_attributes: Joi.object().unknown().required().example({ company: 'Analytical Engines' }),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
};

export const developerReply = Joi.object(developerFields).label('Developer');

const audience = Joi.object({ id: idReply.required(), name: Joi.string().required().example('partners') });

export const userReply = Joi.object({
  ...developerFields,
  audiences: Joi.array().items(audience).required(),
}).label('User');

export const userListReply = Joi.array().items(userReply);

interface ProfileBody {
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
