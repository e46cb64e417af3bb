import { defineList, defineRecord, fieldOf, times, type RowOf } from '../../database/index.js';
import type { TranslatedRows } from '../catalog/index.js';
import { byProduct, type GuideProduct } from './guide.js';

/** The worst last. */
export const BANNER_LEVELS = ['info', 'maintenance', 'incident'] as const;
export type BannerLevel = (typeof BANNER_LEVELS)[number];

/** What stands on the pages of a product, or of the whole portal, from one time until another. */
export const bannerRecord = defineRecord({
  name: 'Banner',
  table: 'portal_banners',
  alias: 'b',
  fields: {
    id: fieldOf.id(),
    /** Null: on every page of the portal. */
    productId: fieldOf.reference().nullable(),
    level: fieldOf.text<BannerLevel>(16),
    /** What it says in a few words. */
    name: fieldOf.text(200),
    /** The rest, as plain text. */
    shortDescription: fieldOf.text(500).default(''),
    startsAt: fieldOf.time(),
    /** Null: until somebody takes it down. */
    endsAt: fieldOf.time().nullable(),
    ...times,
  },
});

/** The columns of a banner, texts in the default locale. */
export type BannerRow = RowOf<typeof bannerRecord>;

/** Null or absent ones fall back to the default locale. */
interface BannerTexts {
  readonly name?: string | null;
  readonly shortDescription?: string | null;
}

/** Locale → texts. */
export type BannerTranslations = Readonly<Record<string, BannerTexts>>;

/** A banner for admins: texts in the default locale plus all translations. */
export interface AdminBanner extends BannerRow {
  readonly product: GuideProduct | null;
  readonly translations: BannerTranslations;
}

export interface BannerInput {
  readonly level?: BannerLevel | undefined;
  readonly name?: string | undefined;
  readonly shortDescription?: string | undefined;
  readonly startsAt?: Date | undefined;
  readonly endsAt?: Date | null | undefined;
  readonly translations?: BannerTranslations | undefined;
}

export const BANNER_TRANSLATIONS: TranslatedRows<BannerTexts> = {
  table: 'portal_banner_translations',
  owner: 'banner_id',
  columns: { name: 'name', shortDescription: 'short_description' },
};

/** Banners as admins list them. */
export const bannerList = defineList<BannerRow>(
  bannerRecord.list({
    name: 'banners',
    sorts: ['id', 'startsAt', 'endsAt', 'createdAt', 'updatedAt'],
    filters: ['id', 'level', 'name', 'startsAt', 'endsAt', 'createdAt', 'updatedAt'],
    moreFilters: byProduct('b'),
    search: ['name', 'shortDescription'],
    relations: ['translations'],
  }),
);
