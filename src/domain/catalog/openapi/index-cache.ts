import { BoundedCache, type Clock } from '../../../core/index.js';
import { SpecRefusal } from './refusal.js';
import { DocumentIndex } from './document-index.js';
import { SpecWorkers } from './spec-workers.js';

/** Longer than the upload's limit: an accepted document may take longer to index on a busy machine. */
const DEADLINE_MS = 10_000;
const MOST_BYTES = 96 * 1024 * 1024;
/** How long a document that failed to index is not retried. */
const REFUSED_MS = 60_000;
const MOST_REFUSED = 1_000;

/**
 * Indexes documents in a worker thread, each once, and caches the latest in memory. Later requests are served from
 * there without reading the document or parsing anything.
 */
export class DocumentIndexes {
  private readonly cache = new BoundedCache<DocumentIndex>({ size: MOST_BYTES, sizeOf: ({ size }) => size });
  private readonly refused: BoundedCache<true>;

  constructor(
    clock: Clock,
    private readonly workers = new SpecWorkers(DEADLINE_MS),
  ) {
    this.refused = new BoundedCache({ entries: MOST_REFUSED, age: { ms: REFUSED_MS, clock } });
  }

  /**
   * @param read the document; called only if it is not cached
   * @returns null if it cannot be shown: broken in the database, or too large to index
   * @throws ServiceUnavailableError when too many wait, and what `read` throws
   */
  async of(hash: string, read: () => Promise<string>): Promise<DocumentIndex | null> {
    if (this.refused.get(hash)) return null;
    return (await this.cache.read(hash, () => this.build(hash, read))) ?? null;
  }

  private async build(hash: string, read: () => Promise<string>): Promise<DocumentIndex | undefined> {
    const document = await read();
    try {
      const { parts } = await this.workers.run({ kind: 'index', document });
      return new DocumentIndex(hash, parts);
    } catch (error) {
      if (!(error instanceof SpecRefusal)) throw error;
      this.refused.set(hash, true);
      return undefined;
    }
  }
}
