import type { CallOutcome } from './usage.js';

/** Calls with a known key that are alike. */
export interface CallBatch {
  readonly hour: number;
  readonly appId: number;
  readonly credentialId: number;
  /** Slug; null: not known, or any. */
  readonly product: string | null;
  readonly planVersionId: number;
  readonly outcome: CallOutcome;
  calls: number;
  /** Milliseconds since 1970. */
  lastAt: number;
}

/** Calls without one that are alike. */
export interface RefusedCalls {
  readonly hour: number;
  readonly product: string | null;
  /** Empty: not known, or one too many. */
  readonly network: string;
  readonly outcome: CallOutcome;
  calls: number;
  lastAt: number;
}

type NewCalls<T> = Omit<T, 'calls' | 'lastAt'>;

/** Some ten megabytes; as many keys can be counted while the database is away. */
const MOST_COUNTED = 50_000;
/** Beyond, networks and products are no longer told apart: what is guessed must not fill the memory. */
const MOST_REFUSED = 1_000;

/** What was counted since the last flush. */
export class UsageBatch {
  /** By key and product, so that a call that is like an earlier one is found without writing a text. */
  private readonly counted = new Map<number, Map<string | null, CallBatch[]>>();
  private countedRows = 0;
  private readonly refused = new Map<string, RefusedCalls>();
  private sum = 0;

  constructor(
    private readonly most: { readonly counted: number; readonly refused: number } = {
      counted: MOST_COUNTED,
      refused: MOST_REFUSED,
    },
  ) {}

  /** Number of calls. */
  get calls(): number {
    return this.sum;
  }

  /** Number of rows that they make. */
  get size(): number {
    return this.countedRows + this.refused.size;
  }

  rows(): readonly CallBatch[] {
    return [...this.counted.values()].flatMap((products) => [...products.values()].flat());
  }

  refusals(): readonly RefusedCalls[] {
    return [...this.refused.values()];
  }

  /** @returns false if there is no room for it */
  count(call: NewCalls<CallBatch>, at: number): boolean {
    // An id belongs to one app.
    const products = this.counted.get(call.credentialId) ?? new Map<string | null, CallBatch[]>();
    const rows = products.get(call.product) ?? [];
    const known = rows.find((row) => isAlike(row, call));
    if (known) this.addTo(known, at);
    else if (this.countedRows >= this.most.counted) return false;
    else {
      this.countedRows += 1;
      rows.push(this.begin(call, at));
      products.set(call.product, rows);
      this.counted.set(call.credentialId, products);
    }
    return true;
  }

  refuse(call: NewCalls<RefusedCalls>, at: number): void {
    const key = keyOf(call);
    const known = this.refused.get(key);
    if (known) return this.addTo(known, at);
    if (this.refused.size < this.most.refused) {
      this.refused.set(key, this.begin(call, at));
      return;
    }
    const other = { ...call, product: null, network: '' };
    const rest = this.refused.get(keyOf(other));
    if (rest) this.addTo(rest, at);
    else this.refused.set(keyOf(other), this.begin(other, at));
  }

  private begin<T>(call: T, at: number): T & { calls: number; lastAt: number } {
    this.sum += 1;
    return { ...call, calls: 1, lastAt: at };
  }

  private addTo(row: { calls: number; lastAt: number }, at: number): void {
    this.sum += 1;
    row.calls += 1;
    row.lastAt = at;
  }
}

/** Of one key and product. */
function isAlike(row: CallBatch, { hour, planVersionId, outcome }: NewCalls<CallBatch>): boolean {
  return row.hour === hour && row.outcome === outcome && row.planVersionId === planVersionId;
}

function keyOf({ hour, product, network, outcome }: NewCalls<RefusedCalls>): string {
  return `${network} ${product ?? ''} ${outcome} ${hour}`;
}
