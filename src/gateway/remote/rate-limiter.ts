import { GatewayUnavailableError } from '../errors.js';

export interface Pace {
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
  readonly pause: (milliseconds: number) => Promise<void>;
}

/** Seconds of calls that may come at once after a quiet time. */
const BURST_S = 2;

/** Keeps calls below the quota of the backend, and all of them back when it says that the quota is used up. */
export class RateLimiter {
  private readonly interval: number;
  private readonly burst: number;
  /** When the calls that were let through would have come one by one. */
  private due = 0;
  private heldUntil = 0;

  constructor(
    callsPerMinute: number,
    private readonly name: string,
    private readonly pace: Pace,
  ) {
    this.interval = 60_000 / callsPerMinute;
    this.burst = BURST_S * 1000;
  }

  /**
   * Waits for a turn.
   * @param patience milliseconds
   * @throws GatewayUnavailableError when it would come later
   */
  async turn(patience: number): Promise<void> {
    const now = this.pace.now();
    const due = Math.max(now, this.due);
    const wait = Math.max(due - now - this.burst, this.heldUntil - now);
    if (wait > patience) {
      throw new GatewayUnavailableError(wait / 1000, { detail: `the quota of ${this.name} is used up` });
    }
    this.due = due + this.interval;
    if (wait > 0) await this.pace.pause(wait);
  }

  /** Nobody's turn comes before. */
  hold(milliseconds: number): void {
    this.heldUntil = Math.max(this.heldUntil, this.pace.now() + milliseconds);
  }
}
