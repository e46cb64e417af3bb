import { changeRecord, lockRecord, type Transaction } from '../../database/index.js';
import {
  ConflictError,
  NotFoundError,
  requireLocales,
  type ExpectedVersion,
  type ListPage,
  type ListQuery,
} from '../../core/index.js';
import type { CatalogParts } from './contracts.js';
import { ChangeCreatedEvent, ChangeDeletedEvent, ChangePublishedEvent, ChangeUpdatedEvent } from './events.js';
import type { ProductRecord } from './products/product.js';
import { changeTranslations, readTranslations, translate } from './translation.js';
import {
  changelogEntryRecord,
  changelogList,
  ENTRY_TRANSLATIONS,
  publishedList,
  type ChangelogEntry,
  type ChangelogEntryRow,
  type ChangelogInput,
  type PublishedEntry,
} from './changelog-entry.js';

/** An entry with its product. */
export interface OwnedEntry {
  readonly product: ProductRecord;
  readonly entry: ChangelogEntry;
}

/**
 * What changed in products. Who may see a product may see its published entries: callers read the product as its viewer
 * first. Drafts are for admins only.
 */
export class ChangelogService {
  constructor(private readonly parts: CatalogParts) {}

  /** Published entries in the reader's language. @throws ValidationError naming what the list does not support */
  async listPublished(
    { id }: Pick<ProductRecord, 'id'>,
    query: ListQuery,
    locale: string,
  ): Promise<ListPage<PublishedEntry>> {
    const scope = { where: "ce.product_id = ? AND ce.status = 'published'", values: [id] };
    const page = await this.parts.lists.run(publishedList, query, { scope });
    return { ...page, items: await this.translate(page.items, locale) };
  }

  /** @throws NotFoundError also for a draft, and for the entry of another product */
  async findPublished({ id }: Pick<ProductRecord, 'id'>, entryId: number, locale: string): Promise<PublishedEntry> {
    const where = { id: entryId, productId: id, status: 'published' } as const;
    const rows = (await changelogEntryRecord.findAll(this.parts.database, where)) as PublishedEntry[];
    const [entry] = await this.translate(rows, locale);
    if (!entry) throw new NotFoundError();
    return entry;
  }

  /** Drafts included. @throws ValidationError naming what the list does not support */
  async list(product: ProductRecord, query: ListQuery): Promise<ListPage<OwnedEntry>> {
    const scope = { where: 'ce.product_id = ?', values: [product.id] };
    const page = await this.parts.lists.run(changelogList, query, { scope });
    const entries = await this.complete(page.items, query.with.includes('translations'));
    return { ...page, items: entries.map((entry) => ({ product, entry })) };
  }

  /** @throws NotFoundError also for the entry of another product */
  async find(product: ProductRecord, id: number): Promise<OwnedEntry> {
    return { product, entry: await this.record({ id, productId: product.id }) };
  }

  /** A published entry with all its texts, whoever may see it; null when there is none. */
  async findForIndex(id: number): Promise<ChangelogEntry | null> {
    const rows = await changelogEntryRecord.findAll(this.parts.database, { id, status: 'published' });
    const [entry] = await this.complete(rows, true);
    return entry ?? null;
  }

  /** A draft. @throws ValidationError for unknown locales */
  create(product: ProductRecord, input: ChangelogInput): Promise<OwnedEntry> {
    const { database, events, clock } = this.parts;
    const { translations = {}, ...columns } = input;
    requireLocales(translations, this.parts);
    return database.transaction(async (transaction) => {
      const now = clock.now();
      const values = { ...columns, productId: product.id, status: 'draft', createdAt: now, updatedAt: now } as const;
      const id = await changelogEntryRecord.insert(database, values, transaction);
      await changeTranslations(database, ENTRY_TRANSLATIONS, id, translations, transaction);
      const entry = await this.record({ id }, transaction);
      await events.emit(new ChangeCreatedEvent({ product, entry, occurredAt: now }), transaction);
      return { product, entry };
    });
  }

  /** Published ones, too: a mistake is mended in place. @throws NotFoundError, PreconditionFailedError, ValidationError */
  update({ product, entry: { id } }: OwnedEntry, input: Partial<ChangelogInput>, expected?: ExpectedVersion) {
    const { database } = this.parts;
    const { translations, ...values } = input;
    requireLocales(translations, this.parts);
    return database.transaction(async (transaction): Promise<OwnedEntry> => {
      const entry = await changeRecord(changelogEntryRecord, this.parts, transaction, {
        id,
        expected,
        plan: async () => {
          const texts =
            translations && (await changeTranslations(database, ENTRY_TRANSLATIONS, id, translations, transaction));
          return { values, elsewhere: texts ? { translations: texts } : null };
        },
        read: () => this.record({ id }, transaction),
        announce: (after, changes, occurredAt) => [
          new ChangeUpdatedEvent({ product, entry: after, changes, occurredAt }),
        ],
      });
      return { product, entry };
    });
  }

  /**
   * @param hasNotice whether those whom it hits, and who watch the product, get a notice
   * @throws ConflictError for a published entry, NotFoundError, PreconditionFailedError
   */
  publish({ product, entry: { id } }: OwnedEntry, expected?: ExpectedVersion, hasNotice = false): Promise<OwnedEntry> {
    return this.parts.database.transaction(async (transaction) => {
      const entry = await changeRecord(changelogEntryRecord, this.parts, transaction, {
        id,
        expected,
        plan: ({ status }, now) => {
          if (status === 'published') {
            throw new ConflictError({ errors: { status: ['The entry is published already.'] } });
          }
          return { values: { status: 'published', publishedAt: now } as const };
        },
        read: () => this.record({ id }, transaction),
        announce: (after, _changes, occurredAt) => [
          new ChangePublishedEvent({ product, entry: after, hasNotice, occurredAt }),
        ],
      });
      return { product, entry };
    });
  }

  /** @throws NotFoundError, PreconditionFailedError */
  async delete({ product, entry: { id } }: OwnedEntry, expected?: ExpectedVersion): Promise<void> {
    const { database, events, clock } = this.parts;
    await database.transaction(async (transaction) => {
      await lockRecord(changelogEntryRecord, database, id, expected, transaction);
      const entry = await this.record({ id }, transaction);
      await events.emit(new ChangeDeletedEvent({ product, entry, occurredAt: clock.now() }), transaction);
      await changelogEntryRecord.remove(database, { id }, transaction);
    });
  }

  private async record(
    where: { readonly id: number; readonly productId?: number },
    transaction?: Transaction,
  ): Promise<ChangelogEntry> {
    const rows = await changelogEntryRecord.findAll(this.parts.database, where, { transaction });
    const [entry] = await this.complete(rows, true, transaction);
    if (!entry) throw new NotFoundError();
    return entry;
  }

  private async complete(
    rows: readonly ChangelogEntryRow[],
    withTranslations: boolean,
    transaction?: Transaction,
  ): Promise<ChangelogEntry[]> {
    const ids = withTranslations ? rows.map(({ id }) => id) : [];
    const translations = await readTranslations(this.parts.database, ENTRY_TRANSLATIONS, ids, transaction);
    return rows.map((row) => ({ ...row, translations: translations.get(row.id) ?? {} }));
  }

  private async translate<T extends ChangelogEntryRow>(rows: readonly T[], locale: string): Promise<T[]> {
    const { database, defaultLocale } = this.parts;
    if (locale === defaultLocale) return [...rows];
    const ids = rows.map(({ id }) => id);
    const translations = await readTranslations(database, ENTRY_TRANSLATIONS, ids);
    return rows.map((row) => translate(row, translations.get(row.id)?.[locale]));
  }
}
