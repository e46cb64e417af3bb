import type { Clock } from '../../core/index.js';

const KEEP_MS = 1_000;

/** What every page needs and few people change: read at most once a second for each key (R36). A failure is not kept. */
export class TtlCache<T> {
  private readonly values = new Map<string, { readonly readAt: number; readonly value: Promise<T> }>();

  constructor(
    private readonly clock: Clock,
    private readonly read: (key: string) => Promise<T>,
  ) {}

  /** @param key one of few: values of all keys stay in memory */
  get(key: string): Promise<T> {
    const now = this.clock.now().getTime();
    const kept = this.values.get(key);
    // By distance: a clock that was set back must not keep a value for ever (R29).
    if (kept && Math.abs(now - kept.readAt) < KEEP_MS) return kept.value;
    const value = this.read(key);
    this.values.set(key, { readAt: now, value });
    value.catch(() => this.values.delete(key));
    return value;
  }
}
