import { viewerOf, type ProductRecord, type SpecOutline, type Viewer } from '../../domain/catalog/index.js';
import { PortalError, type ListFilter } from '../../kernel/index.js';
import { definePage, View, type Visit } from '../page.js';
import { pageLinks, pageQuery } from '../paging.js';

const PER_PAGE = 12;
const SEARCH_MAX = 100;
const SIDE_CATEGORIES = 50;

type Guest = Visit<{ readonly id: number } | null>;

export const catalogPages = [
  definePage({ method: 'get', path: '/products', audience: 'everyone', handle: showCatalog }),
  definePage({ method: 'get', path: '/products/:slug', audience: 'everyone', handle: showProduct }),
];

async function showCatalog(visit: Guest): Promise<View> {
  const { request, services, actor, locale } = visit;
  const asked = (name: string) => request.query.get(name)?.at(-1)?.trim().slice(0, SEARCH_MAX) || null;
  const [q, category, tag] = [asked('q'), asked('category'), asked('tag')];
  const filters: ListFilter[] = [
    ...(category === null ? [] : [{ field: 'category', operator: 'eq' as const, value: category }]),
    ...(tag === null ? [] : [{ field: 'tag', operator: 'eq' as const, value: tag }]),
  ];
  const order = { orderBy: 'name', direction: 'ASC', filters, ...(q === null ? {} : { q }) } as const;
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
      products: page.items,
      categories: groups.items.filter((group) => group.productsCount > 0 || group === chosen),
      paging: pageLinks(request, page),
    },
    chosen ? { heading: chosen.name, description: chosen.shortDescription } : { title: 'catalog.title' },
  );
}

async function showProduct({ services, actor, locale, params }: Guest): Promise<View> {
  const viewer = viewerOf(actor);
  const product = await services.catalog.products.find(params.slug ?? '', viewer, locale);
  const outline = await outlineOf(services, product, viewer);
  return new View(
    'products/show',
    {
      product,
      hasSpec: product.specHash !== null,
      base: outline?.base ?? null,
      version: outline?.version ?? null,
      isManual: product.approval === 'manual',
      isPrivate: product.visibility === 'private',
    },
    { heading: product.name, description: product.shortDescription },
  );
}

// What the document adds to this page is not worth failing for.
async function outlineOf(
  { catalog }: Guest['services'],
  product: ProductRecord,
  viewer: Viewer,
): Promise<SpecOutline | null> {
  if (product.specHash === null) return null;
  try {
    const digest = await catalog.products.digest(product, viewer);
    return digest?.outline ?? null;
  } catch (error) {
    if (error instanceof PortalError && (error.status === 404 || error.status === 503)) return null;
    throw error;
  }
}
