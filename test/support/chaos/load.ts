import { setTimeout as pause } from 'node:timers/promises';

/** Results of one kind of request. */
export interface Tally {
  /** Status, a result that the kind derived from it, or `failed` without an answer → count. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Milliseconds. */
  readonly slowest: number;
}

interface Kind {
  readonly run: () => Promise<{ status: number | string }>;
  statuses: Record<string, number>;
  slowest: number;
}

/** Refused connections fail at once; retrying them without a pause would use all of the CPU. */
const PAUSE_AFTER_FAILURE_MS = 20;

const running = new Set<Load>();

/** For `afterEach`: stops the load of a failed test. */
export async function stopLoads(): Promise<void> {
  await Promise.all([...running].map((load) => load.stop()));
}

/** Clients that repeat requests of several kinds until they are stopped. */
export class Load {
  private readonly kinds = new Map<string, Kind>();
  private readonly clients: Promise<void>[] = [];
  private isOver = false;

  constructor() {
    running.add(this);
  }

  add(name: string, clients: number, run: Kind['run']): void {
    const kind: Kind = { run, statuses: {}, slowest: 0 };
    this.kinds.set(name, kind);
    for (let client = 0; client < clients; client += 1) this.clients.push(this.send(kind));
  }

  /** Restarts counting. @returns the counts until now */
  next(): Record<string, Tally> {
    const tallies = this.tallies();
    for (const kind of this.kinds.values()) Object.assign(kind, { statuses: {}, slowest: 0 });
    return tallies;
  }

  /** Resolves once a kind has received a status this many times since `next`. @throws Error after 20 s */
  async until(name: string, status: number | string, times = 20): Promise<void> {
    const deadline = performance.now() + 20_000;
    while ((this.kinds.get(name)?.statuses[status] ?? 0) < times) {
      if (performance.now() > deadline) {
        throw new Error(`no ${status} for ${name} within 20 s: ${JSON.stringify(this.tallies())}`);
      }
      await pause(10);
    }
  }

  async stop(): Promise<Record<string, Tally>> {
    this.isOver = true;
    running.delete(this);
    await Promise.all(this.clients);
    return this.tallies();
  }

  private tallies(): Record<string, Tally> {
    return Object.fromEntries([...this.kinds].map(([name, { statuses, slowest }]) => [name, { statuses, slowest }]));
  }

  private async send(kind: Kind): Promise<void> {
    while (!this.isOver) {
      const start = performance.now();
      const outcome = await kind.run().then(
        ({ status }) => String(status),
        () => 'failed',
      );
      // A request counts where it ends, even if it began before `next`.
      kind.slowest = Math.max(kind.slowest, performance.now() - start);
      kind.statuses[outcome] = (kind.statuses[outcome] ?? 0) + 1;
      if (outcome === 'failed') await pause(PAUSE_AFTER_FAILURE_MS);
    }
  }
}

/** Duration of the slowest answer of all kinds in milliseconds. */
export function slowestOf(tallies: Readonly<Record<string, Tally>>): number {
  return Math.max(0, ...Object.values(tallies).map(({ slowest }) => slowest));
}

/** The distinct statuses of all kinds. */
export function statusesOf(tallies: Readonly<Record<string, Tally>>): string[] {
  return [...new Set(Object.values(tallies).flatMap(({ statuses }) => Object.keys(statuses)))].sort();
}
