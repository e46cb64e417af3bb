import { BoundedCache, NotFoundError, PortalError, type ListQuery, type ListPage } from '../../../core/index.js';
import { defineRecord, fieldOf, Op, type Transaction } from '../../../database/index.js';
import type { CatalogParts } from '../contracts.js';
import {
  productRecord,
  type ProductApproval,
  type ProductRecord,
  type ProductRow,
  type ViewedProduct,
} from './product.js';
import { productListRun, type ProductListReader } from './product-list.js';
import { PublicCache } from './public-cache.js';
import { withRelations } from './product-relations.js';
import { byReference } from '../reference.js';
import type { DocumentIndex } from '../openapi/document-index.js';
import type { DocumentIndexes, SpecFacts } from '../openapi/index-cache.js';
import type { SpecReader } from '../openapi/spec-reader.js';
import type { DocumentHistory } from '../versions/document-history.js';
import { productVersionRecord, readVersions, splitReference } from '../versions/product-version.js';
import { selectVisibleProducts, type Viewer } from '../visibility.js';

/** What the apps domain needs to put a product on a credential. */
export interface AttachableProductRecord {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly approval: ProductApproval;
  readonly gatewayProductId: string;
}

/** A document as JSON, without its bytes if the caller has them already. */
export interface SpecRead {
  readonly hash: string;
  /** A shared buffer; do not modify it. */
  readonly document: Buffer | null;
}

/** A product whose document is meant, as {@link ProductReader.find} or a list returned it. */
type DocumentOwner = Pick<ProductRecord, 'id' | 'specHash'> & Partial<Pick<ViewedProduct, 'version'>>;
type KnownDocument = DocumentOwner & { readonly specHash: string };

/** Bytes of documents kept in memory. */
const MOST_CACHED_BYTES = 32 * 1024 * 1024;
/** Maximum number of lookups when a document changes while it is being read. */
const MOST_LOOKUPS = 3;

/** The document of a product, which its page shows. */
const shownDocumentRecord = defineRecord({
  name: 'ShownDocument',
  table: 'portal_product_specs',
  alias: 's',
  fields: { productId: fieldOf.reference().key(), document: fieldOf.longText() },
});

/** Reads API products, limited to what a viewer may see. */
export class ProductReader {
  private readonly publicPages: PublicCache<ListPage<ProductRecord>>;
  private readonly publicProducts: PublicCache<ViewedProduct>;
  private readonly documents = new BoundedCache<Buffer>({ size: MOST_CACHED_BYTES, sizeOf: ({ length }) => length });

  constructor(
    protected readonly parts: CatalogParts,
    protected readonly specs: SpecReader,
    private readonly indexes: DocumentIndexes,
    private readonly history: DocumentHistory,
  ) {
    this.publicPages = new PublicCache(parts.versions, parts.clock);
    this.publicProducts = new PublicCache(parts.versions, parts.clock);
  }

  /**
   * A page of the products that the viewer may see, whatever the query. Names are sorted, filtered and searched in the
   * reader's locale.
   * @throws ValidationError naming what the list does not support
   */
  async list(query: ListQuery, viewer: Viewer, locale: string): Promise<ListPage<ProductRecord>> {
    const read = () => this.readPage(query, viewer, locale);
    // A cursor walk reads each page once: caching it would only evict others.
    const isCached = viewer.kind === 'anonymous' && query.cursor === undefined;
    return isCached ? this.publicPages.get([locale, query], read) : read();
  }

  private async readPage(query: ListQuery, viewer: Viewer, locale: string): Promise<ListPage<ProductRecord>> {
    const page = await this.page(query, { viewer, locale: this.localeUnlessDefault(locale) });
    return { ...page, items: await withRelations(this.parts.database, page.items, this.localeUnlessDefault(locale)) };
  }

  /**
   * @param reference id or slug, with a version as `payments@v2`; without one it is the default version
   * @throws NotFoundError for a product that is missing or hidden from this viewer, and for such a version
   */
  async find(reference: number | string, viewer: Viewer, locale: string): Promise<ViewedProduct> {
    const read = () => this.readView(reference, viewer, this.localeUnlessDefault(locale));
    return viewer.kind === 'anonymous' ? this.publicProducts.get([locale, reference], read) : read();
  }

  private async readView(reference: number | string, viewer: Viewer, locale: string | null): Promise<ViewedProduct> {
    const { product: name, version: wanted } = splitReference(reference);
    if (wanted === undefined) throw new NotFoundError();
    const product = await this.read(name, viewer, locale);
    const versions = await readVersions(this.parts.database, product.id, viewer);
    const version = versions.find((one) => (wanted === null ? one.isDefault : one.name === wanted)) ?? null;
    if (wanted !== null && version === null) throw new NotFoundError();
    const address = wanted === null ? product.slug : `${product.slug}@${wanted}`;
    const specHash = version ? version.specHash : product.specHash;
    // They call the operations of the default version.
    const isOther = version !== null && (!version.isDefault || version.state === 'retired');
    const workflowsHash = isOther ? null : product.workflowsHash;
    return { ...product, specHash, workflowsHash, address, version, versions };
  }

  /**
   * The OpenAPI document of a product.
   * @param reference as for {@link find}
   * @param known hash of the caller's copy; an equal document is not read again
   * @throws NotFoundError also for a product without a document
   */
  async spec(reference: number | string, viewer: Viewer, known = ''): Promise<SpecRead> {
    const { product: name, version } = splitReference(reference);
    if (version === undefined) throw new NotFoundError();
    const { by, and } = selectProduct(name, viewer);
    if (version !== null) return this.versionSpec({ by, and }, version, viewer, known);
    for (let lookup = 0; lookup < MOST_LOOKUPS; lookup += 1) {
      const product = await productRecord.find(this.parts.database, by, { and, only: ['id', 'specHash'] });
      if (!product?.specHash) break;
      const { id, specHash: hash } = product;
      if (hash === known) return { hash, document: null };
      const document = await this.documents.read(hash, () => this.readDocument(id, hash));
      if (document) return { hash, document };
    }
    throw new NotFoundError();
  }

  /** A document that the product once had. @throws NotFoundError */
  async readKeptSpec({ id }: Pick<ProductRecord, 'id'>, hash: string): Promise<SpecRead> {
    return { hash, document: await this.readRevision(id, hash) };
  }

  /** A version keeps its documents, so that nothing changes between the two reads. */
  private async versionSpec(
    { by, and }: ReturnType<typeof selectProduct>,
    name: string,
    viewer: Viewer,
    known: string,
  ): Promise<SpecRead> {
    const product = await productRecord.find(this.parts.database, by, { and });
    const version = product && (await productVersionRecord.find(this.parts.database, { productId: product.id, name }));
    const isHidden = version?.state === 'draft' && viewer.kind !== 'admin';
    if (!version || isHidden || version.specHash === null) throw new NotFoundError();
    if (version.specHash === known) return { hash: known, document: null };
    return { hash: version.specHash, document: await this.readRevision(version.productId, version.specHash) };
  }

  /** @throws NotFoundError */
  private async readRevision(productId: number, hash: string): Promise<Buffer> {
    const document = await this.documents.read(hash, async () => {
      const text = await this.history.readText(productId, hash);
      return text === undefined ? undefined : Buffer.from(text);
    });
    if (!document) throw new NotFoundError();
    return document;
  }

  /** undefined if the product's document has changed meanwhile. */
  private async readDocument(id: number, hash: string): Promise<Buffer | undefined> {
    const where = 'EXISTS (SELECT 1 FROM portal_products p WHERE p.id = s.product_id AND p.spec_hash = ?)';
    const and = { where, values: [hash] };
    const row = await shownDocumentRecord.find(this.parts.database, { productId: id }, { and });
    return row ? Buffer.from(row.document) : undefined;
  }

  /**
   * The indexed document of a product, for its reference.
   * @param product as {@link find} returned it to this viewer
   * @returns null when it cannot be shown
   * @throws NotFoundError for a product without a document, ServiceUnavailableError when too many wait
   */
  async readIndex(product: DocumentOwner, viewer: Viewer): Promise<DocumentIndex | null> {
    const { specHash } = product;
    if (specHash === null) throw new NotFoundError();
    return this.indexes.of(specHash, () => this.readWhole({ ...product, specHash }, viewer));
  }

  /**
   * The document of a product in short, for lists.
   * @param product as a list returned it to this viewer
   * @returns null without a document, and for one that cannot be shown now
   */
  async readFacts({ id, specHash }: Pick<ProductRecord, 'id' | 'specHash'>, viewer: Viewer): Promise<SpecFacts | null> {
    if (specHash === null) return null;
    try {
      return await this.indexes.factsOf(specHash, () => this.readWhole({ id, specHash }, viewer));
    } catch (error) {
      // A list is not worth failing for.
      if (error instanceof PortalError && (error.status === 404 || error.status === 503)) return null;
      throw error;
    }
  }

  private async readWhole({ id, specHash, version }: KnownDocument, viewer: Viewer): Promise<string> {
    if (version && !version.isDefault) return (await this.readRevision(id, specHash)).toString();
    const { hash, document } = await this.spec(id, viewer);
    // Changed since the product was read: it must not be cached under this hash.
    if (document === null || hash !== specHash) throw new NotFoundError();
    return document.toString();
  }

  /** A document of {@link spec} as YAML. @param hash of the document */
  specAsYaml(document: Buffer, hash: string): Promise<Buffer> {
    return this.specs.toYaml(document, hash);
  }

  /**
   * Splits products by whether a developer may put them on a credential, that is, may see them (S57).
   * @param references slugs or ids; duplicates count once
   * @returns in the requested order; `unknown` are the references to reject with 422
   */
  async splitAttachable(
    userId: number,
    references: readonly (number | string)[],
  ): Promise<{ products: AttachableProductRecord[]; unknown: string[] }> {
    const names = [...new Set(references.map(String))];
    if (names.length === 0) return { products: [], unknown: [] };
    const visible = selectVisibleProducts({ kind: 'developer', userId }, 'p');
    const valid = names.map(byReference).filter((reference) => reference !== null);
    if (valid.length === 0) return { products: [], unknown: names };
    const rows: AttachableProductRecord[] = await productRecord.findAll(
      this.parts.database,
      { [Op.or]: valid.map(({ column, value }) => ({ [column]: value })) },
      { and: visible, only: ['id', 'slug', 'name', 'approval', 'gatewayProductId'] },
    );
    const find = (name: string) => rows.find(({ id, slug }) => slug === name || String(id) === name);
    const products = names.map(find).filter((product) => product !== undefined);
    return { products: [...new Set(products)], unknown: names.filter((name) => !find(name)) };
  }

  protected page(query: ListQuery, reader: ProductListReader): Promise<ListPage<ProductRow>> {
    const { database, lists } = this.parts;
    const run = productListRun(query, reader, database.dialect);
    return lists.run(run.list, run.query, { scope: run.scope });
  }

  protected async read(
    reference: number | string,
    viewer: Viewer,
    locale: string | null,
    transaction?: Transaction,
  ): Promise<ProductRecord> {
    const { database } = this.parts;
    const { by, and } = selectProduct(reference, viewer);
    const rows = await productRecord.findAll(database, by, { and, transaction });
    const [product] = await withRelations(database, rows, locale, transaction);
    if (!product) throw new NotFoundError();
    return product;
  }

  /** null for the default locale. */
  protected localeUnlessDefault(locale: string): string | null {
    return locale === this.parts.defaultLocale ? null : locale;
  }
}

// A missing product and a hidden one look the same to the viewer.
function selectProduct(reference: number | string, viewer: Viewer) {
  const by = byReference(reference);
  if (!by) throw new NotFoundError();
  return { by: { [by.column]: by.value }, and: selectVisibleProducts(viewer, 'p') };
}
