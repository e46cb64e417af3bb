import type { Clock } from '../../kernel/index.js';

/**
 * Counting this many rows takes so long that a slightly old total is the better answer (contract, section 4): 30 s at
 * most, of which 5 s are left to whoever keeps a page with its total.
 */
const LARGE = 100_000;
const KEEP_LARGE_MS = 25_000;
const MOST_ENTRIES = 500;

interface Entry {
  total: number;
  countedAt: number;
  version: number | null;
}

/**
 * Totals that need not be counted again: exact ones whose tables have the version they had when they were counted, and
 * large ones of the last 25 s. In this process only; the versions come from the database, so replicas agree.
 */
export class Totals {
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly clock: Clock) {}

  /** @param version of the tables as the page's own statement saw it; null when they have none */
  find(key: string, version: number | null): number | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    if (version !== null && entry.version === version) return entry.total;
    const age = this.clock.now().getTime() - entry.countedAt;
    return entry.total > LARGE && age >= 0 && age < KEEP_LARGE_MS ? entry.total : undefined;
  }

  keep(key: string, total: number, version: number | null): void {
    if (version === null && total <= LARGE) return;
    this.entries.delete(key);
    this.entries.set(key, { total, version, countedAt: this.clock.now().getTime() });
    if (this.entries.size <= MOST_ENTRIES) return;
    for (const oldest of this.entries.keys()) {
      this.entries.delete(oldest);
      break;
    }
  }
}
