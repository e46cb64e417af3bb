import Joi from 'joi';
import { normaliseEmail, cleanName } from '../domain/accounts/index.js';

/** Fields shared by several resources. Every string is bounded, and nothing is converted (S12). */

/** A name of a person or thing: trimmed, `max` characters at most, no control characters. */
export function nameField(max = 100): Joi.StringSchema {
  return Joi.string()
    .max(max)
    .custom((text: string, helpers) => cleanName(text, max) ?? helpers.error('name.unusable'))
    .messages({ 'name.unusable': `{#label} must have 1 to ${max} visible characters and no control characters` })
    .example('Ada');
}

/** Multi-line text, may be empty: no control characters except line breaks and tabs. */
export function textField(max: number): Joi.StringSchema {
  return Joi.string()
    .allow('')
    .max(max)
    .pattern(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$/)
    .messages({ 'string.pattern.base': '{#label} must not contain control characters' });
}

/** Checks shape and length only; whether the address is usable is checked where it is stored. */
export function emailField(): Joi.StringSchema {
  return Joi.string().max(254).example('ada@example.com');
}

/** An address to be stored: canonical and usable (S11). */
export function newEmailField(): Joi.StringSchema {
  return emailField()
    .custom((text: string, helpers) => normaliseEmail(text) ?? helpers.error('email.unusable'))
    .messages({ 'email.unusable': '{#label} must be a valid e-mail address' });
}

/** Upper bound of S04 in bytes; the password policy has its own length rule and message. */
export function passwordField(): Joi.StringSchema {
  return Joi.string().max(512).example('plum ladder kettle 42');
}

/** A language of the portal; checked against the configured ones where it is stored. */
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

/** A record id in a path, in one spelling only: `01`, `1.0` and `1e0` do not match. */
export const idParam = Joi.number()
  .integer()
  .positive()
  .max(Number.MAX_SAFE_INTEGER)
  .custom((id: number, helpers) => (String(helpers.original) === String(id) ? id : helpers.error('number.base')))
  .required();

/** A record's slug in a path. The form is checked because MySQL ignores trailing spaces in comparisons. */
export const slugParam = Joi.string()
  .pattern(/^[a-z][a-z0-9-]{0,99}$/)
  .required();

/** A slug to be stored. */
export const slugField = slugParam.optional().messages({
  'string.pattern.base': '{#label} must be 1 to 100 small letters, digits and dashes, and begin with a letter',
});

const INSTANT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z)?$/;
const EARLIEST = Date.UTC(2000, 0, 1);
const LATEST = Date.UTC(2200, 0, 1);

/** A point in time that somebody names, read as a `Date`: a day, or a time, in UTC. */
export function instantField(): Joi.StringSchema {
  return Joi.string()
    .pattern(INSTANT)
    .custom((text: string, helpers) => {
      const at = new Date(text);
      return at.getTime() >= EARLIEST && at.getTime() < LATEST ? at : helpers.error('string.pattern.base');
    })
    .messages({
      'string.pattern.base': '{#label} must be a day or a time in UTC, such as 2026-06-01 or 2026-06-01T12:00Z',
    });
}

/** A point in time in an answer: ISO 8601, UTC, milliseconds. */
export const timestampReply = Joi.string().isoDate().example('2026-06-01T12:00:00.000Z');

export const idReply = Joi.number().integer().example(1);

/** `{}`, the answer to a deletion. */
export const emptyReply = Joi.object({}).label('Nothing');

/** What routes that delete a record have in common. */
export const recordDeletion = { method: 'delete', versioned: true, reply: { 200: emptyReply } } as const;
