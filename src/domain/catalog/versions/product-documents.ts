import { changeRecord, lockRecord, replaceRows, type Transaction } from '../../../database/index.js';
import { ConflictError, nextVersion, type ExpectedVersion } from '../../../core/index.js';
import type { CatalogParts } from '../contracts.js';
import { ProductSpecChangedEvent } from '../events.js';
import type { SpecDiff } from '../openapi/diff/diff-documents.js';
import type { StoredSpec } from '../openapi/stored-spec.js';
import { productRecord, type ProductRecord } from '../products/product.js';
import type { DocumentHistory } from './document-history.js';
import type { DocumentNote, DocumentRevision, OperationDates } from './document-revision.js';
import { productVersionRecord, type ProductVersion } from './product-version.js';

/** A document on its way into a product. */
export interface GivenDocument {
  /** null takes the document away. */
  readonly spec: StoredSpec | null;
  readonly note: DocumentNote;
  /** What it changes, and the hash of the document that it was compared with. */
  readonly compared?: { readonly with: string | null; readonly diff: SpecDiff | null };
  /** When its operations came and changed. */
  readonly operations?: OperationDates | null;
  /** Writes what belongs to it, in the same transaction. */
  readonly afterInsert?: (document: DocumentRevision, now: Date, transaction: Transaction) => Promise<void>;
}

/** Writes the documents of products and of their versions, within the caller's transaction, and keeps each. */
export class ProductDocuments {
  constructor(
    private readonly parts: CatalogParts,
    private readonly history: DocumentHistory,
  ) {}

  /**
   * Gives the product its document: to its default version where it has versions.
   * @param read the product as it is after that
   * @throws ConflictError for another document than the one that this one was compared with
   */
  async giveProduct<P extends ProductRecord>(
    id: number,
    given: GivenDocument,
    expected: ExpectedVersion,
    read: () => Promise<P>,
    transaction: Transaction,
  ): Promise<P> {
    const after = given.spec?.hash ?? null;
    let revision: DocumentRevision | null = null;
    let version: ProductVersion | null = null;
    return changeRecord(productRecord, this.parts, transaction, {
      id,
      expected,
      plan: async ({ specHash }, now) => {
        refuseOther(given, specHash);
        if (specHash === after) return {};
        await this.writeShown(id, given.spec, now, transaction);
        version = await this.writeDefault(id, after, now, transaction);
        revision = await this.keep({ id, versionId: version?.id ?? null, before: specHash }, given, now, transaction);
        return { values: { specHash: after } };
      },
      read,
      announce: (product, _, occurredAt, { specHash }) => [
        new ProductSpecChangedEvent({ product, version, document: revision, before: specHash, after, occurredAt }),
      ],
    });
  }

  /**
   * Gives a version its document; the product shows it where that is its default one.
   * @throws NotFoundError, PreconditionFailedError, and as {@link giveProduct}
   */
  async giveVersion(
    product: ProductRecord,
    versionId: number,
    given: GivenDocument,
    expected: ExpectedVersion,
    transaction: Transaction,
  ): Promise<ProductVersion> {
    const after = given.spec?.hash ?? null;
    let revision: DocumentRevision | null = null;
    // Before the version, as everywhere.
    await lockRecord(productRecord, this.parts.database, product.id, undefined, transaction);
    return changeRecord(productVersionRecord, this.parts, transaction, {
      id: versionId,
      expected,
      plan: async ({ specHash, isDefault }, now) => {
        refuseOther(given, specHash);
        if (specHash === after) return {};
        if (isDefault) await this.show(product.id, given.spec, now, transaction);
        revision = await this.keep({ id: product.id, versionId, before: specHash }, given, now, transaction);
        return { values: { specHash: after } };
      },
      read: () => productVersionRecord.require(this.parts.database, { id: versionId }, { transaction }),
      announce: (version, _, occurredAt, { specHash }) => [
        new ProductSpecChangedEvent({ product, version, document: revision, before: specHash, after, occurredAt }),
      ],
    });
  }

  /** Keeps the document that a new product begins with. */
  async begin(productId: number, spec: StoredSpec, now: Date, transaction: Transaction): Promise<void> {
    await this.writeShown(productId, spec, now, transaction);
    await this.keep({ id: productId, versionId: null, before: null }, { spec, note: {} }, now, transaction);
  }

  /** Shows the document of another version at the product's own address. */
  async follow(product: ProductRecord, version: ProductVersion, now: Date, transaction: Transaction): Promise<void> {
    const { specHash: hash } = version;
    const document = hash === null ? undefined : await this.history.readText(product.id, hash, transaction);
    const spec = hash === null || document === undefined ? null : { hash, document };
    const before = await this.show(product.id, spec, now, transaction);
    const after = spec?.hash ?? null;
    if (before === after) return;
    const fact = { product, version, document: null, before, after, occurredAt: now };
    await this.parts.events.emit(new ProductSpecChangedEvent(fact), transaction);
  }

  /** @returns the hash of what was shown until now */
  private async show(id: number, spec: StoredSpec | null, now: Date, transaction: Transaction): Promise<string | null> {
    const { database } = this.parts;
    const present = await productRecord.require(database, { id }, { transaction });
    await this.writeShown(id, spec, now, transaction);
    const values = { specHash: spec?.hash ?? null, updatedAt: nextVersion(now, present) };
    await productRecord.update(database, { id }, values, transaction);
    return present.specHash;
  }

  private writeShown(id: number, spec: StoredSpec | null, now: Date, transaction: Transaction): Promise<void> {
    const rows = spec ? [{ document: spec.document, updated_at: now }] : [];
    const shown = { table: 'portal_product_specs', owner: 'product_id' };
    return replaceRows(this.parts.database, shown, id, rows, transaction);
  }

  private async writeDefault(
    productId: number,
    specHash: string | null,
    now: Date,
    transaction: Transaction,
  ): Promise<ProductVersion | null> {
    const { database } = this.parts;
    const where = { productId, isDefault: true };
    const version = await productVersionRecord.find(database, where, { transaction });
    if (!version) return null;
    const values = { specHash, updatedAt: nextVersion(now, version) };
    await productVersionRecord.update(database, { id: version.id }, values, transaction);
    return { ...version, ...values };
  }

  private async keep(
    {
      id,
      versionId,
      before,
    }: { readonly id: number; readonly versionId: number | null; readonly before: string | null },
    { spec, note, compared, operations = null, afterInsert }: GivenDocument,
    now: Date,
    transaction: Transaction,
  ): Promise<DocumentRevision | null> {
    if (spec === null) return null;
    const counts = compared?.diff?.counts ?? null;
    const row = { productId: id, versionId, spec, beforeHash: before, note, counts, operations };
    const revision = await this.history.keep(row, now, transaction);
    await afterInsert?.(revision, now, transaction);
    return revision;
  }
}

function refuseOther({ compared }: GivenDocument, present: string | null): void {
  if (compared === undefined || compared.with === present) return;
  throw new ConflictError({ errors: { spec: ['Somebody else changed the document meanwhile. Please try again.'] } });
}
