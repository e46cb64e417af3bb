import Joi from 'joi';
import { SLUG } from '../../domain/catalog/index.js';
import { nameField } from '../fields.js';

/** Fields that products, categories and audiences share. */

const MOST_LINKS = 500;

/** Multi-line text: no control characters except line breaks and tabs. */
function linesField(max: number): Joi.StringSchema {
  return Joi.string()
    .allow('')
    .max(max)
    .pattern(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$/)
    .messages({ 'string.pattern.base': '{#label} must not contain control characters' });
}

export const catalogSlugField = Joi.string()
  .pattern(SLUG)
  .messages({
    'string.pattern.base': '{#label} must be 1 to 100 lower-case letters, digits and dashes, and begin with a letter',
  })
  .example('payments');

export const shortTextField = linesField(500).example('Account-to-account payments, settled in seconds.');
const longTextField = linesField(90_000).description('Markdown.').example('Move money between accounts.');

/** The translatable texts. */
export interface TextFields {
  name?: string | null;
  short_description?: string | null;
  description?: string | null;
}

export const textFields = {
  name: nameField(200).example('Payments'),
  short_description: shortTextField,
  description: longTextField,
};

const texts = Joi.object({
  name: nameField(200).allow(null),
  short_description: shortTextField.allow(null),
  description: longTextField.allow(null),
});

export const translationsField = Joi.object<Record<string, TextFields>>()
  .pattern(Joi.string().max(16), texts)
  .max(50)
  .description('Locale → texts, for every configured locale but the default one; replaced whole.')
  .example({ ar: { name: 'المدفوعات' } });

/**
 * URL of a picture: https, or a path on this portal (`/…`, but not `//…`, which is another server). Pages put it into
 * an `img`, so nothing else is allowed (S66).
 */
export const thumbnailUrlField = Joi.string()
  .max(2048)
  .custom((text: string, helpers) => (isPicturePlace(text) ? text : helpers.error('picture.place')))
  .messages({ 'picture.place': '{#label} must be an https address or a path that begins with a slash' })
  .allow(null)
  .example('https://assets.example.com/payments.png');

function isPicturePlace(text: string): boolean {
  if (/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return true;
  if (!/^https:\/\/[^\s\\]+$/.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

/** Related records by their stable name, or by id. */
export function recordReferencesField(example: string, max = MOST_LINKS): Joi.ArraySchema {
  return Joi.array()
    .items(Joi.string().max(254), Joi.number().integer().positive().max(Number.MAX_SAFE_INTEGER))
    .max(max)
    .example([example]);
}

/** Accepts any string; what is neither an id nor a slug is answered with 404. */
export const referenceParams = Joi.object<{ id: string }>({
  id: Joi.string().max(100).required().description('Id or slug.').example('payments'),
});

const text = Joi.string().allow('');

/** The texts of a record in other locales, in an answer. */
export const translationsReply = Joi.object()
  .pattern(
    Joi.string(),
    Joi.object({
      name: text.allow(null).required(),
      short_description: text.allow(null).required(),
      description: text.allow(null).required(),
    }),
  )
  .description('Locale → texts; null falls back to the default locale.');

export const thumbnailReply = Joi.string()
  .allow(null)
  .description('An address, or a path of this portal.')
  .example('/api/v1/files/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.png');
