/** A part of the whole, so that making room is rare and its cost is spread. */
const ROOM = 0.1;

/** A map of at most `capacity` entries. To make room it drops the useless first, then the least recently set. */
export class BoundedMap<V> {
  private readonly entries = new Map<string, V>();

  /**
   * @param isUseless entries that nobody would miss
   * @param isPinned entries that must not go to make room; they may exceed the capacity
   */
  constructor(
    private readonly capacity: number,
    private readonly isUseless: (value: V) => boolean,
    private readonly isPinned: (value: V) => boolean = () => false,
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
    for (const [key, value] of this.entries) if (this.isUseless(value)) this.entries.delete(key);
    const target = Math.floor(this.capacity * (1 - ROOM));
    for (const [key, value] of this.entries) {
      if (this.entries.size <= target) return;
      if (!this.isPinned(value)) this.entries.delete(key);
    }
  }
}
