import { changeRecord, lockRecord, Op, type Transaction } from '../../../database/index.js';
import {
  ConflictError,
  ValidationError,
  type ExpectedVersion,
  type ListPage,
  type ListQuery,
} from '../../../core/index.js';
import type { CatalogParts } from '../contracts.js';
import {
  DeprecationAnnouncedEvent,
  DeprecationCreatedEvent,
  DeprecationDeletedEvent,
  DeprecationRetiredEvent,
  DeprecationUpdatedEvent,
} from '../events.js';
import type { CatalogConfig } from '../config.js';
import { productRecord, type ProductRecord } from '../products/product.js';
import { CATALOG_TABLES } from '../products/product-list.js';
import type { ProductReader } from '../products/product-reader.js';
import { productVersionRecord } from './product-version.js';
import type { VersionStates } from './version-states.js';
import { ADMIN } from '../visibility.js';
import {
  deprecationList,
  deprecationRecord,
  type Deprecation,
  type DeprecationScope,
  type DeprecationTerms,
} from './deprecation.js';
import { cleanAddress, cleanBrownouts, requireDates, requireScope } from './deprecation-rules.js';
import { exceptionsOf } from './operation-path.js';

/** A deprecation with its product. */
export interface OwnedDeprecation {
  readonly product: ProductRecord;
  readonly deprecation: Deprecation;
}

interface DeprecationParts extends CatalogParts {
  readonly products: Pick<ProductReader, 'readIndex'>;
  readonly settings: Pick<CatalogConfig, 'sunsetDays' | 'closesAtSunset'>;
  readonly states: VersionStates;
}

/** What of a product ends, and when. Who may see a product may see what was announced of it; drafts are for admins. */
export class DeprecationService {
  constructor(private readonly parts: DeprecationParts) {}

  /** Announced and retired ones, those that end first at the top. */
  listPublished({ id }: Pick<ProductRecord, 'id'>): Promise<Deprecation[]> {
    const where = { productId: id, state: ['announced', 'retired'] } as const;
    const order = 'CASE WHEN dp.sunset_at IS NULL THEN 1 ELSE 0 END, dp.sunset_at, dp.id';
    return deprecationRecord.findAll(this.parts.database, where, { order, limit: MOST_SHOWN });
  }

  /** Drafts included. @throws ValidationError naming what the list does not support */
  async list(product: ProductRecord, query: ListQuery): Promise<ListPage<OwnedDeprecation>> {
    const scope = { where: 'dp.product_id = ?', values: [product.id] };
    const page = await this.parts.lists.run(deprecationList, query, { scope });
    return { ...page, items: page.items.map((deprecation) => ({ product, deprecation })) };
  }

  /** @throws NotFoundError also for the deprecation of another product */
  async find(product: ProductRecord, id: number): Promise<OwnedDeprecation> {
    const deprecation = await deprecationRecord.require(this.parts.database, { id, productId: product.id });
    return { product, deprecation };
  }

  /**
   * A draft.
   * @throws ValidationError for a sunset that comes too soon, and an operation that the product's document does not have
   * @throws ConflictError for a part that has one already
   */
  async create(product: ProductRecord, input: DeprecationScope & DeprecationTerms): Promise<OwnedDeprecation> {
    const { database, events, clock, settings, states, versions } = this.parts;
    requireScope(input);
    const { version = null, method = null, path = null, ...terms } = input;
    const operation =
      method !== null && path !== null ? await this.readOperation(product, version, { method, path }) : null;
    return database.transaction(async (transaction) => {
      const now = clock.now();
      const standard = settings.closesAtSunset ? ('automatic' as const) : ('manual' as const);
      const { deprecatedAt = now, sunsetAt = null, brownouts = [], closes = standard, ...texts } = cleanTerms(terms);
      const dates = { deprecatedAt, sunsetAt, brownouts };
      requireDates(dates, settings.sunsetDays);
      // One at a time for each product, so that no two of the same part are made.
      await productRecord.require(database, { id: product.id }, { transaction, lock: true });
      await this.requireFree(product.id, { version, method, path }, transaction);
      await states.requireKnown(product, { version, method, path }, transaction);
      const values = { ...operation, ...texts, ...dates, closes, productId: product.id, version, method, path };
      const row = { ...values, state: 'draft', createdAt: now, updatedAt: now } as const;
      const id = await deprecationRecord.insert(database, row, transaction);
      const deprecation = await deprecationRecord.require(database, { id }, { transaction });
      await events.emit(new DeprecationCreatedEvent({ product, deprecation, occurredAt: now }), transaction);
      await versions.touch(CATALOG_TABLES, transaction);
      return { product, deprecation };
    });
  }

  /**
   * Announced ones, too: a sunset may be put off, or come sooner as far as the least days allow.
   * @throws ConflictError for a retired one, NotFoundError, PreconditionFailedError, ValidationError
   */
  update(owned: OwnedDeprecation, input: DeprecationTerms, expected?: ExpectedVersion): Promise<OwnedDeprecation> {
    const values = cleanTerms(input);
    return this.change(owned, expected, (before, now) => {
      if (before.state === 'retired') throw conflict('It has ended. Delete it to open its part again.');
      const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
      const after = { ...before, ...given };
      requireDates(after, this.parts.settings.sunsetDays);
      const isMoved = after.sunsetAt?.getTime() !== before.sunsetAt?.getTime();
      if (before.state === 'announced' && isMoved) requireAhead(after, now);
      return { values, hidden: isMoved && { sunsetNoticedAt: null } };
    });
  }

  /**
   * Readers and callers are told from now on.
   * @param hasNotice whether those whom it hits get a notice
   * @throws ConflictError for one that is announced already, NotFoundError, PreconditionFailedError
   * @throws ValidationError for a sunset that has passed
   */
  announce(owned: OwnedDeprecation, hasNotice: boolean, expected?: ExpectedVersion): Promise<OwnedDeprecation> {
    const plan = (before: Deprecation, now: Date) => {
      if (before.state !== 'draft') throw conflict('The deprecation is announced already.');
      requireAhead(before, now);
      return { values: { state: 'announced', announcedAt: now } as const };
    };
    return this.change(owned, expected, plan, (fact) => new DeprecationAnnouncedEvent({ ...fact, hasNotice }));
  }

  /**
   * Closes the part: keys are refused.
   * @param isEarly whether before its sunset, although callers were promised more time
   * @throws ConflictError for one that is not announced, NotFoundError, PreconditionFailedError
   */
  retire(owned: OwnedDeprecation, isEarly: boolean, expected?: ExpectedVersion): Promise<OwnedDeprecation> {
    const plan = (before: Deprecation, now: Date) => {
      if (before.state !== 'announced') throw conflict('Only what is announced can end.');
      if (!isEarly && (before.sunsetAt === null || before.sunsetAt > now))
        throw conflict('Its sunset has not come yet.');
      return { values: { state: 'retired', retiredAt: now } as const };
    };
    return this.change(owned, expected, plan, (fact) => new DeprecationRetiredEvent(fact));
  }

  /** Takes it back; what was closed opens again. @throws NotFoundError, PreconditionFailedError */
  async delete({ product, deprecation: { id } }: OwnedDeprecation, expected?: ExpectedVersion): Promise<void> {
    const { database, events, clock, versions, states } = this.parts;
    await database.transaction(async (transaction) => {
      await states.lock(product, transaction);
      const deprecation = await lockRecord(deprecationRecord, database, id, expected, transaction);
      await events.emit(new DeprecationDeletedEvent({ product, deprecation, occurredAt: clock.now() }), transaction);
      await deprecationRecord.remove(database, { id }, transaction);
      if (deprecation.state !== 'draft') await states.follow(product, deprecation, 'current', clock.now(), transaction);
      await versions.touch(CATALOG_TABLES, transaction);
    });
  }

  /** Ends what ends by itself and whose time has come; proxies need not wait for it. @param stopping ends it early */
  async closeDue(stopping?: AbortSignal): Promise<void> {
    const { database, clock } = this.parts;
    const due = { state: 'announced', closes: 'automatic', sunsetAt: { [Op.lte]: clock.now() } } as const;
    for (const deprecation of await deprecationRecord.findAll(database, due, { order: 'dp.id', limit: BATCH })) {
      if (stopping?.aborted) return;
      const product = { ...(await productRecord.require(database, { id: deprecation.productId })), ...NO_RELATIONS };
      try {
        await this.retire({ product, deprecation }, false);
      } catch (error) {
        // Put off, deleted or ended by somebody else meanwhile.
        if (!(error instanceof ConflictError)) throw error;
      }
    }
  }

  private change(
    { product, deprecation: { id } }: OwnedDeprecation,
    expected: ExpectedVersion,
    plan: (
      before: Deprecation,
      now: Date,
    ) => {
      readonly values: Partial<Omit<Deprecation, 'id'>>;
      readonly hidden?: false | { readonly sunsetNoticedAt: null };
    },
    announce?: (fact: EventFact) => DeprecationAnnouncedEvent | DeprecationRetiredEvent,
  ): Promise<OwnedDeprecation> {
    const { database, versions, states } = this.parts;
    return database.transaction(async (transaction) => {
      await states.lock(product, transaction);
      const deprecation = await changeRecord(deprecationRecord, this.parts, transaction, {
        ...{ id, expected, plan },
        read: () => deprecationRecord.require(database, { id }, { transaction }),
        announce: (after, changes, occurredAt) => {
          const fact = { product, deprecation: after, occurredAt };
          return [announce?.(fact) ?? new DeprecationUpdatedEvent({ ...fact, changes })];
        },
      });
      const state = STATE_OF_VERSION[deprecation.state];
      if (announce && state) await states.follow(product, deprecation, state, deprecation.updatedAt, transaction);
      await versions.touch(CATALOG_TABLES, transaction);
      return { product, deprecation };
    });
  }

  // Of a product without a document anything may be named.
  private async readOperation(
    product: ProductRecord,
    name: string | null,
    operation: { readonly method: string; readonly path: string },
  ) {
    const where = { productId: product.id, name: name ?? '' };
    const version = name === null ? undefined : await productVersionRecord.find(this.parts.database, where);
    const { specHash } = version ?? product;
    if (specHash === null) return null;
    const index = await this.parts.products.readIndex({ ...product, specHash, version: version ?? null }, ADMIN);
    if (!index) return null;
    const { operations, base } = index.outline;
    const isKnown = operations.some(
      ({ method, path, isWebhook }) =>
        !isWebhook && method.toUpperCase() === operation.method && path === operation.path,
    );
    if (!isKnown) throw new ValidationError({ path: ['The document of the product has no such operation.'] });
    const basePath = base === null ? '' : new URL(base).pathname.replace(/\/$/, '').slice(0, 200);
    return { basePath, exceptions: exceptionsOf(operation, operations) };
  }

  private async requireFree(productId: number, scope: DeprecationScope, transaction: Transaction): Promise<void> {
    const where = { productId, ...scope };
    if (!(await deprecationRecord.has(this.parts.database, where, transaction))) return;
    throw conflict('This part of the product has one already.');
  }
}

/** What a version becomes with its deprecation. */
const STATE_OF_VERSION = { draft: null, announced: 'deprecated', retired: 'retired' } as const;

interface EventFact extends OwnedDeprecation {
  readonly occurredAt: Date;
}

/** On a page; no product has as many. */
const MOST_SHOWN = 500;
/** For one run, which takes a lease. The next one goes on. */
const BATCH = 200;
const NO_RELATIONS = { categories: [], tags: [], deprecation: null };

function cleanTerms({ replacementUrl, guideUrl, brownouts, ...terms }: DeprecationTerms) {
  return {
    ...terms,
    replacementUrl: cleanAddress('replacement_url', replacementUrl),
    guideUrl: cleanAddress('guide_url', guideUrl),
    brownouts: cleanBrownouts(brownouts),
  };
}

function requireAhead({ sunsetAt }: Pick<Deprecation, 'sunsetAt'>, now: Date): void {
  if (sunsetAt === null || sunsetAt > now) return;
  throw new ValidationError({ sunset_at: ['The sunset must lie in the future.'] });
}

function conflict(reason: string): ConflictError {
  return new ConflictError({ errors: { state: [reason] } });
}
