import type {
  PlanOffer,
  ProductRecord,
  PublishedEntry,
  SpecOutline,
  ViewedProduct,
  Workflow,
} from '../domain/catalog/index.js';
import type { BannerRow } from '../domain/content/index.js';
import { blocksOf, linkTo, writeLine, writeText } from './markdown.js';
import { guideLine, listGuides, type ListedGuide } from './guide-tools.js';
import { productAddress, readOutline, type Reading } from './reading.js';
import { workflowLines } from './workflow-markdown.js';

/** Operations on the page of a product; the outline of its document has all. */
const LISTED_OPERATIONS = 100;
const LISTED_CHANGES = 10;
const BY_TIME = { orderBy: 'published_at', direction: 'DESC', with: [], filters: [] } as const;
const LATEST = { ...BY_TIME, page: 1, perPage: LISTED_CHANGES };

/** What is read of a product for its Markdown. */
export interface ProductFacts {
  /** As one of its versions where it was looked for by itself. */
  readonly product: ProductRecord | ViewedProduct;
  /** Null without a document that can be shown. */
  readonly outline: SpecOutline | null;
  readonly offers: readonly PlanOffer[];
  readonly changes: readonly PublishedEntry[];
  readonly guides: readonly ListedGuide[];
  readonly workflows: readonly Workflow[];
  /** Of the portal and the product. */
  readonly banners: readonly BannerRow[];
}

/** @throws NotFoundError for a product that is missing or hidden from the reader */
export async function readProductFacts(reading: Reading, slug: string): Promise<ProductFacts> {
  const { services, viewer, locale } = reading;
  const product = await services.catalog.products.find(slug, viewer, locale);
  const { banners } = services.content;
  const [outline, offers, changes, guides, workflows, ofPortal, own] = await Promise.all([
    readOutline(reading, product),
    services.catalog.offers.list(product.id, viewer, locale),
    services.catalog.changelog.listPublished(product, LATEST, locale),
    listGuides(reading, 'guide', product),
    services.catalog.products.workflows.list(product),
    banners.listShown(null, locale),
    banners.listShown(product.id, locale),
  ]);
  const all = [...ofPortal, ...own];
  return { product, outline, offers, guides, workflows, changes: changes.items, banners: all };
}

/** The page of a product as Markdown. */
export function productMarkdown(reading: Reading, facts: ProductFacts): string {
  const { product, outline, offers, changes, guides, workflows, banners } = facts;
  const { start, messages } = reading;
  const address = productAddress(start, 'address' in product ? product.address : product.slug);
  const description = product.description || (outline?.description ?? '');
  return `${blocksOf(
    `# ${writeLine(product.name)}`,
    product.shortDescription && `> ${writeLine(product.shortDescription)}`,
    bannerLines(banners, messages),
    factLines(reading, { product, outline, offers }, address).join('\n'),
    writeText(description),
    outline && operationLines(outline, address, messages),
    guides.length > 0 && [`## ${messages.guides}`, '', ...guides.map(guideLine)].join('\n'),
    workflows.length > 0 && [`## ${messages.workflows}`, '', ...workflowLines(workflows, address)].join('\n'),
    planLines(offers, messages),
    changeLines(changes, productAddress(start, product.slug), messages),
  )}\n`;
}

function bannerLines(banners: readonly BannerRow[], messages: Reading['messages']): string {
  return banners.map((banner) => bannerLine(banner, messages)).join('\n>\n');
}

/** What readers are told now, as a quotation. @param about a link to what it is about, where the text around does not tell */
export function bannerLine(
  { level, name, shortDescription, endsAt }: BannerRow,
  messages: Reading['messages'],
  about = '',
): string {
  const until = endsAt === null ? '' : ` (${messages.until} ${endsAt.toISOString()})`;
  const texts = [about, ...[name, shortDescription].map(writeLine)].filter(Boolean);
  return `> **${messages[level] ?? level}:** ${texts.join(' – ')}${until}`;
}

function factLines(
  { start, messages }: Reading,
  { product, outline, offers }: Pick<ProductFacts, 'product' | 'outline' | 'offers'>,
  address: string,
): string[] {
  const isKeyless = product.visibility === 'public' && offers.some((offer) => offer.isKeyless);
  const access = isKeyless ? messages.keyless : product.approval === 'auto' ? messages.auto : messages.manual;
  const fact = (name: string, value: string | null | undefined) =>
    value ? [`- ${messages[name] ?? name}: ${value}`] : [];
  return [
    ...fact('page', `<${address}>`),
    ...fact('access', access),
    ...fact('format', outline && writeLine(outline.format)),
    ...fact('versions', versionLinks(start, product)),
    ...fact('version', outline && writeLine(outline.version)),
    ...fact('base', outline?.base && `<${outline.base.replace(/[<>\s]/g, encodeURIComponent)}>`),
    ...fact('categories', product.categories.map(({ name }) => writeLine(name)).join(', ')),
    ...fact('tags', product.tags.map(writeLine).join(', ')),
    ...(outline ? fact('document', linkTo(messages.outline ?? 'outline', `${address}/spec.md`)) : []),
    ...(product.workflowsHash === null ? [] : fact('workflows', `<${address}/workflows.md>`)),
    ...fact('changed', product.updatedAt.toISOString().slice(0, 10)),
  ];
}

/** Its versions, each with an address of its own. */
function versionLinks(start: string, product: ProductFacts['product']): string {
  if (!('versions' in product)) return '';
  return product.versions
    .map(
      ({ name, isDefault }) =>
        `${linkTo(name, `${productAddress(start, `${product.slug}@${name}`)}.md`)}${isDefault ? '*' : ''}`,
    )
    .join(', ');
}

function operationLines({ operations }: SpecOutline, address: string, messages: Reading['messages']): string {
  if (operations.length === 0) return '';
  const shown = operations.slice(0, LISTED_OPERATIONS).map(({ method, path, summary, anchor, isDeprecated }) => {
    const link = linkTo(
      `${method.toUpperCase()} ${path}`,
      `${address}/spec/operations/${encodeURIComponent(anchor)}.md`,
    );
    return `- ${link}${summary ? ` ${writeLine(summary)}` : ''}${isDeprecated ? ` (${messages.deprecated})` : ''}`;
  });
  const rest = operations.length - shown.length;
  const more = rest > 0 ? [`- ${linkTo(`${messages.more} ${rest}`, `${address}/spec.md`)}`] : [];
  return [`## ${messages.operations} (${operations.length})`, '', ...shown, ...more].join('\n');
}

function planLines(offers: readonly PlanOffer[], messages: Reading['messages']): string {
  if (offers.length === 0) return '';
  const lines = offers.map(({ name, shortDescription, price, isDefault }) => {
    const facts = [isDefault ? messages.default : '', writeLine(price), writeLine(shortDescription)];
    return `- ${[writeLine(name), ...facts.filter(Boolean)].join(' · ')}`;
  });
  return [`## ${messages.plans}`, '', ...lines].join('\n');
}

function changeLines(changes: readonly PublishedEntry[], address: string, messages: Reading['messages']): string {
  if (changes.length === 0) return '';
  const lines = changes.map(({ id, name, publishedAt }) => {
    return `- ${publishedAt.toISOString().slice(0, 10)} ${linkTo(name, `${address}/changes/${id}.md`)}`;
  });
  return [
    `## ${messages.changes}`,
    '',
    ...lines,
    `- ${linkTo(messages['all-changes'] ?? '', `${address}/changes.md`)}`,
  ].join('\n');
}
