import type { Clock } from '../core/index.js';
import { makeLedger, isStale, secondsBetween, type AttemptLedger } from './attempt-ledger.js';
import { BoundedMap } from './bounded-map.js';
import { LedgerLimitStore, type Counters, type Ledgers } from './ledger-limit-store.js';
import type { ConsumeOutcome } from './limit-store.js';

/** Limits of one process. Memory is bounded: beyond `capacity` keys of a kind the least recently used ones go. */
export class MemoryLimitStore extends LedgerLimitStore {
  constructor(clock: Clock, capacity = 50_000) {
    const now = () => clock.now().getTime();
    super(new MemoryLedgers(now, capacity), new MemoryCounters(now, capacity));
  }
}

class MemoryLedgers implements Ledgers {
  private readonly entries: BoundedMap<AttemptLedger>;

  constructor(
    private readonly now: () => number,
    capacity: number,
  ) {
    this.entries = new BoundedMap(capacity, {
      isUseless: (ledger) => isStale(ledger, now()),
      isPinned: ({ pending }) => pending.length > 0,
    });
  }

  change<T>(
    keys: readonly string[],
    step: (ledgers: ReadonlyMap<string, AttemptLedger>, now: number) => T,
  ): Promise<T> {
    const now = this.now();
    const ledgers = new Map(keys.map((key) => [key, this.entries.get(key) ?? makeLedger()]));
    const result = step(ledgers, now);
    for (const [key, ledger] of ledgers) this.keep(key, ledger, now);
    return Promise.resolve(result);
  }

  changeEach(keys: readonly string[], step: (ledger: AttemptLedger, key: string, now: number) => void): Promise<void> {
    const now = this.now();
    for (const key of new Set(keys)) {
      const ledger = this.entries.get(key);
      if (!ledger) continue;
      step(ledger, key, now);
      this.keep(key, ledger, now);
    }
    return Promise.resolve();
  }

  private keep(key: string, ledger: AttemptLedger, now: number): void {
    if (isStale(ledger, now)) this.entries.delete(key);
    else this.entries.set(key, ledger);
  }
}

interface Counter {
  readonly count: number;
  /** Milliseconds. */
  readonly endsAt: number;
}

class MemoryCounters implements Counters {
  private readonly entries: BoundedMap<Counter>;

  constructor(
    private readonly now: () => number,
    capacity: number,
  ) {
    this.entries = new BoundedMap(capacity, { isUseless: ({ endsAt }) => endsAt <= now() });
  }

  consume(key: string, max: number, window: number): Promise<ConsumeOutcome> {
    const now = this.now();
    const latest = now + window * 1000;
    const known = this.entries.get(key);
    const { count, endsAt } = known && known.endsAt > now ? known : { count: 0, endsAt: latest };
    const granted = count < max;
    // A clock that was set back must not stretch the window (R29).
    const counter = { count: granted ? count + 1 : count, endsAt: Math.min(endsAt, latest) };
    this.entries.set(key, counter);
    return Promise.resolve(granted ? { granted } : { granted, retryAfter: secondsBetween(now, counter.endsAt) });
  }

  clear(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.entries.delete(key);
    return Promise.resolve();
  }
}
