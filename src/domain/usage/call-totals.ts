import type { LabelledCount } from '../../core/index.js';
import type { Outcome } from './usage.js';

/** Slugs come from the configuration of proxies; more of them than any portal has products are not told apart. */
const MOST_SERIES = 2_000;

/** Calls of this process since its start, by product and outcome, for its metrics. */
export class CallTotals {
  private readonly series = new Map<string, { readonly labels: Record<string, string>; value: number }>();

  count(product: string | null, outcome: Outcome): void {
    const label = product ?? '';
    const key = `${label} ${outcome}`;
    const known = this.series.get(key);
    if (known) known.value += 1;
    else if (this.series.size < MOST_SERIES || label === '') {
      this.series.set(key, { labels: { product: label, outcome }, value: 1 });
    } else this.count(null, outcome);
  }

  read(): Iterable<LabelledCount> {
    return this.series.values();
  }
}
