import { PortalError, type ListQuery } from '../core/index.js';
import type {
  DocumentIndex,
  ProductRecord,
  SpecOutline,
  ViewedProduct,
  Viewer,
  WrittenOrder,
} from '../domain/catalog/index.js';
import type { PortalServices } from '../domain/services.js';

/** The reader, their language, and the address of the pages. */
export interface Reading {
  readonly services: Pick<PortalServices, 'catalog' | 'site' | 'content' | 'search'>;
  readonly viewer: Viewer;
  readonly locale: string;
  /** Where the pages begin, without a slash at the end: `https://portal.example.com/portal`. */
  readonly start: string;
  /** Of the section `agents`, in the reader's language. */
  readonly messages: Readonly<Record<string, string>>;
}

/** An MCP call: the reader, and the messages of references in their language. */
export interface McpSetting extends Reading {
  /** Path of the pages: `/portal`. */
  readonly pages: string;
  /** Of the sections `reference` and `written`. */
  readonly reference: Readonly<Record<string, string>>;
  /** What is said of operations beside their addresses: since when they are there, when they changed, when they end. */
  readonly marks: (product: ViewedProduct, index: DocumentIndex) => Promise<NonNullable<WrittenOrder['marks']>>;
}

/** Products of one read; a catalog of more is read in steps. */
export const PRODUCTS_AT_ONCE = 1_000;

/** Products by name, as many as are read at once. @param page from 1 */
export function productsByName(page: number, perPage = PRODUCTS_AT_ONCE): ListQuery {
  return { page, perPage, orderBy: 'name', direction: 'ASC', with: [], filters: [] };
}

/** Address of a product's page. @param slug with a version as `payments@v2` */
export function productAddress(start: string, slug: string): string {
  return `${start}/products/${encodeURIComponent(slug).replace('%40', '@')}`;
}

/** Null without a document, and for one that cannot be shown now: the product itself is worth an answer. */
export async function readOutline(
  { services, viewer }: Reading,
  product: Pick<ProductRecord, 'id' | 'specHash'>,
): Promise<SpecOutline | null> {
  if (product.specHash === null) return null;
  try {
    return (await services.catalog.products.readIndex(product, viewer))?.outline ?? null;
  } catch (error) {
    if (error instanceof PortalError && (error.status === 404 || error.status === 503)) return null;
    throw error;
  }
}
