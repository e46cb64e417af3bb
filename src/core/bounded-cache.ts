import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { Clock } from './clock.js';

interface CacheBounds<V> {
  /** How many entries at most. */
  readonly entries?: number;
  /** What `sizeOf` gives for all entries together at most. */
  readonly size?: number;
  readonly sizeOf?: (value: V, key: string) => number;
  /** A larger value is not kept; without it, one that is larger than `size` is kept alone. */
  readonly largest?: number;
  /** Told of every entry that goes to make room. */
  readonly onEvict?: (value: V, key: string) => void;
  /** How long an entry is good, counted from when its value was asked for. */
  readonly age?: { readonly ms: number; readonly clock: Clock };
}

interface Entry<V> {
  readonly value: V | Promise<V>;
  /** Whatever the value was made of; the entry is good for what equals it. */
  readonly version: unknown;
  /** Milliseconds; 0 where no age is looked at. */
  readonly since: number;
}

/** What this process may forget at any time: bounded, the least recently used goes first. */
export class BoundedCache<V> {
  private readonly entries: LRUCache<string, Entry<V>>;

  constructor(private readonly bounds: CacheBounds<V>) {
    const { entries = 0, size = 0, largest = 0, onEvict } = bounds;
    this.entries = new LRUCache({
      ...{ max: entries, maxSize: size, maxEntrySize: largest },
      dispose: ({ value }, key, reason) => {
        if (reason === 'evict' && !(value instanceof Promise)) onEvict?.(value, key);
      },
    });
  }

  /** @returns the value that was set for an equal version, or that was read for it by now */
  get(key: string, version?: unknown): V | undefined {
    const entry = this.find(key, version);
    return entry && !(entry.value instanceof Promise) ? entry.value : undefined;
  }

  set(key: string, value: V, version?: unknown): void {
    this.keep(key, { value, version, since: this.now() });
  }

  /**
   * The value that is kept for an equal version, or else is read now, once for all who ask for it meanwhile.
   * @param read `undefined`, and what it throws, is not kept
   */
  async read<Read extends V | undefined>(key: string, read: () => Promise<Read>, version?: unknown): Promise<V | Read> {
    const known = this.find(key, version);
    if (known) return known.value;
    const reading = read();
    const entry = { value: reading as Promise<V>, version, since: this.now() };
    this.keep(key, entry);
    const isStillKept = () => this.entries.peek(key) === entry;
    try {
      const value = await reading;
      if (isStillKept()) {
        if (value === undefined) this.entries.delete(key);
        else this.keep(key, { ...entry, value });
      }
      return value;
    } catch (error) {
      if (isStillKept()) this.entries.delete(key);
      throw error;
    }
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
  }

  private find(key: string, version: unknown): Entry<V> | undefined {
    const entry = this.entries.get(key);
    return entry && this.isYoung(entry) && isDeepStrictEqual(entry.version, version) ? entry : undefined;
  }

  private keep(key: string, entry: Entry<V>): void {
    const { size, sizeOf, largest = Infinity } = this.bounds;
    if (size === undefined || !sizeOf) {
      this.entries.set(key, entry);
      return;
    }
    // What is still being read has no size yet.
    const own = entry.value instanceof Promise ? 1 : Math.max(1, sizeOf(entry.value, key));
    this.entries.set(key, entry, { size: own > largest ? own : Math.min(own, size) });
  }

  // By distance: a clock that was set back must not keep a value for ever.
  private isYoung({ since }: Entry<V>): boolean {
    return this.bounds.age === undefined || Math.abs(this.now() - since) < this.bounds.age.ms;
  }

  private now(): number {
    return this.bounds.age?.clock.now().getTime() ?? 0;
  }
}
