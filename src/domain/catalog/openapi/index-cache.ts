import { BoundedCache, type Clock } from '../../../core/index.js';
import { createHash } from 'node:crypto';
import type { SpecOutline } from './build-index.js';
import { SpecRefusal } from './refusal.js';
import { DocumentIndex } from './document-index.js';
import { SpecWorkers } from './spec-workers.js';
import type { WrittenOrder } from './written/write-reference.js';

/** Somebody waits for a page meanwhile. */
const DEADLINE_MS = 20_000;
const MOST_BYTES = 96 * 1024 * 1024;
/** How long a document that failed to index is not retried. */
const REFUSED_MS = 60_000;
const MOST_REFUSED = 1_000;
/** Bytes of written pages that are cached. */
const MOST_WRITTEN = 16 * 1024 * 1024;

/** A page of a document, written when it is read. */
export interface WrittenPage {
  /** Value of the `ETag`, without quotes. */
  readonly tag: string;
  /** Empty for one that takes too long. @throws ServiceUnavailableError when too many wait */
  readonly read: () => Promise<Buffer>;
}

const TOO_MUCH = Buffer.alloc(0);
const MOST_FACTS = 2_000;

/** What lists show of a document; kept for far more documents than indexes are. */
export interface SpecFacts extends Pick<SpecOutline, 'version' | 'base' | 'firstCall'> {
  /** How many. */
  readonly operations: number;
}

/**
 * Indexes documents in a worker thread, each once, and caches the latest in memory. Later requests are served from
 * there without reading the document or parsing anything.
 */
export class DocumentIndexes {
  private readonly cache = new BoundedCache<DocumentIndex>({ size: MOST_BYTES, sizeOf: ({ size }) => size });
  private readonly refused: BoundedCache<true>;
  private readonly written = new BoundedCache<Buffer>({ size: MOST_WRITTEN, sizeOf: ({ length }) => length });
  private readonly facts = new BoundedCache<SpecFacts>({ entries: MOST_FACTS });

  constructor(
    clock: Clock,
    private readonly workers = new SpecWorkers(DEADLINE_MS),
    /** Of its own, so that pages do not wait for documents. */
    private readonly writers = new SpecWorkers(DEADLINE_MS),
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

  /** A page about these operations, or the outline of the whole document without any. */
  write(index: DocumentIndex, numbers: readonly number[], order: WrittenOrder): WrittenPage {
    return this.page([index.hash, numbers, order], () => this.writeInThread(index.piecesOf(numbers), order));
  }

  /** A page about a schema. @param number as `schemaNamed` has it */
  writeSchema(index: DocumentIndex, number: number, order: WrittenOrder): WrittenPage {
    const own = { ...order, isSchema: true } as const;
    return this.page([index.hash, 'schema', number, own], () => this.writeInThread(index.piecesOfSchema(number), own));
  }

  private page(key: readonly unknown[], write: () => Promise<Buffer>): WrittenPage {
    const tag = createHash('sha256').update(JSON.stringify(key)).digest('hex');
    return { tag, read: () => this.written.read(tag, write) };
  }

  private async writeInThread(pieces: Uint8Array, order: WrittenOrder): Promise<Buffer> {
    try {
      return Buffer.from((await this.writers.run({ kind: 'write', pieces, order })).text);
    } catch (error) {
      if (error instanceof SpecRefusal) return TOO_MUCH;
      throw error;
    }
  }

  /** Of a document in short. @returns and throws like {@link of} */
  async factsOf(hash: string, read: () => Promise<string>): Promise<SpecFacts | null> {
    const known = this.facts.get(hash);
    if (known) return known;
    const index = await this.of(hash, read);
    if (!index) return null;
    const { version, base, firstCall, operations } = index.outline;
    const facts = { version, base, firstCall, operations: operations.length };
    this.facts.set(hash, facts);
    return facts;
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
