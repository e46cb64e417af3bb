import type { ConsumerActor } from '../../domain/auth/index.js';
import { viewerOf, type ProductRecord } from '../../domain/catalog/index.js';
import {
  guidePath,
  resolveGuideLink,
  type BannerRow,
  type Guide,
  type GuideEntry,
  type GuidePlace,
} from '../../domain/content/index.js';
import { findEmbeddedOperations, renderGuide, type RenderedGuide } from '../format/guide-markdown.js';
import { foldSpaces, ValidationError } from '../../core/index.js';
import { field } from '../form.js';
import { definePage, Redirect, View, type Visit } from '../page.js';
import { operationCards, operationsAsMarkdown } from './guide-operations.js';

type Guest = Visit<ConsumerActor | null>;

/** The guides of a product or of the portal, and what they belong to. */
interface Shelf {
  readonly place: GuidePlace;
  readonly product: ProductRecord | null;
  readonly entries: readonly GuideEntry[];
  /** What the product tells its readers now. */
  readonly banners: readonly BannerRow[];
}

/** Says in the address of a guide that its reader answered. */
const ANSWERED = 'answered';

const everyone = { method: 'get', audience: 'everyone', viewable: true } as const;

// Readers have no session, hence no token to compare; other sites are refused by the headers that browsers send.
const answered = { method: 'post', audience: 'everyone', originOnly: true, handle: takeAnswer } as const;

/** Guides of the portal and of products, in their navigation; each as Markdown, too. */
export const guidePages = [
  definePage({ ...everyone, path: '/guides', handle: showShelf, markdown: listAsMarkdown }),
  definePage({ ...everyone, path: '/guides/:guide', handle: showGuide, markdown: guideAsMarkdown }),
  definePage({ ...everyone, path: '/products/:slug/guides', handle: showShelf, markdown: listAsMarkdown }),
  definePage({ ...everyone, path: '/products/:slug/guides/:guide', handle: showGuide, markdown: guideAsMarkdown }),
  definePage({ ...answered, path: '/guides/:guide/feedback' }),
  definePage({ ...answered, path: '/products/:slug/guides/:guide/feedback' }),
];

/** @throws NotFoundError for a product that is hidden from the reader */
async function openShelf({ services, actor, locale, params }: Guest): Promise<Shelf> {
  const viewer = viewerOf(actor);
  const product = params.slug === undefined ? null : await services.catalog.products.find(params.slug, viewer, locale);
  const place = { kind: 'guide', productId: product?.id ?? null } as const;
  const { guides, banners } = services.content;
  const entries = await guides.listEntries(place, viewer, locale);
  return { place, product, entries, banners: product ? await banners.listShown(product.id, locale) : [] };
}

async function showShelf(visit: Guest): Promise<View> {
  const { product, entries, banners } = await openShelf(visit);
  const { title = '' } = await visit.words('guides');
  return new View(
    'guides/list',
    { product, banners, sections: sectionsOf(visit, entries), sheets: ['guides.css'] },
    { heading: product ? `${title} · ${product.name}` : title },
  );
}

async function listAsMarkdown(visit: Guest): Promise<string> {
  const { product, entries } = await openShelf(visit);
  const { title = '' } = await visit.words('guides');
  const base = visit.services.site.about.baseUrl() + visit.prefix;
  const sections = sectionsOf(visit, entries).map(({ group, guides }) => {
    const rows = guides.map(({ name, shortDescription, slug }) => {
      const address = `${base}${guidePath({ kind: 'guide', product: product?.slug ?? null, slug })}.md`;
      return `- [${foldSpaces(name)}](${address})${shortDescription && `: ${foldSpaces(shortDescription)}`}`;
    });
    return [group && `## ${foldSpaces(group)}`, rows.join('\n')].filter(Boolean).join('\n\n');
  });
  return `${[`# ${foldSpaces(product ? `${product.name}: ${title}` : title)}`, ...sections].join('\n\n')}\n`;
}

async function showGuide(visit: Guest): Promise<View> {
  const shelf = await openShelf(visit);
  const guide = await findGuide(visit, shelf);
  const { entries, product, banners } = shelf;
  const at = entries.findIndex(({ id }) => id === guide.id);
  const { html, headings } = await drawGuide(visit, guide);
  return new View(
    'guides/show',
    {
      ...{ guide, product, banners, headings, sheets: ['guides.css', 'reference.css'] },
      article: { toHTML: () => html },
      sections: sectionsOf(visit, entries, guide.id),
      previous: linkTo(visit, entries[at - 1]),
      next: at === -1 ? null : linkTo(visit, entries[at + 1]),
      hasContents: headings.length > 1,
      feedback: feedbackOf(visit, guide),
    },
    {
      heading: product ? `${guide.name} · ${product.name}` : guide.name,
      description: guide.shortDescription,
      linkedData: () => ({ '@type': 'TechArticle', headline: guide.name, dateModified: guide.updatedAt.toISOString() }),
    },
  );
}

/** What asks whether the page was helpful; null where nobody is asked. */
function feedbackOf({ services, request, prefix }: Guest, guide: Guide) {
  if (!services.content.feedback.isEnabled) return null;
  return { action: `${prefix}${pathOf(guide)}/feedback`, isAnswered: request.query.has(ANSWERED) };
}

async function takeAnswer(visit: Guest): Promise<Redirect> {
  const { services, request, locale } = visit;
  const guide = await findGuide(visit, await openShelf(visit));
  const given = field(request, 'helpful');
  if (given !== 'yes' && given !== 'no') throw new ValidationError({ helpful: ['helpful must be yes or no.'] });
  const answer = { isHelpful: given === 'yes', remark: field(request, 'remark'), locale };
  await services.content.feedback.answer(guide, answer, request.info);
  return new Redirect(`${pathOf(guide)}?${ANSWERED}#feedback`);
}

async function guideAsMarkdown(visit: Guest): Promise<string> {
  return writeGuide(visit, await findGuide(visit, await openShelf(visit)));
}

/** @throws NotFoundError */
function findGuide({ services, actor, locale, params }: Guest, { place }: Shelf): Promise<Guide> {
  return services.content.guides.findBySlug(place, params.guide ?? '', viewerOf(actor), locale);
}

/** A guide or news as a file for agents, the operations that it shows written out. */
export async function writeGuide(visit: Guest, guide: Guide): Promise<string> {
  const { services, actor, locale } = visit;
  const write = operationsAsMarkdown(visit);
  const text = await services.content.texts.asMarkdown(guide, viewerOf(actor), locale, write);
  return `${[`# ${foldSpaces(guide.name)}`, guide.shortDescription && `> ${foldSpaces(guide.shortDescription)}`, text].filter(Boolean).join('\n\n')}\n`;
}

/** The text of a guide or news as the page shows it. */
export async function drawGuide(visit: Guest, guide: Guide): Promise<RenderedGuide> {
  const { prefix } = visit;
  const messages = { ...(await visit.words('guides')) };
  const from = { kind: guide.kind, product: guide.product?.slug ?? null };
  const pageOf = (link: string) => {
    const linked = resolveGuideLink(link, from);
    return linked && prefix + guidePath(linked) + linked.anchor;
  };
  const operations = await operationCards(visit, guide, findEmbeddedOperations(guide.description));
  return renderGuide(guide.description, { messages, pageOf, operations });
}

/** Guides below their headings, which stand where the first guide below them does. */
function sectionsOf({ prefix }: Guest, entries: readonly GuideEntry[], current: number | null = null) {
  return [...new Set(entries.map(({ shelf }) => shelf))].map((shelf) => {
    const own = entries.filter((entry) => entry.shelf === shelf);
    // One translated guide is enough to name its heading.
    const { group } = own.find((entry) => entry.group !== shelf) ?? { group: shelf };
    const guides = own.map((entry) => ({ ...entry, href: prefix + pathOf(entry), isCurrent: entry.id === current }));
    return { group, guides };
  });
}

function linkTo({ prefix }: Guest, entry: GuideEntry | undefined) {
  return entry ? { title: entry.name, address: prefix + pathOf(entry) } : null;
}

function pathOf({ kind, product, slug }: Pick<GuideEntry, 'kind' | 'product' | 'slug'>): string {
  return guidePath({ kind, product: product?.slug ?? null, slug });
}
