import type { Clock } from '../../core/index.js';

/**
 * Counting this many rows takes so long that a slightly old total is the better answer (contract, section 4): 30 s at
 * most, of which 5 s are left to whoever keeps a page with its total.
 */
const LARGE = 100_000;
const KEEP_LARGE_MS = 25_000;
const MOST_ENTRIES = 500;

export interface Counted {
  readonly total: number;
  /** Of the tables in the very state that was counted; null when they have none. */
  readonly version: number | null;
}

interface Entry extends Counted {
  readonly countedAt: number;
}

/**
 * Totals that need not be counted again: exact ones whose tables have the version they had when they were counted, and
 * large ones of the last 25 s. In this process only; the versions come from the database, so replicas agree.
 */
export class Totals {
  private readonly entries = new Map<string, Entry>();
  private readonly running = new Map<string, Promise<Counted>>();

  constructor(private readonly clock: Clock) {}

  /**
   * The kept total of `key`, or one counted now. A large table is counted once for all who ask meanwhile: ten counts of a
   * million rows side by side would keep every connection busy for seconds.
   * @param version of the tables as the page's own statement saw it; null when they have none
   */
  async find(key: string, version: number | null, count: () => Promise<Counted>): Promise<number> {
    const known = this.entries.get(key);
    if (known && this.holds(known, version)) return known.total;
    const running = this.running.get(key);
    if (running && (known === undefined || known.total > LARGE)) {
      // One of a small table may be from before a change that the caller knows of; it is quickly counted again.
      const { total } = await running;
      if (total > LARGE) return total;
    }
    return (await this.counted(key, count)).total;
  }

  private holds({ total, version, countedAt }: Entry, wanted: number | null): boolean {
    if (wanted !== null && version === wanted) return true;
    const age = this.clock.now().getTime() - countedAt;
    return total > LARGE && age >= 0 && age < KEEP_LARGE_MS;
  }

  private async counted(key: string, count: () => Promise<Counted>): Promise<Counted> {
    const countedAt = this.clock.now().getTime();
    const counting = count();
    this.running.set(key, counting);
    try {
      const counted = await counting;
      this.keep(key, { ...counted, countedAt });
      return counted;
    } finally {
      if (this.running.get(key) === counting) this.running.delete(key);
    }
  }

  private keep(key: string, entry: Entry): void {
    this.entries.delete(key);
    this.entries.set(key, entry);
    if (this.entries.size <= MOST_ENTRIES) return;
    for (const oldest of this.entries.keys()) {
      this.entries.delete(oldest);
      break;
    }
  }
}
