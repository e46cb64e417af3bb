import { defineList, defineRecord, fieldOf, type RowOf } from '../../../database/index.js';
import type { ActingPerson } from '../../../core/index.js';

/** The text of a document of a product, under its hash: equal uploads are stored once. */
export const documentTextRecord = defineRecord({
  name: 'ProductText',
  table: 'portal_product_texts',
  alias: 'txt',
  fields: {
    productId: fieldOf.reference().key(),
    hash: fieldOf.text(64).key(),
    document: fieldOf.longText().hidden(),
  },
});

export const documentRevisionRecord = defineRecord({
  name: 'ProductDocument',
  table: 'portal_product_documents',
  alias: 'doc',
  fields: {
    id: fieldOf.id(),
    productId: fieldOf.reference(),
    /** null for the product itself, and once the version is gone. */
    versionId: fieldOf.reference().nullable(),
    /** SHA-256 of the document as it is stored. */
    hash: fieldOf.text(64),
    /** Of the document that it replaced; null for a first one. */
    beforeHash: fieldOf.text(64).nullable(),
    authorType: fieldOf.text<ActingPerson['type']>(16),
    authorId: fieldOf.bigint().nullable(),
    authorName: fieldOf.text(200).nullable(),
    sourceCommit: fieldOf.text(100).nullable(),
    sourceUrl: fieldOf.longText().nullable(),
    /** Why a breaking change was published. */
    reason: fieldOf.text(500).nullable(),
    /** How many changes callers notice; null where the two were not compared. */
    breaking: fieldOf.integer().nullable(),
    warnings: fieldOf.integer().nullable(),
    infos: fieldOf.integer().nullable(),
    /** When its operations came and changed. */
    operations: fieldOf.json<OperationDates>().nullable().hidden(),
    createdAt: fieldOf.time(),
  },
});

/** Since which version of a product, or of its document, and since when. */
export interface OperationDate {
  /** Name of the version; empty for none. */
  readonly in: string;
  /** ISO 8601. */
  readonly at: string;
}

/** By `GET /pets`: what the history knows of the operations of a document; those of a first one are missing. */
export type OperationDates = Readonly<
  Record<string, { readonly added?: OperationDate | undefined; readonly changed?: OperationDate | undefined }>
>;

/** A document that a product was given, by whom and from where. */
export type DocumentRevision = RowOf<typeof documentRevisionRecord>;

/** What is said of a document when it is given. */
export interface DocumentNote {
  /** Of the repository that it comes from. */
  readonly commit?: string | undefined;
  /** Where it comes from. */
  readonly source?: string | undefined;
  /** Why a breaking change is published. */
  readonly reason?: string | undefined;
  /** Whether a breaking change is meant. */
  readonly isConfirmed?: boolean | undefined;
}

/** The documents that a product was given. */
export const documentRevisionList = defineList<DocumentRevision>({
  ...documentRevisionRecord.list({
    name: 'product-documents',
    sorts: ['createdAt'],
    filters: ['id', 'hash', 'sourceCommit', 'createdAt'],
  }),
  defaultSort: 'created_at',
});
