import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { Clock } from './clock.js';

interface CacheBounds<V> {
  /** Maximum number of entries. */
  readonly entries?: number;
  /** Maximum total of `sizeOf` over all entries. */
  readonly size?: number;
  readonly sizeOf?: (value: V, key: string) => number;
  /** Larger values are not cached; without it, a value larger than `size` is cached alone. */
  readonly largest?: number;
  /** Called for every evicted entry. */
  readonly onEvict?: (value: V, key: string) => void;
  /** How long an entry is valid, counted from when its value was requested. */
  readonly age?: { readonly ms: number; readonly clock: Clock };
}

interface Entry<V> {
  readonly value: V | Promise<V>;
  /** Version of the source data; the entry is valid for an equal one. */
  readonly version: unknown;
  /** Milliseconds; 0 without a maximum age. */
  readonly since: number;
}

/** A bounded LRU cache of this process. */
export class BoundedCache<V> {
  private made: LRUCache<string, Entry<V>> | undefined;

  constructor(private readonly bounds: CacheBounds<V>) {}

  /** @returns the value cached for an equal version, by `set` or a completed `read` */
  get(key: string, version?: unknown): V | undefined {
    const entry = this.find(key, version);
    return entry && !(entry.value instanceof Promise) ? entry.value : undefined;
  }

  set(key: string, value: V, version?: unknown): void {
    this.keep(key, { value, version, since: this.now() });
  }

  /**
   * The value cached for an equal version; otherwise read now, once for all concurrent callers.
   * @param read `undefined` and errors are not cached
   */
  async read<Read extends V | undefined>(key: string, read: () => Promise<Read>, version?: unknown): Promise<V | Read> {
    const known = this.find(key, version);
    if (known) return known.value;
    const reading = read();
    const entry = { value: reading as Promise<V>, version, since: this.now() };
    this.keep(key, entry);
    const isCurrent = () => this.entries.peek(key) === entry;
    try {
      const value = await reading;
      if (isCurrent()) {
        if (value === undefined) this.entries.delete(key);
        else this.keep(key, { ...entry, value });
      }
      return value;
    } catch (error) {
      if (isCurrent()) this.entries.delete(key);
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
    if (!entry || !this.isYoung(entry)) return undefined;
    return entry.version === version || isDeepStrictEqual(entry.version, version) ? entry : undefined;
  }

  private keep(key: string, entry: Entry<V>): void {
    const { size, sizeOf, largest = Infinity } = this.bounds;
    if (size === undefined || !sizeOf) {
      this.entries.set(key, entry);
      return;
    }
    // A pending read has no size yet.
    const own = entry.value instanceof Promise ? 1 : Math.max(1, sizeOf(entry.value, key));
    this.entries.set(key, entry, { size: own > largest ? own : Math.min(own, size) });
  }

  /** Made with the first use: it reserves the room of all its entries. */
  private get entries(): LRUCache<string, Entry<V>> {
    return (this.made ??= this.make());
  }

  private make(): LRUCache<string, Entry<V>> {
    const { entries = 0, size = 0, largest = 0, onEvict } = this.bounds;
    return new LRUCache({
      ...{ max: entries, maxSize: size, maxEntrySize: largest },
      dispose: ({ value }, key, reason) => {
        if (reason === 'evict' && !(value instanceof Promise)) onEvict?.(value, key);
      },
    });
  }

  // Absolute difference: a clock that was set back must not keep a value indefinitely.
  private isYoung({ since }: Entry<V>): boolean {
    return this.bounds.age === undefined || Math.abs(this.now() - since) < this.bounds.age.ms;
  }

  private now(): number {
    return this.bounds.age?.clock.now().getTime() ?? 0;
  }
}
