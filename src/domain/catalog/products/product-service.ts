import { changeRecord, lockRecord, type Transaction } from '../../../database/index.js';
import { requireLocales, type ExpectedVersion } from '../../../core/index.js';
import type { CatalogParts } from '../contracts.js';
import { ProductCreatedEvent, ProductDeletedEvent, ProductUpdatedEvent } from '../events.js';
import type { RecordReference } from '../join-table.js';
import { PictureStore, thumbnailColumns } from '../pictures.js';
import { productRecord, type AdminProductRecord, type ProductRecord, type ProductRow } from './product.js';
import { ProductAdminReader } from './product-admin-reader.js';
import type { ProductInput, SpecSource } from './product-input.js';
import { ProductSets } from './product-sets.js';
import { CATALOG_TABLES } from './product-list.js';
import { ProductWorkflows, requireOperations } from './product-workflows.js';
import type { DocumentIndexes } from '../openapi/index-cache.js';
import type { SpecReader } from '../openapi/spec-reader.js';
import type { DocumentHistory } from '../versions/document-history.js';
import { ADMIN } from '../visibility.js';
import { ProductDocuments, type GivenDocument } from '../versions/product-documents.js';
import type { ProductVersion } from '../versions/product-version.js';

type Changing<T> = (transaction: Transaction, now: Date) => Promise<T>;

/** Reads and changes API products; the caller checks permissions. */
export class ProductService extends ProductAdminReader {
  private readonly links: ProductSets;
  private readonly pictures: PictureStore;
  readonly written: ProductDocuments;
  readonly workflows: ProductWorkflows;

  constructor(parts: CatalogParts, specs: SpecReader, indexes: DocumentIndexes, history: DocumentHistory) {
    super(parts, specs, indexes, history);
    this.written = new ProductDocuments(parts, history);
    this.workflows = new ProductWorkflows(parts);
    this.links = new ProductSets(parts.database);
    this.pictures = new PictureStore(parts.database, parts.clock);
  }

  /** Begins to read a document that will be given soon. */
  readAhead(spec: string): void {
    this.specs.readAhead(spec);
  }

  /**
   * @param spec the initial document
   * @throws ValidationError for a taken slug or gateway product, unknown categories, audiences, plans and locales, a
   *   bad document
   */
  async create(input: ProductInput, spec?: SpecSource): Promise<AdminProductRecord> {
    requireLocales(input.translations, this.parts);
    const stored = spec === undefined ? null : await this.specs.read(spec);
    return this.runChange(async (transaction, now) => {
      const { tags: _tags, categories: _categories, audiences: _audiences, translations: _texts, ...rest } = input;
      const { plans: _plans, defaultPlan: _default, ...columns } = rest;
      const thumbnail = thumbnailColumns(input.thumbnailUrl ?? null);
      const customAttributes = { ...input.customAttributes };
      const values = {
        ...columns,
        ...thumbnail,
        customAttributes,
        specHash: stored?.hash,
        createdAt: now,
        updatedAt: now,
      };
      const id = await productRecord.insert(this.parts.database, values, transaction);
      await this.links.write(id, input, now, transaction);
      if (stored) await this.written.begin(id, stored, now, transaction);
      const product = await this.record(id, transaction);
      await this.parts.events.emit(new ProductCreatedEvent({ product, occurredAt: now }), transaction);
      return product;
    });
  }

  /**
   * Changes the given fields; lists are replaced as a whole. Equal values are no change and emit no event.
   * @throws NotFoundError, PreconditionFailedError, and ValidationError as {@link create}
   * @throws ConflictError for another slug or gateway product while keys carry the product (from a listener)
   */
  update(id: number, input: Partial<ProductInput>, expected?: ExpectedVersion): Promise<AdminProductRecord> {
    requireLocales(input.translations, this.parts);
    return this.runChange((transaction) => this.change(id, input, expected, transaction));
  }

  setCategories(
    id: number,
    categories: readonly RecordReference[],
    expected?: ExpectedVersion,
  ): Promise<AdminProductRecord> {
    return this.update(id, { categories }, expected);
  }

  setAudiences(
    id: number,
    audiences: readonly RecordReference[],
    expected?: ExpectedVersion,
  ): Promise<AdminProductRecord> {
    return this.update(id, { audiences }, expected);
  }

  /** @param defaultPlan stays when it is not given and still offered; else the first */
  setPlans(
    id: number,
    plans: readonly RecordReference[],
    defaultPlan?: RecordReference,
    expected?: ExpectedVersion,
  ): Promise<AdminProductRecord> {
    return this.update(id, { plans, ...(defaultPlan !== undefined && { defaultPlan }) }, expected);
  }

  /** Sets an uploaded picture as thumbnail; null removes it. @throws ValidationError on `thumbnail` */
  setThumbnail(id: number, bytes: Buffer | null, expected?: ExpectedVersion): Promise<AdminProductRecord> {
    return this.runChange(async (transaction) => {
      const thumbnailUrl = bytes && (await this.pictures.keep(bytes, transaction));
      return this.change(id, { thumbnailUrl }, expected, transaction);
    });
  }

  /**
   * Sets the OpenAPI document of a product, of its default version where it has versions; null removes it.
   * @throws NotFoundError, and ValidationError on `spec` with the reason (S64)
   */
  async setSpec(id: number, source: SpecSource | null, expected?: ExpectedVersion): Promise<AdminProductRecord> {
    const spec = source === null ? null : await this.specs.read(source);
    return this.giveDocument(id, { spec, note: {} }, expected);
  }

  /**
   * Sets the Arazzo document of a product; null removes it.
   * @param product as it was found for an admin
   * @throws NotFoundError, PreconditionFailedError, ConflictError, and ValidationError on `workflows` with the reason
   */
  async setWorkflows(
    product: Pick<ProductRecord, 'id' | 'specHash'>,
    bytes: Buffer | null,
    expected?: ExpectedVersion,
  ): Promise<AdminProductRecord> {
    const { id, specHash } = product;
    const stored = bytes && (await this.specs.readWorkflows(bytes));
    if (stored) {
      const { outline } = (specHash === null ? null : await this.readIndex(product, ADMIN)) ?? {};
      requireOperations(stored, outline?.kind === 'openapi' ? outline.operations : []);
    }
    const given = { stored, checkedWith: specHash };
    return this.runChange((transaction) =>
      this.workflows.give(id, given, expected, () => this.record(id, transaction), transaction),
    );
  }

  /** {@link setSpec} of a document that was read before. @throws NotFoundError, PreconditionFailedError, ConflictError */
  giveDocument(id: number, given: GivenDocument, expected?: ExpectedVersion): Promise<AdminProductRecord> {
    return this.runChange((transaction) =>
      this.written.giveProduct(id, given, expected, () => this.record(id, transaction), transaction),
    );
  }

  /** The same for a version of a product. @throws NotFoundError, PreconditionFailedError, ConflictError */
  giveVersionDocument(
    product: ProductRecord,
    versionId: number,
    given: GivenDocument,
    expected?: ExpectedVersion,
  ): Promise<ProductVersion> {
    return this.runChange((transaction) => this.written.giveVersion(product, versionId, given, expected, transaction));
  }

  /**
   * Removes a product with its document, links and picture.
   * @throws NotFoundError, PreconditionFailedError
   * @throws ConflictError while keys carry the product (from a listener)
   */
  delete(id: number, expected?: ExpectedVersion): Promise<void> {
    return this.runChange(async (transaction, now) => {
      const { database, events } = this.parts;
      await lockRecord(productRecord, database, id, expected, transaction);
      const product = await this.record(id, transaction);
      await events.emit(new ProductDeletedEvent({ product, occurredAt: now }), transaction);
      await productRecord.remove(database, { id }, transaction);
      await this.pictures.release(product.thumbnailUrl, transaction);
    });
  }

  // Versions are bumped last, to keep the time that writers block each other short.
  private runChange<T>(run: Changing<T>): Promise<T> {
    const { database, versions, clock } = this.parts;
    return database.transaction(async (transaction) => {
      const result = await run(transaction, clock.now());
      await versions.touch(CATALOG_TABLES, transaction);
      return result;
    });
  }

  private change(
    id: number,
    { tags, categories, audiences, plans, defaultPlan, translations, ...values }: Partial<ProductInput>,
    expected: ExpectedVersion,
    transaction: Transaction,
  ): Promise<AdminProductRecord> {
    const { thumbnailUrl } = values;
    const replaces = (before: ProductRow) => thumbnailUrl !== undefined && thumbnailUrl !== before.thumbnailUrl;
    return changeRecord(productRecord, this.parts, transaction, {
      id,
      expected,
      plan: async (before, now) => ({
        values,
        elsewhere: await this.links.write(
          id,
          { tags, categories, audiences, plans, defaultPlan, translations },
          now,
          transaction,
        ),
        hidden: replaces(before) && thumbnailColumns(thumbnailUrl ?? null),
      }),
      afterWrite: async (before) => {
        if (replaces(before)) await this.pictures.release(before.thumbnailUrl, transaction);
      },
      read: () => this.record(id, transaction),
      announce: (product, changes, occurredAt) => [new ProductUpdatedEvent({ product, changes, occurredAt })],
    });
  }
}
