import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { ServiceUnavailableError } from '../../../core/index.js';
import { compiledFolder } from '../../../core/manifest.js';
import { SpecRefusal } from './refusal.js';
import type { SpecAnswer, SpecTask } from './spec-worker.js';

const WORKER_FILE = fileURLToPath(new URL('domain/catalog/openapi/spec-worker.js', compiledFolder));
/**
 * Limit for the task itself, in CPU time, so that no document is refused because the machine is busy: several times what the
 * largest YAML takes. Hostile documents are refused long before, by what they hold.
 */
const DEADLINE_MS = 60_000;
/** Wall-clock limit, however busy the machine is. */
const LONGEST_MS = 180_000;
/** Limit for loading the thread's code on a busy machine; not part of the deadline. */
const START_MS = 15_000;
const MOST_AT_ONCE = 2;
const MOST_WAITING = 32;
const HEAP_MB = 768;
/** How long a thread waits for another task: starting one takes longer than most documents do. */
const IDLE_MS = 2_000;
/** Characters of a task after which its thread is not kept: it has grown with it. */
const LARGEST_KEPT = 500_000;
/** Tasks of one thread. */
const MOST_TASKS = 100;

interface Answers {
  readonly read: 'read';
  readonly 'read-workflows': 'read';
  readonly 'read-request': 'request';
  readonly 'to-yaml': 'yaml';
  readonly index: 'index';
  readonly write: 'written';
  readonly compare: 'compared';
}

type Result<T extends SpecTask> = Extract<SpecAnswer, { kind: Answers[T['kind']] }>;

/** A thread that has loaded its code. */
interface Thread {
  readonly worker: Worker;
  tasks: number;
  hasEnded: boolean;
  /** Ends it, while it waits. */
  idle?: NodeJS.Timeout;
}

/**
 * Processes documents off the event loop: one task per thread at a time, a few threads at once. A document that takes too
 * long or too much memory kills only its own thread; one that was refused, or large, takes its thread with it, so that
 * no document finds what such a one left behind.
 */
export class SpecWorkers {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  private readonly kept: Thread[] = [];

  /** @param deadline milliseconds of CPU time that a task may take once its thread runs */
  constructor(private readonly deadline = DEADLINE_MS) {}

  /**
   * @throws SpecRefusal for a document that is at fault
   * @throws ServiceUnavailableError when too many tasks wait or the thread does not start
   */
  async run<T extends SpecTask>(task: T): Promise<Result<T>> {
    await this.enter();
    try {
      const thread = this.takeKept() ?? (await startThread());
      return (await this.runIn(thread, task)) as Result<T>;
    } finally {
      this.running -= 1;
      this.waiting.shift()?.();
    }
  }

  private async enter(): Promise<void> {
    if (this.running >= MOST_AT_ONCE) {
      if (this.waiting.length >= MOST_WAITING)
        throw new ServiceUnavailableError(5, { detail: 'too many specs to read' });
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    this.running += 1;
  }

  private takeKept(): Thread | undefined {
    const thread = this.kept.pop();
    clearTimeout(thread?.idle);
    return thread?.hasEnded ? this.takeKept() : thread;
  }

  private async runIn(thread: Thread, task: SpecTask): Promise<SpecAnswer> {
    const { worker } = thread;
    worker.ref();
    try {
      const answer = await withDeadline(worker, this.deadline, () => worker.postMessage(task));
      if (answer.kind === 'refused') throw new SpecRefusal(answer.reason, answer.field);
      thread.tasks += 1;
      if (thread.tasks < MOST_TASKS && sizeOf(task) <= LARGEST_KEPT) this.keep(thread);
      else void worker.terminate();
      return answer;
    } catch (error) {
      void worker.terminate();
      throw error;
    }
  }

  private keep(thread: Thread): void {
    const { worker } = thread;
    const end = () => {
      const at = this.kept.indexOf(thread);
      if (at >= 0) this.kept.splice(at, 1);
      void worker.terminate();
    };
    // Neither keeps the process from ending.
    worker.unref();
    thread.idle = setTimeout(end, IDLE_MS).unref();
    this.kept.push(thread);
  }
}

/** @throws ServiceUnavailableError when it does not start in time */
async function startThread(): Promise<Thread> {
  const limits = { maxOldGenerationSizeMb: HEAP_MB };
  const worker = new Worker(WORKER_FILE, { env: {}, execArgv: [], resourceLimits: limits });
  let timer: NodeJS.Timeout | undefined;
  const watchStart = (reject: (error: Error) => void) => {
    timer = setTimeout(() => reject(refuseForNow('the thread for specs did not start')), START_MS);
  };
  try {
    await awaitMessage(worker, watchStart);
    const thread = { worker, tasks: 0, hasEnded: false };
    worker.on('exit', () => (thread.hasEnded = true));
    // While it waits nobody else listens, and an error would end the process.
    worker.on('error', () => undefined);
    return thread;
  } catch (error) {
    void worker.terminate();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function withDeadline(worker: Worker, deadline: number, begin: () => void): Promise<SpecAnswer> {
  const start = { wall: performance.now(), cpu: process.cpuUsage() };
  let timer: NodeJS.Timeout | undefined;
  const watch = (reject: (error: Error) => void) => {
    const look = () => {
      const left = Math.min(deadline - cpuTimeSince(start.cpu), LONGEST_MS - (performance.now() - start.wall));
      if (left <= 0) reject(new SpecRefusal(sayTooSlow(deadline)));
      else timer = setTimeout(look, left);
    };
    timer = setTimeout(look, deadline);
  };
  try {
    return await awaitMessage(worker, watch, begin);
  } finally {
    clearTimeout(timer);
  }
}

/** What the thread says next. @param watch rejects when it takes too long @param begin once somebody listens */
async function awaitMessage(
  worker: Worker,
  watch: (reject: (error: Error) => void) => void,
  begin?: () => void,
): Promise<SpecAnswer> {
  const listening = new AbortController();
  try {
    return await new Promise<SpecAnswer>((resolve, reject) => {
      const until = { signal: listening.signal } as const;
      const fail = (error: Error & { code?: string }) => {
        const isOutOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
        reject(isOutOfMemory ? new SpecRefusal('The document takes too much memory to read.') : error);
      };
      once(worker, 'message', until).then(([answer]) => resolve(answer as SpecAnswer), fail);
      once(worker, 'exit', until).then(() => reject(refuseForNow('the thread for specs ended early')), fail);
      watch(reject);
      begin?.();
    });
  } finally {
    listening.abort();
  }
}

function refuseForNow(detail: string): ServiceUnavailableError {
  return new ServiceUnavailableError(5, { detail });
}

function sizeOf(task: SpecTask): number {
  switch (task.kind) {
    case 'read':
    case 'read-workflows':
      return task.text.length;
    case 'read-request':
      return task.body.length;
    case 'compare':
      return task.old.length + task.present.length;
    case 'write':
      return task.pieces.length;
    default:
      return task.document.length;
  }
}

/** CPU milliseconds of all threads of this process since then: an upper bound for the watched one. */
function cpuTimeSince(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

function sayTooSlow(deadline: number): string {
  return `The document takes longer than ${deadline / 1000} s to read. Large documents are read much faster as JSON.`;
}
