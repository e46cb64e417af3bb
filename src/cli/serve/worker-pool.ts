import cluster, { type Worker } from 'node:cluster';
import type { ServerLog } from './server-log.js';

/** A worker that exits sooner than this after its start is likely to do so again. */
const STABLE_AFTER_MS = 30_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A worker itself drains requests for 25 s (R03). */
const LONGEST_DRAIN_MS = 30_000;

/** Messages of a worker: once it admits requests, and once it is fully ready. */
export const ADMITTING = 'admitting';
export const READY = 'ready';

/** The workers of one portal; kept at the requested number until they are told to stop. */
export class WorkerPool {
  private readonly workers = new Set<Worker>();
  private readonly pauses = new Set<NodeJS.Timeout>();
  private quickEnds = 0;
  private isUp = false;
  private isEnding = false;

  /** @param drainDelay seconds that a worker keeps accepting after it was told to stop, at most twice as many */
  constructor(
    private readonly serverLog: ServerLog,
    private readonly drainDelay: number,
  ) {}

  /**
   * Starts one worker, and the others once it admits requests: whatever blocks it would block them too, and a worker
   * that became ready earlier would attract requests that the first one still refuses.
   * @returns resolves only when the first exits before it was ever ready, with its exit code
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

  /** Stops all workers and waits until they have exited. */
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
      // If the first worker exits before it is ready, the whole server stops.
      if (!this.isEnding && (this.isUp || worker.id !== 1)) this.replace(signal ?? code, performance.now() - bornAt);
    });
    return worker;
  }

  // Backs off while workers exit early: a persistent fault must not keep the machine busy.
  private replace(how: string | number, lived: number): void {
    this.quickEnds = lived < STABLE_AFTER_MS ? this.quickEnds + 1 : 0;
    const wait = this.quickEnds === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (this.quickEnds - 1), LONGEST_PAUSE_MS);
    this.serverLog.warn(`A worker ended with ${how}; another one takes its place in ${wait / 1000} s.`, { how, wait });
    const pause = setTimeout(() => {
      this.pauses.delete(pause);
      this.fork();
    }, wait);
    this.pauses.add(pause);
  }
}
