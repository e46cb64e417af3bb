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
