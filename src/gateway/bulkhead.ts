import { GatewayUnavailableError } from './errors.js';

/** Limits concurrent calls; others wait for a while, so that a slow backend cannot exhaust the portal (R12). */
export class Bulkhead {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly limit: number,
    private readonly name: string,
  ) {}

  /**
   * @param patience milliseconds to wait for a slot
   * @throws GatewayUnavailableError when none became free
   */
  async run<T>(work: () => Promise<T>, patience: number): Promise<T> {
    // A freed slot is handed to the next waiter: nobody can jump the queue.
    if (this.running >= this.limit) await this.place(patience);
    else this.running += 1;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }

  private place(patience: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(enter), 1);
        reject(new GatewayUnavailableError(1, { detail: `${this.limit} calls of ${this.name} are under way already` }));
      }, patience);
      this.waiting.push(enter);
    });
  }
}
