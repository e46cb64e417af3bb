import { catalogMarkdown } from '../../agents/index.js';
import { viewerOf } from '../../domain/catalog/index.js';
import type { ListFilter } from '../../core/index.js';
import { readCards } from '../format/product-cards.js';
import { definePage, View, type Visit } from '../page.js';
import { pageLinks, pageQuery } from '../format/paging.js';
import { createReading } from './for-agents.js';

const PER_PAGE = 12;
/** Programs take longer lists. */
const MARKDOWN_PER_PAGE = 100;
const SEARCH_MAX = 100;
const SIDE_CATEGORIES = 50;

type Guest = Visit<{ readonly id: number } | null>;

export const catalogPages = [
  definePage({
    method: 'get',
    path: '/products',
    audience: 'everyone',
    viewable: true,
    handle: showCatalog,
    markdown: async (visit: Guest) => {
      const { request, services, actor, locale } = visit;
      const { order } = wishesOf(visit);
      const query = pageQuery(request, MARKDOWN_PER_PAGE, order);
      const page = await services.catalog.products.list(query, viewerOf(actor), locale);
      const asked = new URL(request.url, 'http://portal').searchParams;
      return catalogMarkdown(await createReading(visit), page, asked);
    },
  }),
];

/** What is searched for, and the order of what is found. */
function wishesOf({ request }: Guest) {
  const readFilter = (name: string) => request.query.get(name)?.at(-1)?.trim().slice(0, SEARCH_MAX) || null;
  const [q, category, tag] = [readFilter('q'), readFilter('category'), readFilter('tag')];
  const filters: ListFilter[] = [
    ...(category === null ? [] : [{ field: 'category', operator: 'eq' as const, value: category }]),
    ...(tag === null ? [] : [{ field: 'tag', operator: 'eq' as const, value: tag }]),
  ];
  const order = { orderBy: 'name', direction: 'ASC', filters, ...(q === null ? {} : { q }) } as const;
  return { q, category, tag, order };
}

async function showCatalog(visit: Guest): Promise<View> {
  const { request, services, actor, locale } = visit;
  const { q, category, tag, order } = wishesOf(visit);
  const viewer = viewerOf(actor);
  const { products, categories } = services.catalog;
  const side = pageQuery(request, SIDE_CATEGORIES, { page: 1, orderBy: 'name', direction: 'ASC' });
  const [page, groups] = await Promise.all([
    products.list(pageQuery(request, PER_PAGE, order), viewer, locale),
    categories.list(side, viewer, locale),
  ]);
  const chosen = groups.items.find(({ slug }) => slug === category) ?? null;
  return new View(
    'products/index',
    {
      ...{ q, tag, chosen, isFiltered: q !== null || category !== null || tag !== null },
      products: await readCards(services.catalog, page.items, viewer),
      categories: groups.items.filter((group) => group.productsCount > 0 || group === chosen),
      paging: pageLinks(request, page),
    },
    chosen ? { heading: chosen.name, description: chosen.shortDescription } : { title: 'catalog.title' },
  );
}
