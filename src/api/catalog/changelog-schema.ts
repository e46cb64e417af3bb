import Joi from 'joi';
import { CHANGE_KINDS, ENTRY_STATUSES, type ChangeKind } from '../../domain/catalog/index.js';
import { idParam, idReply, textField, timestampReply } from '../fields.js';
import {
  referenceParams,
  textFields,
  translationsField,
  translationsReply,
  type TextFields,
} from './catalog-fields.js';

export const entryParams = referenceParams.append<{ id: string; change: number }>({ change: idParam });

export interface ChangelogBody {
  kind?: ChangeKind;
  version?: string | null;
  name?: string;
  short_description?: string;
  description?: string;
  translations?: Record<string, TextFields>;
}

const kind = Joi.string().valid(...CHANGE_KINDS);

const fields = {
  kind: kind.description('What it means for who calls the product.').example('deprecation'),
  name: textFields.name.description('Its title.').example('Amounts become texts', { override: true }),
  version: textField(100)
    .allow(null)
    .description('The version of the product that brings it, as people call it; null for none.')
    .example('2.1'),
  short_description: textFields.short_description.example('From version 3 on.', { override: true }),
  description: textFields.description.example('Read `amount` as a text.', { override: true }),
  translations: translationsField.example({ ar: { name: 'المبالغ نصوص' } }, { override: true }),
};

export const newEntryBody = Joi.object<ChangelogBody & { kind: ChangeKind; name: string }>({
  ...fields,
  kind: fields.kind.required(),
  name: fields.name.required(),
}).label('NewChangelogEntryInput');

export const entryBody = Joi.object<ChangelogBody>(fields).label('ChangelogEntryInput');

export const publishBody = Joi.object<{ notice?: boolean }>({
  notice: Joi.boolean()
    .description(
      'Whether to send a mail, a notice and a webhook: of what is breaking or deprecated to whoever called the product in the ' +
        'last 30 days, of anything to those who watch it. By default no.',
    )
    .example(true),
}).label('PublishInput');

const text = Joi.string().allow('');

const shown = {
  id: idReply.required(),
  kind: kind.required().example('deprecation'),
  version: Joi.string().allow(null).required().example('2.1'),
  name: Joi.string().required().description('Its title.').example('Amounts become texts'),
  short_description: text.required().example('From version 3 on.'),
  description: text.required().description('Markdown.').example('Read `amount` as a text.'),
};

/** An entry as the readers of its product see it. */
export const publishedEntryReply = Joi.object({
  ...shown,
  published_at: timestampReply.required(),
  updated_at: timestampReply.required(),
}).label('PublishedChangelogEntry');

export const publishedEntryListReply = Joi.array().items(publishedEntryReply);

export const entryReply = Joi.object({
  ...shown,
  product: Joi.object({
    id: idReply.required(),
    slug: Joi.string().required().example('payments'),
    name: Joi.string().required().example('Payments'),
  }).required(),
  status: Joi.string()
    .valid(...ENTRY_STATUSES)
    .required()
    .description('`draft`: only admins see it.'),
  document_id: idReply.allow(null).required().description('Of the document that it was drafted from.'),
  previous_document_id: idReply.allow(null).required().description('Of the document that this one replaced.'),
  published_at: timestampReply.allow(null).required(),
  translations: translationsReply.description('Locale → texts. In lists only with `with=translations`.'),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
}).label('ChangelogEntry');

export const entryListReply = Joi.array().items(entryReply);
