import { BoundedCache, type Clock } from '../../core/index.js';

/**
 * Above this many rows counting is slow, and a slightly old total is the better answer (contract, section 4): at most
 * 30 s old, of which 5 s are left for page caches.
 */
const LARGE = 100_000;
const KEEP_LARGE_MS = 25_000;
const MOST_ENTRIES = 500;

interface Counted {
  readonly total: number;
  readonly countedAt: number;
}

/** Totals of lists: counted each time, except large ones, which this process caches for 25 s. */
export class Totals {
  private readonly counted = new BoundedCache<Counted>({ entries: MOST_ENTRIES });
  private readonly running = new Map<string, Promise<number>>();

  constructor(private readonly clock: Clock) {}

  /**
   * The cached total of `key`, or a fresh one. Concurrent callers share the count of a large table: ten parallel counts
   * of a million rows would occupy every connection for seconds.
   */
  async find(key: string, count: () => Promise<number>): Promise<number> {
    const known = this.counted.get(key);
    const mayBeLarge = known === undefined || known.total > LARGE;
    if (known && mayBeLarge && this.isYoung(known)) return known.total;
    const running = this.running.get(key);
    if (running && mayBeLarge) {
      // A shared small total may predate a change that the caller has made; recounting is cheap.
      const total = await running;
      if (total > LARGE) return total;
    }
    const counting = this.count(key, count);
    this.running.set(key, counting);
    try {
      return await counting;
    } finally {
      if (this.running.get(key) === counting) this.running.delete(key);
    }
  }

  private isYoung({ countedAt }: Counted): boolean {
    const age = this.clock.now().getTime() - countedAt;
    return age >= 0 && age < KEEP_LARGE_MS;
  }

  private async count(key: string, count: () => Promise<number>): Promise<number> {
    const countedAt = this.clock.now().getTime();
    const total = await count();
    this.counted.set(key, { total, countedAt });
    return total;
  }
}
