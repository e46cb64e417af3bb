import { mergeRows, type Transaction } from '../../../database/index.js';
import {
  BoundedCache,
  currentActorContext,
  NotFoundError,
  type ListPage,
  type ListQuery,
} from '../../../core/index.js';
import type { CatalogParts } from '../contracts.js';
import type { SpecDiff } from '../openapi/diff/diff-documents.js';
import type { SpecComparer } from '../openapi/diff/spec-comparer.js';
import { SpecRefusal } from '../openapi/refusal.js';
import type { StoredSpec } from '../openapi/stored-spec.js';
import {
  documentTextRecord,
  documentRevisionList,
  documentRevisionRecord,
  type DocumentNote,
  type DocumentRevision,
  type OperationDates,
} from './document-revision.js';

/** A document for the history, with what is known of it. */
export interface NewDocument {
  readonly productId: number;
  readonly versionId: number | null;
  readonly spec: StoredSpec;
  readonly beforeHash: string | null;
  readonly note: DocumentNote;
  readonly counts: SpecDiff['counts'] | null;
  readonly operations: OperationDates | null;
}

interface HistoryParts {
  readonly database: CatalogParts['database'];
  readonly lists: CatalogParts['lists'];
  readonly comparer: SpecComparer;
}

/** Comparisons kept in memory, by the hashes of both documents. */
const MOST_COMPARED = 200;
const MOST_DATED = 100;

/** Every document that products were ever given; nothing of it is changed later. */
export class DocumentHistory {
  private readonly dates = new BoundedCache<OperationDates>({ entries: MOST_DATED });
  private readonly compared = new BoundedCache<SpecDiff>({ entries: MOST_COMPARED });

  constructor(private readonly parts: HistoryParts) {}

  /** Keeps a document, as given by the current actor. */
  async keep(
    { spec, note, counts, ...row }: NewDocument,
    now: Date,
    transaction: Transaction,
  ): Promise<DocumentRevision> {
    const { database } = this.parts;
    const text = { productId: row.productId, hash: spec.hash, document: spec.document };
    await mergeRows(database, documentTextRecord, [text], { document: 'replace' }, transaction);
    const { person } = currentActorContext();
    const values = {
      ...row,
      hash: spec.hash,
      ...{ authorType: person.type, authorId: person.id, authorName: person.name?.slice(0, 200) ?? null },
      ...{ sourceCommit: note.commit ?? null, sourceUrl: note.source ?? null, reason: note.reason ?? null },
      ...{ breaking: counts?.breaking ?? null, warnings: counts?.warning ?? null, infos: counts?.info ?? null },
      createdAt: now,
    };
    const id = await documentRevisionRecord.insert(database, values, transaction);
    return documentRevisionRecord.require(database, { id }, { transaction });
  }

  /** When the operations of a document came and changed, as it is known of the latest with that hash. */
  async operationsOf(productId: number, hash: string, versionId: number | null): Promise<OperationDates> {
    const order = { order: 'doc.id DESC', limit: 20, only: ['id', 'versionId'] } as const;
    const found = await documentRevisionRecord.findAll(this.parts.database, { productId, hash }, order);
    const latest = found.find((one) => one.versionId === versionId) ?? found[0];
    if (!latest) return {};
    const read = async () => {
      const [row] = await documentRevisionRecord.findAll(
        this.parts.database,
        { id: latest.id },
        { only: ['operations'] },
      );
      return row?.operations ?? {};
    };
    return (await this.dates.read(String(latest.id), read)) ?? {};
  }

  /** The latest first. @throws ValidationError naming what the list does not support */
  list({ id }: { readonly id: number }, query: ListQuery): Promise<ListPage<DocumentRevision>> {
    return this.parts.lists.run(documentRevisionList, query, { scope: { where: 'doc.product_id = ?', values: [id] } });
  }

  /** @throws NotFoundError also for the document of another product */
  find(product: { readonly id: number }, id: number): Promise<DocumentRevision> {
    return documentRevisionRecord.require(this.parts.database, { id, productId: product.id });
  }

  /** The text that a product once had; undefined if it never did. */
  async readText(productId: number, hash: string, transaction?: Transaction): Promise<string | undefined> {
    const options = { only: ['document'] as const, transaction };
    return (await documentTextRecord.find(this.parts.database, { productId, hash }, options))?.document;
  }

  /**
   * What changed from one document of a product to another, by their hashes. Both were checked when they were given.
   * @returns null for two that cannot be compared: AsyncAPI, GraphQL, and what takes too long
   * @throws NotFoundError, ServiceUnavailableError when too many documents wait
   */
  async compare({ id }: { readonly id: number }, old: string, present: string): Promise<SpecDiff | null> {
    const read = async () => {
      const [before, after] = await Promise.all([this.readText(id, old), this.readText(id, present)]);
      if (before === undefined || after === undefined) throw new NotFoundError();
      return (await this.compareTexts(before, after)) ?? undefined;
    };
    return (await this.compared.read(`${id} ${old} ${present}`, read)) ?? null;
  }

  /** The same with a document that the product does not have yet. @throws as {@link compare} */
  async compareWith(productId: number, old: string, present: string): Promise<SpecDiff | null> {
    const before = await this.readText(productId, old);
    return before === undefined ? null : this.compareTexts(before, present);
  }

  /** @returns and throws as {@link compare}. */
  async compareTexts(before: string | Buffer, after: string): Promise<SpecDiff | null> {
    try {
      return await this.parts.comparer.diffDocuments(before, after);
    } catch (error) {
      if (error instanceof SpecRefusal) return null;
      throw error;
    }
  }
}
