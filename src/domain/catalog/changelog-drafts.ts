import { createHash } from 'node:crypto';
import { changeRecord, type Transaction } from '../../database/index.js';
import type { CatalogParts } from './contracts.js';
import {
  changelogEntryRecord,
  ENTRY_TRANSLATIONS,
  type ChangeKind,
  type ChangelogEntry,
  type ChangelogEntryRow,
} from './changelog-entry.js';
import { ChangeCreatedEvent, ChangeDeletedEvent, ChangeUpdatedEvent } from './events.js';
import type { SpecDiff } from './openapi/diff/diff-documents.js';
import { productRecord, type ProductRecord } from './products/product.js';
import type { EntryTexts, SpecChangeWriter } from './spec-change-writer.js';
import { changeTranslations, readTranslations, type Translations } from './translation.js';
import type { DocumentHistory } from './versions/document-history.js';
import { documentRevisionRecord, type DocumentRevision } from './versions/document-revision.js';

interface DraftParts extends CatalogParts {
  readonly history: DocumentHistory;
  readonly changeWriter: SpecChangeWriter;
}

/** What an entry says by itself: texts in the default locale, and in every other one. */
interface Told {
  readonly kind: ChangeKind;
  readonly texts: EntryTexts;
  readonly translations: Translations;
}

/** A draft that nobody published yet, of the same version, and what it says with the new document. */
interface Continued {
  readonly entryId: number;
  /** null where both documents together change nothing. */
  readonly told: Told | null;
}

/** What is to be written once the document is. */
export interface PlannedDraft {
  readonly own: Told | null;
  readonly continued: Continued | null;
}

/** What a version brings, which is to be written once it is current. */
export interface PlannedVersionDraft {
  readonly told: Told;
  /** Hashes of what readers had, and of what they get. */
  readonly before: string;
  readonly hash: string;
}

/** The place of a document: its product, and the version that it belongs to. */
interface DocumentPlace {
  readonly product: ProductRecord;
  /** Name of the version; null for a product without. */
  readonly version: string | null;
  readonly versionId: number | null;
}

/** Longest description that is drafted or goes on growing, in characters; the field takes more. */
const LONGEST = 60_000;

/**
 * Drafts entries of changelogs from what documents change, for a person to edit, to translate and to publish. While a draft
 * waits, further documents of the same version go into it: rewritten where nobody touched it, added below where somebody did.
 */
export class ChangelogDrafts {
  constructor(private readonly parts: DraftParts) {}

  /**
   * Words everything, and writes nothing.
   * @param before hash of the document that is replaced
   * @param diff what the new one changes of it
   * @throws ServiceUnavailableError when too many documents wait
   */
  async plan(
    { product, versionId }: DocumentPlace,
    before: string | null,
    after: { readonly hash: string; readonly document: string },
    diff: SpecDiff | null,
  ): Promise<PlannedDraft | null> {
    const continued = await this.planContinued(product.id, versionId, before, after);
    const own = diff && (await this.tell(diff));
    return own || continued ? { own, continued } : null;
  }

  /** @returns the draft; null where nothing is to be told */
  async write(
    { own, continued }: PlannedDraft,
    place: DocumentPlace,
    document: DocumentRevision,
    now: Date,
    transaction: Transaction,
  ): Promise<ChangelogEntry | null> {
    if (continued) {
      const where = { id: continued.entryId, productId: place.product.id, status: 'draft' } as const;
      const [present] = await changelogEntryRecord.findAll(this.parts.database, where, { transaction, lock: true });
      // Published or deleted meanwhile: what the new document changes is an entry of its own.
      if (present) return this.goOn(present, continued, own, { place, document, now, transaction });
    }
    return own && this.create(own, place, document, now, transaction);
  }

  /**
   * Words what a version brings that becomes current, against the document that readers had by default.
   * @returns null where nothing is to be told
   * @throws ServiceUnavailableError when too many documents wait
   */
  async planVersion(product: ProductRecord, hash: string): Promise<PlannedVersionDraft | null> {
    const { database, history } = this.parts;
    const before = (await productRecord.require(database, { id: product.id }, { only: ['specHash'] })).specHash;
    if (before === null || before === hash || product.visibility === 'draft') return null;
    const diff = await history.compare(product, before, hash);
    const told = diff && (await this.tell(diff));
    return told && { told, before, hash };
  }

  /** The entry of {@link planVersion}, with the documents of both. */
  async writeVersion(
    { told, before, hash }: PlannedVersionDraft,
    place: DocumentPlace,
    now: Date,
    transaction: Transaction,
  ) {
    const where = { productId: place.product.id, hash, versionId: place.versionId };
    const options = { order: 'doc.id DESC', limit: 1, transaction };
    const [document] = await documentRevisionRecord.findAll(this.parts.database, where, options);
    if (document) await this.create(told, place, { ...document, beforeHash: before }, now, transaction);
  }

  private async planContinued(
    productId: number,
    versionId: number | null,
    before: string | null,
    after: { readonly hash: string; readonly document: string },
  ): Promise<Continued | null> {
    const { database, history } = this.parts;
    const drafts = await changelogEntryRecord.findAll(
      database,
      { productId, status: 'draft' },
      { order: 'ce.id DESC' },
    );
    for (const { id, documentId, previousDocumentId } of drafts) {
      if (documentId === null || previousDocumentId === null) continue;
      const [last, first] = await Promise.all(
        [documentId, previousDocumentId].map((one) => documentRevisionRecord.find(database, { id: one, productId })),
      );
      if (!last || !first || last.versionId !== versionId || last.hash !== before) continue;
      if (first.hash === after.hash) return { entryId: id, told: null };
      const diff = await history.compareWith(productId, first.hash, after.document);
      return { entryId: id, told: diff && (await this.tell(diff)) };
    }
    return null;
  }

  private async tell(diff: SpecDiff): Promise<Told | null> {
    const { changeWriter, locales, defaultLocale } = this.parts;
    const { breaking, warning, info } = diff.counts;
    if (breaking + warning + info === 0) return null;
    const others = locales.filter((locale) => locale !== defaultLocale);
    const told = await Promise.all(
      others.map(async (locale) => [locale, await changeWriter.writeEntry(diff, locale, LONGEST)] as const),
    );
    const isDeprecation = diff.changes.some(({ id }) => /deprecated/.test(id));
    return {
      kind: breaking > 0 ? 'breaking' : isDeprecation ? 'deprecation' : 'feature',
      texts: await changeWriter.writeEntry(diff, defaultLocale, LONGEST),
      translations: Object.fromEntries(told),
    };
  }

  private async create(
    { kind, texts, translations }: Told,
    { product, version }: DocumentPlace,
    document: DocumentRevision,
    now: Date,
    transaction: Transaction,
  ): Promise<ChangelogEntry> {
    const { database, events } = this.parts;
    const previous = await this.previousOf(document, transaction);
    const links = { documentId: document.id, previousDocumentId: previous?.id ?? null };
    const stamps = {
      status: 'draft',
      draftedHash: hashOf(texts, translations),
      createdAt: now,
      updatedAt: now,
    } as const;
    const values = { productId: product.id, kind, version, ...texts, ...links, ...stamps };
    const id = await changelogEntryRecord.insert(database, values, transaction);
    await changeTranslations(database, ENTRY_TRANSLATIONS, id, translations, transaction);
    const entry = { ...(await changelogEntryRecord.require(database, { id }, { transaction })), translations };
    await events.emit(new ChangeCreatedEvent({ product, entry, occurredAt: now }), transaction);
    return entry;
  }

  /** The document that was replaced: the latest with its hash, of the same version where there is one. */
  private async previousOf({ productId, versionId, beforeHash }: DocumentRevision, transaction: Transaction) {
    if (beforeHash === null) return undefined;
    const same = { productId, hash: beforeHash };
    const options = { order: 'doc.id DESC', limit: 50, transaction };
    const found = await documentRevisionRecord.findAll(this.parts.database, same, options);
    return found.find((one) => one.versionId === versionId) ?? found[0];
  }

  private async goOn(
    present: ChangelogEntryRow,
    { told }: Continued,
    own: Told | null,
    { place, document, now, transaction }: Written,
  ): Promise<ChangelogEntry | null> {
    const { database, events } = this.parts;
    const { id } = present;
    const translations = (await readTranslations(database, ENTRY_TRANSLATIONS, [id], transaction)).get(id) ?? {};
    const drafted = await changelogEntryRecord.require(database, { id }, { only: ['draftedHash'], transaction });
    const isUntouched = drafted.draftedHash === hashOf(present, translations);
    if (isUntouched && told === null) {
      await events.emit(new ChangeDeletedEvent({ ...place, entry: present, occurredAt: now }), transaction);
      await changelogEntryRecord.remove(database, { id }, transaction);
      return null;
    }
    const next = isUntouched ? told : own && append({ ...present, translations }, own);
    const texts = next && (await changeTranslations(database, ENTRY_TRANSLATIONS, id, next.translations, transaction));
    return changeRecord(changelogEntryRecord, this.parts, transaction, {
      id,
      plan: () => ({
        values: { documentId: document.id, ...(next && { kind: next.kind, ...next.texts }) },
        elsewhere: texts ? { translations: texts } : null,
        hidden: next && isUntouched ? { draftedHash: hashOf(next.texts, next.translations) } : false,
      }),
      read: async () => ({
        ...(await changelogEntryRecord.require(database, { id }, { transaction })),
        translations: next?.translations ?? translations,
      }),
      announce: (entry, changes, occurredAt) => [
        new ChangeUpdatedEvent({ product: place.product, entry, changes, occurredAt }),
      ],
    });
  }
}

interface Written {
  readonly place: DocumentPlace;
  readonly document: DocumentRevision;
  readonly now: Date;
  readonly transaction: Transaction;
}

/** What somebody wrote, with the new findings below it. */
function append({ kind, name, shortDescription, description, translations }: ChangelogEntry, own: Told): Told {
  const below = (text: string, more = '') =>
    text.length + more.length > LONGEST ? text : `${text.trimEnd()}\n\n---\n\n${more}`;
  const grown = Object.entries(translations).map(([locale, texts]) => {
    const more = own.translations[locale]?.description ?? own.texts.description;
    return [locale, texts.description ? { ...texts, description: below(texts.description, more) } : texts] as const;
  });
  return {
    kind: own.kind === 'breaking' ? own.kind : kind,
    texts: { name, shortDescription, description: below(description, own.texts.description) },
    translations: Object.fromEntries(grown),
  };
}

/** Tells whether somebody changed what was drafted. */
function hashOf({ name, shortDescription, description }: EntryTexts, translations: Translations): string {
  const others = Object.entries(translations)
    .map(([locale, texts]) => [locale, texts.name, texts.shortDescription, texts.description])
    .sort(([one], [two]) => (String(one) < String(two) ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([name, shortDescription, description, others]))
    .digest('hex');
}
