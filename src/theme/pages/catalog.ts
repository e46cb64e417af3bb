import { viewerOf, type ProductRecord } from '../../domain/catalog/index.js';
import { NotFoundError, ValidationError, type ListFilter } from '../../kernel/index.js';
import { definePage, Download, View, type Visit } from '../page.js';
import { pageLinks, pageQuery } from '../paging.js';
import { outlineOf, type SpecDocument } from '../spec-outline.js';

const PER_PAGE = 12;
const SEARCH_MAX = 100;
const SIDE_CATEGORIES = 50;

type Guest = Visit<{ readonly id: number } | null>;

export const catalogPages = [
  definePage({ method: 'get', path: '/products', audience: 'everyone', handle: showCatalog }),
  definePage({ method: 'get', path: '/products/:slug/spec', audience: 'everyone', handle: showSpec }),
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

async function showSpec({ services, actor, locale, params, request }: Guest): Promise<View | Download> {
  const { products } = services.catalog;
  const viewer = viewerOf(actor);
  const product = await products.find(params.slug ?? '', viewer, locale);
  if (product.specHash === null) {
    return new View('products/spec', { product, outline: null, missing: true }, { heading: product.name });
  }
  const format = request.query.get('download')?.at(-1);
  if (format === 'json' || format === 'yaml') {
    const { document, hash } = await products.spec(product.id, viewer);
    const text = document ?? '';
    const body = format === 'json' ? text : await products.specAsYaml({ document: text, hash });
    return new Download(body, {
      'Content-Type': format === 'json' ? 'application/json; charset=utf-8' : 'application/yaml; charset=utf-8',
      'Content-Disposition': `attachment; filename="${product.slug}.${format}"`,
    });
  }
  const spec = await readSpec(services, product, actor);
  const outline = spec === null ? null : outlineOf(spec);
  return new View('products/spec', { product, outline, missing: false }, { heading: product.name });
}

/** Longer documents are for download only: to parse them would stop everybody else for too long. */
const LONGEST = 2_000_000;

/** The document of a product; null when there is none to read at once. */
export async function readSpec(
  services: Guest['services'],
  product: ProductRecord,
  actor: Guest['actor'],
): Promise<SpecDocument | null> {
  try {
    const { document } = await services.catalog.products.spec(product.id, viewerOf(actor));
    return document === null || document.length > LONGEST ? null : (JSON.parse(document) as SpecDocument);
  } catch (error) {
    // Gone since the product was read, or a row that somebody edited by hand.
    if (error instanceof NotFoundError || error instanceof SyntaxError || error instanceof ValidationError) return null;
    throw error;
  }
}
