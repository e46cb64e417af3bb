import {
  defineList,
  defineRecord,
  fieldOf,
  times,
  type NewRowOf,
  type OwnedRows,
  type RowOf,
} from '../../database/index.js';
import type { Translations } from './translation.js';

/** What a change means for callers of the product. */
export const CHANGE_KINDS = ['breaking', 'deprecation', 'feature', 'fix'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Only published entries are seen by readers. */
export const ENTRY_STATUSES = ['draft', 'published'] as const;
export type EntryStatus = (typeof ENTRY_STATUSES)[number];

export const changelogEntryRecord = defineRecord({
  name: 'ChangelogEntry',
  table: 'portal_changelog_entries',
  alias: 'ce',
  noun: 'changelog entry',
  fields: {
    id: fieldOf.id(),
    productId: fieldOf.reference(),
    kind: fieldOf.text<ChangeKind>(16),
    /** The version of the product that brings the change, as people call it: `2.1`. */
    version: fieldOf.text(100).nullable(),
    /** Its title. */
    name: fieldOf.text(200),
    shortDescription: fieldOf.text(500).default(''),
    /** Markdown. */
    description: fieldOf.longText().default(''),
    status: fieldOf.text<EntryStatus>(16),
    publishedAt: fieldOf.time().nullable(),
    /** The documents that a drafted entry compares; null if a person wrote it. */
    documentId: fieldOf.reference().nullable(),
    previousDocumentId: fieldOf.reference().nullable(),
    /** Of its texts as they were drafted. */
    draftedHash: fieldOf.text(64).nullable().hidden(),
    ...times,
  },
});

/** The columns of an entry, texts in the default locale. */
export type ChangelogEntryRow = RowOf<typeof changelogEntryRecord>;

/** An entry as readers see it, texts in their locale. */
export interface PublishedEntry extends ChangelogEntryRow {
  readonly publishedAt: Date;
}

/** An entry for admins: texts in the default locale plus all translations. */
export interface ChangelogEntry extends ChangelogEntryRow {
  readonly translations: Translations;
}

/** Fields that only code writes. */
type ServerField = 'id' | 'productId' | 'status' | 'publishedAt' | 'createdAt' | 'updatedAt' | Drafted;
type Drafted = 'documentId' | 'previousDocumentId' | 'draftedHash';

export interface ChangelogInput extends Omit<NewRowOf<typeof changelogEntryRecord>, ServerField> {
  readonly translations?: Translations;
}

export const ENTRY_TRANSLATIONS: OwnedRows = { table: 'portal_changelog_entry_translations', owner: 'entry_id' };

/** The entries of a product, as admins list them. */
export const changelogList = defineList<ChangelogEntryRow>(
  changelogEntryRecord.list({
    name: 'changelog-entries',
    sorts: ['publishedAt', 'createdAt', 'updatedAt'],
    filters: ['id', 'kind', 'version', 'status', 'documentId', 'publishedAt', 'createdAt', 'updatedAt'],
    relations: ['translations'],
  }),
);

/** The published entries of a product, as its readers list them: the latest first. */
export const publishedList = defineList<PublishedEntry>({
  ...changelogEntryRecord.list({
    name: 'published-changelog-entries',
    sorts: ['publishedAt'],
    filters: ['kind', 'version', 'publishedAt'],
  }),
  defaultSort: 'published_at',
});
