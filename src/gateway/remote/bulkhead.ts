import { GatewayUnavailableError } from '../errors.js';

/** Lets so many calls run at once, and the others wait for a while: a slow backend must not take the whole portal (R12). */
export class Bulkhead {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly limit: number,
    private readonly name: string,
  ) {}

  /**
   * @param patience milliseconds to wait for a place
   * @throws GatewayUnavailableError when none became free
   */
  async run<T>(work: () => Promise<T>, patience: number): Promise<T> {
    // A place that becomes free goes from hand to hand: nobody overtakes who waits.
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
