import cluster, { type Worker } from 'node:cluster';
import type { ServerLog } from './server-log.js';

/** Who ends sooner than this after its start is likely to do so again. */
const STABLE_AFTER_MS = 30_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A worker lets requests finish for 25 s by itself (R03). */
const LONGEST_DRAIN_MS = 30_000;

/** What a worker tells once it lets requests in, and once nothing is missing. */
export const ADMITTING = 'admitting';
export const READY = 'ready';

/** The workers of one portal: always as many as were asked for, until they are told to end. */
export class WorkerPool {
  private readonly workers = new Set<Worker>();
  private readonly pauses = new Set<NodeJS.Timeout>();
  private quickEnds = 0;
  private isUp = false;
  private isEnding = false;

  /** @param drainDelay seconds that a worker goes on accepting after it was told to end, twice as many at the most */
  constructor(
    private readonly voice: ServerLog,
    private readonly drainDelay: number,
  ) {}

  /**
   * Starts one worker, and the others once it lets requests in: what keeps it from that would keep them from it too, and
   * one of them that was ready before it would bring requests that it still turns away.
   * @returns resolves only when the first ends before it ever was ready, with its exit code
   */
  start(count: number): Promise<number> {
    return new Promise((failed) => {
      const first = this.fork();
      first.on('message', (message) => {
        if (message === ADMITTING) while (this.workers.size < count) this.fork();
        if (message === READY) this.isUp = true;
      });
      first.once('exit', (code) => {
        if (!this.isUp && !this.isEnding) failed(code === 0 || code === null ? 1 : code);
      });
    });
  }

  /** Tells all to end and waits until they have. */
  async end(): Promise<void> {
    this.isEnding = true;
    for (const pause of this.pauses) clearTimeout(pause);
    const gone = [...this.workers].map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of this.workers) worker.process.kill('SIGTERM');
    const deadline = setTimeout(
      () => {
        for (const worker of this.workers) worker.process.kill('SIGKILL');
      },
      this.drainDelay * 2000 + LONGEST_DRAIN_MS,
    );
    await Promise.all(gone);
    clearTimeout(deadline);
  }

  private fork(): Worker {
    const worker = cluster.fork();
    const bornAt = performance.now();
    this.workers.add(worker);
    worker.once('exit', (code, signal) => {
      this.workers.delete(worker);
      // Before the first is ready, its end is that of all.
      if (!this.isEnding && (this.isUp || worker.id !== 1)) this.replace(signal ?? code, performance.now() - bornAt);
    });
    return worker;
  }

  // Later and later while they end soon: a fault that stays must not keep the machine busy.
  private replace(how: string | number, lived: number): void {
    this.quickEnds = lived < STABLE_AFTER_MS ? this.quickEnds + 1 : 0;
    const wait = this.quickEnds === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (this.quickEnds - 1), LONGEST_PAUSE_MS);
    this.voice.warn(`A worker ended with ${how}; another one takes its place in ${wait / 1000} s.`, { how, wait });
    const pause = setTimeout(() => {
      this.pauses.delete(pause);
      this.fork();
    }, wait);
    this.pauses.add(pause);
  }
}
