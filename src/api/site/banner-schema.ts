import Joi from 'joi';
import { BANNER_LEVELS, type BannerInput, type BannerLevel } from '../../domain/content/index.js';
import { textFields } from '../catalog/catalog-fields.js';
import { idParam, idReply, instantField, timestampReply } from '../fields.js';

export const bannerParams = Joi.object<{ id: number }>({ id: idParam });

interface TextBody {
  name?: string | null;
  short_description?: string | null;
}

export interface BannerBody {
  level?: BannerLevel;
  name?: string;
  short_description?: string;
  starts_at?: Date;
  ends_at?: Date | null;
  translations?: Record<string, TextBody>;
}

export interface NewBannerBody extends BannerBody {
  level: BannerLevel;
  name: string;
  product?: string | null;
}

const level = Joi.string().valid(...BANNER_LEVELS);
const name = textFields.name
  .description('What it says in a few words.')
  .example('Payments are slow', { override: true });
const summary = textFields.short_description
  .description('The rest, as plain text.')
  .example('Since 09:10 UTC answers take some seconds.', { override: true });

const fields = {
  level: level.description('How bad it is.').example('incident'),
  name,
  short_description: summary,
  starts_at: instantField().description('When readers see it first; by default at once.').example('2026-11-25T09:00Z'),
  ends_at: instantField()
    .allow(null)
    .description('When it disappears by itself; null: when somebody takes it down.')
    .example('2026-11-25T11:00Z'),
  translations: Joi.object<Record<string, TextBody>>()
    .pattern(Joi.string().max(16), Joi.object({ name: name.allow(null), short_description: summary.allow(null) }))
    .max(50)
    .description('Locale → texts, for every configured locale but the default one; replaced whole.')
    .example({ ar: { name: 'المدفوعات بطيئة' } }),
};

export const newBannerBody = Joi.object<NewBannerBody>({
  product: Joi.string()
    .max(100)
    .allow(null)
    .description(
      'Slug or id of the product on whose pages it stands; null: on every page of the portal. It stays for good.',
    )
    .example(null),
  ...fields,
  level: fields.level.required(),
  name: fields.name.required(),
}).label('NewBannerInput');

export const bannerBody = Joi.object<BannerBody>(fields).label('BannerInput');

const text = Joi.string().allow('');
const shown = {
  id: idReply.required(),
  level: level.required().example('incident'),
  name: Joi.string().required().description('What it says in a few words.').example('Payments are slow'),
  short_description: text.required().description('Plain text.').example('Since 09:10 UTC answers take some seconds.'),
  starts_at: timestampReply.required(),
  ends_at: timestampReply.allow(null).required(),
};

export const shownBannersReply = Joi.array().items(
  Joi.object({ ...shown, updated_at: timestampReply.required() }).label('Banner'),
);

export const adminBannerReply = Joi.object({
  ...shown,
  product: Joi.object({
    id: idReply.required(),
    slug: Joi.string().required().example('payments'),
    name: Joi.string().required().example('Payments'),
  })
    .allow(null)
    .required()
    .description('On whose pages it stands; null: on every page of the portal.')
    .label('BannerProduct'),
  translations: Joi.object()
    .pattern(
      Joi.string(),
      Joi.object({ name: text.allow(null).required(), short_description: text.allow(null).required() }),
    )
    .description('Locale → texts; null falls back to the default locale. In lists only with `with=translations`.'),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
}).label('AdminBanner');

export const adminBannerListReply = Joi.array().items(adminBannerReply);

/** What a body says of a banner, without its product. */
export function bannerInputOf(body: BannerBody): BannerInput {
  const { level: given, name: title, starts_at: startsAt, ends_at: endsAt, translations } = body;
  return {
    ...{ level: given, name: title, shortDescription: body.short_description, startsAt, endsAt },
    translations:
      translations &&
      Object.fromEntries(
        Object.entries(translations).map(([locale, texts]) => [
          locale,
          { name: texts.name ?? null, shortDescription: texts.short_description ?? null },
        ]),
      ),
  };
}
