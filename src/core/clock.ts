/** The only source of the current time. Tests inject their own, so that none waits and no rule reads the system clock. */
export interface Clock {
  /** The current time. */
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** The system clock, corrected by one that all replicas share (R30), so that expiries set by different replicas agree. */
export class CorrectedClock implements Clock {
  private aheadMs = 0;

  now(): Date {
    return new Date(Date.now() - this.aheadMs);
  }

  /** @param milliseconds that this machine is ahead, negative when behind */
  correct(milliseconds: number): void {
    this.aheadMs = milliseconds;
  }
}

/** The time `seconds` after `from`; before it when negative. */
export function addSeconds(from: Date, seconds: number): Date {
  return new Date(from.getTime() + seconds * 1000);
}

/** Clocks of replicas may differ by this much (R30). */
const SLACK_S = 60;

/**
 * The latest possible end of something that lasts `seconds`. A later end was written before the clock was set back and
 * would block for that much longer, so it counts as over (R29).
 */
export function latestEnd(now: Date, seconds: number): Date {
  return addSeconds(now, seconds + SLACK_S);
}

/** `work` exceeded its time limit. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

/**
 * The result of `work`, if it comes in time; a later result or failure is ignored.
 * @throws TimeLimitError
 */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new TimeLimitError(`no answer within ${milliseconds} ms`));
    // After a busy period the timer fires before pending sockets are read, so allow one round of reading first.
    timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), milliseconds);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
