import Joi from 'joi';
import {
  GUIDE_KINDS,
  GUIDE_VISIBILITIES,
  type GuideInput,
  type GuideKind,
  type GuideTranslations,
  type GuideVisibility,
} from '../../domain/content/index.js';
import { catalogSlugField, recordReferencesField, textFields, type TextFields } from '../catalog/catalog-fields.js';
import { idParam, idReply, instantField, nameField, timestampReply } from '../fields.js';

export const guideParams = Joi.object<{ id: number }>({ id: idParam });

interface GuideTextFields extends TextFields {
  group?: string | null;
}

export interface GuideBody {
  slug?: string;
  name?: string;
  short_description?: string;
  description?: string;
  group?: string;
  position?: number;
  visibility?: GuideVisibility;
  published_at?: Date | null;
  audiences?: (string | number)[];
  translations?: Record<string, GuideTextFields>;
}

export interface NewGuideBody extends GuideBody {
  slug: string;
  name: string;
  kind?: GuideKind;
  product?: string | null;
}

const group = nameField(100).allow('').description('Heading that it stands under in the navigation; empty for none.');
const name = textFields.name.description('Its title.').example('Quickstart', { override: true });
const summary = textFields.short_description.example('From the first 401 to the first 200.', { override: true });
const text = textFields.description
  .description('Markdown, with containers such as `:::note` and operations by `::operation product operationId`.')
  .example('Ask for a key, then call.', { override: true });

const fields = {
  slug: catalogSlugField.example('quickstart', { override: true }),
  name,
  short_description: summary,
  description: text,
  group: group.example('Start here', { override: true }),
  position: Joi.number()
    .integer()
    .min(-1_000_000)
    .max(1_000_000)
    .description('Place in the navigation, the smallest first.')
    .example(10),
  visibility: Joi.string()
    .valid(...GUIDE_VISIBILITIES)
    .description('`public`: everybody, `private`: the developers of its audiences, `draft`: admins alone.')
    .example('public'),
  published_at: instantField()
    .allow(null)
    .description('The day that news are of; by default when readers saw it first.')
    .example('2026-06-01'),
  audiences: recordReferencesField('partners').description('Names or ids; the whole set.'),
  translations: Joi.object<Record<string, GuideTextFields>>()
    .pattern(
      Joi.string().max(16),
      Joi.object({
        name: name.allow(null),
        short_description: summary.allow(null),
        description: text.allow(null),
        group: group.allow(null),
      }),
    )
    .max(50)
    .description('Locale → texts, for every configured locale but the default one; replaced whole.')
    .example({ ar: { name: 'البداية السريعة' } }),
};

export const newGuideBody = Joi.object<NewGuideBody>({
  kind: Joi.string()
    .valid(...GUIDE_KINDS)
    .description('`guide` by default. News are of the portal, never of a product.')
    .example('guide'),
  product: Joi.string()
    .max(100)
    .allow(null)
    .description('Slug or id of the product that it explains; null: the portal.')
    .example(null),
  ...fields,
  slug: fields.slug.required(),
  name: fields.name.required(),
}).label('NewGuideInput');

export const guideBody = Joi.object<GuideBody>(fields).label('GuideInput');

const any = Joi.string().allow('');

const shown = {
  id: idReply.required(),
  kind: Joi.string()
    .valid(...GUIDE_KINDS)
    .required()
    .example('guide'),
  product: Joi.object({
    id: idReply.required(),
    slug: Joi.string().required().example('payments'),
    name: Joi.string().required().example('Payments'),
  })
    .allow(null)
    .required()
    .description('The product that it explains; null: the portal.')
    .label('GuideProduct'),
  slug: Joi.string().required().example('quickstart'),
  name: Joi.string().required().description('Its title.').example('Quickstart'),
  short_description: any.required().example('From the first 401 to the first 200.'),
  description: any.required().description('Markdown.').example('Ask for a key, then call.'),
  group: any.required().example('Start here'),
  position: Joi.number().integer().required().example(10),
  published_at: timestampReply.allow(null).required(),
};

/** A guide as readers see it. */
export const guideReply = Joi.object({ ...shown, updated_at: timestampReply.required() }).label('Guide');

export const guideListReply = Joi.array().items(guideReply);

export const guideTranslationsReply = Joi.object().pattern(
  Joi.string(),
  Joi.object({
    name: any.allow(null).required(),
    short_description: any.allow(null).required(),
    description: any.allow(null).required(),
    group: any.allow(null).required(),
  }),
);

export const adminGuideReply = Joi.object({
  ...shown,
  visibility: Joi.string()
    .valid(...GUIDE_VISIBILITIES)
    .required()
    .example('public'),
  file: Joi.string()
    .allow(null)
    .required()
    .description('The file that it is read from, below the folder of the content: only there it is changed.')
    .example(null),
  audiences: Joi.array()
    .items(Joi.object({ id: idReply.required(), name: Joi.string().required().example('partners') }))
    .description('In lists only with `with=audiences`.'),
  translations: guideTranslationsReply.description(
    'Locale → texts; null falls back to the default locale. In lists only with `with=translations`.',
  ),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
}).label('AdminGuide');

export const adminGuideListReply = Joi.array().items(adminGuideReply);

/** What a body says of a guide, without its place. */
export function guideInputOf(body: GuideBody): Partial<GuideInput> {
  const { slug, name: title, short_description: shortDescription, description, translations } = body;
  const { position, visibility, published_at: publishedAt, audiences } = body;
  return {
    ...{ slug, name: title, shortDescription, description, group: body.group, position, visibility, publishedAt },
    audiences,
    translations: translations && textsOf(translations),
  };
}

function textsOf(translations: Readonly<Record<string, GuideTextFields>>): GuideTranslations {
  return Object.fromEntries(
    Object.entries(translations).map(([locale, { short_description: shortDescription, ...texts }]) => [
      locale,
      { ...texts, shortDescription },
    ]),
  );
}
