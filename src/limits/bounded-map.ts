/** Frees a fraction at once, so that eviction is rare and its cost is amortised. */
const ROOM = 0.1;

interface Judgement<V> {
  /** The entry can be dropped without loss. */
  readonly isUseless: (value: V) => boolean;
  /** The entry must not be evicted, even if the capacity is then exceeded. */
  readonly isPinned?: (value: V) => boolean;
}

/**
 * A map of at most `capacity` entries. Evicts useless entries first, then the least recently set. Not a `BoundedCache`:
 * expired entries must not push out counts against somebody, nor attempts in progress.
 */
export class BoundedMap<V> {
  private readonly entries = new Map<string, V>();

  constructor(
    private readonly capacity: number,
    private readonly judge: Judgement<V>,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  get(key: string): V | undefined {
    return this.entries.get(key);
  }

  set(key: string, value: V): void {
    this.entries.delete(key);
    if (this.entries.size >= this.capacity) this.makeRoom();
    this.entries.set(key, value);
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  private makeRoom(): void {
    for (const [key, value] of this.entries) if (this.judge.isUseless(value)) this.entries.delete(key);
    const target = Math.floor(this.capacity * (1 - ROOM));
    for (const [key, value] of this.entries) {
      if (this.entries.size <= target) return;
      if (!this.judge.isPinned?.(value)) this.entries.delete(key);
    }
  }
}
