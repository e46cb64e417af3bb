import { UniqueViolationError, type Transaction } from '../../database/index.js';
import { NotFoundError, ValidationError } from '../../kernel/index.js';
import type { CatalogParts } from './contracts.js';
import { ProductCreatedEvent, ProductSpecChangedEvent, ProductUpdatedEvent } from './events.js';
import { productModel, type Product, type ProductRecord } from './product.js';
import type { ProductInput, SpecSource } from './product-input.js';
import { ProductLinks } from './product-links.js';
import { CATALOG_TABLES } from './product-list.js';
import { ProductReader } from './product-reader.js';
import type { StoredSpec } from './spec/read-spec.js';
import type { SpecReader } from './spec/spec-reader.js';
import { ADMIN } from './visibility.js';

/** The API products, also for those who may change them; asking whether they may is the caller's part. */
export class ProductService extends ProductReader {
  private readonly links: ProductLinks;

  constructor(parts: CatalogParts, specs: SpecReader) {
    super(parts, specs);
    this.links = new ProductLinks(parts.database);
  }

  /**
   * @param spec the document to begin with
   * @throws ValidationError for a taken slug or gateway product, unknown categories and audiences, a bad document
   */
  async create(input: ProductInput, spec?: SpecSource): Promise<ProductRecord> {
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
        thumbnailUrl: input.thumbnailUrl ?? null,
        customAttributes: { ...input.customAttributes },
      };
      const row = await taking(
        model.create({ ...columns, specHash: stored?.hash ?? null, createdAt: now, updatedAt: now }, { transaction }),
      );
      const id = Number(row.id);
      await this.links.write(id, input, transaction);
      if (stored) await this.writeDocument(id, stored, now, transaction);
      const product = await this.read(id, ADMIN, null, transaction);
      await this.parts.events.emit(new ProductCreatedEvent({ product, occurredAt: now }), transaction);
      return product;
    });
  }

  /**
   * Changes what the input names; lists are replaced whole. What is equal already is no change and no event.
   * @throws NotFoundError, and ValidationError as {@link create}
   */
  async update(id: number, input: Partial<ProductInput>): Promise<ProductRecord> {
    return this.changing(async (transaction, now) => {
      const row = await this.lock(id, transaction);
      const { tags: _tags, categories: _categories, audiences: _audiences, translations: _texts, ...columns } = input;
      const changes: Record<string, readonly [unknown, unknown]> = {};
      for (const [field, after] of Object.entries(columns)) {
        const before: unknown = row.get(field);
        if (after !== undefined && !same(before, after)) changes[field] = [before, after];
      }
      const changed = Object.fromEntries(Object.entries(changes).map(([field, [, after]]) => [field, after]));
      Object.assign(changes, await this.links.write(id, input, transaction));
      if (Object.keys(changes).length === 0) return this.read(id, ADMIN, null, transaction);
      await taking(row.update({ ...changed, updatedAt: now }, { transaction }));
      const product = await this.read(id, ADMIN, null, transaction);
      await this.parts.events.emit(new ProductUpdatedEvent({ product, changes, occurredAt: now }), transaction);
      return product;
    });
  }

  setCategories(id: number, slugs: readonly string[]): Promise<ProductRecord> {
    return this.update(id, { categories: slugs });
  }

  setAudiences(id: number, names: readonly string[]): Promise<ProductRecord> {
    return this.update(id, { audiences: names });
  }

  setTags(id: number, tags: readonly string[]): Promise<ProductRecord> {
    return this.update(id, { tags });
  }

  /**
   * Gives a product its OpenAPI document, or takes it away with null.
   * @throws NotFoundError, and ValidationError on `spec` with the reason (S64)
   */
  async setSpec(id: number, spec: SpecSource | null): Promise<ProductRecord> {
    const stored = spec === null ? null : await this.specs.read(spec);
    return this.changing(async (transaction, now) => {
      const row = await this.lock(id, transaction);
      const before = row.specHash;
      const after = stored?.hash ?? null;
      if (before === after) return this.read(id, ADMIN, null, transaction);
      await this.writeDocument(id, stored, now, transaction);
      await row.update({ specHash: after, updatedAt: now }, { transaction });
      const product = await this.read(id, ADMIN, null, transaction);
      const event = new ProductSpecChangedEvent({ product, before, after, occurredAt: now });
      await this.parts.events.emit(event, transaction);
      return product;
    });
  }

  // Totals are touched last, so that writers wait for each other as briefly as can be.
  private changing<T>(run: (transaction: Transaction, now: Date) => Promise<T>): Promise<T> {
    const { database, versions, clock } = this.parts;
    return database.transaction(async (transaction) => {
      const result = await run(transaction, clock.now());
      await versions.touch(CATALOG_TABLES, transaction);
      return result;
    });
  }

  private async lock(id: number, transaction: Transaction): Promise<Product> {
    const row = await productModel(this.parts.database).findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
    if (!row) throw new NotFoundError();
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

async function taking<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof UniqueViolationError)) throw error;
    const field = error.columns.includes('gateway_product_id') ? 'gateway_product_id' : 'slug';
    throw new ValidationError({ [field]: ['This value is already taken by another product.'] }, { cause: error });
  }
}

function same(before: unknown, after: unknown): boolean {
  return before === after || JSON.stringify(before) === JSON.stringify(after);
}
