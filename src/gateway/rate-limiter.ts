import { GatewayUnavailableError } from './errors.js';

export interface Pace {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly pause: (milliseconds: number) => Promise<void>;
}

/** Burst size after a quiet period, in seconds of calls. */
const BURST_S = 2;

/** Keeps calls below the backend's quota, and pauses all of them when it reports that the quota is used up. */
export class RateLimiter {
  private readonly interval: number;
  private readonly burst: number;
  /** Time at which the granted calls would be done at an even pace. */
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
   * @throws GatewayUnavailableError when the turn would come later
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

  /** Grants no turns for this time. */
  hold(milliseconds: number): void {
    this.heldUntil = Math.max(this.heldUntil, this.pace.now() + milliseconds);
  }
}
