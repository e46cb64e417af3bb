import type { Clock } from '../../../core/index.js';
import { SpecRefusal } from './refusal.js';
import { DocumentIndex } from './document-index.js';
import { SpecWorkers } from './spec-workers.js';

/** A document that was taken may take longer to be taken apart, on a machine that has much to do. */
const DEADLINE_MS = 10_000;
const MOST_BYTES = 96 * 1024 * 1024;
/** How long a document that could not be taken apart is not tried again. */
const REFUSED_MS = 60_000;

/**
 * Documents taken apart in a thread, each once, the latest kept in memory. Later requests are answered from there, without
 * reading the document or parsing anything.
 */
export class DocumentIndexes {
  /** By hash, oldest use first. */
  private readonly kept = new Map<string, DocumentIndex>();
  private readonly pending = new Map<string, Promise<DocumentIndex | null>>();
  /** Hash → until when. */
  private readonly refused = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly workers = new SpecWorkers(DEADLINE_MS),
  ) {}

  /**
   * @param read the document; asked only when it is not kept
   * @returns null for one that cannot be shown: broken in the database, or too much to take apart
   * @throws ServiceUnavailableError when too many wait, and what `read` throws
   */
  async of(hash: string, read: () => Promise<string>): Promise<DocumentIndex | null> {
    const kept = this.kept.get(hash);
    if (kept) {
      this.kept.delete(hash);
      this.kept.set(hash, kept);
      return kept;
    }
    if ((this.refused.get(hash) ?? 0) > this.clock.now().getTime()) return null;
    const pending = this.pending.get(hash) ?? this.build(hash, read);
    this.pending.set(hash, pending);
    return pending.finally(() => this.pending.delete(hash));
  }

  private async build(hash: string, read: () => Promise<string>): Promise<DocumentIndex | null> {
    const document = await read();
    try {
      const { parts } = await this.workers.run({ kind: 'digest', document });
      return this.keep(new DocumentIndex(hash, parts));
    } catch (error) {
      if (!(error instanceof SpecRefusal)) throw error;
      const now = this.clock.now().getTime();
      for (const [other, until] of this.refused) if (until <= now) this.refused.delete(other);
      this.refused.set(hash, now + REFUSED_MS);
      return null;
    }
  }

  private keep(digest: DocumentIndex): DocumentIndex {
    this.kept.set(digest.hash, digest);
    let size = 0;
    for (const one of this.kept.values()) size += one.size;
    for (const [oldest, one] of this.kept) {
      if (size <= MOST_BYTES || one === digest) break;
      this.kept.delete(oldest);
      size -= one.size;
    }
    return digest;
  }
}
