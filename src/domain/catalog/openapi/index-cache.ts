import { BoundedCache, type Clock } from '../../../core/index.js';
import { SpecRefusal } from './refusal.js';
import { DocumentIndex } from './document-index.js';
import { SpecWorkers } from './spec-workers.js';

/** A document that was taken may take longer to be taken apart, on a machine that has much to do. */
const DEADLINE_MS = 10_000;
const MOST_BYTES = 96 * 1024 * 1024;
/** How long a document that could not be taken apart is not tried again. */
const REFUSED_MS = 60_000;
const MOST_REFUSED = 1_000;

/**
 * Documents taken apart in a thread, each once, the latest kept in memory. Later requests are answered from there, without
 * reading the document or parsing anything.
 */
export class DocumentIndexes {
  private readonly kept = new BoundedCache<DocumentIndex>({ size: MOST_BYTES, sizeOf: ({ size }) => size });
  private readonly refused: BoundedCache<true>;

  constructor(
    clock: Clock,
    private readonly workers = new SpecWorkers(DEADLINE_MS),
  ) {
    this.refused = new BoundedCache({ entries: MOST_REFUSED, age: { ms: REFUSED_MS, clock } });
  }

  /**
   * @param read the document; asked only when it is not kept
   * @returns null for one that cannot be shown: broken in the database, or too much to take apart
   * @throws ServiceUnavailableError when too many wait, and what `read` throws
   */
  async of(hash: string, read: () => Promise<string>): Promise<DocumentIndex | null> {
    if (this.refused.get(hash)) return null;
    return (await this.kept.read(hash, () => this.build(hash, read))) ?? null;
  }

  private async build(hash: string, read: () => Promise<string>): Promise<DocumentIndex | undefined> {
    const document = await read();
    try {
      const { parts } = await this.workers.run({ kind: 'digest', document });
      return new DocumentIndex(hash, parts);
    } catch (error) {
      if (!(error instanceof SpecRefusal)) throw error;
      this.refused.set(hash, true);
      return undefined;
    }
  }
}
