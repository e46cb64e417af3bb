/** The only source of "now". Tests give their own, so that no test waits and no rule reads the wall clock behind it. */
export interface Clock {
  /** The present instant. */
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** That of this machine, set right by one that all replicas share (R30): the expiries of what they give out are one clock's. */
export class CorrectedClock implements Clock {
  private aheadMs = 0;

  now(): Date {
    return new Date(Date.now() - this.aheadMs);
  }

  /** @param milliseconds that this machine is ahead, or behind when negative */
  correct(milliseconds: number): void {
    this.aheadMs = milliseconds;
  }
}

/** The instant `seconds` after `from` (negative: before). */
export function addSeconds(from: Date, seconds: number): Date {
  return new Date(from.getTime() + seconds * 1000);
}

/** Clocks of replicas may differ by this much (R30). */
const SLACK_S = 60;

/**
 * The latest end that something which lasts `seconds` can have now. What ends later was written before the clock went back, and
 * whoever waits for its end waits for as long as the clock went back: it counts as ended (R29).
 */
export function latestEnd(now: Date, seconds: number): Date {
  return addSeconds(now, seconds + SLACK_S);
}
