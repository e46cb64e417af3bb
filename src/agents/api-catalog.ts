import type { ProductRecord } from '../domain/catalog/index.js';
import { NotFoundError } from '../core/index.js';
import { PRODUCTS_AT_ONCE, productAddress, productsByName, type Reading } from './reading.js';

/** Of RFC 9727, section 4.2. */
export const API_CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

interface Target {
  readonly href: string;
  readonly type?: string;
  readonly title?: string;
}

interface ApiCatalog {
  readonly linkset: readonly LinkContext[];
}

/** An address with what its relations lead to. */
interface LinkContext {
  readonly anchor: string;
  readonly item?: readonly Target[];
  readonly next?: readonly Target[];
  readonly 'service-desc'?: readonly Target[];
  readonly 'service-doc'?: readonly Target[];
}

/**
 * The products that the reader may see as a linkset (RFC 9264): each with its document and its pages.
 * @param part from 1; a catalog of more than a thousand has several, each leading to the next
 * @throws NotFoundError for a part after the last
 */
export async function readApiCatalog(reading: Reading, part: number): Promise<ApiCatalog> {
  const { services, viewer, locale, start } = reading;
  const { items, total } = await services.catalog.products.list(
    { ...productsByName(part), orderBy: 'id' },
    viewer,
    locale,
  );
  const parts = Math.max(1, Math.ceil((total ?? items.length) / PRODUCTS_AT_ONCE));
  if (part > parts) throw new NotFoundError();
  const own = `${services.site.about.baseUrl()}/.well-known/api-catalog`;
  const addressOf = (number: number) => (number === 1 ? own : `${own}?part=${number}`);
  return {
    linkset: [
      {
        anchor: addressOf(part),
        item: items.map(({ slug, name }) => ({ href: productAddress(start, slug), title: name })),
        ...(part < parts && { next: [{ href: addressOf(part + 1) }] }),
      },
      ...items.map((product) => entryOf(productAddress(start, product.slug), product)),
    ],
  };
}

function entryOf(anchor: string, { specHash }: ProductRecord): LinkContext {
  const pages = [
    { href: anchor, type: 'text/html' },
    { href: `${anchor}.md`, type: 'text/markdown' },
  ];
  if (specHash === null) return { anchor, 'service-doc': pages };
  return {
    anchor,
    // Without a type: it is JSON, or GraphQL's own language, and a list of products does not know which.
    'service-desc': [{ href: `${anchor}/spec?download=json` }],
    'service-doc': [
      ...pages,
      { href: `${anchor}/spec`, type: 'text/html' },
      { href: `${anchor}/spec.md`, type: 'text/markdown' },
    ],
  };
}
