import { viewerOf, type ProductRecord } from '../../domain/catalog/index.js';
import { guidePath } from '../../domain/content/index.js';
import { escapeMarkup, NotFoundError } from '../../core/index.js';
import type { PageRequest } from '../../http/index.js';
import { textFile } from '../negotiation.js';
import { definePage, type Download, type Visit } from '../page.js';

/** Products of one file; each has at most three addresses, and a file may hold 50,000. */
const PER_FILE = 1_000;
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';
/** Asked for again each time: a product may turn private at any time. */
const CACHING = { 'Cache-Control': 'public, no-cache', Vary: 'Accept-Encoding' };

/** The addresses that search engines may know: what a visitor without an account sees, also for signed-in readers. */
export const sitemapPages = [
  definePage({ method: 'get', path: '/sitemap.xml', audience: 'everyone', viewable: true, handle: showSitemap }),
];

async function showSitemap({ services, request, prefix, locale }: Visit<unknown>): Promise<Download> {
  const asked = request.query.get('part')?.at(-1);
  const part = asked === undefined ? 1 : Number(asked);
  if (!Number.isInteger(part) || part < 1) throw new NotFoundError();
  const query = { page: part, perPage: PER_FILE, orderBy: 'id', direction: 'ASC', with: [], filters: [] } as const;
  const { items, total } = await services.catalog.products.list(query, { kind: 'anonymous' }, locale);
  const start = services.site.about.baseUrl() + prefix;
  const parts = Math.ceil((total ?? items.length) / PER_FILE);
  if (asked === undefined && parts > 1) return fileOf(request, indexOf(start, parts));
  if (part > Math.max(1, parts)) throw new NotFoundError();
  const own =
    part === 1
      ? [{ address: start }, { address: `${start}/products` }, ...(await guidesOf(services, start, locale))]
      : [];
  return fileOf(request, sitemapOf([...own, ...items.flatMap((product) => addressesOf(start, product))]));
}

/** The guides and news of the portal; those of products are linked by the products. */
async function guidesOf({ content }: Visit<unknown>['services'], start: string, locale: string): Promise<Entry[]> {
  const kinds = await Promise.all(
    (['guide', 'news'] as const).map((kind) =>
      content.guides.listEntries({ kind, productId: null }, viewerOf(null), locale),
    ),
  );
  return kinds.flat().map(({ kind, slug, updatedAt: at }) => {
    return { address: start + guidePath({ kind, product: null, slug }), at };
  });
}

const fileOf = (request: PageRequest, body: string) =>
  textFile(request, body, 'application/xml; charset=utf-8', CACHING);

interface Entry {
  readonly address: string;
  readonly at?: Date;
}

function addressesOf(start: string, { slug, specHash, workflowsHash, updatedAt: at }: ProductRecord): Entry[] {
  const address = `${start}/products/${encodeURIComponent(slug)}`;
  const listBelow = (part: string, hash: string | null) =>
    hash === null ? [] : [{ address: `${address}/${part}`, at }];
  return [{ address, at }, ...listBelow('spec', specHash), ...listBelow('workflows', workflowsHash)];
}

function sitemapOf(entries: readonly Entry[]): string {
  const rows = entries.map(({ address, at }) => {
    return `<url><loc>${escapeMarkup(address)}</loc>${at ? `<lastmod>${at.toISOString()}</lastmod>` : ''}</url>`;
  });
  return writeRows('urlset', rows);
}

function indexOf(start: string, parts: number): string {
  const numbers = Array.from({ length: parts }, (_, index) => index + 1);
  return writeRows(
    'sitemapindex',
    numbers.map((part) => `<sitemap><loc>${escapeMarkup(`${start}/sitemap.xml?part=${part}`)}</loc></sitemap>`),
  );
}

function writeRows(root: string, rows: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="${NAMESPACE}">\n${rows.join('\n')}\n</${root}>\n`;
}
