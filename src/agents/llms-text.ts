import type { ProductRecord } from '../domain/catalog/index.js';
import type { BannerRow } from '../domain/content/index.js';
import { introductionBlock, productLine, readIntroduction } from './catalog-markdown.js';
import { guideLine, readGuideText, listGuides } from './guide-tools.js';
import { blocksOf, linkTo } from './markdown.js';
import { bannerLine, productMarkdown } from './product-markdown.js';
import { productAddress, productsByName, readOutline, type Reading } from './reading.js';

/** Characters of a product's description, from the first step to the last. */
const STEPS = [500, 120, 0];
/** Reads of products for one text: the shortest lines of more would not fit into any. */
const MOST_READS = 5;
/** Documents that one llms-full.txt opens: each may have to be read and indexed first. */
const MOST_DOCUMENTS = 50;
/** Guides, and news, of one text. */
const MOST_GUIDES = 50;

interface Found {
  readonly products: readonly ProductRecord[];
  readonly total: number;
  /** What the portal tells everybody now. */
  readonly banners: readonly BannerRow[];
  /** And what these products tell, by their ids. */
  readonly bannersOf: ReadonlyMap<number, readonly BannerRow[]>;
}

/** Everything that the reader may see, as https://llmstxt.org has it. @param most characters */
export async function writeLlms(reading: Reading, most: number): Promise<string> {
  const [introduction, found] = await Promise.all([readIntroduction(reading), readAll(reading, most)]);
  const head = blocksOf(introductionBlock(introduction, reading.messages), bannerBlock(reading, found, most / 8));
  const foot = blocksOf(await contentBlock(reading, most / 4), furtherBlock(reading));
  for (const step of STEPS) {
    const text = assemble(reading, { head, foot, lines: linesOf(reading, found.products, step), total: found.total });
    if (text.length <= most) return text;
  }
  return cutText(reading, found, { head, foot }, most);
}

/** The same with the page of each product. @param most characters */
export async function writeLlmsFull(reading: Reading, most: number): Promise<string> {
  const [introduction, found] = await Promise.all([readIntroduction(reading), readAll(reading, most)]);
  const parts = [
    introductionBlock(introduction, reading.messages),
    bannerBlock(reading, { ...found, products: [] }, most / 8),
    furtherBlock(reading),
  ];
  let length = parts.join('\n\n').length;
  for (const [number, product] of found.products.entries()) {
    // One after the other: whoever waits for the page of a document comes before.
    const outline = number < MOST_DOCUMENTS ? await readOutline(reading, product) : null;
    const banners = found.bannersOf.get(product.id) ?? [];
    const facts = { product, outline, offers: [], changes: [], guides: [], workflows: [], banners };
    const full = deepenHeadings(productMarkdown(reading, facts));
    const short = deepenHeadings(
      productMarkdown(reading, { ...facts, outline: null, product: { ...product, description: '' } }),
    );
    const text = length + full.length <= most ? full : short;
    if (length + text.length > most - 200) {
      parts.push(remainder(reading, found.total - number));
      break;
    }
    parts.push(text);
    length += text.length + 2;
  }
  parts.push(...(await contentTexts(reading, most - 200 - length)));
  return `${blocksOf(...parts)}\n`;
}

/** What the portal tells now, then what its products tell, with their names. @param most characters of it */
function bannerBlock({ start, messages }: Reading, { products, banners, bannersOf }: Found, most: number): string {
  const ofProducts = products.flatMap(({ id, name, slug }) =>
    (bannersOf.get(id) ?? []).map((banner) =>
      bannerLine(banner, messages, linkTo(name, `${productAddress(start, slug)}.md`)),
    ),
  );
  let room = most;
  return [...banners.map((banner) => bannerLine(banner, messages)), ...ofProducts]
    .filter((line) => (room -= line.length + 3) >= 0)
    .join('\n>\n');
}

/** Guides of the portal and its latest news. @param most characters of it */
async function contentBlock(reading: Reading, most: number): Promise<string> {
  const { messages } = reading;
  const blocks: string[] = [];
  let room = most;
  for (const kind of ['guide', 'news'] as const) {
    const lines: string[] = [];
    for (const line of (await listGuides(reading, kind)).slice(0, MOST_GUIDES).map(guideLine)) {
      if ((room -= line.length + 1) < 0) break;
      lines.push(line);
    }
    if (lines.length > 0) blocks.push(`## ${messages[kind === 'guide' ? 'guides' : 'news']}`, lines.join('\n'));
  }
  return blocksOf(...blocks);
}

/** The texts of guides and of the latest news, as many as fit. */
async function contentTexts(reading: Reading, room: number): Promise<string[]> {
  const texts: string[] = [];
  let left = room;
  for (const kind of ['guide', 'news'] as const) {
    for (const { entry } of (await listGuides(reading, kind)).slice(0, MOST_GUIDES)) {
      const text = deepenHeadings(await readGuideText(reading, entry.slug, kind));
      if ((left -= text.length + 2) < 0) return texts;
      texts.push(text);
    }
  }
  return texts;
}

async function readAll(reading: Reading, most: number): Promise<Found> {
  const { services, locale } = reading;
  const { products, total } = await readProducts(reading, most);
  const ids = products.map(({ id }) => id);
  const [banners, bannersOf] = await Promise.all([
    services.content.banners.listShown(null, locale),
    services.content.banners.listShownOf(ids, locale),
  ]);
  return { products, total, banners, bannersOf };
}

async function readProducts({ services, viewer, locale }: Reading, most: number) {
  const products: ProductRecord[] = [];
  let total = 0;
  for (let page = 1; page <= MOST_READS; page += 1) {
    const read = await services.catalog.products.list(productsByName(page), viewer, locale);
    products.push(...read.items);
    total = read.total ?? products.length;
    // No line is shorter than its address.
    if (products.length >= total || products.length * 40 > most) break;
  }
  return { products, total };
}

function linesOf(reading: Reading, products: readonly ProductRecord[], step: number): string[] {
  return products.map((product) => productLine(reading, product, step));
}

interface Assembled {
  readonly head: string;
  readonly foot: string;
  readonly lines: readonly string[];
  readonly total: number;
}

function assemble(reading: Reading, { head, foot, lines, total }: Assembled): string {
  const { messages } = reading;
  const rest = total > lines.length ? remainder(reading, total - lines.length) : '';
  return `${blocksOf(head, `## ${messages.apis}`, lines.join('\n') || messages.none, rest, foot)}\n`;
}

/** As many products as fit, without their descriptions. */
function cutText(
  reading: Reading,
  { products, total }: Pick<Found, 'products' | 'total'>,
  ends: Pick<Assembled, 'head' | 'foot'>,
  most: number,
): string {
  const lines = linesOf(reading, products, 0);
  const room = most - assemble(reading, { ...ends, lines: [], total: total + 1 }).length;
  let [count, length] = [0, 0];
  while (count < lines.length && length + (lines[count]?.length ?? 0) + 1 <= room) {
    length += (lines[count]?.length ?? 0) + 1;
    count += 1;
  }
  return assemble(reading, { ...ends, lines: lines.slice(0, count), total });
}

function remainder({ start, messages }: Reading, count: number): string {
  return linkTo(`${messages.more} ${count}`, `${start}/products.md`);
}

function furtherBlock({ services: { site }, start, messages }: Reading): string {
  const { agents, baseUrl, links } = site.about;
  const base = baseUrl();
  const lines = [
    `- ${linkTo(messages.catalog ?? '', `${start}/products.md`)}`,
    `- ${linkTo(messages['full-text'] ?? '', `${start}/llms-full.txt`)}`,
    `- ${linkTo(messages['api-catalog'] ?? '', `${base}/.well-known/api-catalog`)}`,
    ...(agents?.mcp ? [`- ${linkTo(messages.mcp ?? '', `${base}${agents.mcp}`)}`] : []),
    ...(links.docs === null ? [] : [`- ${linkTo(messages['own-api'] ?? '', `${base}${links.docs}`)}`]),
  ];
  return [`## ${messages.further}`, '', ...lines, '', messages['as-markdown'] ?? ''].join('\n');
}

/** Headings one level lower, below the one of the whole text; what stands in blocks of code stays. */
function deepenHeadings(markdown: string): string {
  let isCode = false;
  return markdown
    .trimEnd()
    .split('\n')
    .map((row) => {
      if (/^ {0,3}(`{3,}|~{3,})/.test(row)) isCode = !isCode;
      return !isCode && /^#{1,5} /.test(row) ? `#${row}` : row;
    })
    .join('\n');
}
