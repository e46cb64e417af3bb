import { PortalError, type EventBus } from '../../core/index.js';
import type { Database, Transaction } from '../../database/index.js';
import {
  ADMIN,
  ProductCreatedEvent,
  ProductDeletedEvent,
  productRecord,
  ProductSpecChangedEvent,
  ProductUpdatedEvent,
  type AdminProductRecord,
  type ProductService,
  type Viewer,
} from '../catalog/index.js';
import type { Sql } from './full-text.js';
import { ANY_LOCALE, type SearchDocument, type SearchScope } from './search-entry.js';
import { writeInEachLocale, ofVisibleProduct, plainText, type Mark, type SearchSource } from './source.js';

/** Characters of the text of an operation or a schema. */
const LONGEST_TEXT = 3_000;
/** Of one document; larger ones have their own search in the reference. */
const MOST_OPERATIONS = 4_000;
const MOST_SCHEMAS = 2_000;

interface ProductSourceParts {
  readonly database: Database;
  readonly products: ProductService;
  readonly locales: readonly string[];
}

/** Products, the operations and schemas of their documents, and their workflows. */
export class ProductSource implements SearchSource {
  readonly name = 'product';

  constructor(private readonly parts: ProductSourceParts) {}

  listen(events: EventBus<Transaction>, mark: Mark): void {
    for (const event of [ProductCreatedEvent, ProductUpdatedEvent, ProductSpecChangedEvent, ProductDeletedEvent]) {
      events.within(event, ({ product }, transaction) => mark(this.name, product.id, transaction));
    }
  }

  list() {
    return productRecord.findAll(this.parts.database, {}, { only: ['id', 'updatedAt'], order: 'p.id' });
  }

  async read(id: number): Promise<SearchScope | null> {
    const product = await orNull(this.parts.products.findForAdmin(id));
    if (!product) return null;
    const rest = {
      type: 'product',
      place: product.slug,
      keywords: `${product.slug} ${product.tags.join(' ')}`,
    } as const;
    const own = writeInEachLocale(product, this.parts.locales, rest);
    const below = [...(await this.readDocument(product)), ...(await this.readWorkflows(product))];
    return { productId: id, updatedAt: product.updatedAt, documents: [...own, ...below] };
  }

  visible(viewer: Viewer, alias: string): Sql {
    return ofVisibleProduct(viewer, alias);
  }

  private async readWorkflows(product: AdminProductRecord): Promise<SearchDocument[]> {
    const workflows = await this.parts.products.workflows.list(product);
    return workflows.map(({ id, summary, description, steps }) => {
      const texts = [description, ...steps.map((step) => step.description)].filter(Boolean).join('\n\n');
      const names = { place: id, name: summary || id, summary: '', keywords: id };
      return { ...names, type: 'workflow', locale: ANY_LOCALE, body: plainText(texts.slice(0, LONGEST_TEXT)) } as const;
    });
  }

  private async readDocument(product: AdminProductRecord): Promise<SearchDocument[]> {
    if (product.specHash === null) return [];
    const index = await orNull(this.parts.products.readIndex(product, ADMIN));
    if (!index) return [];
    const { operations, schemas } = index.describe(LONGEST_TEXT);
    const common = { locale: ANY_LOCALE } as const;
    return [
      ...operations.slice(0, MOST_OPERATIONS).map(({ method, path, summary, tag, anchor, text }) => {
        const call = `${method.toUpperCase()} ${path}`;
        // The text of an operation begins with its summary, which stands above it already.
        const body = plainText(text.startsWith(summary) ? text.slice(summary.length) : text);
        const names = { place: anchor, name: summary || call, summary: call, keywords: `${anchor} ${tag}` };
        return { ...common, ...names, type: 'operation' as const, body };
      }),
      ...schemas.slice(0, MOST_SCHEMAS).map(({ name, text }) => {
        return { ...common, type: 'schema' as const, place: name, name, summary: '', body: plainText(text) };
      }),
    ];
  }
}

async function orNull<T>(finding: Promise<T>): Promise<T | null> {
  try {
    return await finding;
  } catch (error) {
    if (error instanceof PortalError && error.status === 404) return null;
    throw error;
  }
}
