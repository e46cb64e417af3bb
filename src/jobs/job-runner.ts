import { AsyncResource } from 'node:async_hooks';
import { DeclarationError, foreignError, untraced, type Clock, type Logger, type Tracer } from '../core/index.js';
import type { JobLeases, JobOutcome } from './job-leases.js';

/** Recurring work outside of requests. */
export interface Job {
  /** For example `mail`; also the name of its lease. */
  readonly name: string;
  /** Seconds between runs. */
  readonly every: number;
  /** Run once per interval across all replicas; otherwise by each replica. */
  readonly exclusive: boolean;
  /** @param stopping tells that the process ends: a long run returns soon, and goes on in another one */
  run(stopping: AbortSignal): Promise<void>;
}

const UNTRIED: JobOutcome = { isRunning: false, startedAt: null, endedAt: null, outcome: null, error: null };
const LONGEST_ERROR = 255;

interface RunnerParts {
  readonly leases: JobLeases;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tracer?: Tracer;
  /** Jobs wait until the portal is ready: before its migrations have run, their tables may not exist. */
  readonly isReady: () => Promise<boolean>;
}

/** Runs jobs at their intervals until it is stopped. A job that fails is logged and runs again at the next interval. */
export class JobRunner {
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly running = new Map<string, Promise<void>>();
  private readonly wanted = new Set<string>();
  private readonly jobs: Job[] = [];
  /** Of jobs that are not exclusive, in this process. */
  private readonly outcomes = new Map<string, JobOutcome>();
  private started = false;
  private ending = new AbortController();
  /** Keeps a job that a request woke out of that request's actor context and trace. */
  private readonly outside = new AsyncResource('portal-jobs');

  constructor(
    private readonly parts: RunnerParts,
    jobs: readonly Job[],
  ) {
    this.add(jobs);
  }

  /**
   * Call it before the start.
   * @throws DeclarationError for a name that is taken: two jobs would share a lease
   */
  add(jobs: readonly Job[]): void {
    for (const job of jobs) {
      if (this.jobs.some(({ name }) => name === job.name))
        throw new DeclarationError(`the job ${job.name} exists twice.`);
      this.jobs.push(job);
    }
  }

  start(): void {
    if (this.started) return;
    this.started = true;
    this.ending = new AbortController();
    for (const job of this.jobs) this.schedule(job, 0);
  }

  /** Runs a job now, if jobs run in this process; a wake-up during a run causes another run. */
  wake(name: string): void {
    const job = this.jobs.find((candidate) => candidate.name === name);
    if (!this.started || !job) return;
    if (this.running.has(name)) this.wanted.add(name);
    else this.schedule(job, 0);
  }

  /**
   * Runs a job once, immediately.
   * @throws Error for an unknown name, and what the job throws
   */
  async run(name: string): Promise<void> {
    const job = this.jobs.find((candidate) => candidate.name === name);
    if (!job) throw new Error(`there is no job ${name}`);
    await this.perform(job);
  }

  /** All jobs by name, and how they went: exclusive ones anywhere, others in this process. */
  async describe(): Promise<(Omit<Job, 'run'> & JobOutcome)[]> {
    const leases = await this.parts.leases.read();
    const jobs = [...this.jobs].sort((a, b) => (a.name < b.name ? -1 : 1));
    return jobs.map(({ name, every, exclusive }) => {
      const known = exclusive ? leases.get(name) : this.outcomes.get(name);
      return { name, every, exclusive, ...(known ?? UNTRIED) };
    });
  }

  /** Resolves once no job is running. */
  async stop(): Promise<void> {
    this.started = false;
    this.ending.abort();
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
    await Promise.all(this.running.values());
  }

  private schedule(job: Job, seconds: number): void {
    if (!this.started) return;
    clearTimeout(this.timers.get(job.name));
    const timer = setTimeout(() => this.outside.runInAsyncScope(() => this.begin(job)), seconds * 1000);
    // Does not keep an otherwise idle process alive.
    timer.unref();
    this.timers.set(job.name, timer);
  }

  private begin(job: Job): void {
    const { name } = job;
    const run = this.attempt(job).finally(() => {
      this.running.delete(name);
      this.schedule(job, this.wanted.delete(name) ? 0 : job.every);
    });
    this.running.set(name, run);
  }

  private perform(job: Job): Promise<void> {
    const { tracer = untraced } = this.parts;
    return tracer.begin({ name: `job ${job.name}`, facts: { 'portal.job': job.name } }, () =>
      job.run(this.ending.signal),
    );
  }

  private async attempt(job: Job): Promise<void> {
    const { leases, logger, isReady } = this.parts;
    try {
      if (!(await isReady())) return;
      if (!job.exclusive) return await this.observe(job);
      const lease = await leases.take(job.name, job.every);
      if (!lease) return;
      try {
        await this.perform(job);
      } catch (error) {
        // The failure of the job is the one to report, also when the database is the cause of both.
        await leases.fail(job.name, lease, describeFailure(error)).catch(() => undefined);
        throw error;
      }
      await leases.complete(job.name, lease);
    } catch (error) {
      logger.error({ err: error, job: job.name }, 'a job failed');
    }
  }

  private async observe(job: Job): Promise<void> {
    const { clock } = this.parts;
    const earlier = this.outcomes.get(job.name) ?? UNTRIED;
    const started = { ...earlier, isRunning: true, startedAt: clock.now() };
    const end = (outcome: 'succeeded' | 'failed', error: string | null) =>
      this.outcomes.set(job.name, { ...started, isRunning: false, endedAt: clock.now(), outcome, error });
    this.outcomes.set(job.name, started);
    try {
      await this.perform(job);
      end('succeeded', null);
    } catch (error) {
      end('failed', describeFailure(error));
      throw error;
    }
  }
}

/** Nothing that a driver or a server said. */
function describeFailure(error: unknown): string {
  return foreignError(error).message.slice(0, LONGEST_ERROR);
}
