/**
 * Bytes that never change under their key, which is a hash of them: read once however many ask, and the same buffer for
 * everybody, so that a thousand readers of a document cost its memory once. The least recently used go first.
 */
export class ByteCache {
  private readonly kept = new Map<string, Buffer>();
  private readonly pending = new Map<string, Promise<Buffer | null>>();
  private size = 0;

  /** @param most bytes of all together; a single one may be larger */
  constructor(private readonly most: number) {}

  /**
   * @param read asked when nothing is kept, once for all who ask meanwhile; null, and what it throws, is not kept
   * @returns what was kept or read
   */
  async get(key: string, read: () => Promise<Buffer | null>): Promise<Buffer | null> {
    const kept = this.kept.get(key);
    if (kept) {
      this.kept.delete(key);
      this.kept.set(key, kept);
      return kept;
    }
    const pending = this.pending.get(key) ?? this.readAnew(key, read);
    this.pending.set(key, pending);
    return pending;
  }

  private async readAnew(key: string, read: () => Promise<Buffer | null>): Promise<Buffer | null> {
    try {
      const bytes = await read();
      if (bytes) this.keep(key, bytes);
      return bytes;
    } finally {
      this.pending.delete(key);
    }
  }

  private keep(key: string, bytes: Buffer): void {
    this.kept.set(key, bytes);
    this.size += bytes.length;
    for (const [oldest, { length }] of this.kept) {
      if (this.size <= this.most || oldest === key) return;
      this.kept.delete(oldest);
      this.size -= length;
    }
  }
}
