import { guidePath, type Guide, type GuideEntry, type GuideKind } from '../domain/content/index.js';
import { NotFoundError } from '../core/index.js';
import type { SearchHit } from '../domain/search/index.js';
import { blocksOf, linkTo, writeLine, shortenLine } from './markdown.js';
import type { Reading } from './reading.js';

const PER_PAGE = 10;
const LONGEST_LINE = 160;

interface Found {
  readonly lines: readonly string[];
  /** Number of the next page; null on the last. */
  readonly next: number | null;
}

/** Everything that the words are in, best first. @param page from 1 */
export async function searchLines({ services, viewer, locale }: Reading, q: string, page: number): Promise<Found> {
  const request = { q, type: null, page, perPage: PER_PAGE, isDone: true, counts: false };
  const { items, total } = await services.search.finder.search(request, viewer, locale);
  return { lines: items.map(lineOf), next: page * PER_PAGE < total ? page + 1 : null };
}

function lineOf({ type, name, place, product, summary }: SearchHit): string {
  const about = summary.map(({ text }) => text).join('');
  const facts = [
    product && type !== 'product' ? `api ${product.slug}` : '',
    type === 'change' ? '' : `${type === 'product' ? 'api' : type} ${nameOf({ type, place, product })}`,
  ];
  const kind = type === 'change' ? 'change ' : '';
  return `- ${kind}${facts.filter(Boolean).join(', ')}: ${writeLine(name)}${about ? ` – ${shortenLine(about, LONGEST_LINE)}` : ''}`;
}

// A guide of a product is named with it, for two products may have one of the same name.
function nameOf({ type, place, product }: Pick<SearchHit, 'type' | 'place' | 'product'>): string {
  return type === 'guide' && product ? `${product.slug}/${place}` : place;
}

/** The guides of the portal, or of an API, as they stand in its navigation. */
export async function guideLines(reading: Reading, api: string): Promise<string[]> {
  const { services, viewer, locale } = reading;
  const product = api === '' ? null : await services.catalog.products.find(api, viewer, locale);
  const place = { kind: 'guide', productId: product?.id ?? null } as const;
  const entries = await services.content.guides.listEntries(place, viewer, locale);
  return entries.map(({ slug, name, shortDescription }) => {
    const about = shortDescription ? ` – ${shortenLine(shortDescription, LONGEST_LINE)}` : '';
    return `- ${product ? `${product.slug}/` : ''}${slug}: ${writeLine(name)}${about}`;
  });
}

/** A guide or news with the address of its Markdown. */
export interface ListedGuide {
  readonly entry: GuideEntry;
  readonly address: string;
}

/** Those of a navigation that the reader may see, news with the latest first. @param product null: of the portal */
export async function listGuides(
  { services, viewer, locale, start }: Reading,
  kind: GuideKind,
  product: { readonly id: number; readonly slug: string } | null = null,
): Promise<ListedGuide[]> {
  const entries = await services.content.guides.listEntries({ kind, productId: product?.id ?? null }, viewer, locale);
  const day = ({ publishedAt }: GuideEntry) => publishedAt?.getTime() ?? 0;
  const sorted = kind === 'news' ? [...entries].sort((a, b) => day(b) - day(a)) : entries;
  return sorted.map((entry) => {
    const path = guidePath({ kind, product: product?.slug ?? null, slug: entry.slug });
    return { entry, address: `${start}${path}.md` };
  });
}

/** A guide in a list of links. */
export function guideLine({ entry: { name, shortDescription }, address }: ListedGuide): string {
  return `- ${linkTo(name, address)}${shortDescription ? `: ${shortenLine(shortDescription, LONGEST_LINE)}` : ''}`;
}

/** @param name `quickstart`, or `payments/quickstart` of a product. @param kind guides before news without. @throws NotFoundError */
export async function readGuideText(reading: Reading, name: string, kind?: GuideKind): Promise<string> {
  const { services, viewer, locale } = reading;
  const guide = await findGuide(reading, name, kind);
  const text = await services.content.texts.asMarkdown(guide, viewer, locale);
  return blocksOf(
    `# ${writeLine(guide.name)}`,
    guide.shortDescription && `> ${writeLine(guide.shortDescription)}`,
    text,
  );
}

async function findGuide({ services, viewer, locale }: Reading, name: string, wanted?: GuideKind): Promise<Guide> {
  const [first = '', second, ...more] = name.split('/');
  if (more.length > 0) throw new NotFoundError();
  const product = second === undefined ? null : await services.catalog.products.find(first, viewer, locale);
  const find = (kind: GuideKind) =>
    services.content.guides.findBySlug({ kind, productId: product?.id ?? null }, second ?? first, viewer, locale);
  if (product || wanted) return find(wanted ?? 'guide');
  return find('guide').catch((error: unknown) => {
    if (error instanceof NotFoundError) return find('news');
    throw error;
  });
}
