import type { ListPage } from '../core/index.js';
import type { ProductRecord } from '../domain/catalog/index.js';
import { blocksOf, linkTo, writeLine, shortenLine, writeText } from './markdown.js';
import { productAddress, type Reading } from './reading.js';

/** What the portal calls itself: name, headline and what its admins write for agents. */
export interface PortalIntroduction {
  readonly name: string;
  readonly tagline: string | null;
  readonly introduction: string | null;
}

/** As admins set it, or as the configuration has it. */
export async function readIntroduction({ services: { site } }: Pick<Reading, 'services'>): Promise<PortalIntroduction> {
  const settings = await site.settings.readPublic();
  const text = (key: string) => {
    const value = Object.hasOwn(settings, key) ? settings[key] : null;
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
  };
  return {
    name: text('theme.name') ?? site.about.name,
    tagline: text('theme.tagline'),
    introduction: text('agents.introduction'),
  };
}

/** A product in a list, with its workflows. @param most characters of its description; 0 for none */
export function productLine(
  { start, messages }: Pick<Reading, 'start' | 'messages'>,
  product: ProductRecord,
  most: number,
): string {
  const about = most > 0 && product.shortDescription !== '' ? `: ${shortenLine(product.shortDescription, most)}` : '';
  const address = productAddress(start, product.slug);
  const more =
    product.workflowsHash === null ? '' : ` (${linkTo(messages.workflows ?? '', `${address}/workflows.md`)})`;
  return `- ${linkTo(product.name, `${address}.md`)}${about}${more}`;
}

/** The heading of a text about the whole portal. */
export function introductionBlock(
  { name, tagline, introduction }: PortalIntroduction,
  messages: Reading['messages'],
): string {
  return blocksOf(
    `# ${writeLine(name)}`,
    `> ${writeLine(tagline ?? messages.about ?? '')}`,
    introduction && writeText(introduction),
  );
}

/** A page of the catalog as Markdown. */
export function catalogMarkdown(reading: Reading, page: ListPage<ProductRecord>, query: URLSearchParams): string {
  const { start, messages } = reading;
  const next = new URLSearchParams(query);
  next.set('page', String((page.page ?? 1) + 1));
  const shown = (page.page ?? 1) * page.perPage;
  const isMore = (page.total ?? 0) > shown;
  return `${blocksOf(
    `# ${messages.apis} (${page.total ?? page.items.length})`,
    page.items.map((product) => productLine(reading, product, 500)).join('\n') || messages.none,
    isMore && linkTo(messages.next ?? 'next', `${start}/products.md?${next}`),
  )}\n`;
}
