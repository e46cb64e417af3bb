import type { Logger } from './logger.js';

/** Fire-and-forget work: starts once the current request is answered, and is awaited at shutdown. */
export class Background {
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly logger: Logger) {}

  /** @param name for the log when the work fails */
  start(name: string, work: () => Promise<void>): void {
    const done = new Promise<void>((resolve) => setImmediate(resolve))
      .then(work)
      .catch((error: unknown) => this.logger.error({ err: error }, `${name} failed in the background`))
      .finally(() => this.running.delete(done));
    this.running.add(done);
  }

  /** Resolves once all started work is done, including what it started in turn. */
  async flush(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }
}
