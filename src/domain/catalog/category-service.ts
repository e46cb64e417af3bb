import { changeRecord, lockRecord, type Transaction } from '../../database/index.js';
import { requireLocales, type ExpectedVersion } from '../../core/index.js';
import {
  CATEGORY_TRANSLATIONS,
  categoryRecord,
  type CategoryInput,
  type CategoryRecord,
  type CategoryRow,
} from './category.js';
import { CATEGORY_TABLES } from './category-list.js';
import { CategoryReader } from './category-reader.js';
import type { CatalogParts } from './contracts.js';
import { CategoryCreatedEvent, CategoryDeletedEvent, CategoryUpdatedEvent } from './events.js';
import { PictureStore, thumbnailColumns } from './pictures.js';
import { CATALOG_TABLES } from './products/product-list.js';
import { changeTranslations, replaceTranslations } from './translation.js';
import { ADMIN } from './visibility.js';

/** Reads and changes the categories of the catalog. */
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
    return this.runChange(async (transaction, now) => {
      const { translations = {}, ...columns } = input;
      const thumbnail = thumbnailColumns(input.thumbnailUrl ?? null);
      const values = { ...columns, ...thumbnail, createdAt: now, updatedAt: now };
      const id = await categoryRecord.insert(database, values, transaction);
      await replaceTranslations(database, CATEGORY_TRANSLATIONS, id, translations, transaction);
      const category = await this.record(id, ADMIN, null, transaction);
      await events.emit(new CategoryCreatedEvent({ category, occurredAt: now }), transaction);
      return category;
    });
  }

  /**
   * Changes the given fields; translations are replaced as a whole. Equal values are no change and emit no event.
   * @throws NotFoundError, PreconditionFailedError, and ValidationError as {@link create}
   */
  update(id: number, input: Partial<CategoryInput>, expected?: ExpectedVersion): Promise<CategoryRecord> {
    requireLocales(input.translations, this.parts);
    return this.runChange((transaction) => this.change(id, input, expected, transaction));
  }

  /**
   * Sets an uploaded picture; null removes it.
   * @throws NotFoundError, PreconditionFailedError, ValidationError on `thumbnail`
   */
  setThumbnail(id: number, bytes: Buffer | null, expected?: ExpectedVersion): Promise<CategoryRecord> {
    return this.runChange(async (transaction) => {
      const thumbnailUrl = bytes && (await this.pictures.keep(bytes, transaction));
      return this.change(id, { thumbnailUrl }, expected, transaction);
    });
  }

  /**
   * Deletes a category; its products stay.
   * @throws NotFoundError, PreconditionFailedError
   */
  delete(id: number, expected?: ExpectedVersion): Promise<void> {
    return this.runChange(async (transaction, now) => {
      const { database, events } = this.parts;
      await lockRecord(categoryRecord, database, id, expected, transaction);
      const category = await this.record(id, ADMIN, null, transaction);
      await events.emit(new CategoryDeletedEvent({ category, occurredAt: now }), transaction);
      await categoryRecord.remove(database, { id }, transaction);
      await this.pictures.release(category.thumbnailUrl, transaction);
    });
  }

  // Products show the names of their categories, so their cache is invalidated too.
  private runChange<T>(run: (transaction: Transaction, now: Date) => Promise<T>): Promise<T> {
    const { database, versions, clock } = this.parts;
    return database.transaction(async (transaction) => {
      const result = await run(transaction, clock.now());
      await versions.touch([...CATEGORY_TABLES, ...CATALOG_TABLES], transaction);
      return result;
    });
  }

  private change(
    id: number,
    { translations, ...values }: Partial<CategoryInput>,
    expected: ExpectedVersion,
    transaction: Transaction,
  ): Promise<CategoryRecord> {
    const { database } = this.parts;
    const { thumbnailUrl } = values;
    const replaces = (before: CategoryRow) => thumbnailUrl !== undefined && thumbnailUrl !== before.thumbnailUrl;
    return changeRecord(categoryRecord, this.parts, transaction, {
      id,
      expected,
      plan: async (before) => {
        const texts =
          translations && (await changeTranslations(database, CATEGORY_TRANSLATIONS, id, translations, transaction));
        return {
          values,
          elsewhere: texts && { translations: texts },
          hidden: replaces(before) && thumbnailColumns(thumbnailUrl ?? null),
        };
      },
      afterWrite: async (before) => {
        if (replaces(before)) await this.pictures.release(before.thumbnailUrl, transaction);
      },
      read: () => this.record(id, ADMIN, null, transaction),
      announce: (category, changes, occurredAt) => [new CategoryUpdatedEvent({ category, changes, occurredAt })],
    });
  }
}
