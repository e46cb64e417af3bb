import Joi from 'joi';
import { canonicalEmail, cleanName } from '../domain/accounts/index.js';

/** Fields that several resources have. Every string has a bound, and nothing is converted (S12). */

/** A name of a person or thing: trimmed, `max` characters at most, no control characters. */
export function nameField(max = 100): Joi.StringSchema {
  return Joi.string()
    .max(max)
    .custom((text: string, helpers) => cleanName(text, max) ?? helpers.error('name.unusable'))
    .messages({ 'name.unusable': `{#label} must have 1 to ${max} visible characters and no control characters` })
    .example('Ada');
}

/** Text of several lines, which may be empty: no control characters but line ends and tabs. */
export function textField(max: number): Joi.StringSchema {
  return Joi.string()
    .allow('')
    .max(max)
    .pattern(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$/)
    .messages({ 'string.pattern.base': '{#label} must not contain control characters' });
}

/** Shape and length only; what makes an address usable is judged where it is stored. */
export function emailField(): Joi.StringSchema {
  return Joi.string().max(254).example('ada@example.com');
}

/** An address that is to be stored: in its canonical form, and usable (S11). */
export function newEmailField(): Joi.StringSchema {
  return emailField()
    .custom((text: string, helpers) => canonicalEmail(text) ?? helpers.error('email.unusable'))
    .messages({ 'email.unusable': '{#label} must be a valid e-mail address' });
}

/** Bound of S04 in bytes; how long a new password may be is said by the policy, in its own words. */
export function passwordField(): Joi.StringSchema {
  return Joi.string().max(512).example('plum ladder kettle 42');
}

/** A language of the portal; which ones there are is judged where it is stored. */
export const localeField = Joi.string()
  .max(16)
  .allow(null)
  .description('Language of pages and of mails that nobody asked for; null: that of the portal.')
  .example('en');

/** Related records by their names; ids are accepted too. At most 100 of them. */
export function referencesField(example: readonly string[]): Joi.ArraySchema {
  return Joi.array()
    .items(Joi.string().max(100), Joi.number().integer().positive())
    .max(100)
    .description('Names or ids; the whole set.')
    .example(example);
}

/** The number of a record in a path, in its one spelling: `01`, `1.0` and `1e0` are other names. */
export const idParam = Joi.number()
  .integer()
  .positive()
  .max(Number.MAX_SAFE_INTEGER)
  .custom((id: number, helpers) => (String(helpers.original) === String(id) ? id : helpers.error('number.base')))
  .required();

/** The slug of a record in a path. Of its form only: MySQL ignores spaces at the end of what it compares. */
export const slugParam = Joi.string()
  .pattern(/^[a-z][a-z0-9-]{0,99}$/)
  .required();

/** A slug to be stored. */
export const slugField = slugParam.optional().messages({
  'string.pattern.base': '{#label} must be 1 to 100 small letters, digits and dashes, and begin with a letter',
});

/** A point in time in an answer: ISO 8601, UTC, milliseconds. */
export const timestampReply = Joi.string().isoDate().example('2026-06-01T12:00:00.000Z');

export const idReply = Joi.number().integer().example(1);

/** `{}`: what a deletion answers. */
export const emptyReply = Joi.object({}).label('Nothing');
