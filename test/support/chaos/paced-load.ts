/** Results of one kind of request. */
export interface Measured {
  /** Status, or `failed` without an answer → count. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Durations of all answers in milliseconds, in order of arrival. */
  readonly times: readonly number[];
  /** The first few errors and unexpected answers. */
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
/** Limit per kind, so that a slow machine gets less load instead of a growing heap. */
const MOST_UNDER_WAY = 10;
/** Timers fire late: each round makes up for what the one before missed. */
const ROUND_MS = 20;

/** Requests at a constant rate, however fast they are answered. */
export class PacedLoad {
  private readonly kinds = new Map<string, Kind>();
  /** @param run throws, or returns a status of at least 400, for an unexpected answer */
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

  /** Resolves once all requests are answered. */
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

/** @param share 0.99 for p99 @returns 0 without values */
export function percentile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
