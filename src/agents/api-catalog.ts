import type { ProductRecord } from '../domain/catalog/index.js';
import { guidePath, type GuideEntry } from '../domain/content/index.js';
import { NotFoundError } from '../core/index.js';
import { listGuides } from './guide-tools.js';
import { PRODUCTS_AT_ONCE, productAddress, productsByName, type Reading } from './reading.js';

/** Of RFC 9727, section 4.2. */
export const API_CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** Guides of all products of a part, and of one of them; the others are behind its list. */
const MOST_GUIDES = 2_000;
const MOST_OF_ONE = 20;

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
 * The products that the reader may see as a linkset (RFC 9264): each with its document, its pages and its guides, and before
 * them the guides of the portal.
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
  const guides = await guidesOf(reading, items);
  return {
    linkset: [
      {
        anchor: addressOf(part),
        item: items.map(({ slug, name }) => ({ href: productAddress(start, slug), title: name })),
        ...(part < parts && { next: [{ href: addressOf(part + 1) }] }),
      },
      ...(part === 1 ? await portalEntry(reading) : []),
      ...items.map((product) =>
        entryOf(productAddress(start, product.slug), product, guideTargets(start, guides.get(product.id) ?? [])),
      ),
    ],
  };
}

/** The guides of the portal document how all of its APIs are used. */
async function portalEntry(reading: Reading): Promise<LinkContext[]> {
  const guides = await listGuides(reading, 'guide');
  if (guides.length === 0) return [];
  const targets = guides.map(({ entry, address }) => ({ href: address, type: 'text/markdown', title: entry.name }));
  return [{ anchor: reading.start, 'service-doc': targets }];
}

async function guidesOf({ services, viewer, locale }: Reading, products: readonly ProductRecord[]) {
  const ids = products.map(({ id }) => id);
  const entries = await services.content.guides.listEntriesOf(ids, viewer, locale, MOST_GUIDES);
  const found = new Map<number, GuideEntry[]>();
  for (const entry of entries) {
    if (entry.productId === null) continue;
    const own = found.get(entry.productId) ?? [];
    own.push(entry);
    found.set(entry.productId, own);
  }
  return found;
}

function guideTargets(start: string, guides: readonly GuideEntry[]): Target[] {
  return guides.slice(0, MOST_OF_ONE).map(({ kind, product, slug, name }) => {
    const path = guidePath({ kind, product: product?.slug ?? null, slug });
    return { href: `${start}${path}.md`, type: 'text/markdown', title: name };
  });
}

function entryOf(anchor: string, { specHash, workflowsHash }: ProductRecord, guides: readonly Target[]): LinkContext {
  const pages = [
    { href: anchor, type: 'text/html' },
    { href: `${anchor}.md`, type: 'text/markdown' },
    ...(guides.length === 0 ? [] : [{ href: `${anchor}/guides`, type: 'text/html' }, ...guides]),
    ...(workflowsHash === null
      ? []
      : [
          { href: `${anchor}/workflows`, type: 'text/html' },
          { href: `${anchor}/workflows.md`, type: 'text/markdown' },
        ]),
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
