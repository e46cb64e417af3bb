import { changeRecord, lockRecord, type Transaction } from '../../../database/index.js';
import { ConflictError, ValidationError } from '../../../core/index.js';
import type { CatalogParts } from '../contracts.js';
import { deprecationRecord, type Deprecation } from './deprecation.js';
import {
  DeprecationAnnouncedEvent,
  DeprecationCreatedEvent,
  DeprecationDeletedEvent,
  DeprecationRetiredEvent,
  DeprecationUpdatedEvent,
  ProductVersionUpdatedEvent,
} from '../events.js';
import { productRecord, type ProductRecord } from '../products/product.js';
import type { ProductDocuments } from './product-documents.js';
import { productVersionRecord, type ProductVersion, type ProductVersionState } from './product-version.js';

type Scope = Pick<Deprecation, 'version' | 'method' | 'path'>;

/**
 * Keeps the state of a version and the deprecation of the same name at one: readers are told by the state, callers by the
 * deprecation. Whichever of the two is changed, the other follows in the same transaction; the product is locked first.
 */
export class VersionStates {
  constructor(
    private readonly parts: CatalogParts,
    private readonly documents: ProductDocuments,
  ) {}

  /** @throws ValidationError for a name that no version has which readers know, in a product with versions */
  async requireKnown(product: ProductRecord, { version: name }: Scope, transaction: Transaction): Promise<void> {
    if (name === null) return;
    const versions = await this.versionsOf(product, transaction);
    const found = versions.find((version) => version.name === name);
    if (versions.length === 0 || (found && found.state !== 'draft')) return;
    const fault = found ? 'Nobody knows of the version yet: it is a draft.' : 'The product has no such version.';
    throw new ValidationError({ version: [fault] });
  }

  /** Before a deprecation of a version is changed. */
  async lock({ id }: Pick<ProductRecord, 'id'>, transaction: Transaction): Promise<void> {
    await lockRecord(productRecord, this.parts.database, id, undefined, transaction);
  }

  /**
   * The version that a deprecation is about follows it; nothing where it is about a product, an operation, or a name alone.
   * A default one that ends leaves its place to the latest that goes on; it stays deprecated where there is none.
   */
  async follow(
    product: ProductRecord,
    scope: Scope,
    state: ProductVersionState,
    now: Date,
    transaction: Transaction,
  ): Promise<void> {
    if (scope.version === null || scope.method !== null) return;
    const versions = await this.versionsOf(product, transaction);
    const version = versions.find(({ name }) => name === scope.version);
    if (!version || version.state === 'draft' || version.state === state) return;
    if (state === 'retired' && version.isDefault) {
      const next = versions.find((other) => other.state === 'current' && other.id !== version.id);
      if (next) await this.makeDefault(product, next, now, transaction);
      else state = 'deprecated';
    }
    if (version.state !== state) await this.write(product, version.id, { state }, transaction);
  }

  /** What the address without a version shows follows: the document of the new default. */
  async makeDefault(product: ProductRecord, version: ProductVersion, now: Date, transaction: Transaction) {
    const [before] = await productVersionRecord.findAll(
      this.parts.database,
      { productId: product.id, isDefault: true },
      { transaction },
    );
    if (before) await this.write(product, before.id, { isDefault: false }, transaction);
    await this.write(product, version.id, { isDefault: true }, transaction);
    await this.documents.follow(product, version, now, transaction);
  }

  /**
   * The deprecation of a version whose state was changed: announced, ended, open again, or taken back.
   * @throws ConflictError for an end before the sunset that callers were promised
   */
  async tellCallers(
    product: ProductRecord,
    { name, state }: ProductVersion,
    before: ProductVersionState,
    now: Date,
    transaction: Transaction,
  ): Promise<void> {
    if (state === before || state === 'draft') return;
    const { database, events } = this.parts;
    const where = { productId: product.id, version: name, method: null, path: null };
    const [known] = await deprecationRecord.findAll(database, where, { transaction, lock: true });
    if (state === 'current') {
      if (!known || known.state === 'draft') return;
      await events.emit(new DeprecationDeletedEvent({ product, deprecation: known, occurredAt: now }), transaction);
      await deprecationRecord.remove(database, { id: known.id }, transaction);
      return;
    }
    const deprecation = known ?? (await this.create(product, name, now, transaction));
    const isAhead = deprecation.sunsetAt !== null && deprecation.sunsetAt > now;
    if (state === 'retired' && deprecation.state === 'announced' && isAhead) throw refuseTooEarly();
    await this.bring(product, deprecation, state, now, transaction);
  }

  /** Brings the deprecation to the state of its version. */
  private async bring(
    product: ProductRecord,
    deprecation: Deprecation,
    state: 'deprecated' | 'retired',
    now: Date,
    transaction: Transaction,
  ): Promise<void> {
    const { database } = this.parts;
    const { id } = deprecation;
    await changeRecord(deprecationRecord, this.parts, transaction, {
      id,
      plan: (before) => {
        // A sunset that has passed would end it again at once.
        const isOver = before.sunsetAt !== null && before.sunsetAt <= now;
        const announcedAt = before.announcedAt ?? now;
        if (state === 'retired') return { values: { state, announcedAt, retiredAt: now } };
        const sunsetAt = isOver ? null : before.sunsetAt;
        return { values: { state: 'announced' as const, announcedAt, retiredAt: null, sunsetAt } };
      },
      read: () => deprecationRecord.require(database, { id }, { transaction }),
      announce: (after, changes, occurredAt, { state: from }) => {
        const fact = { product, deprecation: after, occurredAt };
        const isAnnounced = from === 'draft' ? [new DeprecationAnnouncedEvent({ ...fact, hasNotice: false })] : [];
        if (state === 'retired') return [...isAnnounced, new DeprecationRetiredEvent(fact)];
        return from === 'draft' ? isAnnounced : [new DeprecationUpdatedEvent({ ...fact, changes })];
      },
    });
  }

  private async create(product: ProductRecord, version: string, now: Date, transaction: Transaction) {
    const { database, events } = this.parts;
    const scope = { productId: product.id, version, method: null, path: null };
    const stamps = { state: 'draft', deprecatedAt: now, closes: 'automatic', createdAt: now, updatedAt: now } as const;
    const id = await deprecationRecord.insert(database, { ...scope, ...stamps }, transaction);
    const deprecation = await deprecationRecord.require(database, { id }, { transaction });
    await events.emit(new DeprecationCreatedEvent({ product, deprecation, occurredAt: now }), transaction);
    return deprecation;
  }

  private async write(
    product: ProductRecord,
    id: number,
    values: Partial<Pick<ProductVersion, 'state' | 'isDefault'>>,
    transaction: Transaction,
  ): Promise<void> {
    await changeRecord(productVersionRecord, this.parts, transaction, {
      id,
      plan: () => ({ values }),
      read: () => productVersionRecord.require(this.parts.database, { id }, { transaction }),
      announce: (version, changes, occurredAt) => [
        new ProductVersionUpdatedEvent({ product, version, changes, occurredAt }),
      ],
    });
  }

  /** The latest first. */
  private versionsOf({ id: productId }: ProductRecord, transaction: Transaction): Promise<ProductVersion[]> {
    return productVersionRecord.findAll(this.parts.database, { productId }, { order: 'ver.id DESC', transaction });
  }
}

function refuseTooEarly(): ConflictError {
  return new ConflictError({
    errors: { state: ['Its sunset has not come yet. End its deprecation early, or move the sunset.'] },
  });
}
