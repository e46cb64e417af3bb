import type { Logger } from './logger.js';

/** Work that nobody waits for: it begins once the present request has its answer, and is finished before the end. */
export class Background {
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly logger: Logger) {}

  /** @param name for the log, when the work fails */
  start(name: string, work: () => Promise<void>): void {
    const done = new Promise<void>((resolve) => setImmediate(resolve))
      .then(work)
      .catch((error: unknown) => this.logger.error({ err: error }, `${name} failed in the background`))
      .finally(() => this.running.delete(done));
    this.running.add(done);
  }

  /** Resolves once everything is done that was started, and what that started. */
  async flush(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }
}
