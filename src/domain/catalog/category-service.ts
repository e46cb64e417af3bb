import { UniqueViolationError, type Transaction } from '../../database/index.js';
import {
  nextVersion,
  NotFoundError,
  requireVersion,
  ValidationError,
  type ExpectedVersion,
  requireLocales,
} from '../../core/index.js';
import {
  CATEGORY_TRANSLATIONS,
  categoryModel,
  type Category,
  type CategoryInput,
  type CategoryRecord,
} from './category.js';
import { CATEGORY_TABLES } from './category-list.js';
import { CategoryReader } from './category-reader.js';
import type { CatalogParts } from './contracts.js';
import { CategoryCreatedEvent, CategoryDeletedEvent, CategoryUpdatedEvent } from './events.js';
import type { ValueChange } from './join-table.js';
import { nameFilePresent, PictureStore, thumbnailColumns } from './pictures.js';
import { CATALOG_TABLES } from './products/product-list.js';
import { changeTranslations, replaceTranslations } from './translation.js';
import { ADMIN } from './visibility.js';

/** The categories of the catalog, also for those who may change them. */
export class CategoryService extends CategoryReader {
  private readonly pictures: PictureStore;

  constructor(parts: CatalogParts) {
    super(parts);
    this.pictures = new PictureStore(parts.database, parts.clock);
  }

  /** @throws ValidationError for a taken slug or an unknown locale */
  create(input: CategoryInput): Promise<CategoryRecord> {
    const { database, events } = this.parts;
    requireLocales(input.translations, this.parts);
    return this.changing(async (transaction, now) => {
      const columns = {
        slug: input.slug,
        name: input.name,
        shortDescription: input.shortDescription ?? '',
        description: input.description ?? '',
        ...thumbnailColumns(input.thumbnailUrl ?? null),
      };
      const row = await refuseTaken(
        categoryModel(database).create({ ...columns, createdAt: now, updatedAt: now }, { transaction }),
      );
      const id = Number(row.id);
      await replaceTranslations(database, CATEGORY_TRANSLATIONS, id, input.translations ?? {}, transaction);
      const category = await this.record(id, ADMIN, null, transaction);
      await events.emit(new CategoryCreatedEvent({ category, occurredAt: now }), transaction);
      return category;
    });
  }

  /**
   * Changes what the input names; translations are replaced whole. What is equal already is no change and no event.
   * @throws NotFoundError, PreconditionFailedError, and ValidationError as {@link create}
   */
  update(id: number, input: Partial<CategoryInput>, expected?: ExpectedVersion): Promise<CategoryRecord> {
    requireLocales(input.translations, this.parts);
    return this.changing((transaction, now) => this.change(id, input, expected, now, transaction));
  }

  /** An uploaded picture, or none with null. @throws NotFoundError, PreconditionFailedError, ValidationError on `thumbnail` */
  setThumbnail(id: number, bytes: Buffer | null, expected?: ExpectedVersion): Promise<CategoryRecord> {
    return this.changing(async (transaction, now) => {
      const thumbnailUrl = bytes && (await this.pictures.keep(bytes, transaction));
      return this.change(id, { thumbnailUrl }, expected, now, transaction);
    });
  }

  /** Products of it stay, without it. @throws NotFoundError, PreconditionFailedError */
  delete(id: number, expected?: ExpectedVersion): Promise<void> {
    return this.changing(async (transaction, now) => {
      const row = await this.lock(id, expected, transaction);
      const category = await this.record(id, ADMIN, null, transaction);
      await this.parts.events.emit(new CategoryDeletedEvent({ category, occurredAt: now }), transaction);
      await row.destroy({ transaction });
      await this.pictures.release(category.thumbnailUrl, transaction);
    });
  }

  // Products show the names of their categories, so what is kept of them is of yesterday too.
  private changing<T>(run: (transaction: Transaction, now: Date) => Promise<T>): Promise<T> {
    const { database, versions, clock } = this.parts;
    return database.transaction(async (transaction) => {
      const result = await run(transaction, clock.now());
      await versions.touch([...CATEGORY_TABLES, ...CATALOG_TABLES], transaction);
      return result;
    });
  }

  private async change(
    id: number,
    { translations, ...columns }: Partial<CategoryInput>,
    expected: ExpectedVersion,
    now: Date,
    transaction: Transaction,
  ): Promise<CategoryRecord> {
    const { database, events } = this.parts;
    const row = await this.lock(id, expected, transaction);
    const { thumbnailUrl: before } = row;
    const changes: Record<string, ValueChange> = {};
    for (const [field, after] of Object.entries(columns)) {
      const present: unknown = row.get(field);
      if (after !== undefined && present !== after) changes[field] = [present, after];
    }
    const changed = Object.fromEntries(Object.entries(changes).map(([field, [, after]]) => [field, after]));
    const texts =
      translations && (await changeTranslations(database, CATEGORY_TRANSLATIONS, id, translations, transaction));
    if (texts) changes.translations = texts;
    if (Object.keys(changes).length === 0) return this.record(id, ADMIN, null, transaction);
    const thumbnail = changes.thumbnailUrl && thumbnailColumns(columns.thumbnailUrl ?? null);
    await refuseTaken(row.update({ ...changed, ...thumbnail, updatedAt: nextVersion(now, row) }, { transaction }));
    if (thumbnail) await this.pictures.release(before, transaction);
    const category = await this.record(id, ADMIN, null, transaction);
    await events.emit(new CategoryUpdatedEvent({ category, changes, occurredAt: now }), transaction);
    return category;
  }

  private async lock(id: number, expected: ExpectedVersion, transaction: Transaction): Promise<Category> {
    const row = await categoryModel(this.parts.database).findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
    if (!row) throw new NotFoundError();
    requireVersion(expected, row);
    return row;
  }
}

async function refuseTaken<T>(write: Promise<T>): Promise<T> {
  try {
    return await nameFilePresent(write);
  } catch (error) {
    if (!(error instanceof UniqueViolationError)) throw error;
    throw new ValidationError({ slug: ['This value is already taken by another category.'] }, { cause: error });
  }
}
