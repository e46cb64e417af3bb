import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { ServiceUnavailableError } from '../../../core/index.js';
import { SpecRefusal } from './refusal.js';
import type { SpecAnswer, SpecTask } from './spec-worker.js';

const WORKER_FILE = fileURLToPath(new URL('./spec-worker.js', import.meta.url));
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

interface Answers {
  readonly read: 'read';
  readonly 'read-request': 'request';
  readonly 'to-yaml': 'yaml';
  readonly index: 'index';
  readonly write: 'written';
  readonly compare: 'compared';
}

type Result<T extends SpecTask> = Extract<SpecAnswer, { kind: Answers[T['kind']] }>;

/**
 * Processes documents off the event loop: one thread per task, discarded afterwards, a few at a time. A document that
 * takes too long or too much memory kills only its own thread.
 */
export class SpecWorkers {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /** @param deadline milliseconds of CPU time that a task may take once its thread runs */
  constructor(private readonly deadline = DEADLINE_MS) {}

  /**
   * @throws SpecRefusal for a document that is at fault
   * @throws ServiceUnavailableError when too many tasks wait or the thread does not start
   */
  async run<T extends SpecTask>(task: T): Promise<Result<T>> {
    await this.enter();
    try {
      return (await this.runInThread(task)) as Result<T>;
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

  private runInThread(task: SpecTask): Promise<SpecAnswer> {
    const worker = new Worker(WORKER_FILE, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    let timer: NodeJS.Timeout;
    const outcome = new Promise<SpecAnswer>((resolve, reject) => {
      const after = (milliseconds: number, error: Error) => setTimeout(() => reject(error), milliseconds);
      timer = after(START_MS, new ServiceUnavailableError(5, { detail: 'the thread for specs did not start' }));
      worker.on('message', (answer: SpecAnswer) => {
        if (answer.kind === 'refused') reject(new SpecRefusal(answer.reason, answer.field));
        else if (answer.kind !== 'ready') resolve(answer);
        else {
          clearTimeout(timer);
          const start = { wall: performance.now(), cpu: process.cpuUsage() };
          const look = () => {
            const left = Math.min(
              this.deadline - cpuTimeSince(start.cpu),
              LONGEST_MS - (performance.now() - start.wall),
            );
            if (left <= 0) reject(new SpecRefusal(tooSlow(this.deadline)));
            else timer = setTimeout(look, left);
          };
          timer = setTimeout(look, this.deadline);
          worker.postMessage(task);
        }
      });
      worker.on('error', (error: Error & { code?: string }) => {
        const outOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
        reject(outOfMemory ? new SpecRefusal('The document takes too much memory to read.') : error);
      });
      worker.on('exit', () => reject(new ServiceUnavailableError(5, { detail: 'the thread for specs ended early' })));
    });
    return outcome.finally(() => {
      clearTimeout(timer);
      void worker.terminate();
    });
  }
}

/** CPU milliseconds of all threads of this process since then: an upper bound for the watched one. */
function cpuTimeSince(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

function tooSlow(deadline: number): string {
  return `The document takes longer than ${deadline / 1000} s to read. Large documents are read much faster as JSON.`;
}
