import Joi from 'joi';
import { emailField, nameField, newEmailField, passwordField, timestampReply } from '../fields.js';

/**
 * Accepts anything shaped like an address: an unusable one is answered (S08) and counted like an unknown one, so that
 * accents and spaces cannot bypass the limits.
 */
const loginEmail = emailField()
  .pattern(/^[^@]+@[^@]+$/)
  .messages({ 'string.pattern.base': '{#label} must be an e-mail address' });

const confirmation = Joi.string()
  .valid(Joi.ref('password'))
  .messages({ 'any.only': '{#label} must match password' })
  .example('plum ladder kettle 42');

export interface RegisterBody {
  first_name: string;
  last_name: string;
  email: string;
  password: string;
  password_confirmation: string;
}

export const registerBody = Joi.object<RegisterBody>({
  first_name: nameField().required(),
  last_name: nameField().required().example('Lovelace'),
  email: newEmailField().required(),
  password: passwordField().required(),
  password_confirmation: confirmation.required(),
}).label('RegistrationInput');

export const loginBody = Joi.object<{ email: string; password: string }>({
  email: loginEmail.required(),
  password: passwordField().required(),
}).label('LoginInput');

/** Our tokens have 75 characters; much longer ones are refused unread (S26). */
export const refreshTokenBody = Joi.object<{ refresh_token: string }>({
  refresh_token: Joi.string().max(512).required().example('prt_…'),
}).label('RefreshTokenInput');

export const passwordConfirmationBody = Joi.object<{ password?: string; code?: string }>({
  password: passwordField(),
  code: Joi.string().max(100).description('Of a further factor, where the account has one.').example('123456'),
}).label('PasswordConfirmationInput');

export interface PasswordChangeBody {
  current_password: string;
  password: string;
  password_confirmation: string;
}

export const passwordChangeBody = Joi.object<PasswordChangeBody>({
  current_password: passwordField().required(),
  password: passwordField().required(),
  password_confirmation: confirmation.required(),
}).label('PasswordChangeInput');

const emailToken = Joi.string().max(200).required().example('v7sK0mX2…');

export const emailBody = Joi.object<{ email: string }>({ email: loginEmail.required() }).label('EmailInput');

export const emailTokenBody = Joi.object<{ token: string }>({ token: emailToken }).label('EmailLinkInput');

export interface PasswordResetBody {
  token: string;
  password: string;
  password_confirmation: string;
}

export const passwordResetBody = Joi.object<PasswordResetBody>({
  token: emailToken,
  password: passwordField().required(),
  password_confirmation: confirmation.required(),
}).label('PasswordResetInput');

export const sessionParams = Joi.object<{ id: string }>({
  id: Joi.string()
    .pattern(/^[0-9a-f]{32}$/)
    .required()
    .example('0f8fad5bd9cb469fa16570867728950e'),
});

export const tokenPairReply = Joi.object({
  token_type: Joi.string().valid('Bearer').required(),
  access_token: Joi.string().required().example('eyJhbGciOiJIUzI1NiIs…'),
  expires_in: Joi.number().integer().required().description('Seconds.').example(900),
  refresh_token: Joi.string().required().example('prt_…'),
}).label('TokenPair');

/** A further step that the login requires. */
export const challengeReply = Joi.object({
  challenge_token: Joi.string().required().example('v7sK0mX2…').description('Goes back with what was asked for.'),
  expires_in: Joi.number().integer().required().description('Seconds.').example(300),
  factors: Joi.array()
    .items(Joi.string())
    .description('What it can be met with: `totp`, `email`, `recovery_code`, or what a module adds.')
    .example(['totp', 'recovery_code']),
  enrolment_required: Joi.boolean().description('There is no factor yet: one has to be set up first.').example(false),
}).label('LoginChallenge');

const session = Joi.object({
  id: Joi.string().required().example('0f8fad5bd9cb469fa16570867728950e'),
  context: Joi.string().valid('consumer', 'admin').required(),
  channel: Joi.string().valid('api', 'theme').required(),
  current: Joi.boolean().required().description('Whether this request belongs to it.'),
  ip: Joi.string().allow('', null).required().example('192.0.2.7'),
  user_agent: Joi.string().allow('', null).required().example('curl/8.5.0'),
  auth_time: timestampReply.required().description('When the password or a factor was last proved.'),
  last_seen_at: timestampReply.required().description('Exact to a minute.'),
  expires_at: timestampReply.required(),
  created_at: timestampReply.required(),
}).label('Session');

export const sessionsReply = Joi.array().items(session).label('Sessions');
