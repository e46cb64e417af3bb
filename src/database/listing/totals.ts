import { BoundedCache, type Clock } from '../../core/index.js';

/**
 * Counting this many rows takes so long that a slightly old total is the better answer (contract, section 4): 30 s at
 * most, of which 5 s are left to whoever keeps a page with its total.
 */
const LARGE = 100_000;
const KEEP_LARGE_MS = 25_000;
const MOST_ENTRIES = 500;

interface Counted {
  readonly total: number;
  readonly countedAt: number;
}

/** Totals of lists: counted each time, but for large ones, which this process keeps for 25 s. */
export class Totals {
  private readonly counted = new BoundedCache<Counted>({ entries: MOST_ENTRIES });
  private readonly running = new Map<string, Promise<number>>();

  constructor(private readonly clock: Clock) {}

  /**
   * The kept total of `key`, or one counted now. A large table is counted once for all who ask meanwhile: ten counts of a
   * million rows side by side would keep every connection busy for seconds.
   */
  async find(key: string, count: () => Promise<number>): Promise<number> {
    const known = this.counted.get(key);
    const mayBeLarge = known === undefined || known.total > LARGE;
    if (known && mayBeLarge && this.isYoung(known)) return known.total;
    const running = this.running.get(key);
    if (running && mayBeLarge) {
      // One of a small table may be from before a change that the caller knows of; it is quickly counted again.
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
