import { viewerOf } from '../../domain/catalog/index.js';
import { SEARCH_TYPES, type SearchHit, type SearchType } from '../../domain/search/index.js';
import type { PageRequest } from '../../http/index.js';
import { NotFoundError } from '../../core/index.js';
import { definePage, View, type Visit } from '../page.js';
import { pageLinks, pageQuery, withParameters } from '../format/paging.js';

const PER_PAGE = 20;
const LONGEST = 200;

type Guest = Visit<{ readonly id: number } | null>;

export const searchPages = [
  definePage({ method: 'get', path: '/search', audience: 'everyone', viewable: true, handle: showSearch }),
];

/** Also what the palette asks while somebody types. */
async function showSearch({ request, services, actor, locale }: Guest): Promise<View> {
  const { finder } = services.search;
  if (!finder.isEnabled) throw new NotFoundError();
  const q = (request.query.get('q')?.at(-1) ?? '').trim().slice(0, LONGEST);
  const asked = request.query.get('type')?.at(-1);
  const type = SEARCH_TYPES.find((known) => known === asked) ?? null;
  const { page } = pageQuery(request, PER_PAGE);
  const isDone = isVisited(request);
  const found = await finder.search({ q, type, page, perPage: PER_PAGE, isDone }, viewerOf(actor), locale);
  const { items, total, isGuessed } = found;
  const hasMore = items.length > 0 && page * PER_PAGE < total;
  const paging = pageLinks(request, { ...found, nextCursor: hasMore ? String(page) : null });
  return new View(
    'search',
    { q, type, kinds: kindsOf(request, type), hits: items.map(presentHit), total, isGuessed, paging },
    { title: 'search.title', headers: { 'X-Robots-Tag': 'noindex' } },
  );
}

/** The page's script fetches without navigating; a browser that does not say counts as a navigation. */
function isVisited({ headers }: PageRequest): boolean {
  const mode = headers['sec-fetch-mode'];
  return mode === undefined || mode === 'navigate';
}

function kindsOf({ query }: PageRequest, chosen: SearchType | null) {
  const parameters = new URLSearchParams({ q: query.get('q')?.at(-1) ?? '' });
  return [null, ...SEARCH_TYPES].map((type) => ({
    type: type ?? 'all',
    isCurrent: type === chosen,
    href: `/search${withParameters(parameters, { type })}`,
  }));
}

function presentHit(hit: SearchHit) {
  const { type, title, summary, snippet, product } = hit;
  const isKnown = type !== 'product' && product !== null;
  return { type, title, summary, snippet, href: hrefOf(hit), productName: isKnown ? product.name : null };
}

function hrefOf({ type, place, product, recordId }: SearchHit): string {
  const ofProduct = `/products/${product?.slug ?? ''}`;
  switch (type) {
    case 'product':
      return ofProduct;
    case 'operation':
      return `${ofProduct}/spec#op-${encodeURIComponent(place)}`;
    case 'schema':
      return `${ofProduct}/spec#schema-${encodeURIComponent(place)}`;
    case 'workflow':
      return `${ofProduct}/workflows/${place}`;
    case 'change':
      return `${ofProduct}/changes/${recordId}`;
    case 'guide':
      return `${product ? ofProduct : ''}/guides/${place}`;
    case 'news':
      return `/news/${place}`;
  }
}
