/** The only source of "now". Tests give their own, so that no test waits and no rule reads the wall clock behind it. */
export interface Clock {
  /** The present instant. */
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** The instant `seconds` after `from` (negative: before). */
export function addSeconds(from: Date, seconds: number): Date {
  return new Date(from.getTime() + seconds * 1000);
}
