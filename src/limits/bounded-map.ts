/** A part of the whole, so that making room is rare and its cost is spread. */
const ROOM = 0.1;

interface Judgement<V> {
  /** Nobody would miss the entry. */
  readonly isUseless: (value: V) => boolean;
  /** The entry must not go to make room, even when the capacity is then exceeded. */
  readonly isPinned?: (value: V) => boolean;
}

/**
 * A map of at most `capacity` entries. To make room it drops the useless first, then the least recently set. Not a
 * `BoundedCache`: what counts against somebody must not be washed away by entries that have run out, nor an attempt under way.
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
