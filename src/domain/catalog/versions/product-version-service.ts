import { changeRecord, lockRecord, type Transaction } from '../../../database/index.js';
import {
  ConflictError,
  ValidationError,
  type ExpectedVersion,
  type ListPage,
  type ListQuery,
} from '../../../core/index.js';
import type { CatalogParts } from '../contracts.js';
import { ProductVersionCreatedEvent, ProductVersionDeletedEvent, ProductVersionUpdatedEvent } from '../events.js';
import type { ChangelogDrafts } from '../changelog-drafts.js';
import { CATALOG_TABLES } from '../products/product-list.js';
import { productRecord, type ProductRecord } from '../products/product.js';
import { documentRevisionRecord } from './document-revision.js';
import {
  mayBecome,
  listNextStates,
  productVersionList,
  productVersionRecord,
  type ProductVersion,
  type ProductVersionInput,
  type ProductVersionState,
} from './product-version.js';
import type { VersionStates } from './version-states.js';

/** A version with its product. */
export interface OwnedProductVersion {
  readonly product: ProductRecord;
  readonly version: ProductVersion;
}

type Changing<T> = (transaction: Transaction, now: Date) => Promise<T>;

/** What readers see without naming a version is seen by all of them. */
const SHOWN_STATES: readonly ProductVersionState[] = ['current', 'deprecated'];

/**
 * The versions of products, each with a document of its own. A product without any is one version that has no name; its
 * first one takes over the document that it has and becomes the default. Callers read the product as its viewer first.
 */
export class ProductVersionService {
  constructor(
    private readonly parts: CatalogParts,
    private readonly states: VersionStates,
    /** Drafts what a version brings; null where nobody wants that. */
    private readonly drafts: ChangelogDrafts | null,
  ) {}

  /** @throws ValidationError naming what the list does not support */
  list(
    { id }: Pick<ProductRecord, 'id'>,
    query: ListQuery,
    whose: 'readers' | 'admins',
  ): Promise<ListPage<ProductVersion>> {
    const where = whose === 'admins' ? 'ver.product_id = ?' : "ver.product_id = ? AND ver.state <> 'draft'";
    return this.parts.lists.run(productVersionList, query, { scope: { where, values: [id] } });
  }

  /** Name by id, of all versions of a product. */
  async names({ id: productId }: Pick<ProductRecord, 'id'>): Promise<ReadonlyMap<number, string>> {
    const rows = await productVersionRecord.findAll(this.parts.database, { productId }, { only: ['id', 'name'] });
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /** @param name of the version, or its id. @throws NotFoundError also for a version of another product */
  async find(product: ProductRecord, name: string | number): Promise<OwnedProductVersion> {
    const by = typeof name === 'number' ? { id: name } : { name };
    return {
      product,
      version: await productVersionRecord.require(this.parts.database, { productId: product.id, ...by }),
    };
  }

  /**
   * @throws ValidationError for a name that is taken, and for a state that it cannot begin in
   */
  create(
    product: ProductRecord,
    { name, state, isDefault = false }: ProductVersionInput,
  ): Promise<OwnedProductVersion> {
    const { database, events } = this.parts;
    return this.withProduct(product, async (transaction, now) => {
      const others = await productVersionRecord.findAll(database, { productId: product.id }, { transaction });
      const isFirst = others.length === 0;
      const begins = state ?? (isFirst ? 'current' : 'draft');
      if (isFirst || isDefault) requireShown(begins, isFirst);
      else if (begins !== 'draft' && begins !== 'current') {
        throw new ValidationError({ state: ['A new version is a draft, or current.'] });
      }
      const { specHash } = await productRecord.require(
        database,
        { id: product.id },
        { only: ['specHash'], transaction },
      );
      const values = {
        ...{ productId: product.id, name, state: begins, isDefault: isFirst },
        ...{ specHash: isFirst ? specHash : null, createdAt: now, updatedAt: now },
      };
      const id = await productVersionRecord.insert(database, values, transaction);
      if (isFirst) {
        const unnamed = { productId: product.id, versionId: null };
        await documentRevisionRecord.update(database, unnamed, { versionId: id }, transaction);
      }
      const created = await this.read(id, transaction);
      await events.emit(new ProductVersionCreatedEvent({ product, version: created, occurredAt: now }), transaction);
      if (!isFirst && isDefault) await this.states.makeDefault(product, created, now, transaction);
      return { product, version: await this.read(id, transaction) };
    });
  }

  /**
   * Its deprecation follows its state: announced without a notice, ended, or taken back. What a draft brings that becomes
   * current is drafted for the changelog.
   * @throws ConflictError for a state that does not follow, an end before the sunset that was promised, a new name of what readers know, and a default that would
   *   not be shown; NotFoundError, PreconditionFailedError, ValidationError, ServiceUnavailableError when too many documents wait
   */
  async update(
    { product, version: { id, state: known, specHash } }: OwnedProductVersion,
    { name, state, isDefault }: Partial<ProductVersionInput>,
    expected?: ExpectedVersion,
  ): Promise<OwnedProductVersion> {
    const isShown = known === 'draft' && state === 'current' && specHash !== null;
    const draft = isShown ? ((await this.drafts?.planVersion(product, specHash)) ?? null) : null;
    return this.withProduct(product, async (transaction, now) => {
      let from: ProductVersionState = 'draft';
      const version = await changeRecord(productVersionRecord, this.parts, transaction, {
        id,
        expected,
        plan: (before) => {
          refuseMove(before, { name, state, isDefault });
          from = before.state;
          return { values: { name, state } };
        },
        read: () => this.read(id, transaction),
        announce: (after, changes, occurredAt) => [
          new ProductVersionUpdatedEvent({ product, version: after, changes, occurredAt }),
        ],
      });
      await this.states.tellCallers(product, version, from, now, transaction);
      // If the document has been replaced meanwhile, no entry was drafted for that one either, and a person has to write it.
      if (draft && from === 'draft' && draft.hash === version.specHash) {
        const place = { product, version: version.name, versionId: version.id };
        await this.drafts?.writeVersion(draft, place, now, transaction);
      }
      if (isDefault !== true || version.isDefault) return { product, version };
      await this.states.makeDefault(product, version, now, transaction);
      return { product, version: await this.read(id, transaction) };
    });
  }

  /**
   * Its documents stay in the history.
   * @throws ConflictError unless it is a draft, retired, or the only one; NotFoundError, PreconditionFailedError
   */
  delete({ product, version: { id } }: OwnedProductVersion, expected?: ExpectedVersion): Promise<void> {
    const { database, events } = this.parts;
    return this.withProduct(product, async (transaction, now) => {
      const version = await lockRecord(productVersionRecord, database, id, expected, transaction);
      const isOnly = (await productVersionRecord.count(database, { productId: product.id }, transaction)) === 1;
      if (!isOnly) refuseDeletion(version);
      await events.emit(new ProductVersionDeletedEvent({ product, version, occurredAt: now }), transaction);
      await productVersionRecord.remove(database, { id }, transaction);
    });
  }

  private read(id: number, transaction: Transaction): Promise<ProductVersion> {
    return productVersionRecord.require(this.parts.database, { id }, { transaction });
  }

  // The product is locked first, so that one version is the default and no document is lost.
  private withProduct<T>({ id }: ProductRecord, run: Changing<T>): Promise<T> {
    const { database, clock, versions } = this.parts;
    return database.transaction(async (transaction) => {
      await lockRecord(productRecord, database, id, undefined, transaction);
      const result = await run(transaction, clock.now());
      await versions.touch(CATALOG_TABLES, transaction);
      return result;
    });
  }
}

function requireShown(state: ProductVersionState, isFirst: boolean): void {
  if (state === 'current') return;
  const first = 'The first version of a product takes over what readers see, so it is current.';
  throw new ValidationError({ state: [isFirst ? first : 'A default version is one that readers see: current.'] });
}

function refuseMove(
  before: ProductVersion,
  { name, state = before.state, isDefault = before.isDefault }: Partial<ProductVersionInput>,
): void {
  const errors: Record<string, string[]> = {};
  if (!mayBecome(before.state, state)) {
    const next = listNextStates(before.state).join(' or ');
    errors.state = [`A version that is ${before.state} becomes ${next} next.`];
  }
  if (name !== undefined && name !== before.name && before.state !== 'draft') {
    errors.name = ['Readers know its address, so its name stays. Make a new version.'];
  }
  if (before.isDefault && !isDefault) errors.is_default = ['Make another version the default instead.'];
  else if (isDefault && !SHOWN_STATES.includes(state)) {
    errors[before.isDefault ? 'state' : 'is_default'] = [
      before.isDefault
        ? 'It is the default. Make another version the default first.'
        : `A version that is ${state} cannot be the default.`,
    ];
  }
  if (Object.keys(errors).length > 0) throw new ConflictError({ errors });
}

function refuseDeletion({ state, isDefault }: ProductVersion): void {
  if (isDefault) throw new ConflictError({ errors: { is_default: ['Make another version the default first.'] } });
  if (state === 'draft' || state === 'retired') return;
  throw new ConflictError({ errors: { state: ['Callers may use it. Deprecate and retire it first.'] } });
}
