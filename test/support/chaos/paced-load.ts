/** What one kind of request met. */
export interface Measured {
  /** Status, or `failed` when there was no answer, and how often it came. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Milliseconds; all answers, in the order in which they came. */
  readonly times: readonly number[];
  /** Why there was no answer, or what an answer said that was not to come; the first few. */
  readonly faults: readonly string[];
}

interface Kind {
  readonly timer: NodeJS.Timeout;
  readonly underWay: Set<Promise<void>>;
  readonly statuses: Record<string, number>;
  readonly times: number[];
  readonly faults: string[];
}

const MOST_FAULTS = 5;
/** Of one kind. A machine that is too slow for the rate gets less, not a heap that grows. */
const MOST_UNDER_WAY = 10;
/** Timers fire late, not early: what was missed is made up for in the next round. */
const ROUND_MS = 20;

/** Requests at a rate that does not depend on how fast they are answered, as that of many people does not. */
export class PacedLoad {
  private readonly kinds = new Map<string, Kind>();
  /** @param run throws, or answers with a status of 400 and above, when what was to come did not */
  add(name: string, perSecond: number, run: () => Promise<{ status: number }>): void {
    const start = performance.now();
    let sent = 0;
    const timer = setInterval(() => {
      for (const due = ((performance.now() - start) / 1000) * perSecond; sent < due; sent += 1)
        if (kind.underWay.size < MOST_UNDER_WAY) this.send(kind, run);
    }, ROUND_MS);
    const kind: Kind = { timer, underWay: new Set(), statuses: {}, times: [], faults: [] };
    this.kinds.set(name, kind);
  }

  /** Resolves when everything is answered. */
  async stop(): Promise<Record<string, Measured>> {
    for (const { timer } of this.kinds.values()) clearInterval(timer);
    await Promise.all([...this.kinds.values()].flatMap(({ underWay }) => [...underWay]));
    return Object.fromEntries(this.kinds);
  }

  private send(kind: Kind, run: () => Promise<{ status: number }>): void {
    const start = performance.now();
    const since = new Date().toISOString();
    const note = (outcome: string, fault: unknown) => {
      kind.statuses[outcome] = (kind.statuses[outcome] ?? 0) + 1;
      if (fault !== undefined && kind.faults.length < MOST_FAULTS) kind.faults.push(`${since} ${String(fault)}`);
    };
    const sent = run()
      .then(
        (answer) => note(String(answer.status), answer.status >= 400 ? JSON.stringify(answer) : undefined),
        (error: { cause?: unknown }) => note('failed', error.cause ?? error),
      )
      .then(() => {
        kind.times.push(performance.now() - start);
        kind.underWay.delete(sent);
      });
    kind.underWay.add(sent);
  }
}

/** The value that so large a share of them does not exceed; 0 of none. @param share 0.99 is p99 */
export function percentile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
