import { isDeepStrictEqual } from 'node:util';
import { UniqueViolationError, type Transaction } from '../../../database/index.js';
import {
  nextVersion,
  NotFoundError,
  requireVersion,
  ValidationError,
  type ExpectedVersion,
  requireLocales,
} from '../../../core/index.js';
import type { CatalogParts } from '../contracts.js';
import { ProductCreatedEvent, ProductDeletedEvent, ProductSpecChangedEvent, ProductUpdatedEvent } from '../events.js';
import type { ValueChange, RecordReference } from '../join-table.js';
import { nameFilePresent, PictureStore, thumbnailColumns } from '../pictures.js';
import { productModel, type AdminProductRecord, type Product } from './product.js';
import { ProductAdminReader } from './product-admin-reader.js';
import type { ProductInput, SpecSource } from './product-input.js';
import { ProductSets } from './product-sets.js';
import { CATALOG_TABLES } from './product-list.js';
import type { StoredSpec } from '../openapi/read-spec.js';
import type { DocumentIndexes } from '../openapi/index-cache.js';
import type { SpecReader, SpecUpload } from '../openapi/spec-reader.js';

type Changing<T> = (transaction: Transaction, now: Date) => Promise<T>;

/** The API products, also for those who may change them; asking whether they may is the caller's part. */
export class ProductService extends ProductAdminReader {
  private readonly links: ProductSets;
  private readonly pictures: PictureStore;

  constructor(parts: CatalogParts, specs: SpecReader, digests: DocumentIndexes) {
    super(parts, specs, digests);
    this.links = new ProductSets(parts.database);
    this.pictures = new PictureStore(parts.database, parts.clock);
  }

  /**
   * @param spec the document to begin with
   * @throws ValidationError for a taken slug or gateway product, unknown categories, audiences and locales, a bad document
   */
  async create(input: ProductInput, spec?: SpecSource): Promise<AdminProductRecord> {
    requireLocales(input.translations, this.parts);
    const stored = spec === undefined ? null : await this.specs.read(spec);
    return this.changing(async (transaction, now) => {
      const model = productModel(this.parts.database);
      const columns = {
        slug: input.slug,
        name: input.name,
        shortDescription: input.shortDescription ?? '',
        description: input.description ?? '',
        visibility: input.visibility,
        approval: input.approval,
        gatewayProductId: input.gatewayProductId,
        ...thumbnailColumns(input.thumbnailUrl ?? null),
        customAttributes: { ...input.customAttributes },
      };
      const row = await refuseTaken(
        model.create({ ...columns, specHash: stored?.hash ?? null, createdAt: now, updatedAt: now }, { transaction }),
      );
      const id = Number(row.id);
      await this.links.write(id, input, now, transaction);
      if (stored) await this.writeDocument(id, stored, now, transaction);
      const product = await this.record(id, transaction);
      await this.parts.events.emit(new ProductCreatedEvent({ product, occurredAt: now }), transaction);
      return product;
    });
  }

  /**
   * Changes what the input names; lists are replaced whole. What is equal already is no change and no event.
   * @throws NotFoundError, PreconditionFailedError, and ValidationError as {@link create}
   * @throws ConflictError for another slug or gateway product while keys carry the product (a listener's)
   */
  update(id: number, input: Partial<ProductInput>, expected?: ExpectedVersion): Promise<AdminProductRecord> {
    requireLocales(input.translations, this.parts);
    return this.changing((transaction, now) => this.change(id, input, expected, now, transaction));
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

  /** Gives a product an uploaded picture, or takes its thumbnail away with null. @throws ValidationError on `thumbnail` */
  setThumbnail(id: number, bytes: Buffer | null, expected?: ExpectedVersion): Promise<AdminProductRecord> {
    return this.changing(async (transaction, now) => {
      const thumbnailUrl = bytes && (await this.pictures.keep(bytes, transaction));
      return this.change(id, { thumbnailUrl }, expected, now, transaction);
    });
  }

  /**
   * Gives a product its OpenAPI document, or takes it away with null.
   * @throws NotFoundError, and ValidationError on `spec` with the reason (S64)
   */
  async setSpec(id: number, spec: SpecSource | null, expected?: ExpectedVersion): Promise<AdminProductRecord> {
    return this.storeSpec(id, spec === null ? null : await this.specs.read(spec), expected);
  }

  /** The same from what somebody sent: a file, or `{spec}` or `{url}` as JSON. @throws MalformedRequestError, ValidationError */
  async uploadSpec(id: number, upload: SpecUpload, expected?: ExpectedVersion): Promise<AdminProductRecord> {
    return this.storeSpec(id, await this.specs.readUpload(upload), expected);
  }

  /**
   * Removes a product with its document, links and picture.
   * @throws NotFoundError, PreconditionFailedError
   * @throws ConflictError while keys carry the product (a listener's)
   */
  delete(id: number, expected?: ExpectedVersion): Promise<void> {
    return this.changing(async (transaction, now) => {
      const row = await this.lock(id, expected, transaction);
      const product = await this.record(id, transaction);
      await this.parts.events.emit(new ProductDeletedEvent({ product, occurredAt: now }), transaction);
      await row.destroy({ transaction });
      await this.pictures.release(product.thumbnailUrl, transaction);
    });
  }

  // Totals are touched last, so that writers wait for each other as briefly as can be.
  private changing<T>(run: Changing<T>): Promise<T> {
    const { database, versions, clock } = this.parts;
    return database.transaction(async (transaction) => {
      const result = await run(transaction, clock.now());
      await versions.touch(CATALOG_TABLES, transaction);
      return result;
    });
  }

  private async change(
    id: number,
    input: Partial<ProductInput>,
    expected: ExpectedVersion,
    now: Date,
    transaction: Transaction,
  ): Promise<AdminProductRecord> {
    const row = await this.lock(id, expected, transaction);
    const { thumbnailUrl: before } = row;
    const { tags: _tags, categories: _categories, audiences: _audiences, translations: _texts, ...columns } = input;
    const changes: Record<string, ValueChange> = {};
    for (const [field, after] of Object.entries(columns)) {
      const present: unknown = row.get(field);
      if (after !== undefined && !isDeepStrictEqual(present, after)) changes[field] = [present, after];
    }
    const changed = Object.fromEntries(Object.entries(changes).map(([field, [, after]]) => [field, after]));
    Object.assign(changes, await this.links.write(id, input, now, transaction));
    if (Object.keys(changes).length === 0) return this.record(id, transaction);
    const thumbnail = changes.thumbnailUrl && thumbnailColumns(input.thumbnailUrl ?? null);
    await refuseTaken(row.update({ ...changed, ...thumbnail, updatedAt: nextVersion(now, row) }, { transaction }));
    if (thumbnail) await this.pictures.release(before, transaction);
    const product = await this.record(id, transaction);
    await this.parts.events.emit(new ProductUpdatedEvent({ product, changes, occurredAt: now }), transaction);
    return product;
  }

  private storeSpec(id: number, spec: StoredSpec | null, expected: ExpectedVersion): Promise<AdminProductRecord> {
    return this.changing(async (transaction, now) => {
      const row = await this.lock(id, expected, transaction);
      const before = row.specHash;
      const after = spec?.hash ?? null;
      if (before === after) return this.record(id, transaction);
      await this.writeDocument(id, spec, now, transaction);
      await row.update({ specHash: after, updatedAt: nextVersion(now, row) }, { transaction });
      const product = await this.record(id, transaction);
      const event = new ProductSpecChangedEvent({ product, before, after, occurredAt: now });
      await this.parts.events.emit(event, transaction);
      return product;
    });
  }

  private async lock(id: number, expected: ExpectedVersion, transaction: Transaction): Promise<Product> {
    const row = await productModel(this.parts.database).findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
    if (!row) throw new NotFoundError();
    requireVersion(expected, row);
    return row;
  }

  private async writeDocument(id: number, spec: StoredSpec | null, now: Date, transaction: Transaction): Promise<void> {
    const { database } = this.parts;
    await database.execute('DELETE FROM portal_product_specs WHERE product_id = ?', [id], { transaction });
    if (!spec) return;
    await database.execute(
      'INSERT INTO portal_product_specs (product_id, document, updated_at) VALUES (?, ?, ?)',
      [id, spec.document, now],
      { transaction },
    );
  }
}

async function refuseTaken<T>(write: Promise<T>): Promise<T> {
  try {
    return await nameFilePresent(write);
  } catch (error) {
    if (!(error instanceof UniqueViolationError)) throw error;
    const field = error.columns.includes('gateway_product_id') ? 'gateway_product_id' : 'slug';
    throw new ValidationError({ [field]: ['This value is already taken by another product.'] }, { cause: error });
  }
}
