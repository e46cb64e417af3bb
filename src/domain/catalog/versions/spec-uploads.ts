import { ConflictError, ValidationError, type ExpectedVersion } from '../../../core/index.js';
import type { CatalogConfig } from '../config.js';
import type { SpecDiff } from '../openapi/diff/diff-documents.js';
import type { SpecReader, SpecUpload } from '../openapi/spec-reader.js';
import type { StoredSpec } from '../openapi/stored-spec.js';
import type { AdminProductRecord, ProductRecord } from '../products/product.js';
import type { ProductService } from '../products/product-service.js';
import type { SpecChangeWriter } from '../spec-change-writer.js';
import type { DocumentHistory } from './document-history.js';
import type { OperationDater } from './operation-dates.js';
import type { GivenDocument } from './product-documents.js';
import type { ChangelogDrafts } from '../changelog-drafts.js';
import type { ChangelogEntry } from '../changelog-entry.js';
import type { Database } from '../../../database/index.js';
import type { DocumentNote, DocumentRevision } from './document-revision.js';
import type { OwnedProductVersion } from './product-version-service.js';
import { productVersionRecord, type ProductVersion } from './product-version.js';

interface UploadParts {
  readonly products: ProductService;
  readonly specs: SpecReader;
  readonly history: DocumentHistory;
  readonly changeWriter: SpecChangeWriter;
  readonly drafts: ChangelogDrafts;
  readonly dater: OperationDater;
  readonly database: Database;
  readonly settings: Pick<CatalogConfig, 'breakingChanges' | 'draftsChanges'>;
}

/** What became of a document. */
export interface GivenResult {
  /** What the history keeps of it; null where it was there already. */
  readonly document: DocumentRevision | null;
  /** Of the changelog: drafted from what the document changes. */
  readonly entry: ChangelogEntry | null;
}

/** A document that was read and compared with the one it will replace, but not written yet. */
export interface PlannedUpload {
  readonly spec: StoredSpec;
  /** Hash of the document that is there. */
  readonly before: string | null;
  /** null where nothing was compared: a first document, an equal one, AsyncAPI and GraphQL. */
  readonly diff: SpecDiff | null;
}

/** A sentence for each, of so many breaking changes; a refusal counts the others. */
const MOST_TOLD = 20;
const SHORTEST_REASON = 3;

/**
 * Gives products and versions their documents: each is compared with the one that it replaces, in a thread, and what
 * breaks callers is published as `catalog.breakingChanges` says.
 */
export class SpecUploads {
  constructor(private readonly parts: UploadParts) {}

  /**
   * Reads and compares, and changes nothing.
   * @throws MalformedRequestError, ValidationError, ServiceUnavailableError when too many documents wait
   */
  async plan(product: Pick<AdminProductRecord, 'id' | 'specHash'>, version: ProductVersion | null, upload: SpecUpload) {
    const spec = await this.parts.specs.readUpload(upload);
    const before = (version ?? product).specHash;
    return { spec, before, diff: await this.compare(product.id, before, spec) } satisfies PlannedUpload;
  }

  /**
   * @param locale of the sentences of a refusal
   * @throws ConflictError for a breaking change that is not confirmed with a reason, or refused altogether, and when
   *   somebody else changed the document meanwhile; NotFoundError, PreconditionFailedError, and as {@link plan}
   */
  async giveProduct(
    product: AdminProductRecord,
    planned: PlannedUpload,
    note: DocumentNote,
    { locale, expected }: { readonly locale: string; readonly expected?: ExpectedVersion },
  ): Promise<GivenResult & { readonly product: AdminProductRecord }> {
    const where = { productId: product.id, isDefault: true };
    const version = await productVersionRecord.find(this.parts.database, where);
    if (product.visibility !== 'draft') await this.requireMeant(planned, note, locale);
    const { given, result } = await this.prepare({ product, version: version ?? null }, planned, note);
    const after = await this.parts.products.giveDocument(product.id, given, expected);
    return { product: after, ...result };
  }

  /** The same for a document that was read before, when the decision was made at the command line. @throws as {@link plan} */
  async importDocument(product: AdminProductRecord, spec: StoredSpec): Promise<void> {
    const where = { productId: product.id, isDefault: true };
    const version = await productVersionRecord.find(this.parts.database, where);
    const planned = { spec, before: product.specHash, diff: await this.compare(product.id, product.specHash, spec) };
    const { given } = await this.prepare({ product, version: version ?? null }, planned, {});
    await this.parts.products.giveDocument(product.id, given);
  }

  /** The same for a version. A draft may change in every way. @throws as {@link giveProduct} */
  async giveVersion(
    { product, version }: OwnedProductVersion,
    planned: PlannedUpload,
    note: DocumentNote,
    { locale, expected }: { readonly locale: string; readonly expected?: ExpectedVersion },
  ): Promise<GivenResult & OwnedProductVersion> {
    if (isSeen(product, version)) await this.requireMeant(planned, note, locale);
    const { given, result } = await this.prepare({ product, version }, planned, note);
    const after = await this.parts.products.giveVersionDocument(product, version.id, given, expected);
    return { product, version: after, ...result };
  }

  /** What is written, and what is known of that afterwards. Nobody is told what changed in what nobody sees. */
  private async prepare(
    {
      product,
      version,
    }: { readonly product: AdminProductRecord | ProductRecord; readonly version: ProductVersion | null },
    planned: PlannedUpload,
    note: DocumentNote,
  ) {
    const { spec, before, diff } = planned;
    const { drafts, settings, dater } = this.parts;
    const result: { -readonly [Field in keyof GivenResult]: GivenResult[Field] } = { document: null, entry: null };
    const place = { product, version: version?.name ?? null, versionId: version?.id ?? null };
    const isTold = settings.draftsChanges && isSeen(product, version) && before !== null && before !== spec.hash;
    const draft = isTold ? await drafts.plan(place, before, spec, diff) : null;
    const operations = product.visibility === 'draft' ? null : await dater.date(product.id, version, planned);
    const given: GivenDocument = {
      ...{ spec, note, operations, compared: { with: before, diff } },
      afterInsert: async (document, now, transaction) => {
        result.document = document;
        result.entry = draft && (await drafts.write(draft, place, document, now, transaction));
      },
    };
    return { given, result };
  }

  private async compare(id: number, before: string | null, spec: StoredSpec): Promise<SpecDiff | null> {
    if (before === null || before === spec.hash) return null;
    const old = await this.parts.history.readText(id, before);
    return old === undefined ? null : this.parts.history.compareTexts(old, spec.document);
  }

  private async requireMeant({ diff }: PlannedUpload, note: DocumentNote, locale: string): Promise<void> {
    const { breakingChanges: policy } = this.parts.settings;
    if (!diff || policy === 'warn') return;
    const isBreaking = diff.counts.breaking > 0;
    if (!isBreaking && diff.isComplete) return;
    const isRefused = isBreaking && policy === 'refuse';
    if (!isRefused && note.isConfirmed === true) {
      if ((note.reason ?? '').trim().length >= SHORTEST_REASON) return;
      throw new ValidationError({ reason: ['A breaking change needs a reason, which is kept with it.'] });
    }
    const breaking = diff.changes.filter(({ level }) => level === 'breaking').slice(0, MOST_TOLD);
    const told = await this.parts.changeWriter.describe(breaking, locale);
    const fault = isBreaking
      ? 'It breaks callers of the document that is there'
      : 'It is too involved to be held against the document that is there in whole, so it may break callers';
    const lead = isRefused
      ? `${fault}, which this portal does not take. Give it to a new version.`
      : `${fault}. Give it to a new version, or confirm it with a reason.`;
    const more = diff.counts.breaking - breaking.length;
    const rest = more > 0 ? [`There are ${more} more.`] : [];
    throw new ConflictError({ errors: { spec: [lead, ...told.map(({ line }) => line), ...rest] } });
  }
}

function isSeen({ visibility }: Pick<ProductRecord, 'visibility'>, version: ProductVersion | null): boolean {
  return visibility !== 'draft' && version?.state !== 'draft';
}
