import type { CatalogParts } from '../contracts.js';
import type { SpecDiff } from '../openapi/diff/diff-documents.js';
import type { StoredSpec } from '../openapi/stored-spec.js';
import type { DocumentHistory } from './document-history.js';
import type { OperationDates } from './document-revision.js';
import { productVersionRecord, type ProductVersion } from './product-version.js';

/** Beyond any real API; what comes after is not dated. */
const MOST_DATED = 10_000;

/** Works out, when a document is given, since when and which version its operations are there and as they are. */
export class OperationDater {
  constructor(
    private readonly parts: Pick<CatalogParts, 'database' | 'clock'>,
    private readonly history: DocumentHistory,
  ) {}

  /**
   * @param diff from the document that is replaced; the first document of a version is compared with that of the version before
   * @returns null where nothing is known
   * @throws ServiceUnavailableError when too many documents wait
   */
  async date(
    productId: number,
    version: ProductVersion | null,
    {
      spec,
      before,
      diff,
    }: { readonly spec: StoredSpec; readonly before: string | null; readonly diff: SpecDiff | null },
  ): Promise<OperationDates | null> {
    const base = before === null ? await this.previousVersion(productId, version) : { hash: before, id: version?.id };
    if (!base) return null;
    const found = before === null ? await this.history.compareWith(productId, base.hash, spec.document) : diff;
    if (!found) return null;
    const known = await this.history.operationsOf(productId, base.hash, base.id ?? null);
    return dateOperations(known, found, version?.name, this.parts.clock.now());
  }

  private async previousVersion(productId: number, version: ProductVersion | null) {
    if (!version) return undefined;
    const options = { order: 'ver.id DESC', only: ['id', 'specHash'] } as const;
    const others = await productVersionRecord.findAll(this.parts.database, { productId }, options);
    const found = others.find(({ id, specHash }) => id < version.id && specHash !== null);
    return found?.specHash ? { hash: found.specHash, id: found.id } : undefined;
  }
}

function dateOperations(
  known: OperationDates,
  { operations: { version, added, changed } }: SpecDiff,
  name: string | undefined,
  now: Date,
): OperationDates {
  const date = { in: name ?? version, at: now.toISOString() };
  const dates = new Map(Object.entries(known));
  for (const operation of added) dates.set(operation, { added: date });
  for (const operation of changed) dates.set(operation, { ...dates.get(operation), changed: date });
  return Object.fromEntries([...dates].slice(-MOST_DATED));
}
