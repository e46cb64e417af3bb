import {
  defineList,
  defineRecord,
  fieldOf,
  times,
  UniqueViolationError,
  type RowOf,
  type SqlValue,
} from '../../database/index.js';
import { ValidationError } from '../../core/index.js';
import {
  AUDIENCE_NAMES,
  selectVisibleProducts,
  type AudienceReference,
  type JoinTable,
  type RecordReference,
  type TranslatedRows,
  type Viewer,
} from '../catalog/index.js';

/** A guide stands in a navigation; news stand in the order of their days. */
export const GUIDE_KINDS = ['guide', 'news'] as const;
export type GuideKind = (typeof GUIDE_KINDS)[number];

/** As of products: everybody, the developers of audiences, admins alone. */
export const GUIDE_VISIBILITIES = ['public', 'private', 'draft'] as const;
export type GuideVisibility = (typeof GUIDE_VISIBILITIES)[number];

export const guideRecord = defineRecord({
  name: 'Guide',
  table: 'portal_guides',
  alias: 'g',
  refusal: refuseTakenSlug,
  fields: {
    id: fieldOf.id(),
    kind: fieldOf.text<GuideKind>(16),
    /** The product that it explains; null: the portal. Who does not see the product does not see its guides. */
    productId: fieldOf.reference().nullable(),
    /** Unique among the guides of its product, or among those of the portal. */
    slug: fieldOf.text(100),
    /** Kind, product and slug in one, for the unique index. */
    address: fieldOf.text(150).unique().hidden(),
    /** Its title. */
    name: fieldOf.text(200),
    shortDescription: fieldOf.text(500).default(''),
    /** Markdown. */
    description: fieldOf.longText().default(''),
    /** Heading that it stands under in the navigation; empty for none. */
    group: fieldOf.text(100).named('nav_group').default(''),
    /** Place in the navigation, the smallest first. */
    position: fieldOf.integer().default(0),
    visibility: fieldOf.text<GuideVisibility>(16),
    /** When readers saw it first, or the day that its file names. */
    publishedAt: fieldOf.time().nullable(),
    /** Path of the file that it is read from, below the folder of the content; null for one of the console. */
    file: fieldOf.text(255).nullable(),
    /** Hash of the files that it was last read from. */
    fileHash: fieldOf.text(64).nullable().hidden(),
    ...times,
  },
});

function refuseTakenSlug(error: unknown): Error | undefined {
  if (!(error instanceof UniqueViolationError)) return undefined;
  return new ValidationError({ slug: ['This value is already taken by another guide.'] }, { cause: error });
}

/** The columns of a guide, texts in the default locale. */
export type GuideRow = RowOf<typeof guideRecord>;

/** A product as its guides name it. */
export interface GuideProduct {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
}

/** A guide as readers see it, texts in their locale. */
export interface Guide extends GuideRow {
  readonly product: GuideProduct | null;
}

/** Texts of a guide in another language; null or absent ones fall back to the default locale. */
export interface GuideTexts {
  readonly name?: string | null;
  readonly shortDescription?: string | null;
  readonly description?: string | null;
  readonly group?: string | null;
}

/** Locale → texts. */
export type GuideTranslations = Readonly<Record<string, GuideTexts>>;

/** A guide for admins: texts in the default locale plus all translations. */
export interface AdminGuide extends Guide {
  /** By name. */
  readonly audiences: readonly AudienceReference[];
  readonly translations: GuideTranslations;
}

/** What stays for good once a guide exists. */
export interface GuidePlace {
  readonly kind: GuideKind;
  /** Null: of the portal. */
  readonly productId: number | null;
}

export interface GuideInput {
  readonly slug: string;
  readonly name: string;
  readonly shortDescription?: string | undefined;
  readonly description?: string | undefined;
  readonly group?: string | undefined;
  readonly position?: number | undefined;
  readonly visibility?: GuideVisibility | undefined;
  readonly publishedAt?: Date | null | undefined;
  /** Names or ids; the developers who see a private one. */
  readonly audiences?: readonly RecordReference[] | undefined;
  readonly translations?: GuideTranslations | undefined;
}

export const GUIDE_TRANSLATIONS: TranslatedRows<GuideTexts> = {
  table: 'portal_guide_translations',
  owner: 'guide_id',
  columns: { name: 'name', shortDescription: 'short_description', description: 'description', group: 'nav_group' },
};

export const GUIDE_AUDIENCES: JoinTable = {
  table: 'portal_guide_audiences',
  owner: 'guide_id',
  key: 'audience_id',
  target: AUDIENCE_NAMES,
  what: 'audience',
};

/** A filter by the slug of the product that rows belong to. @param alias of their table */
export function byProduct(alias: string) {
  const within = `SELECT 1 FROM portal_products gp WHERE gp.id = ${alias}.product_id`;
  return { product: { column: 'gp.slug', type: 'string', within } } as const;
}

/** Guides as readers list them. */
export const guideList = defineList<GuideRow>({
  ...guideRecord.list({
    name: 'guides',
    sorts: ['position', 'name', 'publishedAt', 'createdAt', 'updatedAt'],
    filters: ['kind', 'slug', 'group', 'publishedAt', 'updatedAt'],
    moreFilters: byProduct('g'),
  }),
  defaultSort: 'published_at',
});

/** Guides as admins list them. */
export const adminGuideList = defineList<GuideRow>(
  guideRecord.list({
    name: 'admin.guides',
    sorts: ['id', 'position', 'name', 'publishedAt', 'createdAt', 'updatedAt'],
    filters: ['id', 'kind', 'slug', 'name', 'group', 'visibility', 'file', 'publishedAt', 'createdAt', 'updatedAt'],
    moreFilters: byProduct('g'),
    search: ['name', 'shortDescription', 'slug'],
    relations: ['audiences', 'translations'],
  }),
);

/** The stored form of a guide's place and slug. */
export function addressOf({ kind, productId }: GuidePlace, slug: string): string {
  return `${kind}/${productId ?? ''}/${slug}`;
}

/**
 * The single rule for who sees which guides (S57), as a condition over `portal_guides AS <alias>`: the rule of products
 * for the guide itself, and for the product that it belongs to. Every read of guides for readers must use it, a search
 * index included.
 */
export function selectVisibleGuides(
  viewer: Viewer,
  alias: string,
): { readonly where: string; readonly values: readonly SqlValue[] } {
  if (viewer.kind === 'admin') return { where: '1 = 1', values: [] };
  const own = ownRule(viewer, alias);
  const product = selectVisibleProducts(viewer, 'guided');
  const ofProduct = `(${alias}.product_id IS NULL OR EXISTS (
    SELECT 1 FROM portal_products guided WHERE guided.id = ${alias}.product_id AND ${product.where}))`;
  return { where: `${own.where} AND ${ofProduct}`, values: [...own.values, ...product.values] };
}

function ownRule(viewer: Exclude<Viewer, { readonly kind: 'admin' }>, alias: string) {
  if (viewer.kind === 'anonymous') return { where: `${alias}.visibility = 'public'`, values: [] };
  const where = `(${alias}.visibility = 'public' OR (${alias}.visibility = 'private' AND EXISTS (
    SELECT 1 FROM portal_guide_audiences read_by
    JOIN portal_audience_users reader ON reader.audience_id = read_by.audience_id
    WHERE read_by.guide_id = ${alias}.id AND reader.user_id = ?)))`;
  return { where, values: [viewer.userId] };
}
