import { networkOf, type Clock, type LabelledCount, type Logger, type ProcessMetrics } from '../../core/index.js';
import { readPlanText, SLUG } from '../catalog/index.js';
import type { KeyDecision } from '../../gateway/index.js';
import type { LimitDecision } from './limits/limit-decision.js';
import { UsageBatch } from './usage-batch.js';
import type { UsageConfig } from './config.js';
import type { UsageWriter } from './usage-writer.js';
import { hourOf, NONE, type CallOutcome } from './usage.js';

type Labels = Record<'product' | 'outcome', string>;

/** A call that a proxy asked about, and what it was told. */
export interface DecidedCall {
  readonly decision: KeyDecision;
  /** What its plan says to it; null: no limits. */
  readonly limits: Pick<LimitDecision, 'passes' | 'exceeded'> | null;
  /** Slug of the product that the proxy named; null: any. */
  readonly product: string | null;
  /** Address of the caller, as far as the proxy tells. */
  readonly caller: string | undefined;
}

interface CounterParts {
  readonly writer: Pick<UsageWriter, 'write'>;
  readonly source: UsageConfig['source'];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly processMetrics: ProcessMetrics;
}

/** From this many rows on nobody waits for the next flush. */
const FLUSH_AT = 10_000;
/** Slugs come from the configuration of proxies; more of them than any portal has products are not told apart. */
const MOST_PRODUCTS = 500;
/** Enough to see where calls come from, too little to identify a caller. */
const COARSE = { ipv4: 24, ipv6: 48 } as const;

/**
 * Counts calls in memory and writes them to the database now and then. Counting never waits and never throws: no key is
 * refused, or answered later, because of it.
 */
export class UsageCounter {
  private current = new UsageBatch();
  /** Handed to the writer and not yet known to be in the database; it is written again unchanged, under the same number. */
  private pending: { readonly sequence: number; readonly batch: UsageBatch } | null = null;
  private sequence = 0;
  private flushing: Promise<void> | null = null;
  private hasWarned = false;
  private onFull: () => void = () => undefined;
  private readonly totals = new CallTotals();

  constructor(private readonly parts: CounterParts) {
    parts.processMetrics.watch('usage_pending_calls', () => this.waiting);
    parts.processMetrics.watchSeries('gateway_calls_total', () => this.totals.read());
  }

  /** Calls that the database does not have yet, as far as is known. */
  get waiting(): number {
    return this.current.calls + (this.pending?.batch.calls ?? 0);
  }

  /** Called once so much has been counted that it should be flushed now. */
  runWhenFull(run: () => void): void {
    this.onFull = run;
  }

  /** Number of the last flush that was begun. */
  get begun(): number {
    return this.sequence;
  }

  /** Whether calls may have reached the database without this process knowing. */
  get isFlushing(): boolean {
    return this.pending !== null;
  }

  record({ decision, limits, product: asked, caller }: DecidedCall): void {
    const now = this.parts.clock.now();
    const at = now.getTime();
    const hour = hourOf(now);
    const outcome = outcomeOf(decision, limits);
    const product = chooseProduct(decision, asked);
    this.totals.count(product, outcome);
    if (outcome === 'allowed' && this.parts.source === 'reports') return;
    const [appId, credentialId] = [idOf(decision.appId), idOf(decision.keyId)];
    if (appId !== null && credentialId !== null) {
      const call = { hour, appId, credentialId, product, planVersionId: planOf(decision), outcome };
      if (!this.current.count(call, at)) this.lose();
      else if (this.current.size === FLUSH_AT) this.onFull();
    } else if (outcome !== 'allowed') {
      this.current.refuse({ hour, product, outcome, network: networkOf(caller ?? '', COARSE) }, at);
    } else if (decision.allowed && decision.keyId === '') {
      const call = { hour, appId: NONE, credentialId: NONE, product, planVersionId: planOf(decision), outcome };
      if (!this.current.count(call, at)) this.lose();
    }
  }

  /**
   * Writes what was counted so far.
   * @throws DatabaseUnavailableError; nothing is lost then, and the next flush writes it
   */
  async flush(): Promise<void> {
    this.flushing ??= this.writeAll().finally(() => (this.flushing = null));
    await this.flushing;
  }

  /** Writes the rest, once nothing is counted any more. Never throws. */
  async close(): Promise<void> {
    try {
      // One that is under way does not have what was counted since it began.
      await this.flushing?.catch(() => undefined);
      await this.flush();
    } catch (error) {
      const calls = this.waiting;
      this.parts.processMetrics.count('usage_lost_calls_total', calls);
      this.parts.logger.error({ err: error, calls }, 'calls that were counted could not be written');
    }
  }

  private async writeAll(): Promise<void> {
    if (this.pending) await this.writePending();
    if (this.current.size === 0) return;
    this.sequence += 1;
    this.pending = { sequence: this.sequence, batch: this.current };
    this.current = new UsageBatch();
    await this.writePending();
    this.hasWarned = false;
  }

  private async writePending(): Promise<void> {
    if (!this.pending) return;
    await this.parts.writer.write(this.pending.sequence, this.pending.batch);
    this.pending = null;
  }

  private lose(): void {
    this.parts.processMetrics.count('usage_lost_calls_total');
    if (this.hasWarned) return;
    this.hasWarned = true;
    const calls = this.waiting;
    this.parts.logger.warn(
      { calls },
      'so many counts wait for the database that the calls of further keys are not counted',
    );
  }
}

function outcomeOf(decision: KeyDecision, limits: DecidedCall['limits']): CallOutcome {
  if (!decision.allowed) return decision.reason;
  return limits?.passes === false && limits.exceeded ? limits.exceeded : 'allowed';
}

/** A key that opens one product was used for that one; otherwise only the proxy knows. */
function chooseProduct(decision: KeyDecision, asked: string | null): string | null {
  if (asked !== null) return SLUG.test(asked) ? asked : null;
  return decision.allowed && decision.products.length === 1 ? (decision.products[0] ?? null) : null;
}

function planOf(decision: KeyDecision): number {
  return (decision.allowed && readPlanText(decision.plan)?.versionId) || NONE;
}

/** null for an id that is not one of the portal's. */
function idOf(id: string | undefined): number | null {
  const number = Number(id);
  return id !== undefined && Number.isSafeInteger(number) && number > 0 ? number : null;
}

/** Calls of this process since its start, by product and outcome, for its metrics. */
class CallTotals {
  private readonly products = new Map<string, Map<CallOutcome, { readonly labels: Labels; value: number }>>();

  count(product: string | null, outcome: CallOutcome): void {
    const label = product ?? '';
    const outcomes = this.products.get(label);
    const known = outcomes?.get(outcome);
    if (known) known.value += 1;
    else if (outcomes) outcomes.set(outcome, { labels: { product: label, outcome }, value: 1 });
    else if (this.products.size < MOST_PRODUCTS || label === '') {
      this.products.set(label, new Map([[outcome, { labels: { product: label, outcome }, value: 1 }]]));
    } else this.count(null, outcome);
  }

  *read(): Iterable<LabelledCount> {
    for (const outcomes of this.products.values()) yield* outcomes.values();
  }
}
